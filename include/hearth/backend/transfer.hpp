// backend/transfer: a value on another device of the same backend.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backend.hpp"

namespace hearth {

/// Row-major elements to host memory. False, without exceptions only, where the value has none: the reader is told why.
template <class B>
bool read_elements(const HandleOf<B>& value, void* to) {
  if constexpr (!HEARTH_EXCEPTIONS) {
    const LetGo errors;
    if (!value) return fail("read", "the value is empty");
    if (const Error* error = B::error(value)) return report_error(*error), false;
    B::download(value, to);
    return !pending_error();
  }
  B::download(value, to);
  return true;
}

/// The value on `device`: by the backend's own `transfer` where it has one, else through host memory. The same handle if it is there.
template <class B>
HandleOf<B> transfer(HandleOf<B> value, const DeviceOf<B>& device) {
  if (!HEARTH_EXCEPTIONS && (!value || B::error(value))) return value;
  if (B::device(value) == device) return value;
  if constexpr (requires { { B::transfer(std::move(value), device) } -> std::same_as<HandleOf<B>>; }) {
    return B::transfer(std::move(value), device);
  } else {
    const Spec spec = B::spec(value);
    std::vector<std::byte> elements(std::size_t(element_count(spec.shape)) * size_of(spec.dtype));
    if (!read_elements<B>(value, elements.data())) return B::make(device, op::Full{{Dtype::f32, {0}}, 0});
    return B::upload(device, spec, elements.data());
  }
}

}  // namespace hearth
