// cpu/pool: maximum and mean of windows, planes in parallel. Windows at regular distances are done a row of results at a time, tap
// by tap, so that the loops are vector code; adaptive ones a window at a time.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "conv.hpp"
#include "hearth/core/convert.hpp"
#include "hearth/op/geometry.hpp"
#include "pool_kernels.hpp"
#include "threads.hpp"

namespace hearth::cpu {

namespace {

using Index = std::int64_t;

/// Sizes of a pool, its axes filled up to three from the front, and its windows in both views.
struct PoolSizes {
  Index planes;
  bool regular;
  std::array<ConvAxis, 3> axes;
  std::array<std::vector<Window>, 3> windows;  ///< by output
  std::vector<Reach> columns;                  ///< by tap of the last axis, where regular

  PoolSizes(const PoolGeometry& geometry, const Shape& x, const Shape& y) : planes(x[0] * x[1]), regular(geometry.adaptive.empty()) {
    const int rank = x.size() - 2;
    for (int i = 0; i < 3 - rank; ++i) windows[std::size_t(i)] = {Window{0, 1, 1, 1}};
    for (int i = 0; i < rank; ++i) {
      const std::size_t at = std::size_t(3 - rank + i);
      ConvAxis& axis = axes[at];
      axis.x = x[i + 2], axis.y = y[i + 2];
      if (regular) axis.kernel = geometry.kernel[i], axis.stride = geometry.stride[i], axis.dilation = geometry.dilation[i], axis.before = geometry.before[i];
      for (Index output = 0; output < axis.y; ++output) windows[at].push_back(pool_window(geometry, i, axis.x, output));
    }
    // A kernel may be far wider than x, of which no window then holds more than x has.
    if (axes[2].kernel > 2 * axes[2].x) regular = false;
    if (regular) columns = reaches(axes[2]);
  }
  Index x_plane() const { return axes[0].x * axes[1].x * axes[2].x; }
  Index y_plane() const { return axes[0].y * axes[1].y * axes[2].y; }
  /// Windows of 2 x 2 that lie side by side, as most networks have them?
  bool halves() const {
    const auto halved = [](const ConvAxis& axis) { return axis.kernel == 2 && axis.stride == 2 && axis.dilation == 1 && axis.before == 0 && 2 * axis.y <= axis.x; };
    return regular && axes[0].kernel == 1 && axes[0].x == 1 && axes[0].before == 0 && halved(axes[1]) && halved(axes[2]);
  }
  /// About how many steps a plane costs.
  Index work() const {
    Index taps = 0;
    for (const Window& d : windows[0])
      for (const Window& h : windows[1]) taps += (d.last - d.first) / d.step * ((h.last - h.first) / h.step + 1);
    return taps * axes[2].x + y_plane();
  }
  /// f(start) for each row of x, by the position of its first element, that the windows i and j of the outer axes hold, ascending.
  template <class F>
  void each_row(const Window& i, const Window& j, F f) const {
    for (Index d = i.first; d < i.last; d += i.step)
      for (Index h = j.first; h < j.last; h += j.step) f((d * axes[1].x + h) * axes[2].x);
  }
};

double divisor(const Window& window, bool count_padding) {
  return double(count_padding ? window.padded : (window.last - window.first + window.step - 1) / window.step);
}

/// The best so far of a row of results and where each was found; -1: nothing yet. P: the type of positions.
template <class S, class P>
struct BestRow {
  using T = Compute<S>;
  std::vector<T> best;
  std::vector<P> where;

