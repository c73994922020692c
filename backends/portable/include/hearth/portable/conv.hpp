// portable/conv: convolution and its two adjoints. All three are sums over the same triples of elements (x, weight, y) that meet:
// the convolution adds x weight to y, its adjoints add y's gradient times the one factor to the gradient of the other.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <vector>

#include "accumulate.hpp"
#include "array.hpp"
#include "hearth/op/op.hpp"

namespace hearth::portable {

/// Where x, weight and y meet along one axis.
struct Meeting {
  std::int64_t x, kernel, y;
};

struct ConvLoops {
  std::int64_t batch, groups, in_channels, out_channels;  ///< channels of one group
  std::array<std::vector<Meeting>, 3> meetings;           ///< of each spatial axis; a missing one has a single meeting
  std::array<std::int64_t, 3> x_size{1, 1, 1}, kernel_size{1, 1, 1}, y_size{1, 1, 1};

  ConvLoops(const ConvGeometry& geometry, const Shape& x, const Shape& weight, const Shape& y)
      : batch(x[0]), groups(geometry.groups), in_channels(weight[1]), out_channels(weight[0] / geometry.groups) {
    const int axes = x.size() - 2;
    const bool nothing_meets = element_count(x) == 0 || element_count(weight) == 0 || element_count(y) == 0;  // however long one axis is
    for (int axis = 0; axis < 3; ++axis) {
      auto& list = meetings[std::size_t(axis)];
      if (axis >= axes) {
        list = {{0, 0, 0}};
        continue;
      }
      const std::size_t a = std::size_t(axis);
      x_size[a] = x[axis + 2], kernel_size[a] = weight[axis + 2], y_size[a] = y[axis + 2];
      if (nothing_meets) continue;
      for (std::int64_t i = 0; i < y_size[a]; ++i)
        for (std::int64_t k = 0; k < kernel_size[a]; ++k) {
          const std::int64_t position = i * geometry.stride[axis] + k * geometry.dilation[axis] - geometry.before[axis];
          if (position >= 0 && position < x_size[a]) list.push_back({position, k, i});
        }
    }
  }

  /// f(x, weight, y) with the row-major positions of each triple that meets.
  template <class F>
  void each(F f) const {
    for (std::int64_t n = 0; n < batch; ++n)
      for (std::int64_t group = 0; group < groups; ++group)
        for (std::int64_t o = 0; o < out_channels; ++o)
          for (std::int64_t c = 0; c < in_channels; ++c) {
            const std::int64_t out = group * out_channels + o;
            const std::int64_t x = (n * groups + group) * in_channels + c, weight = out * in_channels + c;
            const std::int64_t y = n * groups * out_channels + out;
            for (const Meeting& i : meetings[0])
              for (const Meeting& j : meetings[1])
                for (const Meeting& k : meetings[2])
                  f(std::size_t(((x * x_size[0] + i.x) * x_size[1] + j.x) * x_size[2] + k.x),
                    std::size_t(((weight * kernel_size[0] + i.kernel) * kernel_size[1] + j.kernel) * kernel_size[2] + k.kernel),
                    std::size_t(((y * y_size[0] + i.y) * y_size[1] + j.y) * y_size[2] + k.y));
          }
  }
};

/// add(sums, first, second) adds all products of two row-major operands to the sums of the result, which start at 0.
template <class F>
void sum_products(std::string_view op, const Handle& first, const Handle& second, const Handle& result, F add) {
  const Handle a = contiguous(first, op), b = contiguous(second, op);
  if (!a || !b) return;
  with_kinds<kinds::F | kinds::I>(result->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::vector<Accumulator<T>> sums(std::size_t(element_count(result->spec.shape)), Accumulator<T>(0));
    add(sums, data<const T>(a), data<const T>(b));
    T* to = data<T>(result);
    for (const Accumulator<T>& sum : sums) *to++ = rounded<T>(sum);
  });
}

inline void kernel(const op::Conv& op, const Operands<op::Conv, Handle>& in, Results<op::Conv, Handle>& out) {
  const ConvLoops loops(op.geometry, in[0]->spec.shape, in[1]->spec.shape, out[0]->spec.shape);
  const std::int64_t channels = out[0]->spec.shape[1];
  sum_products("conv", in[0], in[1], out[0], [&]<class S, class T>(std::vector<S>& y, const T* x, const T* weight) {
    if (in[2]) {
      const Elements<const T> bias = elements<const T>(in[2]);
      const std::size_t plane = std::size_t(loops.y_size[0] * loops.y_size[1] * loops.y_size[2]);
      for (std::size_t i = 0; i < y.size(); ++i) y[i] = S(bias(std::int64_t(i / plane) % channels));
    }
    loops.each([&](std::size_t i, std::size_t j, std::size_t k) { y[k] = y[k] + S(x[i]) * S(weight[j]); });
  });
}

inline void kernel(const op::ConvInputGrad& op, const Operands<op::ConvInputGrad, Handle>& in, Results<op::ConvInputGrad, Handle>& out) {
  const ConvLoops loops(op.geometry, out[0]->spec.shape, in[1]->spec.shape, in[0]->spec.shape);
  sum_products("conv_input_grad", in[0], in[1], out[0], [&]<class S, class T>(std::vector<S>& x, const T* g, const T* weight) {
    loops.each([&](std::size_t i, std::size_t j, std::size_t k) { x[i] = x[i] + S(g[k]) * S(weight[j]); });
  });
}

inline void kernel(const op::ConvWeightGrad& op, const Operands<op::ConvWeightGrad, Handle>& in, Results<op::ConvWeightGrad, Handle>& out) {
  const ConvLoops loops(op.geometry, in[0]->spec.shape, out[0]->spec.shape, in[1]->spec.shape);
  sum_products("conv_weight_grad", in[0], in[1], out[0], [&]<class S, class T>(std::vector<S>& weight, const T* x, const T* g) {
    loops.each([&](std::size_t i, std::size_t j, std::size_t k) { weight[j] = weight[j] + S(x[i]) * S(g[k]); });
  });
}

}  // namespace hearth::portable
