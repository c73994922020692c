// core/shape: arithmetic on sizes, strides and axes, and what an array may be at all.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/core/shape.hpp"

#include <algorithm>

#include "hearth/core/error.hpp"
#include "hearth/core/spec.hpp"

namespace hearth {

namespace {
template <class List>
std::string list_text(const List& list) {
  std::string text = "[";
  for (int i = 0; i < list.size(); ++i) text += (i ? ", " : "") + std::to_string(list[i]);
  return text + "]";
}
}  // namespace

std::string to_string(const Shape& shape) { return list_text(shape); }
std::string to_string(const Axes& axes) { return list_text(axes); }

std::int64_t element_count(const Shape& shape) {
  std::int64_t count = 1;
  bool overflow = false, zero = false;
  for (std::int64_t size : shape) {
    if (size < 0) return fail("shape", "a size is negative: " + to_string(shape), {shape});
    zero |= size == 0;
    overflow |= __builtin_mul_overflow(count, size, &count);
  }
  if (zero) return 0;
  if (overflow) return fail("shape", "the element count of " + to_string(shape) + " passes 2^63 - 1", {shape});
  return count;
}

bool fits(std::string_view op, const Spec& spec) {
  std::int64_t bytes = std::int64_t(size_of(spec.dtype));
  bool overflow = false;
  for (std::int64_t size : spec.shape) {
    if (size < 0) return fail(op, "a size is negative: " + to_string(spec.shape), {spec.shape});
    overflow |= __builtin_mul_overflow(bytes, std::max<std::int64_t>(size, 1), &bytes);
  }
  if (overflow) return fail(op, to_string(spec) + " passes 2^63 - 1 bytes", {spec.shape});
  return true;
}

Strides contiguous_strides(const Shape& shape) {
  Strides strides = Strides::filled(shape.size(), 1);
  for (int i = shape.size() - 2; i >= 0; --i) strides[i] = strides[i + 1] * std::max<std::int64_t>(shape[i + 1], 1);
  return strides;
}

bool is_contiguous(const Shape& shape, const Strides& strides) {
  std::int64_t expected = 1;
  for (int i = shape.size() - 1; i >= 0; --i) {
    if (shape[i] == 0) return true;
    if (shape[i] == 1) continue;
    if (strides[i] != expected) return false;
    expected *= shape[i];
  }
  return true;
}

Shape broadcast(std::string_view op, const Shape& a, const Shape& b) {
  const Shape &longer = a.size() >= b.size() ? a : b, &shorter = a.size() >= b.size() ? b : a;
  Shape result = longer;
  const int offset = longer.size() - shorter.size();
  for (int i = 0; i < shorter.size(); ++i) {
    const std::int64_t x = longer[offset + i], y = shorter[i];
    if (x != y && x != 1 && y != 1)
      return fail(op, "shapes do not broadcast: " + to_string(a) + " and " + to_string(b), {a, b},
                  "sizes of an axis must be equal or 1, counted from the last axis");
    result[offset + i] = x == 1 ? y : x;
  }
  return result;
}

bool broadcastable(const Shape& from, const Shape& to) {
  if (from.size() > to.size()) return false;
  for (int i = 1; i <= from.size(); ++i)
    if (from[-i] != 1 && from[-i] != to[-i]) return false;
  return true;
}

int normalize_axis(std::string_view op, int axis, int rank) {
  if (axis < -rank || axis >= rank)
    return fail(op, "axis " + std::to_string(axis) + " is outside an array of rank " + std::to_string(rank));
  return axis < 0 ? axis + rank : axis;
}

Axes normalize_axes(std::string_view op, const Axes& axes, int rank) {
  Axes result;
  for (int axis : axes) result.push(normalize_axis(op, axis, rank));
  std::sort(result.begin(), result.end());
  for (int i = 1; i < result.size(); ++i)
    if (result[i] == result[i - 1]) return fail(op, "axis " + std::to_string(result[i]) + " is named twice in " + to_string(axes));
  return result;
}

Axes all_axes(int rank) {
  Axes axes;
  for (int i = 0; i < rank; ++i) axes.push(i);
  return axes;
}

}  // namespace hearth
