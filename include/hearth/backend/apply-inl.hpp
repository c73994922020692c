// backend/apply-inl: the bodies of apply, claims, supports and decompose, and of Dyn's cores. For src/stacks and for authors of backends.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "decompositions.hpp"
#include "dyn-inl.hpp"

namespace hearth {

/// The specs of operands, null where an operand is absent. They live as long as the handles.
template <class B, class Op>
Operands<Op, const Spec*> specs_of(const Operands<Op, HandleOf<B>>& in) {
  return map_list(in, [](auto& handle) -> const Spec* { return handle ? &B::spec(handle) : nullptr; });
}

namespace detail {
/// Does B have an opinion of its own on which operands it claims?
template <class B, class Op>
concept Chooses = requires(const Op& op, const Operands<Op, const Spec*>& in) {
  { B::claims(op, in) } -> std::same_as<bool>;
};
}  // namespace detail

template <class B, class Op>
bool claims(const Op& op, const Operands<Op, const Spec*>& in) {
  if constexpr (!Runs<B, Op>) return false;
  else if constexpr (detail::Chooses<B, Op>) return B::claims(op, in);
  else return true;
}

template <class B, class Op>
bool supports(const Op& op, const Operands<Op, const Spec*>& in) {
  if constexpr (requires { { B::supports(op, in) } -> std::same_as<bool>; }) return B::supports(op, in);
  else return Composite<Op> || Runs<B, Op>;
}

namespace detail {
/// Without exceptions: the first operand that carries an error; null if none does.
template <class B>
const HandleOf<B>* failed_operand(const HandleOf<B>* in, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (in[i] && B::error(in[i])) return in + i;
  return nullptr;
}
/// As many copies of a handle that carries an error as the op has results; where that is known at run time only, at least so many.
template <class Op, class Handle>
Results<Op, Handle> all_failed(const Op& op, std::size_t operands, const Handle& failed) {
  if (pending_error()) (void)take_pending_error();
  Results<Op, Handle> results;
  if constexpr (requires { op.results.size(); }) results.resize(op.results.size());
  else if constexpr (Op::outputs == many) results.resize(operands);
  for (auto& result : results) result = failed;
  return results;
}
/// What an op returns after `fail` where Hearth is built without exceptions: whoever makes an array now hangs the pending error on it.
template <class B, class Op>
Results<Op, HandleOf<B>> failed_results(const Op& op, const Operands<Op, HandleOf<B>>& in) {
  DeviceOf<B> device{};
  for (const auto& handle : in)
    if (handle) device = B::device(handle);
  return all_failed(op, in.size(), B::make(device, op::Full{{Dtype::f32, {0}}, 0}));
}
}  // namespace detail

/// Runs a composite by its decomposition, claim or not. infer comes first, so that a wrong shape is reported as the composite's own.
template <class B, class Op>
Results<Op, HandleOf<B>> decompose(const Op& op, Operands<Op, HandleOf<B>> in) {
  if constexpr (!HEARTH_EXCEPTIONS)
    if (const auto* failed = detail::failed_operand<B>(in.data(), in.size())) return detail::all_failed(op, in.size(), *failed);
  (void)infer(op, specs_of<B, Op>(in));
  if (pending_error()) return detail::failed_results<B>(op, in);
  auto out = Decomposition<Op>::template run<B>(op, map_list(in, [](auto& handle) { return Dyn<B>(std::move(handle)); }));
  if constexpr (!HEARTH_EXCEPTIONS) {
    forget_error();  // which of its parts were asked for their shapes is its own affair
    // Where a part of it failed, so have all of its results: none is left half done.
    if (pending_error()) return detail::failed_results<B>(op, in);
    for (const auto& dyn : out)
      if (dyn.error()) return detail::all_failed(op, in.size(), HandleOf<B>(dyn.handle));
  }
  return map_list(out, [](auto& dyn) { return std::move(dyn.handle); });
}

template <class B, class Op>
Results<Op, HandleOf<B>> apply(const Op& op, Operands<Op, HandleOf<B>> in) {
  if constexpr (!HEARTH_EXCEPTIONS)
    if (const auto* failed = detail::failed_operand<B>(in.data(), in.size())) return detail::all_failed(op, in.size(), HandleOf<B>(*failed));
  if constexpr (Composite<Op> && (!Runs<B, Op> || detail::Chooses<B, Op>)) {
    if constexpr (Runs<B, Op>)
      if (claims<B>(op, specs_of<B, Op>(in))) return B::run(op, std::move(in));
    return decompose<B>(op, std::move(in));
  } else if constexpr (Runs<B, Op>) {  // a claim without a choice needs no decomposition to fall back on
    return B::run(op, std::move(in));
  } else {
    (void)fail(op_name<Op>, "the backend " + B::name() + " has no such op", {}, "ask supports() first");
    return detail::failed_results<B>(op, in);
  }
}

}  // namespace hearth
