// backend/decompositions/grid_sample: an array read at the positions of a grid (Jaderberg et al. 2015), as PyTorch defines it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sampling.hpp"

namespace hearth {

namespace detail {

/// A position in elements, and its derivative by the grid's value.
template <class B>
struct GridPosition {
  Dyn<B> at, slope;
};

/// Mirrored at both borders until inside. `sign` says whether the mirrored position moves with the given one (1) or against it (-1).
template <class B>
GridPosition<B> mirrored(Dyn<B> position, std::int64_t size, bool align_corners) {
  const double low = align_corners ? 0 : -0.5, span = align_corners ? double(size - 1) : double(size);
  if (span <= 0) return {zero_like(position), zero_like(position)};
  position = std::move(position) - low;
  auto sign = when(position < 0, -1, full_like(position, 1));
  position = abs(std::move(position));
  auto rest = fmod(position, span);
  auto odd = fmod(floor(std::move(position) / span), 2) == 1;
  auto back = span - rest;
  sign = when(odd, -sign, sign);
  return {when(std::move(odd), std::move(back), std::move(rest)) + low, std::move(sign)};
}

template <class B>
GridPosition<B> padded_position(GridPosition<B> position, std::int64_t size, GridPadding padding, bool align_corners) {
  if (padding == GridPadding::zeros) return position;
  if (padding == GridPadding::reflection) {
    auto inner = mirrored(std::move(position.at), size, align_corners);
    position = {std::move(inner.at), std::move(position.slope) * std::move(inner.slope)};
  }
  auto moves = (position.at > 0) & (position.at < size - 1);
  position.slope = when(std::move(moves), std::move(position.slope), 0);
  position.at = clamp(std::move(position.at), 0, size - 1);
  return position;
}

/// The cubic convolution kernel (Keys 1981, a = -0.75) at distance `t` from 0 to 1 (near) or from 1 to 2, and its derivative.
template <class B>
Dyn<B> cubic_near(const Dyn<B>& t) {
  constexpr double a = -0.75;
  return ((a + 2) * t - (a + 3)) * t * t + 1;
}
template <class B>
Dyn<B> cubic_near_slope(const Dyn<B>& t) {
  constexpr double a = -0.75;
  return (3 * (a + 2) * t - 2 * (a + 3)) * t;
}
template <class B>
Dyn<B> cubic_far(const Dyn<B>& t) {
  constexpr double a = -0.75;
  return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a;
}
template <class B>
Dyn<B> cubic_far_slope(const Dyn<B>& t) {
  constexpr double a = -0.75;
  return (3 * a * t - 10 * a) * t + 8 * a;
}

/// The taps along one axis for the grid's values `g`, with slopes by g.
template <class B>
std::vector<AxisTap<B>> grid_taps(Dyn<B> g, std::int64_t size, InterpolateMode mode, GridPadding padding, bool align_corners) {
  const double stretch = (align_corners ? double(size - 1) : double(size)) / 2;
  auto slope = full_like(g, stretch);
  auto at = align_corners ? (std::move(g) + 1) * stretch : ((std::move(g) + 1) * double(size) - 1) / 2;
  GridPosition<B> position{std::move(at), std::move(slope)};
  std::vector<AxisTap<B>> taps;

  if (mode == InterpolateMode::cubic) {  // the padding moves each of the four elements, not the position
    auto low = floor(position.at);
    const auto part = position.at - low;
    const auto far = part + 1, near = 1 - part, other = 2 - part;
    const Dyn<B> weights[] = {cubic_far(far), cubic_near(part), cubic_near(near), cubic_far(other)};
    const Dyn<B> slopes[] = {cubic_far_slope(far), cubic_near_slope(part), -cubic_near_slope(near), -cubic_far_slope(other)};
    for (int i = 0; i < 4; ++i) {
      GridPosition<B> element{low + (i - 1), position.slope};
      element = padded_position(std::move(element), size, padding, align_corners);
      taps.push_back(axis_tap(std::move(element.at), weights[i], slopes[i] * position.slope, size));
    }
    return taps;
  }

  position = padded_position(std::move(position), size, padding, align_corners);
  if (mode == InterpolateMode::nearest) {
    auto element = round(std::move(position.at));
    auto one = full_like(element, 1), flat = zero_like(element);
    taps.push_back(axis_tap(std::move(element), std::move(one), std::move(flat), size));
  } else {
    taps = linear_taps(std::move(position.at), size);
    for (auto& tap : taps) tap.slope = std::move(tap.slope) * position.slope;
  }
  return taps;
}

/// The corners of all samples for a grid [n, out..., axes]; spatial sizes `sizes`.
template <class B>
std::vector<Corner<B>> grid_corners(Dyn<B> grid, const Shape& sizes, InterpolateMode mode, GridPadding padding, bool align_corners) {
  const int axes = sizes.size();
  const std::int64_t batch = grid.size(0), places = product(grid.shape(), 1, grid.rank() - 1);
  grid = reshape(std::move(grid), {batch, places, axes});
  std::vector<std::vector<AxisTap<B>>> taps;
  for (int axis = 0; axis < axes; ++axis) {  // the grid names the innermost axis first
    auto g = reshape(narrow(grid, 2, axes - 1 - axis, 1), {batch, 1, places});
    taps.push_back(grid_taps(std::move(g), sizes[axis], mode, padding, align_corners));
  }
  return corners(taps, sizes);
}

inline Shape spatial_sizes(const Shape& shape) {
  Shape sizes;
  for (int i = 2; i < shape.size(); ++i) sizes.push(shape[i]);
  return sizes;
}
inline Shape flattened(const Shape& shape) { return {shape[0], shape[1], product(shape, 2, shape.size())}; }

}  // namespace detail

template <>
struct Decomposition<op::GridSample> {
  template <class B>
  static std::array<Dyn<B>, 1> run(const op::GridSample& op, std::array<Dyn<B>, 2> in) {
    using namespace detail;
    const Dtype dtype = in[0].dtype();
    Shape shape = in[0].shape();
    const Shape sizes = spatial_sizes(shape), flat = flattened(shape);
    for (int i = 0; i < sizes.size(); ++i) shape[i + 2] = in[1].size(i + 1);
    auto x = reshape(accumulated(std::move(in[0])), flat);
    auto grid = converted(std::move(in[1]), x.dtype());
    auto y = sampled(x, grid_corners(std::move(grid), sizes, op.mode, op.padding, op.align_corners));
    return {converted(reshape(std::move(y), shape), dtype)};
  }
};

template <>
struct Decomposition<op::GridSampleGrad> {
  template <class B>
  static std::array<Dyn<B>, 2> run(const op::GridSampleGrad& op, std::array<Dyn<B>, 3> in) {
    using namespace detail;
    const Dtype dtype = in[1].dtype(), grid_dtype = in[2].dtype();
    const Shape shape = in[1].shape(), grid_shape = in[2].shape(), places = flattened(in[0].shape());
    const int axes = shape.size() - 2;
    auto x = reshape(accumulated(std::move(in[1])), flattened(shape));
    auto g = reshape(converted(std::move(in[0]), x.dtype()), places);
    auto grid = converted(std::move(in[2]), x.dtype());
    auto grads = sampled_grad(g, x, grid_corners(std::move(grid), spatial_sizes(shape), op.mode, op.padding, op.align_corners));
    std::vector<Dyn<B>> columns;
    for (int axis = axes - 1; axis >= 0; --axis) columns.push_back(reshape(std::move(grads.positions[std::size_t(axis)]), {places[0], places[2], 1}));
    auto dgrid = reshape(concat(std::move(columns), 2), grid_shape);
    return {converted(reshape(std::move(grads.x), shape), dtype), converted(std::move(dgrid), grid_dtype)};
  }
};

}  // namespace hearth
