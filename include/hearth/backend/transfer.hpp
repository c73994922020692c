// backend/transfer: a value on another device of the same backend.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backend.hpp"

namespace hearth {

/// The value on `device`: by the backend's own `transfer` where it has one, else through host memory. The same handle if it is there.
template <class B>
HandleOf<B> transfer(HandleOf<B> value, const DeviceOf<B>& device) {
  if (B::device(value) == device) return value;
  if constexpr (requires { { B::transfer(std::move(value), device) } -> std::same_as<HandleOf<B>>; }) {
    return B::transfer(std::move(value), device);
  } else {
    const Spec spec = B::spec(value);
    std::vector<std::byte> elements(std::size_t(element_count(spec.shape)) * size_of(spec.dtype));
    B::download(value, elements.data());
    return B::upload(device, spec, elements.data());
  }
}

}  // namespace hearth
