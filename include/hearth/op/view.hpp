// op/view: another look at the same elements, without a copy wherever strides allow.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../core/spec.hpp"
#include "codes.hpp"

namespace hearth::op {

/// x -> the same elements in row-major order under another shape. One size may be -1: what is left.
struct Reshape {
  static constexpr int inputs = 1, outputs = 1;
  Shape shape;
};
/// x -> axis i of the result is axis axes[i] of x.
struct Permute {
  static constexpr int inputs = 1, outputs = 1;
  Axes axes;
};
/// x -> stretched to `shape` by broadcasting; new axes come first.
struct Expand {
  static constexpr int inputs = 1, outputs = 1;
  Shape shape;
};
/// x -> element i along axis a is element start[a] + i * step[a]; `size` is the result's shape. Steps may be negative, never 0.
struct Slice {
  static constexpr int inputs = 1, outputs = 1;
  Shape start, size, step;
};
/// x -> sliding windows along `axis`: its size becomes the number of windows, and a last axis of `size` is added.
/// Element j of window i is element i * step + j * dilation.
struct Unfold {
  static constexpr int inputs = 1, outputs = 1;
  int axis = 0;
  std::int64_t size = 1, step = 1, dilation = 1;
};
/// The adjoint of Unfold: windows (last axis) are summed back onto an axis of `length` elements. `axis` counts without the last.
struct Fold {
  static constexpr int inputs = 1, outputs = 1;
  int axis = 0;
  std::int64_t length = 0, step = 1, dilation = 1;
};

}  // namespace hearth::op
