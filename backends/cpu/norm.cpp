// cpu/norm: LayerNorm, RmsNorm and their gradients: the normalised axes are the last ones, so each norm sees one contiguous row.
// Gradients of scale and bias are summed over parts of the rows whose size depends on the shape alone, and the parts in f64.
// SPDX-License-Identifier: Apache-2.0
#include "rows.hpp"

namespace hearth::cpu {

namespace {

struct RowSizes {
  std::int64_t rows = 1, length = 1;
  RowSizes(const Shape& shape, int axes) {
    for (int i = 0; i < shape.size(); ++i) (i < shape.size() - axes ? rows : length) *= shape[i];
  }
  /// Cheap elements that a row of `passes` passes costs.
  std::int64_t grain(std::int64_t passes) const { return row_grain(length * passes); }
};

Handle normalized(bool centered, int axes, double epsilon, Handle given, const Handle& scale, const Handle& bias, const Spec& spec) {
  const RowSizes sizes(spec.shape, axes);
  Handle x = contiguous(std::move(given));
  if (!x) return {};
  const Dtype dtype = spec.dtype;
  const std::byte* const from = bytes_of(*x);
  const Handle y = reuse_or_allocate(x, spec);
  if (!y || count_of(*y) == 0) return y;
  std::byte* const to = bytes_of(*y);
  return with_compute(dtype, [&](auto zero) -> Handle {
    using T = decltype(zero);
    const auto kernel = row_kernels(zero).normalize;
    const Parameter<T> by(scale), plus(bias);
    if (by.failed(scale) || plus.failed(bias)) return {};
    const std::int64_t size = std::int64_t(size_of(dtype)) * sizes.length;
    parallel_for(sizes.rows, sizes.grain(3), [&](std::int64_t begin, std::int64_t end) {
      const Scratch<T> scratch(dtype == dtype_of<T> ? 0 : sizes.length);
      if (!scratch.data()) return;
      for (std::int64_t row = begin; row < end; ++row) {
        T* const result = place_for(to + row * size, dtype, scratch.data());
        kernel(widened(from + row * size, dtype, sizes.length, scratch.data()), by.data, plus.data, result, sizes.length, epsilon, centered);
        narrow(result, dtype, sizes.length, to + row * size);
      }
    });
    return y;
  });
}

/// Elements of a part of the rows, and rows that are summed without f64 at most.
constexpr std::int64_t part_elements = 1 << 16, part_rows_most = 64;

/// Sums of `parts` rows of `width` partial sums, as elements of the results' dtype; the second half of a row belongs to dbias.
template <class T>
void join_parts(const T* partial, std::int64_t parts, std::int64_t length, int halves, const Handle& dscale, const Handle& dbias) {
  const std::int64_t width = halves * length;
  parallel_for(width, row_grain(parts), [&](std::int64_t begin, std::int64_t end) {
    constexpr std::int64_t most = 256;
    double totals[most];
    T sums[most];
    while (begin < end) {
      // A block lies in one of the halves.
      const std::int64_t half = begin / length, count = std::min({most, end - begin, (half + 1) * length - begin});
      std::fill_n(totals, count, 0.0);
      for (std::int64_t part = 0; part < parts; ++part)
        for (std::int64_t i = 0; i < count; ++i) totals[i] += double(partial[part * width + begin + i]);
      for (std::int64_t i = 0; i < count; ++i) sums[i] = T(totals[i]);
      const Array& result = half == 0 ? *dscale : *dbias;
      std::byte* const to = bytes_of(result) + (begin - half * length) * std::int64_t(size_of(result.spec.dtype));
      if (result.spec.dtype == dtype_of<T>) std::copy_n(sums, count, reinterpret_cast<T*>(to));
      else narrow(sums, result.spec.dtype, count, to);
      begin += count;
    }
  });
}

/// dx, dscale and, where `centered`, dbias.
template <std::size_t N>
std::array<Handle, N> gradients(bool centered, int axes, double epsilon, std::array<Handle, 3> in, const std::array<Spec, N>& specs) {
  const RowSizes sizes(specs[0].shape, axes);
  if (sizes.rows == 0 || sizes.length == 0) {
    std::array<Handle, N> empty;
    for (std::size_t i = 0; i < N; ++i) empty[i] = allocate_zeros(specs[i]);
    return empty;
  }
  Handle g = contiguous(std::move(in[0])), x = contiguous(std::move(in[1]));
  if (!g || !x) return {};
  const Dtype dtype = specs[0].dtype;
  const std::byte *const from_g = bytes_of(*g), *const from_x = bytes_of(*x);
  std::array<Handle, N> result;
  for (std::size_t i = 1; i < N; ++i) result[i] = allocate(specs[i]);
  result[0] = reuse_or_allocate(g, specs[0]);
  for (const Handle& handle : result)
    if (!handle) return {};
  std::byte* const to = bytes_of(*result[0]);
  const bool failed = with_compute(dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto kernel = row_kernels(zero).normalize_grad;
    const Parameter<T> scale(in[2]);
    const std::int64_t length = sizes.length, size = std::int64_t(size_of(dtype)) * length, width = std::int64_t(N - 1) * length;
    const std::int64_t part_rows = std::clamp<std::int64_t>(part_elements / length, 1, part_rows_most), parts = (sizes.rows - 1) / part_rows + 1;
    const Scratch<T> partial(parts * width);
    if (scale.failed(in[2]) || !partial.data()) return true;
    parallel_for(parts, row_grain(part_rows * length * 5), [&](std::int64_t begin, std::int64_t end) {
      const Scratch<T> wide(dtype == dtype_of<T> ? 0 : 2 * length);
      if (!wide.data()) return;
      for (std::int64_t part = begin; part < end; ++part) {
        T* const dscale = partial.data() + part * width;
        std::fill_n(dscale, width, T(0));
        for (std::int64_t row = part * part_rows; row < std::min(sizes.rows, (part + 1) * part_rows); ++row) {
          T* const dx = place_for(to + row * size, dtype, wide.data());
          kernel(widened(from_g + row * size, dtype, length, wide.data()), widened(from_x + row * size, dtype, length, wide.data() + length), scale.data, dx,
                 dscale, N == 3 ? dscale + length : nullptr, length, epsilon, centered);
          narrow(dx, dtype, length, to + row * size);
        }
      }
    });
    join_parts(partial.data(), parts, length, int(N - 1), result[1], result[N - 1]);
    return false;
  });
  if (failed) return {};
  return result;
}

}  // namespace

