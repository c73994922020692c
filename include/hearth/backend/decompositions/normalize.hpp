// backend/decompositions/normalize: the core of all norms: two-pass statistics over some axes, and the gradient through them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "common.hpp"

namespace hearth::detail {

template <class B>
struct Normalized {
  Dyn<B> value;    ///< (x - mean) / sqrt(variance + epsilon)
  Dyn<B> inverse;  ///< 1 / sqrt(variance + epsilon)
};
/// x is in the accumulator's dtype already. The variance is the biased one, taken from the centred elements.
template <class B>
Normalized<B> normalized(Dyn<B> x, const Axes& axes, double epsilon) {
  auto center = mean(x, axes);
  x = std::move(x) - std::move(center);
  auto inverse = rsqrt(mean(square(x), axes) + epsilon);
  auto value = std::move(x) * inverse;
  return {std::move(value), std::move(inverse)};
}
/// The same without centring.
template <class B>
Normalized<B> scaled_to_unit(Dyn<B> x, const Axes& axes, double epsilon) {
  auto inverse = rsqrt(mean(square(x), axes) + epsilon);
  auto value = std::move(x) * inverse;
  return {std::move(value), std::move(inverse)};
}

/// The gradient of x, from the gradient g of the normalised value, through the statistics too.
template <class B>
Dyn<B> normalized_grad(Dyn<B> g, Normalized<B> n, const Axes& axes, bool centered) {
  auto along = mean(g * n.value, axes);
  if (centered) {
    auto center = mean(g, axes);
    g = std::move(g) - std::move(center);
  }
  g = std::move(g) - std::move(n.value) * std::move(along);
  return std::move(g) * std::move(n.inverse);
}

}  // namespace hearth::detail
