// cpu/rows: what the row-wise composites share: elements in the dtype that they are computed in, whatever they are stored as.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "array.hpp"
#include "kernels.hpp"
#include "row_kernels.hpp"
#include "stream.hpp"

namespace hearth::cpu {

/// f(zero) with 0.0f or 0.0: the type in which floats of `dtype` are computed.
template <class F>
decltype(auto) with_compute(Dtype dtype, F&& f) {
  return dtype == Dtype::f64 ? f(0.0) : f(0.0f);
}

/// `count` stored elements as T: where they lie, or widened into `scratch`.
template <class T>
const T* widened(const std::byte* from, Dtype dtype, std::int64_t count, T* scratch) {
  if (dtype == dtype_of<T>) return reinterpret_cast<const T*>(from);
  convert_kernel(dtype, dtype_of<T>)(from, scratch, count);
  return scratch;
}
/// Where results of T go: to their place, or to `scratch`, from where `narrow` takes them to it.
template <class T>
T* place_for(std::byte* to, Dtype dtype, T* scratch) {
  return dtype == dtype_of<T> ? reinterpret_cast<T*>(to) : scratch;
}
template <class T>
void narrow(const T* from, Dtype dtype, std::int64_t count, std::byte* to) {
  if (dtype != dtype_of<T>) convert_kernel(dtype_of<T>, dtype)(from, to, count);
}

/// A parameter as contiguous elements of T; null stays null. It must be alive while `data` is read.
template <class T>
struct Parameter {
  Handle handle;
  const T* data = nullptr;

  explicit Parameter(const Handle& given) {
    if (!given) return;
    handle = contiguous(given);
    if (handle && handle->spec.dtype != dtype_of<T>) {
      const Handle wide = allocate({dtype_of<T>, handle->spec.shape});
      if (wide) convert_kernel(handle->spec.dtype, dtype_of<T>)(bytes_of(*handle), wide->buffer->data, count_of(*handle));
      handle = wide;
    }
    if (handle) data = data_of<const T>(handle);
  }
  /// Is memory out?
  bool failed(const Handle& given) const { return given && !handle; }
};

}  // namespace hearth::cpu
