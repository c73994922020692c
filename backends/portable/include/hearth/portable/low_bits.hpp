// portable/low_bits: numbers in 8 bits or fewer, and the way there and back.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <vector>

#include "array.hpp"
#include "hearth/op/op.hpp"
#include "hearth/op/storage_format.hpp"

namespace hearth::portable {

/// The elements of any number dtype in row-major order, as doubles.
inline std::vector<double> numbers_of(const Handle& x) {
  std::vector<double> result;
  with_type(x->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Elements<const T> values = elements<const T>(x);
    each_index(x->spec.shape, [&](const Shape& index) { result.push_back(convert<double>(values[index])); });
  });
  return result;
}

/// Which of the scales, in row-major order, belongs to an element of an array of `shape`.
struct ScalePosition {
  int axis;  ///< negative: one scale for all
  std::int64_t block;
  Shape shape;

  ScalePosition(const QuantScheme& scheme, const Shape& shape_of_all) : axis(scheme.axis), block(scheme.block), shape(shape_of_all) {
    if (axis >= 0 && block > 0) shape[axis] = (shape[axis] + block - 1) / block;
  }
  std::size_t operator()(const Shape& index) const {
    if (axis < 0) return 0;
    if (block == 0) return std::size_t(index[axis]);
    std::int64_t position = 0;
    for (int i = 0; i < shape.size(); ++i) position = position * shape[i] + (i == axis ? index[i] / block : index[i]);
    return std::size_t(position);
  }
};

/// f(index, code's byte, its shift) for each element of `shape`, whose codes are packed along the last axis, low bits first.
template <class F>
void each_code(const StorageFormat& format, const Shape& shape, F f) {
  const std::int64_t last = shape.empty() ? 1 : shape[-1], per_byte = format.codes_per_byte(), row = (last + per_byte - 1) / per_byte;
  std::int64_t start = 0, column = 0;
  each_index(shape, [&](const Shape& index) {
    f(index, std::size_t(start + column / per_byte), int(column % per_byte) * format.bits);
    if (++column == last) column = 0, start += row;
  });
}

inline void kernel(const op::Quantize& op, const Operands<op::Quantize, Handle>& in, Results<op::Quantize, Handle>& out) {
  const Handle& x = in[0];
  const StorageFormat format = format_of(op.scheme.storage);
  const ScalePosition position(op.scheme, x->spec.shape);
  const std::vector<double> scales = numbers_of(in[1]), zero_points = in[2] ? numbers_of(in[2]) : std::vector<double>{};
  auto* bytes = data<std::uint8_t>(out[0]);
  std::fill(bytes, bytes + element_count(out[0]->spec.shape), std::uint8_t(0));
  with_float(x->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Compute<T>;
    const Elements<const T> values = elements<const T>(x);
    each_code(format, x->spec.shape, [&](const Shape& index, std::size_t byte, int shift) {
      const std::size_t i = position(index);
      const unsigned code = quantized(format, C(values[index]), C(scales[i]), zero_points.empty() ? 0 : zero_points[i]);
      bytes[byte] = std::uint8_t(bytes[byte] | code << shift);
    });
  });
}

inline void kernel(const op::Dequantize& op, const Operands<op::Dequantize, Handle>& in, Results<op::Dequantize, Handle>& out) {
  const Handle stored = contiguous(in[0], "dequantize");
  if (!stored) return;
  const StorageFormat format = format_of(op.scheme.storage);
  const ScalePosition position(op.scheme, op.shape);
  const std::vector<double> scales = numbers_of(in[1]), zero_points = in[2] ? numbers_of(in[2]) : std::vector<double>{};
  const auto* bytes = data<const std::uint8_t>(stored);
  with_float(op.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Compute<T>;
    T* to = data<T>(out[0]);
    each_code(format, op.shape, [&](const Shape& index, std::size_t byte, int shift) {
      const std::size_t i = position(index);
      const double number = format.decode(unsigned(bytes[byte]) >> shift & format.mask());
      *to++ = convert<T>(C(number - (zero_points.empty() ? 0 : zero_points[i])) * C(scales[i]));
    });
  });
}

}  // namespace hearth::portable
