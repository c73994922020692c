// tensor/index: from an index list to the arguments of a slice.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/tensor/index.hpp"

namespace hearth::detail {

namespace {

/// A position as NumPy's slices take it: negative counts from the end, then cut to [low, high].
std::int64_t cut(std::int64_t position, std::int64_t size, std::int64_t low, std::int64_t high) {
  if (position < 0) position += size;
  return position < low ? low : position > high ? high : position;
}

void add_range(Selection& result, const index::Range& range, std::int64_t size) {
  std::int64_t count = 0, start = 0;
  if (range.step > 0) {
    start = cut(range.start, size, 0, size);
    const std::int64_t stop = cut(range.stop, size, 0, size);
    if (stop > start) count = (stop - start - 1) / range.step + 1;
  } else {
    start = cut(range.start, size, -1, size - 1);
    const std::int64_t stop = range.stop == index::end ? -1 : cut(range.stop, size, -1, size - 1);
    if (start > stop) count = std::int64_t(std::uint64_t(start - stop - 1) / (0 - std::uint64_t(range.step))) + 1;
  }
  result.start.push(count > 0 ? start : 0);
  result.size.push(count);
  result.step.push(count > 1 ? range.step : 1);
  result.shape.push(count);
}

}  // namespace

Selection select(std::string_view op, const Shape& shape, const index::Item* items, int count) {
  Selection result;
  int axis = 0;
  for (int i = 0; i < count; ++i) {
    const index::Item& item = items[i];
    if (item.what == index::Item::What::new_axis) {
      result.shape.push(1);
      continue;
    }
    if (axis == shape.size()) return fail(op, "more indices than the dimensions of " + to_string(shape), {shape});
    const std::int64_t size = shape[axis];
    if (item.what == index::Item::What::position) {
      const std::int64_t position = item.range.start;
      if (position < -size || position >= size)
        return fail(op, "position " + std::to_string(position) + " is outside axis " + std::to_string(axis) + " of " + to_string(shape), {shape});
      result.start.push(position < 0 ? position + size : position);
      result.size.push(1);
      result.step.push(1);
    } else {
      if (item.range.step == 0) return fail(op, "the step of a range on axis " + std::to_string(axis) + " is 0", {shape});
      add_range(result, item.range, size);
    }
    ++axis;
  }
  for (; axis < shape.size(); ++axis) add_range(result, index::Range{}, shape[axis]);
  return result;
}

}  // namespace hearth::detail
