// op/cases: the cases of the op suite, from fixtures/ops.safetensors: an op as text, operands, and the results that PyTorch, NumPy or a
// formula by hand gives (fixtures/make_ops.py). No expected value comes from Hearth.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "hearth/core/tensor_data.hpp"
#include "hearth/op/op.hpp"

namespace hearth::test {

/// An operand or an expected result, and which dtype it has when the case runs with another dtype.
struct CaseArray {
  enum class Role : char {
    absent = '-',
    varies = 'x',   ///< the case's dtype
    widened = 'w',  ///< 64 bits where the case's dtype is an integer or bool
    index = 'i',    ///< any integer dtype
    fixed = '=',    ///< as stored
    columns = 'c',  ///< of a result: as `varies`, each column up to its sign
    rows = 'r',     ///< of a result: as `varies`, each row up to its sign
    free = '?',     ///< of a result: of the case's dtype, any values
  };
  Role role = Role::absent;
  TensorData data;
};

struct Case {
  std::string name;  ///< unique
  std::string text;  ///< the op as parse_op reads it, with $T for the case's dtype
  std::vector<Dtype> dtypes;
  std::vector<CaseArray> in, out;
  double units = 1;   ///< errors of arithmetic on the way, see tolerance()
  double floor = 1;   ///< the size of the numbers on the way, where results are smaller
  double rounds = 1;  ///< how often 16-bit numbers are rounded on the way
  bool smooth = false;           ///< may gradients be checked by differences here?
  std::vector<int> constant;     ///< operands that have no gradient though they are floats
  bool zero_size() const;
  /// About NaN, infinities and division by zero: its name ends in ".edges".
  bool at_edges() const { return std::string_view(name).ends_with(".edges"); }

  AnyOp op(Dtype dtype) const;
  /// "Unary.exp", "MatMul": what the case is about: the op, and the row of its table.
  std::string subject() const;
};

/// All cases, in the order of the file.
const std::vector<Case>& all_cases();

std::string subject_of(const AnyOp& op);

/// |got - want| may be at most units * epsilon * max(|want|, floor), epsilon that of the dtype computed in (f32 for 16 bits), and for
/// 16-bit results half a unit in their last place more for each rounding. Integers, bool and infinities are exact, NaN is NaN.
double tolerance(const Case& c, Dtype dtype, double want);

/// Elements as another dtype.
TensorData converted(const TensorData& data, Dtype dtype);
/// An operand of a case in one dtype.
TensorData operand(const CaseArray& array, Dtype dtype);
/// "" if the results are the expected ones, else what differs first.
std::string difference(const Case& c, Dtype dtype, const std::vector<TensorData>& got);

}  // namespace hearth::test