bool claims(const op::LayerNorm&, const Operands<op::LayerNorm, const Spec*>&) { return true; }
bool claims(const op::LayerNormGrad&, const Operands<op::LayerNormGrad, const Spec*>&) { return true; }
bool claims(const op::RmsNorm&, const Operands<op::RmsNorm, const Spec*>&) { return true; }
bool claims(const op::RmsNormGrad&, const Operands<op::RmsNormGrad, const Spec*>&) { return true; }

std::array<Handle, 1> execute(const op::LayerNorm& op, std::array<Handle, 3> in, const std::array<Spec, 1>& specs) {
  return {normalized(true, op.axes, op.epsilon, std::move(in[0]), in[1], in[2], specs[0])};
}
std::array<Handle, 1> execute(const op::RmsNorm& op, std::array<Handle, 2> in, const std::array<Spec, 1>& specs) {
  return {normalized(false, op.axes, op.epsilon, std::move(in[0]), in[1], {}, specs[0])};
}
std::array<Handle, 3> execute(const op::LayerNormGrad& op, std::array<Handle, 3> in, const std::array<Spec, 3>& specs) {
  return gradients(true, op.axes, op.epsilon, std::move(in), specs);
}
std::array<Handle, 2> execute(const op::RmsNormGrad& op, std::array<Handle, 3> in, const std::array<Spec, 2>& specs) {
  return gradients(false, op.axes, op.epsilon, std::move(in), specs);
}

}  // namespace hearth::cpu
