// autodiff/rule: what a gradient rule is. One specialisation of Rule per op, in rules/, written over Dyn<B>: no rank, no tape.
//
//   template <> struct Rule<op::Sort> {
//     static constexpr Saves saves(const op::Sort&, unsigned needs) { return {0, 2}; }
//     template <class B> static OperandGradients<op::Sort, B> back(Saved<op::Sort, B>& s) { return {... s.out[1], s.grad[0] ...}; }
//   };
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../backend/dyn.hpp"

namespace hearth {

/// What the backward pass reads of the forward pass. Bit i: operand i or result i.
struct Saves {
  unsigned inputs = 0, outputs = 0;
};

/// The bit of operand i in a mask. Operands from 31 on share the last bit.
constexpr unsigned operand_bit(int i) { return 1u << (i < 31 ? i : 31); }

/// What a rule works from. `back` may move out of `in`, `out` and `grad`: they are its own.
template <class Op, class B>
struct Saved {
  const Op& op;
  unsigned needs;             ///< bit i: operand i wants a gradient
  Operands<Op, Spec> spec;    ///< of the operands; f32[] where an optional one is absent
  Operands<Op, Dyn<B>> in;    ///< null unless saved (or where absent)
  Results<Op, Dyn<B>> out;    ///< null unless saved
  Results<Op, Dyn<B>> grad;   ///< dL/dresult; null where none arrived (never all of them)

  bool need(int i) const { return (needs & operand_bit(i)) != 0; }
  DeviceOf<B> device() const {
    for (auto& g : grad)
      if (g) return g.device();
    return in[0].device();
  }
  /// Zeros like operand i.
  Dyn<B> zeros(int i) const { return Dyn<B>::full(device(), spec[i], 0); }
};

/// What `back` returns: the gradient of each operand, of that operand's shape and dtype; null for those that need none
/// (or for which it is zero because the result's gradient never arrived).
template <class Op, class B>
using OperandGradients = Operands<Op, Dyn<B>>;

/// static Saves saves(const Op&, unsigned needs): which operands and results `back` reads, when the operands in `needs` want gradients.
/// template <class B> static OperandGradients<Op, B> back(Saved<Op, B>&).
template <class Op>
struct Rule;

/// Base of a rule that reads nothing of the forward pass.
struct SavesNothing {
  template <class Op>
  static constexpr Saves saves(const Op&, unsigned) {
    return {};
  }
};
/// Base of the rule of an op whose results never depend smoothly on its operands: they are integers or bool. Said, never assumed.
struct NoGradient {
  static constexpr bool differentiable = false;
};
/// Base of the rule of an op whose gradient is out of reach: `static constexpr std::string_view reason`. On tracked operands it is an
/// error, so that no gradient is cut silently.
struct GradientRefused {
  static constexpr bool differentiable = false;
};

// Ask these only where all rules are included (autodiff/rules.hpp): an answer is remembered.
template <class Op>
concept HasRule = requires { sizeof(Rule<Op>); };
template <class Op>
concept HasGradient = HasRule<Op> && requires(const Op& op) {
  { Rule<Op>::saves(op, 0u) } -> std::same_as<Saves>;
};

}  // namespace hearth
