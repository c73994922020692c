// backend/pass_through: the memory functions of a decorator whose handles are those of the backend that it wraps.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "transfer.hpp"

namespace hearth {

/// Base of such decorators. They add `run`, `make` where they care, and `name`.
template <class B>
struct PassThrough {
  using Inner = B;
  using Device = DeviceOf<B>;
  using Handle = HandleOf<B>;

  template <class Op>
    requires Makes<B, Op>
  static Handle make(const Device& device, const Op& op) {
    return B::make(device, op);
  }
  template <class Op>
  static bool claims(const Op& op, const Operands<Op, const Spec*>& in) {
    return hearth::claims<B>(op, in);
  }
  template <class Op>
  static bool supports(const Op& op, const Operands<Op, const Spec*>& in) {
    return hearth::supports<B>(op, in);
  }
  static Handle upload(const Device& device, const Spec& spec, const void* from) { return B::upload(device, spec, from); }
  static void download(const Handle& handle, void* to) { B::download(handle, to); }
  static Ref<Completion> download_async(const Handle& handle, void* to) { return B::download_async(handle, to); }
  static Handle transfer(Handle value, const Device& device) { return hearth::transfer<B>(std::move(value), device); }
  static void sync(const Device& device) { B::sync(device); }
  static const Spec& spec(const Handle& handle) { return B::spec(handle); }
  static Device device(const Handle& handle) { return B::device(handle); }
  static const Error* error(const Handle& handle) { return B::error(handle); }
  static bool overwritable(const Handle& handle) { return hearth::overwritable<B>(handle); }
  static MemoryStats memory_stats(const Device& device) { return B::memory_stats(device); }
  static void trim(const Device& device) { B::trim(device); }
};

/// "exp", "sum", "MatMul": what messages and tables call an op, its code where that has a name.
template <class Op>
std::string_view label_of(const Op& op) {
  if constexpr (requires { { name_of(op.code) } -> std::same_as<std::string_view>; }) return name_of(op.code);
  else return op_name<Op>;
}

}  // namespace hearth
