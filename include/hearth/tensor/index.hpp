// tensor/index: which elements x[...] and x(...) pick, and how they are replaced.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kinds.hpp"

namespace hearth {

/// The words of indexing: `using namespace hearth::index;`
namespace index {

/// As a stop: to the end of the axis in the direction of the step. As a start with a negative step: from the last element.
inline constexpr std::int64_t end = INT64_MAX;

struct Range {
  std::int64_t start = 0, stop = end, step = 1;
};
/// Elements start, start + step, ... before stop. Negative positions count from the end; positions outside the axis are cut
/// to it, as in NumPy. s() is the whole axis, s(-1, end, -1) the axis reversed.
constexpr Range s(std::int64_t start = 0, std::int64_t stop = end, std::int64_t step = 1) { return {start, stop, step}; }

struct NewAxis {};
inline constexpr NewAxis newaxis{};  ///< puts in an axis of size 1

/// One place in an index list: a range (keeps its axis), a position (drops it) or newaxis (adds one).
struct Item {
  enum class What : unsigned char { range, position, new_axis };
  What what = What::range;
  Range range;
  constexpr Item(Range r) : range(r) {}
  constexpr Item(NewAxis) : what(What::new_axis) {}
  template <std::integral T>
  constexpr Item(T position) : what(What::position), range{std::int64_t(position), 0, 1} {}
};

}  // namespace index

namespace detail {

/// What an index list means for one shape: the arguments of op::Slice, and the shape with positions dropped and new axes put in.
struct Selection {
  Shape start, size, step, shape;
};
/// A position outside its axis and a step of 0 are errors; axes that are not named are taken whole.
Selection select(std::string_view op, const Shape& shape, const index::Item* items, int count);

template <class I>
inline constexpr int rank_change = std::integral<I> ? -1 : std::same_as<I, index::NewAxis> ? 1 : 0;
template <class I>
inline constexpr bool is_index_item = std::integral<I> || std::same_as<I, index::Range> || std::same_as<I, index::NewAxis>;

}  // namespace detail

/// What the indexing methods of Tensor forward to; compiled per stack.
template <class B>
struct IndexFunctions {
  static Dyn<B> at(Dyn<B> x, const index::Item* items, int count);
  /// Checks before it gives up x's buffer, so that a failed assignment leaves x as it was.
  static void assign(Dyn<B>& x, const index::Item* items, int count, Dyn<B> value);
  static void assign(Dyn<B>& x, const index::Item* items, int count, Scalar value);
  static Dyn<B> gather(Dyn<B> x, Dyn<B> index, int axis);
  static Dyn<B> take_along(Dyn<B> x, Dyn<B> index, int axis);
  static Dyn<B> take(Dyn<B> x, Dyn<B> index, int axis);
  static Dyn<B> scatter(Dyn<B> x, Dyn<B> index, Dyn<B> source, int axis, ScatterMode mode);
  static Dyn<B> gather_nd(Dyn<B> x, Dyn<B> index);
  static Dyn<B> scatter_nd(Dyn<B> x, Dyn<B> index, Dyn<B> source, ScatterMode mode);
  static Dyn<B> masked_select(Dyn<B> x, Dyn<B> mask);
  static Dyn<B> nonzero(Dyn<B> x);

 private:
  static void put(Dyn<B>& x, const op::SliceAssign& op, Dyn<B> value);
};

/// The distinct values ascending, the place among them of each element of x (in x's shape), and how often each occurs.
template <class B, int Rank, class Kind>
struct UniqueResult {
  Tensor<B, 1, Kind> values;
  Tensor<B, Rank, Int> inverse;
  Tensor<B, 1, Int> counts;
};
template <class B, int R, class K>
UniqueResult<B, R, K> unique(Tensor<B, R, K> x) {
  auto [values, inverse, counts] = call<B>(op::Unique{}, std::move(x.dyn));
  return {Tensor<B, 1, K>(std::move(values)), Tensor<B, R, Int>(std::move(inverse)), Tensor<B, 1, Int>(std::move(counts))};
}
/// The indices of the elements that are not zero, in row-major order: [count, rank].
template <class B, int R, class K>
Tensor<B, 2, Int> nonzero(Tensor<B, R, K> x) {
  return Tensor<B, 2, Int>(IndexFunctions<B>::nonzero(std::move(x.dyn)));
}

}  // namespace hearth
