// tensor/data-inl: the bodies of DataFunctions.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../backend/transfer.hpp"
#include "data.hpp"

namespace hearth {

template <class B>
bool DataFunctions<B>::read(const Dyn<B>& x, Dtype as, void* to) {
  if (x.error()) return read_elements<B>(x.handle, nullptr);
  const Spec spec = x.spec();
  if (spec.dtype == as) return read_elements<B>(x.handle, to);
  const std::int64_t count = element_count(spec.shape);
  std::vector<std::byte> elements(std::size_t(count) * size_of(spec.dtype));
  if (!read_elements<B>(x.handle, elements.data())) return false;
  detail::convert_elements(spec.dtype, elements.data(), as, to, count);
  return true;
}

template <class B>
Scalar DataFunctions<B>::item(const Dyn<B>& x) {
  const LetGo errors;
  if (x.error()) return (void)read_elements<B>(x.handle, nullptr), Scalar{};
  const Spec spec = x.spec();
  if (element_count(spec.shape) != 1)
    return fail("item", "a tensor of shape " + to_string(spec.shape) + " has not one element", {spec.shape}, "read it with to_vector()");
  return with_type(spec.dtype, [&](auto tag) {
    typename decltype(tag)::type value{};
    return read_elements<B>(x.handle, &value) ? Scalar(value) : Scalar{};
  });
}

template <class B>
Dyn<B> DataFunctions<B>::write(const DeviceOf<B>& device, const Spec& spec, Dtype from_dtype, const void* from) {
  if (pending_error()) return Dyn<B>::from_failure();
  if (spec.dtype == from_dtype) return Dyn<B>(B::upload(device, spec, from));
  const std::int64_t count = element_count(spec.shape);
  std::vector<std::byte> elements(std::size_t(count) * size_of(spec.dtype));
  detail::convert_elements(from_dtype, from, spec.dtype, elements.data(), count);
  return Dyn<B>(B::upload(device, spec, elements.data()));
}

template <class B>
Dyn<B> DataFunctions<B>::to_device(Dyn<B> x, const DeviceOf<B>& device) {
  if (x.device() == device) return x;
  return Dyn<B>(transfer<B>(std::move(x.handle), device));
}

}  // namespace hearth
