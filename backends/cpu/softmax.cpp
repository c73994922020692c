// cpu/softmax: Softmax and LogSoftmax along any axis. A row is brought into the cache once; along an outer axis columns are done side by
// side; rows that lie in memory with gaps or crosswise are gathered, a cache line of them at a time.
// SPDX-License-Identifier: Apache-2.0
#include "lanes.hpp"
#include "rows.hpp"

namespace hearth::cpu {

namespace {

/// An exponential costs about as much as so many cheap elements.
constexpr std::int64_t weight = 4;
/// Rows that are turned together.
constexpr std::int64_t turned_rows = 16;

template <class T>
using Kernel = void (*)(const T* x, T* y, std::int64_t count);

/// All rows of contiguous elements; `to` may be `from`.
template <class T>
void contiguous_rows(Kernel<T> kernel, Dtype dtype, const std::byte* from, std::byte* to, std::int64_t rows, std::int64_t length) {
  const std::int64_t size = std::int64_t(size_of(dtype)) * length;
  parallel_for(rows, row_grain(length * weight), [&](std::int64_t begin, std::int64_t end) {
    const Scratch<T> scratch(dtype == dtype_of<T> ? 0 : length);
    if (!scratch.data()) return;
    for (std::int64_t row = begin; row < end; ++row) {
      T* const result = place_for(to + row * size, dtype, scratch.data());
      kernel(widened(from + row * size, dtype, length, scratch.data()), result, length);
      narrow(result, dtype, length, to + row * size);
    }
  });
}

/// `outer` blocks of `length` rows of `width` elements; each column is one to be normalised. `to` may be `from`.
template <class T>
void contiguous_columns(bool logarithm, const T* from, T* to, std::int64_t outer, std::int64_t length, std::int64_t width) {
  const auto kernel = row_kernels(T(0)).softmax_columns;
  const std::int64_t blocks = (width - 1) / column_block + 1;
  parallel_for(outer * blocks, row_grain(length * std::min(width, column_block) * weight), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t unit = begin; unit < end; ++unit) {
      const std::int64_t column = unit % blocks * column_block, at = unit / blocks * length * width + column;
      kernel(logarithm, from + at, to + at, length, width, std::min(column_block, width - column));
    }
  });
}

/// Rows in any layout, of elements stored as S.
template <class S>
void strided_rows(Kernel<Compute<S>> kernel, const Array& x, const Array& y, int axis) {
  using T = Compute<S>;
  const S* const from = data_of<const S>(x);
  S* const to = data_of<S>(y);
  const std::int64_t length = x.spec.shape[axis];
  for_lanes<2>(x.spec.shape, axis, {&x.strides, &y.strides}, [&](const LaneGroup<2>& group) {
    const Scratch<T> rows(std::min(turned_rows, group.count) * length);
    if (!rows.data()) return;
    for (std::int64_t first = 0; first < group.count; first += turned_rows) {
      const std::int64_t count = std::min(turned_rows, group.count - first);
      const S* const source = from + group.first[0] + first * group.lane[0];
      for (std::int64_t i = 0; i < length; ++i)
        for (std::int64_t k = 0; k < count; ++k) rows[k * length + i] = T(source[i * group.step[0] + k * group.lane[0]]);
      for (std::int64_t k = 0; k < count; ++k) kernel(&rows[k * length], &rows[k * length], length);
      S* const target = to + group.first[1] + first * group.lane[1];
      for (std::int64_t i = 0; i < length; ++i)
        for (std::int64_t k = 0; k < count; ++k) target[i * group.step[1] + k * group.lane[1]] = S(rows[k * length + i]);
    }
  });
}

std::array<Handle, 1> run_rows(bool logarithm, int axis, Handle x, const Spec& spec) {
  if (count_of(spec.shape) == 0) return {std::move(x)};
  const auto kernel = [&](auto zero) {
    const auto kernels = row_kernels(zero);
    return logarithm ? kernels.log_softmax : kernels.softmax;
  };
  std::int64_t inner = 1;
  for (int i = axis + 1; i < spec.shape.size(); ++i) inner *= spec.shape[i];
  const std::int64_t length = spec.shape[axis];
  if (inner > 1) x = contiguous(std::move(x));
  if (!x) return {};
  if (is_contiguous(*x) && (inner == 1 || !is_narrow(spec.dtype))) {
    const std::byte* const from = bytes_of(*x);
    const Handle y = reuse_or_allocate(x, spec);
    if (!y) return {};
    with_compute(spec.dtype, [&](auto zero) {
      using T = decltype(zero);
      if (inner == 1) contiguous_rows(kernel(zero), spec.dtype, from, bytes_of(*y), count_of(*y) / length, length);
      else contiguous_columns<T>(logarithm, reinterpret_cast<const T*>(from), data_of<T>(y), count_of(*y) / (length * inner), length, inner);
    });
    return {y};
  }
  const Handle y = allocate(spec);
  if (!y) return {};
  with_float(spec.dtype, [&](auto tag) {
    using S = typename decltype(tag)::type;
    strided_rows<S>(kernel(Compute<S>(0)), *x, *y, axis);
  });
  return {y};
}

// Columns of 16-bit floats would have to be widened row by row; the decomposition does that as well.
bool claimed(int axis, const Spec* x) { return x && (!is_narrow(x->dtype) || axis == -1 || axis == x->shape.size() - 1); }

}  // namespace

bool claims(const op::Softmax& op, const Operands<op::Softmax, const Spec*>& in) { return claimed(op.axis, in[0]); }
bool claims(const op::LogSoftmax& op, const Operands<op::LogSoftmax, const Spec*>& in) { return claimed(op.axis, in[0]); }

std::array<Handle, 1> execute(const op::Softmax& op, std::array<Handle, 1> in, const std::array<Spec, 1>& specs) {
  return run_rows(false, normalize_axis("softmax", op.axis, specs[0].shape.size()), std::move(in[0]), specs[0]);
}
std::array<Handle, 1> execute(const op::LogSoftmax& op, std::array<Handle, 1> in, const std::array<Spec, 1>& specs) {
  return run_rows(true, normalize_axis("log_softmax", op.axis, specs[0].shape.size()), std::move(in[0]), specs[0]);
}

}  // namespace hearth::cpu
