// tensor/shape-inl: the bodies of ShapeFunctions.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "refuse-inl.hpp"
#include "shape.hpp"

namespace hearth {

namespace detail {
/// x as [outer, size of the axis, inner].
struct Around {
  std::int64_t outer = 1, size = 1, inner = 1;
};
inline Around around(const Shape& shape, int axis) {
  Around a;
  for (int i = 0; i < shape.size(); ++i) (i < axis ? a.outer : i == axis ? a.size : a.inner) *= shape[i];
  return a;
}
/// size *= times; false, with an error, past 2^63 - 1.
inline bool repeat(const char* op, std::int64_t& size, std::int64_t times, const Shape& shape) {
  if (times < 0) return fail(op, "a negative number of copies: " + std::to_string(times), {shape});
  if (!__builtin_mul_overflow(size, times, &size)) return true;
  return fail(op, std::to_string(times) + " copies of an axis of " + to_string(shape) + " pass 2^63 - 1 elements", {shape});
}
}  // namespace detail

template <class B>
Dyn<B> ShapeFunctions<B>::reshape(Dyn<B> x, const Shape& shape) {
  if (x.shape() == shape) return x;
  return Dyn<B>::reshape(std::move(x), shape);
}

template <class B>
Dyn<B> ShapeFunctions<B>::flatten(Dyn<B> x, int first, int last) {
  const Shape from = x.shape();
  Shape to;
  for (int i = 0; i < from.size(); ++i) {
    if (i <= first || i > last) to.push(from[i]);
    else to[first] *= from[i];
  }
  return reshape(std::move(x), to);
}

template <class B>
Dyn<B> ShapeFunctions<B>::squeeze(Dyn<B> x, const Axes& axes) {
  const Shape from = x.shape();
  for (int axis : normalize_axes("squeeze", axes, from.size()))
    if (from[axis] != 1)
      return detail::refuse(x, fail("squeeze", "axis " + std::to_string(axis) + " has size " + std::to_string(from[axis]) + ", not 1, in " + to_string(from), {from}));
  return hearth::squeeze(std::move(x), axes);
}

template <class B>
Dyn<B> ShapeFunctions<B>::squeeze_to(Dyn<B> x, int rank) {
  const Shape from = x.shape();
  Shape to;
  for (auto size : from)
    if (size != 1) to.push(size);
  if (to.size() != rank)
    return detail::refuse(x, fail("squeeze", to_string(from) + " has " + std::to_string(to.size()) + " axes whose size is not 1, and rank " + std::to_string(rank) + " is asked for", {from}));
  return reshape(std::move(x), to);
}

template <class B>
Dyn<B> ShapeFunctions<B>::unsqueeze(Dyn<B> x, const Axes& axes) {
  Shape to = x.shape();
  for (int axis : normalize_axes("unsqueeze", axes, to.size() + axes.size())) to.insert(axis, 1);
  return Dyn<B>::reshape(std::move(x), to);
}

template <class B>
Dyn<B> ShapeFunctions<B>::swap_axes(Dyn<B> x, int a, int b) {
  Axes axes = all_axes(x.rank());
  a = normalize_axis("swap_axes", a, x.rank());
  b = normalize_axis("swap_axes", b, x.rank());
  if (a == b) return x;
  std::swap(axes[a], axes[b]);
  return Dyn<B>::permute(std::move(x), axes);
}

template <class B>
Dyn<B> ShapeFunctions<B>::move_axis(Dyn<B> x, int from, int to) {
  Axes axes = all_axes(x.rank());
  from = normalize_axis("move_axis", from, x.rank());
  to = normalize_axis("move_axis", to, x.rank());
  axes.erase(from);
  axes.insert(to, from);
  return Dyn<B>::permute(std::move(x), axes);
}

template <class B>
Dyn<B> ShapeFunctions<B>::expand(Dyn<B> x, const Shape& shape) {
  const Shape from = x.shape();
  Shape to = shape;
  const int extra = to.size() - from.size();
  for (int i = 0; i < to.size(); ++i) {
    if (to[i] != -1) continue;
    if (i < extra) return detail::refuse(x, fail("expand", "a new axis needs a size, not -1: " + to_string(from) + " to " + to_string(shape), {from, shape}));
    to[i] = from[i - extra];
  }
  if (to == from) return x;
  return Dyn<B>::expand(std::move(x), to);
}

template <class B>
Dyn<B> ShapeFunctions<B>::flip(Dyn<B> x, const Axes& axes) {
  const Shape size = x.shape();
  Shape start = Shape::filled(size.size(), 0), step = Shape::filled(size.size(), 1);
  for (int axis : normalize_axes("flip", axes, size.size())) {
    if (size[axis] == 0) continue;
    start[axis] = size[axis] - 1;
    step[axis] = -1;
  }
  return Dyn<B>::slice(std::move(x), start, size, step);
}

template <class B>
Dyn<B> ShapeFunctions<B>::roll(Dyn<B> x, std::int64_t shift, int axis) {
  axis = normalize_axis("roll", axis, x.rank());
  const std::int64_t size = x.size(axis);
  if (size == 0) return x;
  shift = (shift % size + size) % size;
  if (shift == 0) return x;
  return concat({narrow(x, axis, size - shift, shift), narrow(x, axis, 0, size - shift)}, axis);
}

template <class B>
Dyn<B> ShapeFunctions<B>::tile(Dyn<B> x, const Shape& times) {
  Shape shape = x.shape();
  for (int i = shape.size(); i < times.size(); ++i) shape.insert(0, 1);
  x = reshape(std::move(x), shape);
  const int extra = shape.size() - times.size();
  for (int i = 0; i < times.size(); ++i) {
    const std::int64_t n = times[i];
    if (n == 1) continue;
    const int axis = i + extra;
    const detail::Around a = detail::around(shape, axis);
    if (!detail::repeat("tile", shape[axis], n, x.shape())) return detail::refuse(x, Failure{});
    x = Dyn<B>::reshape(std::move(x), Shape{a.outer, 1, a.size, a.inner});
    x = Dyn<B>::reshape(Dyn<B>::expand(std::move(x), Shape{a.outer, n, a.size, a.inner}), shape);
  }
  return x;
}

template <class B>
Dyn<B> ShapeFunctions<B>::repeat_interleave(Dyn<B> x, std::int64_t times, int axis) {
  axis = normalize_axis("repeat_interleave", axis, x.rank());
  Shape shape = x.shape();
  const detail::Around a = detail::around(shape, axis);
  if (!detail::repeat("repeat_interleave", shape[axis], times, x.shape())) return detail::refuse(x, Failure{});
  x = Dyn<B>::reshape(std::move(x), Shape{a.outer, a.size, 1, a.inner});
  return Dyn<B>::reshape(Dyn<B>::expand(std::move(x), Shape{a.outer, a.size, times, a.inner}), shape);
}

template <class B>
Dyn<B> ShapeFunctions<B>::pad(Dyn<B> x, const Padding* paddings, int count, PadMode mode, Scalar value) {
  Shape before = Shape::filled(x.rank(), 0), after = before;
  for (int i = 0; i < count; ++i) {
    before[x.rank() - count + i] = paddings[i].before;
    after[x.rank() - count + i] = paddings[i].after;
  }
  return call<B>(op::Pad{before, after, mode, value}, std::move(x));
}

template <class B>
Dyn<B> ShapeFunctions<B>::narrow(Dyn<B> x, int axis, std::int64_t start, std::int64_t length) {
  return hearth::narrow(std::move(x), axis, start, length);
}

template <class B>
Dyn<B> ShapeFunctions<B>::triangle(Dyn<B> x, std::int64_t diagonal, bool upper) {
  const Shape shape = x.shape();
  if (shape.size() < 2) return detail::refuse(x, fail(upper ? "triu" : "tril", "takes tensors of rank 2 or more, not " + to_string(shape), {shape}));
  // No further than out of the matrix.
  diagonal = diagonal < -shape[-2] ? -shape[-2] : diagonal > shape[-1] ? shape[-1] : diagonal;
  const Spec column{Dtype::i64, Shape{shape[-2], 1}}, row{Dtype::i64, Shape{1, shape[-1]}};
  Dyn<B> i = Dyn<B>::iota(x.device(), column, 0, diagonal, 1), j = Dyn<B>::iota(x.device(), row, 1, 0, 1);
  Dyn<B> mask = Dyn<B>::compare(upper ? CompareCode::ge : CompareCode::le, std::move(j), std::move(i));
  return Dyn<B>::select_scalar(std::move(mask), std::move(x), 0, Side::right);
}

template <class B>
Dyn<B> ShapeFunctions<B>::diagonal(Dyn<B> x, std::int64_t offset) {
  const Shape shape = x.shape();
  if (shape.size() < 2) return detail::refuse(x, fail("diagonal", "takes tensors of rank 2 or more, not " + to_string(shape), {shape}));
  const std::int64_t rows = shape[-2], columns = shape[-1];
  // No further than out of the matrix.
  const std::int64_t down = offset < 0 ? (offset < -rows ? rows : -offset) : 0, right = offset > 0 ? (offset > columns ? columns : offset) : 0;
  std::int64_t count = rows - down < columns - right ? rows - down : columns - right;
  if (count < 0) count = 0;
  Shape flat = shape, result = shape;
  flat.pop();
  flat[-1] = rows * columns;
  result.pop();
  result[-1] = count;
  Shape start = Shape::filled(flat.size(), 0), step = Shape::filled(flat.size(), 1);
  if (count > 0) start[-1] = down * columns + right;
  step[-1] = columns + 1;
  return Dyn<B>::slice(reshape(std::move(x), flat), start, result, step);
}

template <class B>
Dyn<B> ShapeFunctions<B>::concat(std::vector<Dyn<B>> parts, int axis) {
  if (parts.size() == 1) {
    (void)normalize_axis("concat", axis, parts[0].rank());
    return std::move(parts[0]);
  }
  return Dyn<B>::concat(std::move(parts), axis);
}

template <class B>
Dyn<B> ShapeFunctions<B>::stack(std::vector<Dyn<B>> parts, int axis) {
  if (!parts.empty()) axis = normalize_axis("stack", axis, parts[0].rank() + 1);
  for (Dyn<B>& part : parts) {
    if (part.shape() != parts[0].shape())
      return detail::refuse(parts[0], fail("stack", "shapes differ: " + to_string(parts[0].shape()) + " and " + to_string(part.shape()), {parts[0].shape(), part.shape()}));
  }
  for (Dyn<B>& part : parts) part = unsqueeze(std::move(part), Axes{axis});
  return concat(std::move(parts), axis);
}

template <class B>
std::vector<Dyn<B>> ShapeFunctions<B>::split(const Dyn<B>& x, const std::vector<std::int64_t>& sizes, int axis) {
  axis = normalize_axis("split", axis, x.rank());
  std::int64_t sum = 0;
  bool overflow = false;
  for (auto size : sizes) overflow |= __builtin_add_overflow(sum, size, &sum);
  if (overflow) return fail("split", "sizes add up to more than 2^63 - 1", {x.shape()});
  if (sum != x.size(axis))
    return fail("split", "sizes add up to " + std::to_string(sum) + ", axis " + std::to_string(axis) + " of " + to_string(x.shape()) + " has " + std::to_string(x.size(axis)), {x.shape()});
  std::vector<Dyn<B>> parts;
  parts.reserve(sizes.size());
  std::int64_t start = 0;
  for (auto size : sizes) {
    parts.push_back(narrow(x, axis, start, size));
    start += size;
  }
  return parts;
}

template <class B>
std::vector<Dyn<B>> ShapeFunctions<B>::split(const Dyn<B>& x, std::int64_t size, int axis) {
  axis = normalize_axis("split", axis, x.rank());
  if (size < 1) return fail("split", "pieces of " + std::to_string(size) + " elements", {x.shape()});
  std::vector<std::int64_t> sizes;
  for (std::int64_t left = x.size(axis); left > 0; left -= size) sizes.push_back(left < size ? left : size);
  if (sizes.empty()) sizes.push_back(0);
  return split(x, sizes, axis);
}

template <class B>
std::vector<Dyn<B>> ShapeFunctions<B>::chunk(const Dyn<B>& x, std::int64_t count, int axis) {
  axis = normalize_axis("chunk", axis, x.rank());
  if (count < 1) return fail("chunk", std::to_string(count) + " pieces", {x.shape()});
  const std::int64_t size = x.size(axis) / count + (x.size(axis) % count != 0);
  return split(x, size < 1 ? 1 : size, axis);
}

template <class B>
std::vector<Dyn<B>> ShapeFunctions<B>::unbind(const Dyn<B>& x, int axis) {
  axis = normalize_axis("unbind", axis, x.rank());
  std::vector<Dyn<B>> slices;
  for (std::int64_t i = 0; i < x.size(axis); ++i) slices.push_back(hearth::squeeze(narrow(x, axis, i, 1), Axes{axis}));
  return slices;
}

}  // namespace hearth
