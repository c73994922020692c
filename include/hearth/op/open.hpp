// op/open: the open end of the vocabulary: custom kernels, collectives, and programs of ops.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "../core/ref.hpp"
#include "../core/spec.hpp"
#include "any_op.hpp"
#include "arity.hpp"
#include "codes.hpp"

namespace hearth::op {

/// A custom kernel, by the name under which it was registered; `results` says what it writes.
struct Launch {
  static constexpr int inputs = many, outputs = many;
  std::string kernel;
  Shape grid, group;  ///< how many groups, and lanes in each
  std::vector<Scalar> scalars;
  std::vector<Spec> results;
};
/// One exchange among the members of a named group. x -> the member's result.
struct Collective {
  static constexpr int inputs = 1, outputs = 1;
  CollectiveCode code{};
  ReduceCode reduce = ReduceCode::sum;
  std::string group;
  int members = 1, root = 0;
};
/// A straight-line program. Slot i < operands is operand i; the results of each step take the next slots; -1 is an absent operand.
struct Fused {
  static constexpr int inputs = many, outputs = many;
  struct Step {
    AnyOp op;
    std::vector<int> in;
  };
  std::vector<Step> steps;
  std::vector<int> results;  ///< slots
};

}  // namespace hearth::op