  explicit BestRow(Index size) : best(std::size_t(size)), where(std::size_t(size)) {}
  void clear() { std::fill(where.begin(), where.end(), P(-1)); }
  /// Offers from[i * step], which lies at position + i * step, to result i.
  void offer(Index first, Index count, const S* from, Index step, Index position) {
    T* const b = best.data() + first;
    P* const w = where.data() + first;
    for (Index i = 0; i < count; ++i) {
      const T v = T(from[i * step]);
      const bool take = (w[i] < 0) | ((b[i] == b[i]) & ((v > b[i]) | (v != v)));
      b[i] = take ? v : b[i];
      w[i] = take ? P(position + i * step) : w[i];
    }
  }
};

/// max_planes of windows that halve both axes, of f32: a row of results at a time by vectors.
void max_halves(const PoolSizes& sizes, const float* x, float* values, Index* indices, Index begin, Index end) {
  const HalvingKernel kernel = halving_kernel();
  const Index width = sizes.axes[2].y, row = sizes.axes[2].x;
  for (Index plane = begin; plane < end; ++plane)
    for (Index j = 0; j < sizes.axes[1].y; ++j) {
      const Index at = plane * sizes.y_plane() + j * width;
      kernel(x + plane * sizes.x_plane() + 2 * j * row, row, width, 2 * j * row, values + at, indices + at);
    }
}

template <class S, class P>
void max_planes(const PoolSizes& sizes, const S* x, S* values, Index* indices, Index begin, Index end) {
  const Index width = sizes.axes[2].y;
  BestRow<S, P> row(width);
  for (Index plane = begin; plane < end; ++plane) {
    const S* from = x + plane * sizes.x_plane();
    Index at = plane * sizes.y_plane();
    for (const Window& i : sizes.windows[0])
      for (const Window& j : sizes.windows[1]) {
        row.clear();
        sizes.each_row(i, j, [&](Index start) {
          if (sizes.regular) {
            for (const Reach& r : sizes.columns) row.offer(r.from, r.to - r.from, from + start + r.x, sizes.axes[2].stride, start + r.x);
          } else {
            for (Index o = 0; o < width; ++o) {
              const Window& k = sizes.windows[2][std::size_t(o)];
              for (Index c = k.first; c < k.last; c += k.step) row.offer(o, 1, from + start + c, 1, start + c);
            }
          }
        });
        for (Index o = 0; o < width; ++o, ++at) {
          indices[at] = Index(row.where[std::size_t(o)]);
          values[at] = from[indices[at]];
        }
      }
  }
}

}  // namespace

std::array<Handle, 2> execute(const op::MaxPool& op, std::array<Handle, 1> in, const std::array<Spec, 2>& specs) {
  const Handle x = contiguous(in[0]), values = allocate(specs[0]), indices = allocate(specs[1]);
  if (!x || !values || !indices) return {};
  if (count_of(*values) == 0) return {values, indices};
  const PoolSizes sizes(op.geometry, x->spec.shape, values->spec.shape);
  with_type(x->spec.dtype, [&](auto tag) {
    using S = typename decltype(tag)::type;
    if constexpr (!std::is_same_v<S, bool>) {
      const S* from = data_of<const S>(x);
      S* to = data_of<S>(values);
      Index* where = data_of<Index>(indices);
      parallel_for(sizes.planes, row_grain(sizes.work()), [&](Index begin, Index end) {
        if constexpr (std::is_same_v<S, float>)
          if (sizes.halves()) return max_halves(sizes, from, to, where, begin, end);
        if (sizes.x_plane() <= std::numeric_limits<std::int32_t>::max()) max_planes<S, std::int32_t>(sizes, from, to, where, begin, end);
        else max_planes<S, Index>(sizes, from, to, where, begin, end);
      });
    }
  });
  return {values, indices};
}

namespace {

/// What each result of a row is divided by along the last axis.
std::vector<double> divisors(const std::vector<Window>& windows, bool count_padding) {
  std::vector<double> result;
  for (const Window& window : windows) result.push_back(divisor(window, count_padding));
  return result;
}

}  // namespace

// Sums are formed in double: a window may be the whole plane.
std::array<Handle, 1> execute(const op::AvgPool& op, std::array<Handle, 1> in, const std::array<Spec, 1>& specs) {
  const Handle x = contiguous(in[0]), y = allocate(specs[0]);
  if (!x || !y) return {};
  if (count_of(*y) == 0) return {y};
  const PoolSizes sizes(op.geometry, x->spec.shape, y->spec.shape);
  const std::vector<double> column_divisors = divisors(sizes.windows[2], op.count_padding);
  with_float(x->spec.dtype, [&](auto tag) {
    using S = typename decltype(tag)::type;
    parallel_for(sizes.planes, row_grain(sizes.work()), [&](Index begin, Index end) {
      const Index width = sizes.axes[2].y, step = sizes.axes[2].stride;
      std::vector<double> row(static_cast<std::size_t>(width));
      for (Index plane = begin; plane < end; ++plane) {
        const S* from = data_of<const S>(x) + plane * sizes.x_plane();
        S* to = data_of<S>(y) + plane * sizes.y_plane();
        for (const Window& i : sizes.windows[0])
          for (const Window& j : sizes.windows[1]) {
            std::fill(row.begin(), row.end(), 0.0);
            sizes.each_row(i, j, [&](Index start) {
              if (sizes.regular) {
                for (const Reach& r : sizes.columns) {
                  const S* source = from + start + r.x;
                  double* sums = row.data() + r.from;
                  for (Index o = 0; o < r.to - r.from; ++o) sums[o] += double(source[o * step]);
                }
              } else {
                for (Index o = 0; o < width; ++o) {
                  const Window& k = sizes.windows[2][std::size_t(o)];
                  for (Index c = k.first; c < k.last; c += k.step) row[std::size_t(o)] += double(from[start + c]);
                }
              }
            });
            const double outer = divisor(i, op.count_padding) * divisor(j, op.count_padding);
            for (Index o = 0; o < width; ++o) *to++ = convert<S>(row[std::size_t(o)] / (outer * column_divisors[std::size_t(o)]));
          }
      }
    });
  });
  return {y};
}

std::array<Handle, 1> execute(const op::AvgPoolGrad& op, std::array<Handle, 1> in, const std::array<Spec, 1>& specs) {
  const Handle g = contiguous(in[0]), x = allocate(specs[0]);
  if (!g || !x) return {};
  if (count_of(*x) == 0) return {x};
  const PoolSizes sizes(op.geometry, x->spec.shape, g->spec.shape);
  const std::vector<double> column_divisors = divisors(sizes.windows[2], op.count_padding);
  with_float(x->spec.dtype, [&](auto tag) {
    using S = typename decltype(tag)::type;
    parallel_for(sizes.planes, row_grain(sizes.work()), [&](Index begin, Index end) {
      const Index width = sizes.axes[2].y, step = sizes.axes[2].stride;
      std::vector<double> sums(static_cast<std::size_t>(sizes.x_plane())), shares(static_cast<std::size_t>(width));
      for (Index plane = begin; plane < end; ++plane) {
        const S* from = data_of<const S>(g) + plane * sizes.y_plane();
        S* to = data_of<S>(x) + plane * sizes.x_plane();
        std::fill(sums.begin(), sums.end(), 0.0);
        for (const Window& i : sizes.windows[0])
          for (const Window& j : sizes.windows[1]) {
            const double outer = divisor(i, op.count_padding) * divisor(j, op.count_padding);
            for (Index o = 0; o < width; ++o) shares[std::size_t(o)] = double(*from++) / (outer * column_divisors[std::size_t(o)]);
            sizes.each_row(i, j, [&](Index start) {
              if (sizes.regular) {
                for (const Reach& r : sizes.columns) {
                  double* target = sums.data() + start + r.x;
                  const double* share = shares.data() + r.from;
                  for (Index o = 0; o < r.to - r.from; ++o) target[o * step] += share[o];
                }
              } else {
                for (Index o = 0; o < width; ++o) {
                  const Window& k = sizes.windows[2][std::size_t(o)];
                  for (Index c = k.first; c < k.last; c += k.step) sums[std::size_t(start + c)] += shares[std::size_t(o)];
                }
              }
            });
          }
        for (double sum : sums) *to++ = convert<S>(sum);
      }
    });
  });
  return {x};
}

}  // namespace hearth::cpu
