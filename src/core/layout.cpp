// core/layout: views as arithmetic on strides.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/core/layout.hpp"

namespace hearth {

Layout permuted(const Layout& layout, const Axes& axes) {
  Layout result;
  result.offset = layout.offset;
  for (int axis : axes) {
    result.shape.push(layout.shape[axis]);
    result.strides.push(layout.strides[axis]);
  }
  return result;
}

Layout expanded(const Layout& layout, const Shape& shape) {
  Layout result{shape, Strides::filled(shape.size(), 0), layout.offset};
  for (int i = 1; i <= layout.shape.size(); ++i)
    if (layout.shape[-i] == shape[-i]) result.strides[-i] = layout.strides[-i];
  return result;
}

Layout sliced(const Layout& layout, const Shape& start, const Shape& size, const Shape& step) {
  Layout result{size, layout.strides, layout.offset};
  for (int i = 0; i < size.size(); ++i) {
    if (size[i] > 0) result.offset += start[i] * layout.strides[i];
    if (size[i] > 1) result.strides[i] *= step[i];  // a single element has no next one: its step may be anything
  }
  return result;
}

Layout unfolded(const Layout& layout, int axis, std::int64_t size, std::int64_t step, std::int64_t dilation) {
  Layout result = layout;
  const std::int64_t stride = layout.strides[axis], covered = dilation * (size - 1) + 1;
  result.shape[axis] = layout.shape[axis] < covered ? 0 : (layout.shape[axis] - covered) / step + 1;
  if (result.shape[axis] > 1) result.strides[axis] = stride * step;
  result.shape.push(size);
  result.strides.push(size > 1 && result.shape[axis] > 0 ? stride * dilation : stride);
  return result;
}

bool reshaped(const Layout& layout, const Shape& shape, Layout& result) {
  result = {shape, contiguous_strides(shape), layout.offset};
  for (std::int64_t size : shape)
    if (size == 0) return true;
  // Walk both shapes from the end; an old group of axes must be dense (each stride covers the axes behind it) to be cut anew.
  int next = shape.size() - 1;
  for (int i = layout.shape.size() - 1; i >= 0;) {
    if (layout.shape[i] == 1) {
      --i;
      continue;
    }
    const std::int64_t innermost = layout.strides[i];
    std::int64_t group = layout.shape[i--];
    while (i >= 0 && (layout.shape[i] == 1 || layout.strides[i] == group * innermost)) group *= layout.shape[i--];
    std::int64_t covered = 1;
    while (next >= 0 && covered < group) {
      result.strides[next] = covered * innermost;
      covered *= shape[next--];
    }
    if (covered != group) return false;
  }
  for (; next >= 0; --next) result.strides[next] = 1;  // only sizes of 1 are left
  return true;
}

}  // namespace hearth
