// autodiff/rules/open: custom kernels and collectives.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../rule.hpp"

namespace hearth {

template <>
struct Rule<op::Launch> : GradientRefused {
  static constexpr std::string_view reason = "nothing is known of what a custom kernel computes";
};

/// Gradients of the sum of all members' losses. Every member calls backward, and collectives meet in the order of the tape.
template <>
struct Rule<op::Collective> : SavesNothing {
  template <class B>
  static OperandGradients<op::Collective, B> back(Saved<op::Collective, B>& s) {
    op::Collective op = s.op;
    const bool linear = op.reduce == ReduceCode::sum || op.reduce == ReduceCode::mean;
    switch (op.code) {
      case CollectiveCode::barrier: return {s.grad[0]};
      case CollectiveCode::all_to_all: return {call<B>(op, s.grad[0])};
      case CollectiveCode::all_gather:
        op.code = CollectiveCode::reduce_scatter;
        op.reduce = ReduceCode::sum;
        return {call<B>(op, s.grad[0])};
      case CollectiveCode::all_reduce:
        if (linear) return {call<B>(op, s.grad[0])};
        break;
      case CollectiveCode::reduce_scatter:
        if (linear) {
          const bool mean = op.reduce == ReduceCode::mean;
          op.code = CollectiveCode::all_gather;
          const Dyn<B> g = call<B>(op, s.grad[0]);
          return {mean ? g / Scalar(op.members) : g};
        }
        break;
      case CollectiveCode::broadcast:
        return fail("collective", "a broadcast has no gradient here: the op does not say which member runs it", {}, "detach its operand");
    }
    return fail("collective", "only sums and means have a gradient", {}, "detach its operand");
  }
};

}  // namespace hearth
