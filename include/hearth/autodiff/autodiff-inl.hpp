// autodiff/autodiff-inl: how an op runs on Autodiff<B>: forward on B, and a node that remembers what its rule needs.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "rules.hpp"
#include "tape-inl.hpp"

namespace hearth {

namespace detail {

/// A composite without a rule: its decomposition is run again on a small tape, and that is walked back.
template <class B, class Op>
OperandGradients<Op, B> recompute(Saved<Op, B>& s, Operands<Op, Dyn<B>> result) {
  using Handle = typename Autodiff<B>::Handle;
  RecordingScope<B> scope(NoGrad::depth);
  int next = 0;
  auto leaves = map_list(s.in, [&](Dyn<B>& value) {
    Handle leaf{std::move(value.handle), {}, 0};
    const bool tracked = s.need(next++) && leaf && is_float(B::spec(leaf.value).dtype);
    return tracked ? Tape<Autodiff<B>>::track(std::move(leaf)) : leaf;
  });
  auto out = decompose<Autodiff<B>, Op>(s.op, leaves);
  Tape<Autodiff<B>>::walk(out.data(), out.size(), s.grad.data(), leaves.data(), leaves.size(), result.data());
  return result;
}

template <class B, class Op>
void back_of(Node<B>& node, Walk<B>& walk, Dyn<B>* grad, Dyn<B>* result) {
  Saved<Op, B> s{*static_cast<const Op*>(node.op()), node.needs, {}, {}, {}, {}};
  if constexpr (Op::inputs == many) s.spec.resize(std::size_t(node.inputs)), s.in.resize(std::size_t(node.inputs));
  if constexpr (Op::outputs == many) s.out.resize(std::size_t(node.outputs)), s.grad.resize(std::size_t(node.outputs));
  Tape<Autodiff<B>>::restore(node, walk.retain, s.spec.data(), s.in.data(), s.out.data(), s.out.size());
  for (std::size_t i = 0; i < s.grad.size(); ++i) s.grad[i] = std::move(grad[i]);
  OperandGradients<Op, B> gradients;
  if constexpr (HasGradient<Op>) {
    gradients = Rule<Op>::back(s);
  } else {
    if constexpr (Op::inputs == many) gradients.resize(s.in.size());
    gradients = recompute(s, std::move(gradients));
  }
  for (std::size_t i = 0; i < gradients.size(); ++i) result[i] = std::move(gradients[i]);
}

template <class B, class Op>
inline constexpr NodeKind<B> op_kind = node_kind<B, Op>(op_name<Op>, back_of<B, Op>);

}  // namespace detail

template <class B>
template <class Op>
auto Autodiff<B>::run(const Op& op, Operands<Op, Handle> in) -> Results<Op, Handle> {
  static_assert(HasRule<Op> || Composite<Op>,
                "hearth: this op has neither a Rule (autodiff/rules) nor a Decomposition; say NoGradient if its results have no gradient");
  auto inner = [&] { return map_list(in, [](Handle& handle) { return std::move(handle.value); }); };
  if constexpr (HasGradient<Op> || !HasRule<Op>) {
    if (const unsigned needs = Tape<Autodiff>::needs(in.data(), in.size())) {
      Saves saves{~0u, 0};
      if constexpr (HasGradient<Op>) saves = Rule<Op>::saves(op, needs);
      auto node = Tape<Autodiff>::record(&detail::op_kind<B, Op>, &op, in.data(), in.size(), needs, saves, Op::outputs);
      auto out = apply<B>(op, inner());
      auto result = map_list(out, [](HandleOf<B>&) { return Handle{}; });
      Tape<Autodiff>::attach(std::move(node), saves.outputs, out.data(), out.size(), result.data());
      return result;
    }
  } else if constexpr (requires { Rule<Op>::reason; }) {
    if (Tape<Autodiff>::needs(in.data(), in.size())) {
      (void)fail(op_name<Op>, "has no gradient: " + std::string(Rule<Op>::reason), {}, "detach its operands, or give it a gradient with custom_function");
      return detail::failed_results<Autodiff>(op, in);
    }
  }
  return map_list(apply<B>(op, inner()), [](HandleOf<B>& value) { return Handle{std::move(value), {}, 0}; });
}

}  // namespace hearth
