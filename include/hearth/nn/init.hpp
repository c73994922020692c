// nn/init: where weights start. Each function makes a tensor of a shape; fans are counted as PyTorch counts them, from weights
// [out, in / groups, kernel...].
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>

#include "../tensor/tensor.hpp"

namespace hearth::init {

/// How many inputs feed one output, and how many outputs one input feeds, times the kernel's size.
struct Fans {
  double in = 1, out = 1;
};
inline Fans fans(const Shape& shape) {
  if (shape.size() < 2) return fail("init", "a weight of shape " + to_string(shape) + " has no fans", {shape}, "fans take rank 2 or more: [out, in, ...]");
  double kernel = 1;
  for (int i = 2; i < shape.size(); ++i) kernel *= double(shape[i]);
  return {double(shape[1]) * kernel, double(shape[0]) * kernel};
}

template <class B, int R>
Tensor<B, R> constant(const Shape& shape, Scalar value, const DeviceOf<B>& device = {}) {
  return full<B, R>(shape, value, device);
}
template <class B, int R>
Tensor<B, R> uniform(const Shape& shape, double low, double high, const DeviceOf<B>& device = {}, RandomSource source = {}) {
  return hearth::uniform<B, R>(shape, low, high, device, source);
}
template <class B, int R>
Tensor<B, R> normal(const Shape& shape, double mean, double deviation, const DeviceOf<B>& device = {}, RandomSource source = {}) {
  return hearth::normal<B, R>(shape, mean, deviation, device, source);
}
/// Glorot and Bengio 2010.
template <class B, int R>
Tensor<B, R> xavier_uniform(const Shape& shape, double gain = 1, const DeviceOf<B>& device = {}, RandomSource source = {}) {
  const Fans f = fans(shape);
  const double bound = gain * std::sqrt(6 / (f.in + f.out));
  return hearth::uniform<B, R>(shape, -bound, bound, device, source);
}
template <class B, int R>
Tensor<B, R> xavier_normal(const Shape& shape, double gain = 1, const DeviceOf<B>& device = {}, RandomSource source = {}) {
  const Fans f = fans(shape);
  return hearth::normal<B, R>(shape, 0, gain * std::sqrt(2 / (f.in + f.out)), device, source);
}
/// He et al. 2015. gain is sqrt(2) for relu, sqrt(2 / (1 + a a)) for a leaky one.
template <class B, int R>
Tensor<B, R> kaiming_uniform(const Shape& shape, double gain = std::sqrt(2.0), const DeviceOf<B>& device = {}, RandomSource source = {}) {
  const double bound = gain * std::sqrt(3 / fans(shape).in);
  return hearth::uniform<B, R>(shape, -bound, bound, device, source);
}
template <class B, int R>
Tensor<B, R> kaiming_normal(const Shape& shape, double gain = std::sqrt(2.0), const DeviceOf<B>& device = {}, RandomSource source = {}) {
  return hearth::normal<B, R>(shape, 0, gain / std::sqrt(fans(shape).in), device, source);
}
/// Saxe et al. 2014: the rows (or the columns, if they are fewer) of [shape[0], the rest] are orthonormal, times gain.
template <class B>
Tensor<B, 2> orthogonal(std::int64_t rows, std::int64_t columns, double gain = 1, const DeviceOf<B>& device = {}, RandomSource source = {}) {
  const bool tall = rows >= columns;
  auto a = hearth::normal<B>({tall ? rows : columns, tall ? columns : rows}, 0, 1, device, source);
  auto [q, r] = call<B>(op::Qr{}, std::move(a.dyn));  // r's diagonal is not negative, so q is uniform over orthogonal matrices
  Tensor<B, 2> result(std::move(q));
  return (tall ? result : result.transpose()) * gain;
}

}  // namespace hearth::init
