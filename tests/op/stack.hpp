// op/stack: a stack of backends with its type forgotten, so that the suite is compiled once for all of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hearth/core/tensor_data.hpp"
#include "hearth/op/op.hpp"

namespace hearth::test {

using Maybe = std::optional<TensorData>;

/// A handle of the stack that made it; null stands for an absent operand.
using Array = std::shared_ptr<void>;

/// Whether run copies the handles of its operands or takes them, so that their buffers may be written into.
enum class Operand { kept, given };

struct Stack {
  std::string name;
  std::function<Array(const TensorData&)> upload;
  std::function<TensorData(const Array&)> download;
  /// apply<B>, or B::make for an op without operands.
  std::function<std::vector<Array>(const AnyOp&, const std::vector<Array>&, Operand)> run;
  /// supports<B> of an op of f32[2] operands.
  std::function<bool(const AnyOp&)> supports;
  /// The gradients of the operands, where tracked[i], of the sum of the results that have weights, each times its weights; none for zero.
  std::function<std::vector<Maybe>(const AnyOp&, const std::vector<Array>&, const std::vector<bool>& tracked, const std::vector<Maybe>& weights)> gradients;
};

/// A backend as the suite sees it: alone, under Autodiff, under Checked and under Profile.
struct Backends {
  Stack plain, autodiff, checked, profiled;
};
/// The backend that this program tests.
const Backends& tested();

}  // namespace hearth::test
