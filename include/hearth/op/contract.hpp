// op/contract: products, convolutions, pools and resampling, each linear one with its adjoint.
// Layouts: x [batch, channels, spatial...], weight [out, in / groups, kernel...]; 1 to 3 spatial axes. Output sizes: op/geometry.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../core/spec.hpp"
#include "codes.hpp"

namespace hearth {

/// One value per spatial axis in each list.
struct ConvGeometry {
  Shape stride, dilation;
  Shape before, after;  ///< zero padding ahead of and behind each axis
  std::int64_t groups = 1;
};
struct PoolGeometry {
  Shape kernel, stride, dilation;
  Shape before, after;     ///< padding: never a maximum, counted by AvgPool where it is told so
  bool ceil_mode = false;  ///< the last window may hang over the end, if it starts inside the input or the padding ahead
  Shape adaptive;          ///< not empty: the output size; window i of n over s elements is [floor(i s / n), ceil((i + 1) s / n)), all else unused
};
struct Resampling {
  InterpolateMode mode = InterpolateMode::linear;
  Shape size;                                 ///< the spatial output size
  InlineList<double, max_rank> scale;         ///< output / input per axis where given, else from the sizes
  bool align_corners = false, antialias = false;
};

namespace op {

/// a [..., m, k], b [..., k, n] -> [..., m, n]. Batch axes broadcast. Integers wrap; 16-bit floats accumulate in f32.
struct MatMul {
  static constexpr int inputs = 2, outputs = 1;
};
/// x, weight, [bias [out]] -> y
struct Conv {
  static constexpr int inputs = 3, outputs = 1;
  static constexpr unsigned optional = 0b100;
  ConvGeometry geometry;
};
/// g (like y), weight -> gradient of x, whose spatial sizes are `size`. Also the transposed convolution.
struct ConvInputGrad {
  static constexpr int inputs = 2, outputs = 1;
  ConvGeometry geometry;
  Shape size;
};
/// x, g (like y) -> gradient of weight, whose kernel sizes are `size`.
struct ConvWeightGrad {
  static constexpr int inputs = 2, outputs = 1;
  ConvGeometry geometry;
  Shape size;
};
/// x -> values, and i64 indices into the flattened spatial axes of x. NaN wins; ties give the lowest index.
struct MaxPool {
  static constexpr int inputs = 1, outputs = 2;
  PoolGeometry geometry;
};
/// x -> means of the windows; padding counts as zeros where `count_padding`, and is left out of the mean otherwise.
struct AvgPool {
  static constexpr int inputs = 1, outputs = 1;
  PoolGeometry geometry;
  bool count_padding = true;
};
/// g -> gradient of x, whose spatial sizes are `size`.
struct AvgPoolGrad {
  static constexpr int inputs = 1, outputs = 1;
  PoolGeometry geometry;
  bool count_padding = true;
  Shape size;
};
/// x -> resampled along its spatial axes, one after the other.
struct Interpolate {
  static constexpr int inputs = 1, outputs = 1;
  Resampling resampling;
};
/// g -> gradient of x, whose spatial sizes are `size`.
struct InterpolateGrad {
  static constexpr int inputs = 1, outputs = 1;
  Resampling resampling;
  Shape size;
};

}  // namespace op
}  // namespace hearth
