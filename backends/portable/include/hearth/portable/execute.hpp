// portable/execute: the one way from an op to its kernel.
// A kernel is `void kernel(const op::X& op, const Operands<op::X, Handle>& in, Results<op::X, Handle>& out)`: infer has accepted the
// operands, and `out` holds row-major arrays of the inferred specs, not initialised (a value-sized op replaces them by smaller ones).
// It checks all index values before its first write. It fails by `return (void)fail(...)`.
// A view is `Handle view(const op::X& op, const Handle& x, const Spec& result)`; nothing is allocated for it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <new>
#include <stdexcept>

#include "../portable.hpp"

namespace hearth::portable {

template <class Op>
inline constexpr bool is_view = false;
template <>
inline constexpr bool is_view<op::Reshape> = true;
template <>
inline constexpr bool is_view<op::Permute> = true;
template <>
inline constexpr bool is_view<op::Expand> = true;
template <>
inline constexpr bool is_view<op::Slice> = true;
template <>
inline constexpr bool is_view<op::Unfold> = true;

/// As many handles as Op has results, all carrying `cause`.
template <class Op>
Results<Op, Handle> all_failed(const Device& device, const Ref<Cause>& cause) {
  Results<Op, Handle> results;
  for (Handle& result : results) result = make_ref<Array>(device, cause);
  return results;
}
template <class Op>
Results<Op, Handle> all_failed(const Device& device) {
  return all_failed<Op>(device, make_ref<Cause>(take_pending_error()));
}

/// The device that all operands share. Fails if a needed operand is absent.
template <class Op>
Device device_of(const Operands<Op, Handle>& in) {
  const Array* first = nullptr;
  std::size_t position = 0;
  for (const Handle& x : in) {
    if (!x && !may_be_absent<Op>(position)) return fail(op_name<Op>, "operand " + std::to_string(position) + " is empty");
    if (x && first && x->device != first->device)
      return fail(op_name<Op>, "operands are on devices " + std::to_string(first->device.index) + " and " + std::to_string(x->device.index));
    if (x && !first) first = x.get();
    ++position;
  }
  return first ? first->device : Device{};
}

/// Calls the kernel. Memory that it takes for itself may run out, too.
template <class F>
void with_memory([[maybe_unused]] std::string_view op, F&& kernel) {
#if HEARTH_EXCEPTIONS
  try {
    kernel();
  } catch (const std::bad_alloc&) {
    fail(Error(ErrorKind::device, op, "the system has no memory left"));
  } catch (const std::length_error&) {  // more than a list can ever hold
    fail(Error(ErrorKind::device, op, "the system has not so much memory"));
  }
#else
  kernel();
#endif
}

template <class Op>
Results<Op, Handle> execute(const Op& op, const Operands<Op, Handle>& in) {
  for (const Handle& x : in)
    if (x && x->cause) {
      if (pending_error()) (void)take_pending_error();
      return all_failed<Op>(x->device, x->cause);
    }
  const Device device = device_of<Op>(in);
  if (pending_error()) return all_failed<Op>(device);
  const Results<Op, Spec> specs = infer(op, map_list(in, [](const Handle& x) -> const Spec* { return x ? &x->spec : nullptr; }));
  if (pending_error()) return all_failed<Op>(device);
  Results<Op, Handle> out;
  if constexpr (is_view<Op>) {
    out[0] = view(op, in[0], specs[0]);
  } else {
    out = map_list(specs, [&](const Spec& spec) { return allocate(device, spec, op_name<Op>); });
    if (!pending_error()) with_memory(op_name<Op>, [&] { kernel(op, in, out); });
  }
  if (pending_error()) return all_failed<Op>(device);
  return out;
}

template <class Op>
Handle create(const Device& device, const Op& op) {
  const Spec spec = infer(op);
  if (pending_error()) return failed(device);
  const Handle result = allocate(device, spec, op_name<Op>);
  if (!result) return failed(device);
  kernel(op, result);
  return result;
}

}  // namespace hearth::portable
