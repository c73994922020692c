// cpu/conv_direct: convolutions without a matrix product: each tap of the kernel adds a row to a row. For depthwise ones, whose
// products would have a row or two, and for paddings so wide that zeros must not be written out.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <type_traits>

#include "conv.hpp"
#include "hearth/core/convert.hpp"
#include "threads.hpp"

namespace hearth::cpu {

namespace {

using Index = std::int64_t;

/// f(TypeTag<stored>, TypeTag<computed>): integers compute in their unsigned type, which wraps.
template <class F>
void with_number(Dtype dtype, F&& f) {
  with_type(dtype, [&](auto tag) {
    using S = typename decltype(tag)::type;
    if constexpr (is_float(dtype_of<S>)) f(tag, TypeTag<Compute<S>>());
    else if constexpr (!std::is_same_v<S, bool>) f(TypeTag<std::make_unsigned_t<S>>(), TypeTag<std::make_unsigned_t<S>>());
  });
}

template <class T>
T product(T a, T b) {
  using Wrap = std::conditional_t<std::is_integral_v<T> && (sizeof(T) < 4), std::uint32_t, T>;
  return T(Wrap(a) * Wrap(b));
}

/// to[i * to_step] += factor * from[i * from_step]
template <class S, class T>
void add_row(T factor, const S* from, Index from_step, T* to, Index to_step, Index count) {
  if (from_step == 1 && to_step == 1) {
    for (Index i = 0; i < count; ++i) to[i] = T(to[i] + product(factor, T(from[i])));
  } else {
    for (Index i = 0; i < count; ++i) to[i * to_step] = T(to[i * to_step] + product(factor, T(from[i * from_step])));
  }
}

/// Eight sums side by side, so that they are vector code in a fixed order.
template <class S, class T>
T dot_row(const S* a, const S* b, Index b_step, Index count) {
  T sums[8] = {};
  Index i = 0;
  for (; i + 8 <= count; i += 8)
    for (Index j = 0; j < 8; ++j) sums[j] = T(sums[j] + product(T(a[i + j]), T(b[(i + j) * b_step])));
  for (; i < count; ++i) sums[i % 8] = T(sums[i % 8] + product(T(a[i]), T(b[i * b_step])));
  for (int width = 4; width > 0; width /= 2)
    for (int j = 0; j < width; ++j) sums[j] = T(sums[j] + sums[j + width]);
  return sums[0];
}

}  // namespace

std::vector<Reach> reaches(const ConvAxis& axis) {
  std::vector<Reach> result;
  for (Index k = 0; k < axis.kernel; ++k) {
    const Index offset = k * axis.dilation - axis.before;  // output i finds its element at i * stride + offset
    Reach reach;
    reach.from = offset < 0 ? (-offset + axis.stride - 1) / axis.stride : 0;
    reach.to = offset < axis.x ? (axis.x - 1 - offset) / axis.stride + 1 : 0;
    reach.from = std::min(reach.from, axis.y);
    reach.to = std::clamp(reach.to, reach.from, axis.y);
    reach.x = reach.from * axis.stride + offset;
    result.push_back(reach);
  }
  return result;
}

void convolve_directly(const ConvSizes& sizes, const Handle& x_given, const Handle& weight_given, const Contraction& epilogue, const Handle& y) {
  const Handle x = contiguous(x_given), weight = contiguous(weight_given);
  if (!x || !weight) return;
  const auto& [depth, line, column] = sizes.axes;
  const std::vector<Reach> columns = reaches(column);
  const Index outputs = sizes.groups * sizes.out_channels, work = sizes.y_plane() * sizes.kernel_plane() * sizes.in_channels;
  with_number(y->spec.dtype, [&](auto stored, auto computed) {
    using S = typename decltype(stored)::type;
    using T = typename decltype(computed)::type;
    const S *from = data_of<const S>(x), *w = data_of<const S>(weight);
    const S *bias = static_cast<const S*>(epilogue.bias), *residual = static_cast<const S*>(epilogue.residual);
    S* to = data_of<S>(y);
    parallel_for(sizes.batch * outputs, row_grain(work), [&](Index begin, Index end) {
      const Scratch<T> row(column.y);
      for (Index plane = begin; plane < end; ++plane) {
        const Index out = plane % outputs, input = plane / outputs * sizes.groups * sizes.in_channels + out / sizes.out_channels * sizes.in_channels;
        for (Index i = 0; i < depth.y; ++i)
          for (Index j = 0; j < line.y; ++j) {
            std::fill(row.data(), row.data() + column.y, bias ? T(bias[out]) : T(0));
            const S* tap = w + out * sizes.in_channels * sizes.kernel_plane();
            for (Index channel = input; channel < input + sizes.in_channels; ++channel)
              for (Index kd = 0; kd < depth.kernel; ++kd)
                for (Index kh = 0; kh < line.kernel; ++kh, tap += column.kernel) {
                  const Index d = depth.start(i) + kd * depth.dilation, h = line.start(j) + kh * line.dilation;
                  if (d < 0 || d >= depth.x || h < 0 || h >= line.x) continue;
                  const S* source = from + ((channel * depth.x + d) * line.x + h) * column.x;
                  for (Index kw = 0; kw < column.kernel; ++kw) {
                    const Reach& r = columns[std::size_t(kw)];
                    add_row(T(tap[kw]), source + r.x, column.stride, row.data() + r.from, 1, r.to - r.from);
                  }
                }
            const Index at = ((plane * depth.y + i) * line.y + j) * column.y;
            if (residual)
              for (Index k = 0; k < column.y; ++k) row[k] = T(row[k] + T(residual[at + k]));
            if constexpr (std::is_floating_point_v<T>) activate(epilogue.activation, row.data(), column.y);
            for (Index k = 0; k < column.y; ++k) to[at + k] = convert<S>(row[k]);
          }
      }
    });
  });
}

void input_grad_directly(const ConvSizes& sizes, const Handle& g_given, const Handle& weight_given, const Handle& x) {
  const Handle g = contiguous(g_given), weight = contiguous(weight_given);
  if (!g || !weight) return;
  const auto& [depth, line, column] = sizes.axes;
  const std::vector<Reach> columns = reaches(column);
  const Index inputs = sizes.groups * sizes.in_channels, taps = sizes.kernel_plane();
  // The output whose tap k lies on element i of x, or -1.
  const auto output = [](const ConvAxis& axis, Index i, Index k) {
    const Index start = i + axis.before - k * axis.dilation;
    return start >= 0 && start % axis.stride == 0 && start / axis.stride < axis.y ? start / axis.stride : -1;
  };
  with_number(x->spec.dtype, [&](auto stored, auto computed) {
    using S = typename decltype(stored)::type;
    using T = typename decltype(computed)::type;
    const S *from = data_of<const S>(g), *w = data_of<const S>(weight);
    S* to = data_of<S>(x);
    parallel_for(sizes.batch * inputs, row_grain(sizes.x_plane() * taps * sizes.out_channels), [&](Index begin, Index end) {
      const Scratch<T> row(column.x);
      for (Index plane = begin; plane < end; ++plane) {
        const Index in = plane % inputs, group = in / sizes.in_channels, channel = in % sizes.in_channels;
        for (Index i = 0; i < depth.x; ++i)
          for (Index j = 0; j < line.x; ++j) {
            std::fill(row.data(), row.data() + column.x, T(0));
            for (Index o = group * sizes.out_channels; o < (group + 1) * sizes.out_channels; ++o)
              for (Index kd = 0; kd < depth.kernel; ++kd)
                for (Index kh = 0; kh < line.kernel; ++kh) {
                  const Index d = output(depth, i, kd), h = output(line, j, kh);
                  if (d < 0 || h < 0) continue;
                  const S* source = from + (((plane / inputs * sizes.groups * sizes.out_channels + o) * depth.y + d) * line.y + h) * column.y;
                  const S* tap = w + (o * sizes.in_channels + channel) * taps + (kd * line.kernel + kh) * column.kernel;
                  for (Index kw = 0; kw < column.kernel; ++kw) {
                    const Reach& r = columns[std::size_t(kw)];
                    add_row(T(tap[kw]), source + r.from, 1, row.data() + r.x, column.stride, r.to - r.from);
                  }
                }
            const Index at = ((plane * depth.x + i) * line.x + j) * column.x;
            for (Index k = 0; k < column.x; ++k) to[at + k] = convert<S>(row[k]);
          }
      }
    });
  });
}

void weight_grad_directly(const ConvSizes& sizes, const Handle& x_given, const Handle& g_given, const Handle& weight) {
  const Handle x = contiguous(x_given), g = contiguous(g_given);
  if (!x || !g) return;
  const auto& [depth, line, column] = sizes.axes;
  const std::vector<Reach> columns = reaches(column);
  const Index outputs = sizes.groups * sizes.out_channels, inputs = sizes.groups * sizes.in_channels, taps = sizes.kernel_plane();
  with_number(weight->spec.dtype, [&](auto stored, auto computed) {
    using S = typename decltype(stored)::type;
    using T = typename decltype(computed)::type;
    using Total = std::conditional_t<std::is_floating_point_v<T>, double, T>;  // of the sums of rows, of which there may be many
    const S *source = data_of<const S>(x), *gradient = data_of<const S>(g);
    S* to = data_of<S>(weight);
    parallel_for(outputs * sizes.in_channels, row_grain(sizes.batch * sizes.y_plane() * taps), [&](Index begin, Index end) {
      std::vector<Total> totals;
      for (Index pair = begin; pair < end; ++pair) {
        const Index out = pair / sizes.in_channels, in = out / sizes.out_channels * sizes.in_channels + pair % sizes.in_channels;
        totals.assign(std::size_t(taps), Total(0));
        for (Index n = 0; n < sizes.batch; ++n)
          for (Index i = 0; i < depth.y; ++i)
            for (Index j = 0; j < line.y; ++j) {
              const S* g_row = gradient + (((n * outputs + out) * depth.y + i) * line.y + j) * column.y;
              Total* total = totals.data();
              for (Index kd = 0; kd < depth.kernel; ++kd)
                for (Index kh = 0; kh < line.kernel; ++kh, total += column.kernel) {
                  const Index d = depth.start(i) + kd * depth.dilation, h = line.start(j) + kh * line.dilation;
                  if (d < 0 || d >= depth.x || h < 0 || h >= line.x) continue;
                  const S* x_row = source + (((n * inputs + in) * depth.x + d) * line.x + h) * column.x;
                  for (Index kw = 0; kw < column.kernel; ++kw) {
                    const Reach& r = columns[std::size_t(kw)];
                    if (r.from < r.to) total[kw] = Total(total[kw] + dot_row<S, T>(g_row + r.from, x_row + r.x, column.stride, r.to - r.from));
                  }
                }
            }
        for (Index k = 0; k < taps; ++k) to[pair * taps + k] = convert<S>(totals[std::size_t(k)]);
      }
    });
  });
}

}  // namespace hearth::cpu
