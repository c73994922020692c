// tensor/data: the way of elements between the program's memory and tensors. Reading waits for what the tensor depends on.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kinds.hpp"

namespace hearth {

namespace detail {

/// Converts `count` elements between dtypes by core/convert.hpp. The two memories may not overlap.
void convert_elements(Dtype from_dtype, const void* from, Dtype to_dtype, void* to, std::int64_t count);
/// An error if the counts differ.
void check_count(std::string_view op, std::int64_t given, const Shape& shape);
/// Copies a strided array of elements of `bytes` bytes into row-major order.
void gather_strided(const void* from, const Shape& shape, const Strides& strides, std::size_t bytes, void* to);

/// What item() gives where an error leaves no number: NaN, or 0 for integers and bool.
template <class T>
T no_item() {
  if constexpr (is_float(dtype_of<Element<T>>)) return T(__builtin_nanf(""));
  else return T{};
}

}  // namespace detail

/// Compiled per stack.
template <class B>
struct DataFunctions {
  /// Row-major elements converted to dtype `as`. False, without exceptions only, where x carries an error, which is reported.
  static bool read(const Dyn<B>& x, Dtype as, void* to);
  /// The only element; an error if there are more or none. Without exceptions an error leaves no number.
  static Scalar item(const Dyn<B>& x);
  static Dyn<B> write(const DeviceOf<B>& device, const Spec& spec, Dtype from_dtype, const void* from);
  static Dyn<B> to_device(Dyn<B> x, const DeviceOf<B>& device);
};

/// x.to_vector<T>() and x.item<T>() for generic code, which would have to write `x.template item<T>()`.
template <class T, class B, int R, class K>
std::vector<T> to_vector(const Tensor<B, R, K>& x) {
  return x.template to_vector<T>();
}
template <class T, class B, int R, class K>
T item(const Tensor<B, R, K>& x) {
  return x.template item<T>();
}

}  // namespace hearth
