// tensor/transfer: values from one stack of backends to another.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backward.hpp"
#include "data.hpp"

namespace hearth {

namespace detail {
template <class C, class B>
Dyn<C> through_host(const Dyn<B>& x, const DeviceOf<C>& device) {
  if (const Error* error = HEARTH_EXCEPTIONS ? nullptr : x.error()) {  // it goes along
    follow_error(*error);
    return fail(*error);
  }
  const Spec spec = x.spec();
  std::vector<unsigned char> elements(std::size_t(element_count(spec.shape)) * size_of(spec.dtype));
  if (!DataFunctions<B>::read(x, spec.dtype, elements.data())) return fail("to_backend", "the elements could not be read");
  return DataFunctions<C>::write(device, spec, spec.dtype, elements.data());
}
}  // namespace detail

/// The same values on a device of stack C. On the stack that x has, this is x.to(device); else a constant without x's history.
/// Between stacks over one backend nothing but devices decides whether elements are copied; between backends they pass through
/// host memory.
template <class C, class B, int R, class K>
Tensor<C, R, K> to_backend(const Tensor<B, R, K>& x, const DeviceOf<C>& device) {
  if constexpr (std::same_as<B, C>) return x.to(device);
  else if constexpr (std::same_as<Inner<C>, B>) return from_inner(x.to(device));
  else if constexpr (std::same_as<Inner<B>, C>) return inner(x).to(device);
  else return Tensor<C, R, K>(detail::through_host<C>(x.dyn, device));
}
/// On the same device where C has the same devices, else on C's default one: to_backend<Cpu>(x).
template <class C, class B, int R, class K>
Tensor<C, R, K> to_backend(const Tensor<B, R, K>& x) {
  if constexpr (std::same_as<DeviceOf<B>, DeviceOf<C>>) return to_backend<C>(x, x.device());
  else return to_backend<C>(x, DeviceOf<C>{});
}

}  // namespace hearth
