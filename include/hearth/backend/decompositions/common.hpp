// backend/decompositions/common: what the decompositions share.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>

#include "../decomposition.hpp"

namespace hearth::detail {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// x in another dtype; an absent operand stays absent.
template <class B>
Dyn<B> converted(Dyn<B> x, Dtype dtype) {
  if (!x || x.dtype() == dtype) return x;
  return cast(std::move(x), dtype);
}
/// x in the dtype in which its statistics are taken.
template <class B>
Dyn<B> accumulated(Dyn<B> x) {
  if (!x) return x;
  const Dtype dtype = compute_dtype(x.dtype());
  return converted(std::move(x), dtype);
}

/// first, first + 1, ..., last - 1
inline Axes axes_between(int first, int last) {
  Axes axes;
  for (int i = first; i < last; ++i) axes.push(i);
  return axes;
}
/// Every axis but that of the channels, which comes second.
inline Axes all_but_channels(int rank) {
  Axes axes{0};
  for (int i = 2; i < rank; ++i) axes.push(i);
  return axes;
}
inline std::int64_t product(const Shape& shape, int first, int last) {
  std::int64_t n = 1;
  for (int i = first; i < last; ++i) n *= shape[i];
  return n;
}

/// x [c] as [1, c, 1, ...], so that it meets the channels of an array of that rank.
template <class B>
Dyn<B> per_channel(Dyn<B> x, int rank) {
  if (!x) return x;
  Shape shape = Shape::filled(rank, 1);
  shape[1] = x.size(0);
  return reshape(std::move(x), shape);
}
/// y * scale + bias, either of them absent or of any shape that broadcasts.
template <class B>
Dyn<B> affine(Dyn<B> y, Dyn<B> scale, Dyn<B> bias) {
  if (scale) y = std::move(y) * std::move(scale);
  if (bias) y = std::move(y) + std::move(bias);
  return y;
}

/// Uniform numbers in [0, 1). f32 whatever they are compared for, so that a mask does not depend on the dtype of what it masks.
template <class B>
Dyn<B> uniform(const DeviceOf<B>& device, const Shape& shape, std::uint64_t key, std::uint64_t offset) {
  return Dyn<B>(B::make(device, op::Random{{Dtype::f32, shape}, Distribution::uniform, 0.0, 1.0, key, offset}));
}
/// Elements dropped with probability p, the others divided by 1 - p.
template <class B>
Dyn<B> dropped(Dyn<B> x, double p, std::uint64_t key, std::uint64_t offset) {
  auto keep = uniform<B>(x.device(), x.shape(), key, offset) >= p;
  return when(std::move(keep), std::move(x) / (1 - p), 0);
}

}  // namespace hearth::detail
