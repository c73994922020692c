// tensor/shape: new shapes for the same elements, and tensors joined, cut, repeated and padded.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kinds.hpp"

namespace hearth {

/// Elements put ahead of and behind one axis.
struct Padding {
  std::int64_t before = 0, after = 0;
};

/// What the shape methods of Tensor forward to; compiled per stack. Negative axes count from the end.
template <class B>
struct ShapeFunctions {
  static Dyn<B> reshape(Dyn<B> x, const Shape& shape);  ///< x itself where the shape is x's
  static Dyn<B> flatten(Dyn<B> x, int first, int last);
  static Dyn<B> squeeze(Dyn<B> x, const Axes& axes);         ///< an axis whose size is not 1 is an error
  static Dyn<B> squeeze_to(Dyn<B> x, int rank);              ///< every axis of size 1; another rank than `rank` is an error
  static Dyn<B> unsqueeze(Dyn<B> x, const Axes& axes);       ///< axes of the result
  static Dyn<B> swap_axes(Dyn<B> x, int a, int b);
  static Dyn<B> move_axis(Dyn<B> x, int from, int to);
  static Dyn<B> expand(Dyn<B> x, const Shape& shape);        ///< -1 keeps a size
  static Dyn<B> flip(Dyn<B> x, const Axes& axes);
  static Dyn<B> roll(Dyn<B> x, std::int64_t shift, int axis);
  static Dyn<B> tile(Dyn<B> x, const Shape& times);          ///< aligned at the last axis, as broadcasting is
  static Dyn<B> repeat_interleave(Dyn<B> x, std::int64_t times, int axis);
  static Dyn<B> pad(Dyn<B> x, const Padding* paddings, int count, PadMode mode, Scalar value);  ///< of the last `count` axes
  static Dyn<B> narrow(Dyn<B> x, int axis, std::int64_t start, std::int64_t length);
  static Dyn<B> triangle(Dyn<B> x, std::int64_t diagonal, bool upper);
  static Dyn<B> diagonal(Dyn<B> x, std::int64_t offset);
  static Dyn<B> concat(std::vector<Dyn<B>> parts, int axis);
  static Dyn<B> stack(std::vector<Dyn<B>> parts, int axis);
  static std::vector<Dyn<B>> split(const Dyn<B>& x, const std::vector<std::int64_t>& sizes, int axis);
  static std::vector<Dyn<B>> split(const Dyn<B>& x, std::int64_t size, int axis);
  static std::vector<Dyn<B>> chunk(const Dyn<B>& x, std::int64_t count, int axis);
  static std::vector<Dyn<B>> unbind(const Dyn<B>& x, int axis);
};

namespace detail {
template <class B, int R, class K>
std::vector<Dyn<B>> dyns(const Tensor<B, R, K>* tensors, std::size_t count) {
  std::vector<Dyn<B>> list;
  list.reserve(count);
  for (std::size_t i = 0; i < count; ++i) list.push_back(tensors[i].dyn);
  return list;
}
template <int R, class K, class B>
std::vector<Tensor<B, R, K>> tensors(std::vector<Dyn<B>> list) {
  std::vector<Tensor<B, R, K>> result;
  result.reserve(list.size());
  for (Dyn<B>& d : list) result.emplace_back(std::move(d));
  if (pending_error()) result.assign(1, Tensor<B, R, K>::from_failure());
  return result;
}
}  // namespace detail

// Members with a template argument, as functions: generic code need not write `x.template reshape<3>(shape)`.
template <int Rank, class B, int R, class K>
Tensor<B, Rank, K> reshape(const Tensor<B, R, K>& x, const Shape& shape) {
  return x.template reshape<Rank>(shape);
}
template <int Rank, class B, int R, class K>
Tensor<B, Rank, K> expand(const Tensor<B, R, K>& x, const Shape& shape) {
  return x.template expand<Rank>(shape);
}
template <int First, int Last = -1, class B, int R, class K>
auto flatten(const Tensor<B, R, K>& x) {
  return x.template flatten<First, Last>();
}
template <int Rank, class B, int R, class K>
Tensor<B, Rank, K> squeeze(const Tensor<B, R, K>& x) {
  return x.template squeeze<Rank>();
}
template <int Count, class B, int R, class K>
std::array<Tensor<B, R, K>, Count> chunk(const Tensor<B, R, K>& x, int axis) {
  return x.template chunk<Count>(axis);
}

/// One after the other along an existing axis: concat({a, b}, 0).
template <class B, int R, class K, std::size_t N>
Tensor<B, R, K> concat(const Tensor<B, R, K> (&parts)[N], int axis) {
  static_assert(R > 0, "hearth: tensors of rank 0 have no axis to concat along; stack them");
  return Tensor<B, R, K>(ShapeFunctions<B>::concat(detail::dyns(parts, N), axis));
}
template <class B, int R, class K>
Tensor<B, R, K> concat(const std::vector<Tensor<B, R, K>>& parts, int axis) {
  static_assert(R > 0, "hearth: tensors of rank 0 have no axis to concat along; stack them");
  return Tensor<B, R, K>(ShapeFunctions<B>::concat(detail::dyns(parts.data(), parts.size()), axis));
}
/// Side by side along a new axis: stack({a, b}, 0).
template <class B, int R, class K, std::size_t N>
Tensor<B, R + 1, K> stack(const Tensor<B, R, K> (&parts)[N], int axis) {
  return Tensor<B, R + 1, K>(ShapeFunctions<B>::stack(detail::dyns(parts, N), axis));
}
template <class B, int R, class K>
Tensor<B, R + 1, K> stack(const std::vector<Tensor<B, R, K>>& parts, int axis) {
  return Tensor<B, R + 1, K>(ShapeFunctions<B>::stack(detail::dyns(parts.data(), parts.size()), axis));
}

/// Coordinates of a grid: element [i, j] of the first result is a[i], of the second b[j] ("ij" indexing).
template <class B, class K>
std::array<Tensor<B, 2, K>, 2> meshgrid(const Tensor<B, 1, K>& a, const Tensor<B, 1, K>& b) {
  const Shape shape{a.size(0), b.size(0)};
  return {expand<2>(a.unsqueeze(1), shape), expand<2>(b.unsqueeze(0), shape)};
}

}  // namespace hearth
