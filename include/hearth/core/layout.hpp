// core/layout: shape, strides and offset of an array in a buffer, and what each view does to them. Backends with memory share it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "shape.hpp"

namespace hearth {

/// Element (i0, i1, ...) lies at offset + i0 * strides[0] + i1 * strides[1] + ... in units of elements.
struct Layout {
  Shape shape;
  Strides strides;
  std::int64_t offset = 0;

  static Layout contiguous(const Shape& shape) { return {shape, contiguous_strides(shape), 0}; }
  bool contiguous() const { return is_contiguous(shape, strides); }
};

// The views below expect arguments that infer has accepted.
Layout permuted(const Layout& layout, const Axes& axes);
/// Stretched axes get stride 0.
Layout expanded(const Layout& layout, const Shape& shape);
Layout sliced(const Layout& layout, const Shape& start, const Shape& size, const Shape& step);
Layout unfolded(const Layout& layout, int axis, std::int64_t size, std::int64_t step, std::int64_t dilation);
/// Sets `result` to the layout under another shape if strides allow it; false if the elements must be copied first.
bool reshaped(const Layout& layout, const Shape& shape, Layout& result);

}  // namespace hearth
