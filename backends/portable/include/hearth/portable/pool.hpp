// portable/pool: maximum and mean of windows. Where windows lie is op/geometry's.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <vector>

#include "accumulate.hpp"
#include "array.hpp"
#include "hearth/op/geometry.hpp"
#include "hearth/op/op.hpp"

namespace hearth::portable {

/// One window of each spatial axis; a missing axis has a single element.
using WindowBox = std::array<Window, 3>;

struct PoolLoops {
  std::int64_t planes;  ///< batch times channels
  std::array<std::int64_t, 3> x_size{1, 1, 1};
  std::array<std::vector<Window>, 3> windows;

  PoolLoops(const PoolGeometry& geometry, const Shape& x, const Shape& y) : planes(x[0] * x[1]) {
    const int axes = x.size() - 2;
    if (element_count(y) == 0) return;  // no box at all, however many windows one axis has
    for (int axis = 0; axis < 3; ++axis) {
      auto& list = windows[std::size_t(axis)];
      if (axis >= axes) {
        list = {Window{0, 1, 1, 1}};
        continue;
      }
      x_size[std::size_t(axis)] = x[axis + 2];
      for (std::int64_t i = 0; i < y[axis + 2]; ++i) list.push_back(pool_window(geometry, axis, x[axis + 2], i));
    }
  }
  std::int64_t plane_size() const { return x_size[0] * x_size[1] * x_size[2]; }

  /// f(plane, box) for each element of the result, in row-major order.
  template <class F>
  void each_box(F f) const {
    for (std::int64_t plane = 0; plane < planes; ++plane)
      for (const Window& i : windows[0])
        for (const Window& j : windows[1])
          for (const Window& k : windows[2]) f(plane, WindowBox{i, j, k});
  }
  /// f(index) with the position in its plane of each element of x in the box, ascending.
  template <class F>
  void each_element(const WindowBox& box, F f) const {
    for (std::int64_t i = box[0].first; i < box[0].last; i += box[0].step)
      for (std::int64_t j = box[1].first; j < box[1].last; j += box[1].step)
        for (std::int64_t k = box[2].first; k < box[2].last; k += box[2].step) f((i * x_size[1] + j) * x_size[2] + k);
  }
  /// How many elements the sum over a box is divided by.
  static double divisor(const WindowBox& box, bool count_padding) {
    double count = 1;
    for (const Window& w : box) count *= double(count_padding ? w.padded : (w.last - w.first + w.step - 1) / w.step);
    return count;
  }
};

inline void kernel(const op::MaxPool& op, const Operands<op::MaxPool, Handle>& in, Results<op::MaxPool, Handle>& out) {
  const Handle x = contiguous(in[0], "max_pool");
  if (!x) return;
  const PoolLoops loops(op.geometry, x->spec.shape, out[0]->spec.shape);
  with_kinds<kinds::F | kinds::I>(x->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Compute<T>;
    T* values = data<T>(out[0]);
    std::int64_t* indices = data<std::int64_t>(out[1]);
    loops.each_box([&](std::int64_t plane, const WindowBox& box) {
      const T* from = data<const T>(x) + plane * loops.plane_size();
      std::int64_t best = -1;
      loops.each_element(box, [&](std::int64_t i) {
        const C candidate = C(from[i]);
        if (best < 0) best = i;
        const C known = C(from[best]);
        if (known == known && (candidate > known || candidate != candidate)) best = i;
      });
      *values++ = from[best];
      *indices++ = best;
    });
  });
}

inline void kernel(const op::AvgPool& op, const Operands<op::AvgPool, Handle>& in, Results<op::AvgPool, Handle>& out) {
  const Handle x = contiguous(in[0], "avg_pool");
  if (!x) return;
  const PoolLoops loops(op.geometry, x->spec.shape, out[0]->spec.shape);
  with_float(x->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* to = data<T>(out[0]);
    loops.each_box([&](std::int64_t plane, const WindowBox& box) {
      const T* from = data<const T>(x) + plane * loops.plane_size();
      Accumulator<T> sum = 0;
      loops.each_element(box, [&](std::int64_t i) { sum += Accumulator<T>(from[i]); });
      *to++ = rounded<T>(sum / Accumulator<T>(loops.divisor(box, op.count_padding)));
    });
  });
}

inline void kernel(const op::AvgPoolGrad& op, const Operands<op::AvgPoolGrad, Handle>& in, Results<op::AvgPoolGrad, Handle>& out) {
  const Handle g = contiguous(in[0], "avg_pool_grad");
  if (!g) return;
  const PoolLoops loops(op.geometry, out[0]->spec.shape, g->spec.shape);
  with_float(g->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::vector<Accumulator<T>> sums(std::size_t(element_count(out[0]->spec.shape)), Accumulator<T>(0));
    const T* from = data<const T>(g);
    loops.each_box([&](std::int64_t plane, const WindowBox& box) {
      const Accumulator<T> share = Accumulator<T>(*from++) / Accumulator<T>(loops.divisor(box, op.count_padding));
      loops.each_element(box, [&](std::int64_t i) { sums[std::size_t(plane * loops.plane_size() + i)] += share; });
    });
    T* to = data<T>(out[0]);
    for (const Accumulator<T>& sum : sums) *to++ = rounded<T>(sum);
  });
}

}  // namespace hearth::portable
