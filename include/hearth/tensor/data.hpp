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

}  // namespace detail

/// Compiled per stack.
template <class B>
struct DataFunctions {
  /// Row-major elements converted to dtype `as`.
  static void read(const Dyn<B>& x, Dtype as, void* to);
  /// The only element; an error if there are more or none.
  static Scalar item(const Dyn<B>& x);
  static Dyn<B> write(const DeviceOf<B>& device, const Spec& spec, Dtype from_dtype, const void* from);
  /// An array that carries the pending error where Hearth is built without exceptions.
  static Dyn<B> to_device(Dyn<B> x, const DeviceOf<B>& device);
};

}  // namespace hearth
