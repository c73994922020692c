// cpu/low_bits: numbers in 8 bits or fewer. Rows of the last axis are independent, since codes are packed along it.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <vector>

#include "array.hpp"
#include "hearth/op/storage_format.hpp"
#include "threads.hpp"

namespace hearth::cpu {

namespace {

/// The elements as doubles, in row-major order.
std::vector<double> doubles_of(const Handle& handle) {
  const Handle x = contiguous(handle);
  std::vector<double> values(std::size_t(count_of(*x)));
  with_type(x->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* source = data_of<const T>(x);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = convert<double>(source[i]);
  });
  return values;
}

/// Scales and zero points, and which of them an element has: its index is affine in the row and the column's block.
class Scales {
 public:
  Scales(const QuantScheme& scheme, const Shape& shape, const Handle& scale, const Handle& zero_point)
      : scheme_(scheme), shape_(shape), scale_(doubles_of(scale)), zero_(zero_point ? doubles_of(zero_point) : std::vector<double>{}) {
    for (int i = 0; i < shape.size(); ++i) grid_.push(i == scheme.axis && scheme.block > 0 ? (shape[i] + scheme.block - 1) / scheme.block : shape[i]);
  }
  /// The position of the scale for element `column` of row `row` (row-major over all but the last axis).
  std::size_t at(std::int64_t row, std::int64_t column) const {
    if (scheme_.axis < 0) return 0;
    const int last = shape_.size() - 1;
    if (scheme_.block == 0) {
      if (scheme_.axis == last) return std::size_t(column);
      for (int i = last - 1; i > scheme_.axis; --i) row /= shape_[i];
      return std::size_t(row % shape_[scheme_.axis]);
    }
    // Row-major over the grid: peel the row's indices from the end.
    std::int64_t position = last == scheme_.axis ? column / scheme_.block : column, stride = last < 0 ? 1 : grid_[last];
    for (int i = last - 1; i >= 0; --i) {
      const std::int64_t index = row % shape_[i];
      row /= shape_[i];
      position += stride * (i == scheme_.axis ? index / scheme_.block : index);
      stride *= grid_[i];
    }
    return std::size_t(position);
  }
  double scale(std::size_t i) const { return scale_[i]; }
  double zero(std::size_t i) const { return zero_.empty() ? 0 : zero_[i]; }

 private:
  QuantScheme scheme_;
  Shape shape_, grid_;
  std::vector<double> scale_, zero_;
};

struct Rows {
  std::int64_t count, length, stored;  ///< rows, numbers in each, bytes in each
  Rows(const Shape& shape, const StorageFormat& format) : length(shape.empty() ? 1 : shape[-1]) {
    count = 1;
    for (int i = 0; i + 1 < shape.size(); ++i) count *= shape[i];
    stored = (length + format.codes_per_byte() - 1) / format.codes_per_byte();
  }
};

}  // namespace

Results<op::Quantize, Handle> execute(const op::Quantize& op, Operands<op::Quantize, Handle> in, const Results<op::Quantize, Spec>& specs) {
  const Handle x = contiguous(in[0]);
  Handle out = allocate(specs[0]);
  if (!x || !out) return {};
  const StorageFormat format = format_of(op.scheme.storage);
  const Scales scales(op.scheme, x->spec.shape, in[1], in[2]);
  const Rows rows(x->spec.shape, format);
  auto* bytes = reinterpret_cast<std::uint8_t*>(bytes_of(*out));
  with_float(x->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Compute<T>;
    const T* values = data_of<const T>(x);
    parallel_for(rows.count, row_grain(8 * rows.length), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row)
        for (std::int64_t byte = 0; byte < rows.stored; ++byte) {
          unsigned packed = 0;
          const std::int64_t first = byte * format.codes_per_byte(), last = std::min(rows.length, first + format.codes_per_byte());
          for (std::int64_t column = first; column < last; ++column) {
            const std::size_t i = scales.at(row, column);
            packed |= quantized(format, C(values[row * rows.length + column]), C(scales.scale(i)), scales.zero(i)) << (int(column - first) * format.bits);
          }
          bytes[row * rows.stored + byte] = std::uint8_t(packed);
        }
    });
  });
  return {out};
}

Results<op::Dequantize, Handle> execute(const op::Dequantize& op, Operands<op::Dequantize, Handle> in, const Results<op::Dequantize, Spec>& specs) {
  const Handle stored = contiguous(in[0]);
  Handle out = allocate(specs[0]);
  if (!stored || !out) return {};
  const StorageFormat format = format_of(op.scheme.storage);
  const Scales scales(op.scheme, op.shape, in[1], in[2]);
  const Rows rows(op.shape, format);
  std::array<double, 256> meaning{};
  for (unsigned code = 0; code <= format.mask(); ++code) meaning[code] = format.decode(code);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(bytes_of(*stored));
  with_float(op.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Compute<T>;
    T* to = data_of<T>(out);
    parallel_for(rows.count, row_grain(4 * rows.length), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row)
        for (std::int64_t column = 0; column < rows.length; ++column) {
          const unsigned byte = bytes[row * rows.stored + column / format.codes_per_byte()];
          const unsigned code = byte >> (int(column % format.codes_per_byte()) * format.bits) & format.mask();
          const std::size_t i = scales.at(row, column);
          to[row * rows.length + column] = convert<T>(C(meaning[code] - scales.zero(i)) * C(scales.scale(i)));
        }
    });
  });
  return {out};
}

}  // namespace hearth::cpu
