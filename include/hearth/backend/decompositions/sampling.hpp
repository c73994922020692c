// backend/decompositions/sampling: reading an array between its elements: which elements, with which weights, and how the weights
// change with the place. GridSample and DeformConv share it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "common.hpp"

namespace hearth::detail {

/// One element along one axis that takes part in a sample.
template <class B>
struct AxisTap {
  Dyn<B> index;   ///< i64, always inside the axis
  Dyn<B> weight;  ///< 0 where the element would lie outside
  Dyn<B> slope;   ///< derivative of weight by the position
};
/// One element of the array that takes part in a sample, its taps along all axes joined.
template <class B>
struct Corner {
  Dyn<B> index;  ///< into the flattened spatial axes
  Dyn<B> weight;
  std::vector<Dyn<B>> slopes;  ///< derivative of weight by the position along each axis
};

/// The tap at `element`, a whole number as a float. Infinity and NaN lie outside; they are read as element 0 with weight 0.
template <class B>
AxisTap<B> axis_tap(Dyn<B> element, Dyn<B> weight, Dyn<B> slope, std::int64_t size) {
  auto inside = (element >= 0) & (element <= size - 1);
  auto index = cast(clamp(std::move(element), 0, size - 1), Dtype::i64);
  slope = when(inside, std::move(slope), 0);
  return {std::move(index), when(std::move(inside), std::move(weight), 0), std::move(slope)};
}

/// The two neighbours of each position.
template <class B>
std::vector<AxisTap<B>> linear_taps(Dyn<B> position, std::int64_t size) {
  auto low = floor(position);
  auto part = std::move(position) - low;
  auto one = full_like(part, 1);
  auto high = low + 1;
  std::vector<AxisTap<B>> taps;
  taps.push_back(axis_tap(std::move(low), 1 - part, -one, size));
  taps.push_back(axis_tap(std::move(high), std::move(part), std::move(one), size));
  return taps;
}

/// All combinations of the taps along the axes (outermost first), whose sizes are `sizes`.
template <class B>
std::vector<Corner<B>> corners(const std::vector<std::vector<AxisTap<B>>>& taps, const Shape& sizes) {
  std::vector<Corner<B>> result;
  for (const auto& tap : taps[0]) result.push_back({tap.index, tap.weight, {tap.slope}});
  for (std::size_t axis = 1; axis < taps.size(); ++axis) {
    std::vector<Corner<B>> longer;
    for (const auto& corner : result)
      for (const auto& tap : taps[axis]) {
        Corner<B> next{corner.index * sizes[int(axis)] + tap.index, corner.weight * tap.weight, {}};
        for (const auto& slope : corner.slopes) next.slopes.push_back(slope * tap.weight);
        next.slopes.push_back(corner.weight * tap.slope);
        longer.push_back(std::move(next));
      }
    result = std::move(longer);
  }
  return result;
}

/// x [n, c, elements] read at index [n, 1, places] -> [n, c, places]
template <class B>
Dyn<B> read_places(Dyn<B> x, Dyn<B> index) {
  const Shape places{x.size(0), x.size(1), index.size(2)};
  return gather(std::move(x), expand(std::move(index), places), 2);
}
/// Its adjoint: values [n, c, places] are added to x.
template <class B>
Dyn<B> add_places(Dyn<B> x, Dyn<B> index, Dyn<B> values) {
  const Shape places = values.shape();
  return Dyn<B>::scatter(std::move(x), expand(std::move(index), places), std::move(values), 2, ScatterMode::add);
}

/// x [n, c, elements] sampled: the weighted sum of the corners, [n, c, places].
template <class B>
Dyn<B> sampled(const Dyn<B>& x, const std::vector<Corner<B>>& from) {
  Dyn<B> y;
  for (const auto& corner : from) {
    auto part = read_places(x, corner.index) * corner.weight;
    y = y ? std::move(y) + std::move(part) : std::move(part);
  }
  return y;
}

template <class B>
struct SampledGrad {
  Dyn<B> x;                       ///< [n, c, elements]
  std::vector<Dyn<B>> positions;  ///< [n, 1, places] along each axis, outermost first
};
/// The gradients of `sampled`, from the gradient g of its result.
template <class B>
SampledGrad<B> sampled_grad(const Dyn<B>& g, const Dyn<B>& x, const std::vector<Corner<B>>& from) {
  SampledGrad<B> result{zero_like(x), {}};
  result.positions.resize(from[0].slopes.size());
  for (const auto& corner : from) {
    result.x = add_places(std::move(result.x), corner.index, g * corner.weight);
    auto along = sum(g * read_places(x, corner.index), {1});
    for (std::size_t axis = 0; axis < corner.slopes.size(); ++axis) {
      auto& total = result.positions[axis];
      auto part = along * corner.slopes[axis];
      total = total ? std::move(total) + std::move(part) : std::move(part);
    }
  }
  return result;
}

}  // namespace hearth::detail
