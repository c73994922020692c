// tensor: Tensor<B, Rank, Kind>, the typed front. A thin value over Dyn<B>: every function checks types, forwards an op and wraps.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backward.hpp"
#include "create.hpp"
#include "data.hpp"
#include "functional.hpp"
#include "generator.hpp"
#include "index.hpp"
#include "kinds.hpp"
#include "linear.hpp"
#include "math.hpp"
#include "print.hpp"
#include "reduce.hpp"
#include "shape.hpp"
#include "transfer.hpp"

namespace hearth {

/// An array of `Rank` dimensions on backend B. Copies share the elements until one of them is changed: a value, cheap to copy.
/// Axes are 0-based; negative ones count from the end. Default made it stands for an absent operand (`defined()` is false).
template <class B, int Rank, class Kind>
class [[nodiscard]] Tensor {
  static_assert(Rank >= 0, "hearth: this would have a negative rank: more axes are removed than the tensor has");
  static_assert(Rank <= max_rank, "hearth: a tensor has at most 8 dimensions");
  using Range = index::Range;

 public:
  using Backend = B;
  using KindType = Kind;
  static constexpr int rank = Rank;

  Dyn<B> dyn;

  Tensor() = default;
  /// For a Dyn that is known to fit; `as_tensor<Rank, Kind>(dyn)` checks.
  explicit Tensor(Dyn<B> d) : dyn(std::move(d)) {
    if constexpr (!HEARTH_EXCEPTIONS) dyn.settle();
  }
  template <class C, int R, class K>
    requires(!std::is_same_v<Tensor<C, R, K>, Tensor>)
  Tensor(const Tensor<C, R, K>&) = delete;  // hearth: this tensor has another backend, rank or kind than what it is given to
  static Tensor from_failure() { return Tensor(Dyn<B>()); }

  bool defined() const { return bool(dyn); }
  Spec spec() const { return dyn.spec(); }
  Shape shape() const { return dyn.shape(); }
  std::int64_t size(int axis) const { return dyn.shape()[normalize_axis("size", axis, Rank)]; }
  std::int64_t element_count() const { return hearth::element_count(dyn.shape()); }
  Dtype dtype() const { return dyn.dtype(); }
  DeviceOf<B> device() const { return dyn.device(); }
  /// Without exceptions: why an op that this tensor depends on failed; null for a good tensor. Such a tensor is empty (f32 [0]), every op on
  /// it yields the same, and whoever reads it is told by the error handler.
  const Error* error() const { return dyn.error(); }

  // Data. All of these wait for what the tensor depends on. Without exceptions a tensor that carries an error has no elements: to_vector()
  // is empty, copy_to() writes nothing, item() is NaN or 0, and the error goes to the handler.

  /// Row-major elements as T: x.to_vector<double>(). Without T the kind's own: float, std::int64_t or bool.
  template <class T = typename Kind::Item>
  std::vector<T> to_vector() const {
    std::vector<T> result(static_cast<std::size_t>(dyn.error() ? 0 : element_count()));
    if constexpr (std::is_same_v<T, bool>) {  // std::vector<bool> is packed
      std::vector<std::uint8_t> bytes(result.size());
      if (!DataFunctions<B>::read(dyn, Dtype::boolean, bytes.data())) return {};
      for (std::size_t i = 0; i < bytes.size(); ++i) result[i] = bytes[i] != 0;
    } else {
      if (!DataFunctions<B>::read(dyn, dtype_of<detail::Element<T>>, result.data())) return {};
    }
    return result;
  }
  /// Row-major elements into anything with data() and size(), which must have one place for each.
  template <class Range>
  void copy_to(Range&& to) const {
    const LetGo errors;
    if (!dyn.error()) detail::check_count("copy_to", std::int64_t(to.size()), dyn.shape());
    if (pending_error()) return;
    (void)DataFunctions<B>::read(dyn, dtype_of<detail::Element<std::remove_reference_t<decltype(*to.data())>>>, to.data());
  }
  /// The only element.
  template <class T = typename Kind::Item>
  T item() const {
    const Scalar value = DataFunctions<B>::item(dyn);
    if constexpr (!HEARTH_EXCEPTIONS)
      if (!value) return detail::no_item<T>();
    return value.template to<T>();
  }
  /// The same values on another device of this backend.
  Tensor to(const DeviceOf<B>& device) const { return Tensor(DataFunctions<B>::to_device(dyn, device)); }
  /// Another dtype of the same kind.
  Tensor cast(Dtype dtype) const { return Tensor(Dyn<B>::cast(dyn, detail::checked_dtype("cast", dtype, Kind::set))); }
  /// Another kind: floats become integers by truncation (saturating, NaN gives 0), bool asks what is not zero.
  template <class To>
  Tensor<B, Rank, To> cast(Dtype dtype = To::dtype) const {
    return Tensor<B, Rank, To>(Dyn<B>::cast(dyn, detail::checked_dtype("cast", dtype, To::set)));
  }

  // The same without a template argument, which generic code would have to announce by `x.template cast<Float>()`.
  Tensor<B, Rank, Float> to_float(Dtype dtype = Float::dtype) const { return cast<Float>(dtype); }
  Tensor<B, Rank, Int> to_int(Dtype dtype = Int::dtype) const { return cast<Int>(dtype); }
  Tensor<B, Rank, Bool> to_bool() const { return cast<Bool>(); }

  // Shape. Views where strides allow. Where the rank is a template argument there is also a free function: reshape<3>(x, shape),
  // expand<3>(x, shape), flatten<1>(x), squeeze<2>(x), chunk<3>(x, -1).

  /// The number of braced sizes is the new rank; one of them may be -1.
  template <std::size_t N>
  Tensor<B, int(N), Kind> reshape(const Dim (&sizes)[N]) const {
    return Tensor<B, int(N), Kind>(ShapeFunctions<B>::reshape(dyn, detail::to_shape(sizes)));
  }
  template <int R>
  Tensor<B, R, Kind> reshape(const Shape& shape) const {
    return Tensor<B, R, Kind>(ShapeFunctions<B>::reshape(dyn, detail::checked_rank("reshape", shape, R)));
  }
  Tensor<B, 1, Kind> flatten() const { return Tensor<B, 1, Kind>(ShapeFunctions<B>::reshape(dyn, Shape{-1})); }
  /// Axes First to Last, both included, become one: x.flatten<1>() keeps the batch axis.
  template <int First, int Last = -1>
  auto flatten() const {
    constexpr int first = First < 0 ? First + Rank : First, last = Last < 0 ? Last + Rank : Last;
    static_assert(0 <= first && first <= last && last < Rank, "hearth: flatten takes a first axis that is not behind the last, both of the tensor");
    return Tensor<B, Rank - (last - first), Kind>(ShapeFunctions<B>::flatten(dyn, first, last));
  }
  /// Axis i of the result is axis axes[i].
  template <std::size_t N>
  Tensor permute(const int (&axes)[N]) const {
    static_assert(N == Rank, "hearth: permute takes one axis per dimension");
    return Tensor(Dyn<B>::permute(dyn, detail::to_axes(axes)));
  }
  /// The last two axes swapped.
  Tensor transpose() const {
    static_assert(Rank >= 2, "hearth: transpose takes tensors of rank 2 or more");
    return Tensor(ShapeFunctions<B>::swap_axes(dyn, -1, -2));
  }
  /// Two axes swapped; one axis moved, the others keep their order.
  Tensor swap_axes(int a, int b) const { return Tensor(ShapeFunctions<B>::swap_axes(dyn, a, b)); }
  Tensor move_axis(int from, int to) const { return Tensor(ShapeFunctions<B>::move_axis(dyn, from, to)); }
  /// Without axes of size 1; an axis of another size is an error.
  Tensor<B, Rank - 1, Kind> squeeze(int axis) const { return Tensor<B, Rank - 1, Kind>(ShapeFunctions<B>::squeeze(dyn, Axes{axis})); }
  template <std::size_t N>
  Tensor<B, Rank - int(N), Kind> squeeze(const int (&axes)[N]) const {
    return Tensor<B, Rank - int(N), Kind>(ShapeFunctions<B>::squeeze(dyn, detail::to_axes(axes)));
  }
  /// Every axis of size 1 removed, which must leave R.
  template <int R>
  Tensor<B, R, Kind> squeeze() const {
    return Tensor<B, R, Kind>(ShapeFunctions<B>::squeeze_to(dyn, R));
  }
  /// New axes of size 1, at these places of the result.
  Tensor<B, Rank + 1, Kind> unsqueeze(int axis) const { return Tensor<B, Rank + 1, Kind>(ShapeFunctions<B>::unsqueeze(dyn, Axes{axis})); }
  template <std::size_t N>
  Tensor<B, Rank + int(N), Kind> unsqueeze(const int (&axes)[N]) const {
    return Tensor<B, Rank + int(N), Kind>(ShapeFunctions<B>::unsqueeze(dyn, detail::to_axes(axes)));
  }
  /// Stretched by broadcasting; -1 keeps a size; new axes come first.
  template <std::size_t N>
  Tensor<B, int(N), Kind> expand(const Dim (&sizes)[N]) const {
    static_assert(int(N) >= Rank, "hearth: expand cannot remove axes");
    return Tensor<B, int(N), Kind>(ShapeFunctions<B>::expand(dyn, detail::to_shape(sizes)));
  }
  template <int R>
  Tensor<B, R, Kind> expand(const Shape& shape) const {
    static_assert(R >= Rank, "hearth: expand cannot remove axes");
    return Tensor<B, R, Kind>(ShapeFunctions<B>::expand(dyn, detail::checked_rank("expand", shape, R)));
  }
  template <std::size_t N>
  Tensor<B, int(N), Kind> broadcast_to(const Dim (&sizes)[N]) const {
    return expand(sizes);
  }
  template <int R, class K>
  Tensor<B, R, Kind> expand_as(const Tensor<B, R, K>& other) const {
    return expand<R>(other.shape());
  }
  /// The order along these axes reversed.
  template <std::size_t N>
  Tensor flip(const int (&axes)[N]) const {
    return Tensor(ShapeFunctions<B>::flip(dyn, detail::to_axes(axes)));
  }
  Tensor flip(int axis) const { return Tensor(ShapeFunctions<B>::flip(dyn, Axes{axis})); }
  /// Elements shifted along an axis; those pushed over its end come in at its beginning.
  Tensor roll(std::int64_t shift, int axis) const { return Tensor(ShapeFunctions<B>::roll(dyn, shift, axis)); }
  /// Copies side by side, times[i] along each axis, as NumPy's tile and PyTorch's repeat.
  template <std::size_t N>
  Tensor<B, detail::larger<Rank, int(N)>, Kind> tile(const Dim (&times)[N]) const {
    return Tensor<B, detail::larger<Rank, int(N)>, Kind>(ShapeFunctions<B>::tile(dyn, detail::to_shape(times)));
  }
  template <std::size_t N>
  Tensor<B, detail::larger<Rank, int(N)>, Kind> repeat(const Dim (&times)[N]) const {
    return tile(times);
  }
  /// Each element `times` times in a row.
  Tensor repeat_interleave(std::int64_t times, int axis) const { return Tensor(ShapeFunctions<B>::repeat_interleave(dyn, times, axis)); }
  /// Elements put around the last N axes, in the order of the axes: x.pad({{1, 1}, {0, 2}}).
  template <std::size_t N>
  Tensor pad(const Padding (&paddings)[N], Scalar value = 0) const {
    static_assert(N <= Rank, "hearth: more paddings than dimensions");
    return Tensor(ShapeFunctions<B>::pad(dyn, paddings, int(N), PadMode::constant, value));
  }
  template <std::size_t N>
  Tensor pad(const Padding (&paddings)[N], PadMode mode) const {
    static_assert(N <= Rank, "hearth: more paddings than dimensions");
    return Tensor(ShapeFunctions<B>::pad(dyn, paddings, int(N), mode, 0));
  }
  /// Sliding windows along an axis, as a new last axis of `size`.
  Tensor<B, Rank + 1, Kind> unfold(int axis, std::int64_t size, std::int64_t step = 1, std::int64_t dilation = 1) const {
    return Tensor<B, Rank + 1, Kind>(call<B>(op::Unfold{axis, size, step, dilation}, dyn));
  }
  /// `length` elements of an axis, from `start` on.
  Tensor narrow(int axis, std::int64_t start, std::int64_t length) const { return Tensor(ShapeFunctions<B>::narrow(dyn, axis, start, length)); }
  /// Pieces of `size` along an axis, the last one what is left.
  std::vector<Tensor> split(std::int64_t size, int axis) const { return detail::tensors<Rank, Kind>(ShapeFunctions<B>::split(dyn, size, axis)); }
  /// Pieces of these sizes, which add up to the axis.
  std::vector<Tensor> split(const std::vector<std::int64_t>& sizes, int axis) const {
    return detail::tensors<Rank, Kind>(ShapeFunctions<B>::split(dyn, sizes, axis));
  }
  /// At most `count` pieces of one size, the last one smaller if need be.
  std::vector<Tensor> chunk(std::int64_t count, int axis) const { return detail::tensors<Rank, Kind>(ShapeFunctions<B>::chunk(dyn, count, axis)); }
  /// Count equal pieces, to bind: auto [q, k, v] = x.chunk<3>(-1).
  template <int Count>
  std::array<Tensor, Count> chunk(int axis) const {
    const std::int64_t whole = size(axis);
    if (whole % Count != 0) (void)fail("chunk", std::to_string(whole) + " elements do not part into " + std::to_string(Count) + " equal pieces", {shape()});
    const Tensor checked(dyn);
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::array<Tensor, Count>{checked.narrow(axis, std::int64_t(I) * (whole / Count), whole / Count)...};
    }(std::make_index_sequence<Count>{});
  }
  /// The slices along an axis, without it.
  std::vector<Tensor<B, Rank - 1, Kind>> unbind(int axis = 0) const { return detail::tensors<Rank - 1, Kind>(ShapeFunctions<B>::unbind(dyn, axis)); }
  /// The lower (upper) triangle of the last two axes up to (from) a diagonal, zero elsewhere.
  Tensor tril(std::int64_t diagonal = 0) const { return Tensor(ShapeFunctions<B>::triangle(dyn, diagonal, false)); }
  Tensor triu(std::int64_t diagonal = 0) const { return Tensor(ShapeFunctions<B>::triangle(dyn, diagonal, true)); }
  /// A diagonal of the last two axes.
  Tensor<B, Rank - 1, Kind> diagonal(std::int64_t offset = 0) const { return Tensor<B, Rank - 1, Kind>(ShapeFunctions<B>::diagonal(dyn, offset)); }

  // Indexing.

  /// x[{s(1, 5), s(0, end, 2)}]: ranges keep their axes; axes that are not named are taken whole.
  template <std::size_t N>
  Tensor operator[](const Range (&ranges)[N]) const {
    static_assert(N <= Rank, "hearth: more ranges than dimensions");
    return [&]<std::size_t... I>(std::index_sequence<I...>) { return (*this)(ranges[I]...); }(std::make_index_sequence<N>{});
  }
  /// x[3]: the slice at one position of the first axis, without it.
  Tensor<B, Rank - 1, Kind> operator[](std::int64_t position) const { return (*this)(position); }
  /// x[mask]: the elements where the mask is true, in row-major order.
  template <int M>
  Tensor<B, 1, Kind> operator[](const Tensor<B, M, Bool>& mask) const {
    return masked_select(mask);
  }
  /// x(s(1, 5), 3, newaxis): ranges keep an axis, positions drop one, newaxis adds one of size 1.
  template <class... I>
  Tensor<B, Rank + (detail::rank_change<I> + ... + 0), Kind> operator()(I... items) const {
    static_assert((detail::is_index_item<I> && ...), "hearth: an index is a position, s(start, stop, step) or newaxis");
    static_assert((int(!std::same_as<I, index::NewAxis>) + ... + 0) <= Rank, "hearth: more indices than dimensions");
    if constexpr ((detail::is_index_item<I> && ...)) {
      const index::Item list[] = {index::Item(items)..., index::Item(Range{})};
      return Tensor<B, Rank + (detail::rank_change<I> + ... + 0), Kind>(IndexFunctions<B>::at(dyn, list, int(sizeof...(I))));
    }
  }
  /// Replaces the elements that the index names: x.assign({s(0, 2), 3}, value). The value broadcasts to them.
  template <std::size_t N, int R>
  Tensor& assign(const index::Item (&items)[N], Tensor<B, R, Kind> value) {
    IndexFunctions<B>::assign(dyn, items, int(N), std::move(value.dyn));
    return *this;
  }
  template <std::size_t N>
  Tensor& assign(const index::Item (&items)[N], Scalar value) {
    IndexFunctions<B>::assign(dyn, items, int(N), value);
    return *this;
  }
  /// result[..., i, ...] = x[..., index[..., i, ...], ...] along an axis. Indices out of range and negative ones are errors.
  Tensor gather(int axis, const Tensor<B, Rank, Int>& index) const { return Tensor(IndexFunctions<B>::gather(dyn, index.dyn, axis)); }
  /// gather, with x and the index broadcast to each other on the other axes.
  Tensor take_along(const Tensor<B, Rank, Int>& index, int axis) const { return Tensor(IndexFunctions<B>::take_along(dyn, index.dyn, axis)); }
  /// A copy with source combined into the places that gather would read.
  Tensor scatter(int axis, const Tensor<B, Rank, Int>& index, const Tensor& source, ScatterMode mode = ScatterMode::assign) const {
    return Tensor(IndexFunctions<B>::scatter(dyn, index.dyn, source.dyn, axis, mode));
  }
  Tensor scatter_add(int axis, const Tensor<B, Rank, Int>& index, const Tensor& source) const { return scatter(axis, index, source, ScatterMode::add); }
  /// The slices at these positions along an axis.
  Tensor index_select(int axis, const Tensor<B, 1, Int>& index) const { return Tensor(IndexFunctions<B>::take(dyn, index.dyn, axis)); }
  /// The same with an index of any rank, whose shape replaces the axis.
  template <int S>
  Tensor<B, Rank + S - 1, Kind> take(const Tensor<B, S, Int>& index, int axis = 0) const {
    return Tensor<B, Rank + S - 1, Kind>(IndexFunctions<B>::take(dyn, index.dyn, axis));
  }
  /// index [..., K] names K leading positions: the result is index.shape[:-1] + x.shape[K:].
  template <int K, int S>
  Tensor<B, S - 1 + Rank - K, Kind> gather_nd(const Tensor<B, S, Int>& index) const {
    if (const std::int64_t named = index.size(-1); named != K)
      (void)fail("gather_nd", "the index names " + std::to_string(named) + " positions where " + std::to_string(K) + " are asked for", {index.shape()});
    return Tensor<B, S - 1 + Rank - K, Kind>(IndexFunctions<B>::gather_nd(dyn, index.dyn));
  }
  /// A copy with source combined into the places that gather_nd would read.
  template <int S, int T>
  Tensor scatter_nd(const Tensor<B, S, Int>& index, const Tensor<B, T, Kind>& source, ScatterMode mode = ScatterMode::assign) const {
    return Tensor(IndexFunctions<B>::scatter_nd(dyn, index.dyn, source.dyn, mode));
  }
  /// `value` where the mask is true, x elsewhere.
  template <int M>
  Tensor masked_fill(const Tensor<B, M, Bool>& mask, Scalar value) const {
    static_assert(M <= Rank, "hearth: the mask has more dimensions than the tensor");
    return Tensor(Dyn<B>::select_scalar(mask.dyn, dyn, value, Side::left));
  }
  /// The elements where the mask is true, in row-major order; x and the mask broadcast.
  template <int M>
  Tensor<B, 1, Kind> masked_select(const Tensor<B, M, Bool>& mask) const {
    return Tensor<B, 1, Kind>(IndexFunctions<B>::masked_select(dyn, mask.dyn));
  }

  // Reductions: x.sum(), x.sum(1), x.sum({0, 1}), each also with `keep`, stamped from reduce.def. Means of Int are Float.

  template <ReduceCode Code, int Removed>
  using Reduced = Tensor<B, Rank - Removed, detail::Reduced<Code, Kind>>;
  // clang-format off
#define HEARTH_REDUCE(name, ...)                                                                                                         \
  Reduced<ReduceCode::name, Rank> name() const { return reduced<ReduceCode::name, Rank>(all_axes(Rank)); }                               \
  Reduced<ReduceCode::name, 0> name(Keep) const { return reduced<ReduceCode::name, 0>(all_axes(Rank)); }                                 \
  Reduced<ReduceCode::name, 1> name(int axis) const { return reduced<ReduceCode::name, 1>(Axes{axis}); }                                 \
  Reduced<ReduceCode::name, 0> name(int axis, Keep) const { return reduced<ReduceCode::name, 0>(Axes{axis}); }                           \
  template <std::size_t N> Reduced<ReduceCode::name, int(N)> name(const int (&axes)[N]) const { return reduced<ReduceCode::name, int(N)>(detail::to_axes(axes)); } \
  template <std::size_t N> Reduced<ReduceCode::name, 0> name(const int (&axes)[N], Keep) const { return reduced<ReduceCode::name, 0>(detail::to_axes(axes)); }     \
  Reduced<ReduceCode::name, 0> name(const Axes& axes, Keep) const { return reduced<ReduceCode::name, 0>(axes); }
#include "../op/reduce.def"
#undef HEARTH_REDUCE

  // The same forms with an option at the end: x.var(1, Correction{0}), x.norm(Order{1}).
#define HEARTH_STATISTIC(name, function, Option)                                                                                         \
  Tensor<B, 0, Kind> name(Option option = {}) const { return statistic<Rank>(ReduceFunctions<B>::function, all_axes(Rank), option.value); } \
  Tensor name(Keep, Option option = {}) const { return statistic<0>(ReduceFunctions<B>::function, all_axes(Rank), option.value); }       \
  Tensor<B, Rank - 1, Kind> name(int axis, Option option = {}) const { return statistic<1>(ReduceFunctions<B>::function, Axes{axis}, option.value); } \
  Tensor name(int axis, Keep, Option option = {}) const { return statistic<0>(ReduceFunctions<B>::function, Axes{axis}, option.value); }  \
  template <std::size_t N> Tensor<B, Rank - int(N), Kind> name(const int (&axes)[N], Option option = {}) const { return statistic<int(N)>(ReduceFunctions<B>::function, detail::to_axes(axes), option.value); } \
  template <std::size_t N> Tensor name(const int (&axes)[N], Keep, Option option = {}) const { return statistic<0>(ReduceFunctions<B>::function, detail::to_axes(axes), option.value); } \
  Tensor name(const Axes& axes, Keep, Option option = {}) const { return statistic<0>(ReduceFunctions<B>::function, axes, option.value); }
  HEARTH_STATISTIC(var, variance, Correction)
  HEARTH_STATISTIC(std, deviation, Correction)
  HEARTH_STATISTIC(norm, norm, Order)
#undef HEARTH_STATISTIC
  // clang-format on

  /// log of the sum of exp, stable.
  Tensor<B, 0, Kind> logsumexp() const { return statistic<Rank>(ReduceFunctions<B>::logsumexp, all_axes(Rank), 0); }
  Tensor<B, Rank - 1, Kind> logsumexp(int axis) const { return statistic<1>(ReduceFunctions<B>::logsumexp, Axes{axis}, 0); }
  Tensor logsumexp(int axis, Keep) const { return statistic<0>(ReduceFunctions<B>::logsumexp, Axes{axis}, 0); }

  /// The position of the largest (smallest): of all elements in row-major order, or along an axis. Ties give the lowest; NaN wins.
  Tensor<B, 0, Int> argmax() const { return Tensor<B, 0, Int>(ReduceFunctions<B>::arg(ArgCode::max, dyn)); }
  Tensor<B, Rank - 1, Int> argmax(int axis) const { return Tensor<B, Rank - 1, Int>(ReduceFunctions<B>::arg(ArgCode::max, dyn, axis, false)); }
  Tensor<B, Rank, Int> argmax(int axis, Keep) const { return Tensor<B, Rank, Int>(ReduceFunctions<B>::arg(ArgCode::max, dyn, axis, true)); }
  Tensor<B, 0, Int> argmin() const { return Tensor<B, 0, Int>(ReduceFunctions<B>::arg(ArgCode::min, dyn)); }
  Tensor<B, Rank - 1, Int> argmin(int axis) const { return Tensor<B, Rank - 1, Int>(ReduceFunctions<B>::arg(ArgCode::min, dyn, axis, false)); }
  Tensor<B, Rank, Int> argmin(int axis, Keep) const { return Tensor<B, Rank, Int>(ReduceFunctions<B>::arg(ArgCode::min, dyn, axis, true)); }

  // Running reductions along an axis; with `reversed` from its end.

  Reduced<ReduceCode::sum, 0> cumsum(int axis) const { return Reduced<ReduceCode::sum, 0>(ReduceFunctions<B>::scan(ScanCode::sum, dyn, axis, false)); }
  Reduced<ReduceCode::sum, 0> cumsum(int axis, Reversed) const { return Reduced<ReduceCode::sum, 0>(ReduceFunctions<B>::scan(ScanCode::sum, dyn, axis, true)); }
  Reduced<ReduceCode::prod, 0> cumprod(int axis) const { return Reduced<ReduceCode::prod, 0>(ReduceFunctions<B>::scan(ScanCode::prod, dyn, axis, false)); }
  Reduced<ReduceCode::prod, 0> cumprod(int axis, Reversed) const { return Reduced<ReduceCode::prod, 0>(ReduceFunctions<B>::scan(ScanCode::prod, dyn, axis, true)); }
  Tensor logcumsumexp(int axis) const { return Tensor(ReduceFunctions<B>::scan(ScanCode::logsumexp, dyn, axis, false)); }
  ValuesIndices<B, Rank, Kind> cummax(int axis) const { return pair(ReduceFunctions<B>::extreme_scan(ArgCode::max, dyn, axis, false)); }
  ValuesIndices<B, Rank, Kind> cummin(int axis) const { return pair(ReduceFunctions<B>::extreme_scan(ArgCode::min, dyn, axis, false)); }

  // Order. Stable; NaN counts as the largest.

  ValuesIndices<B, Rank, Kind> sort(int axis = -1) const { return pair(ReduceFunctions<B>::sort(dyn, axis, false)); }
  ValuesIndices<B, Rank, Kind> sort(int axis, Descending) const { return pair(ReduceFunctions<B>::sort(dyn, axis, true)); }
  Tensor<B, Rank, Int> argsort(int axis = -1) const { return sort(axis).indices; }
  Tensor<B, Rank, Int> argsort(int axis, Descending) const { return sort(axis, descending).indices; }
  /// The k largest in order, or the k smallest.
  ValuesIndices<B, Rank, Kind> topk(std::int64_t k, int axis = -1) const { return pair(ReduceFunctions<B>::topk(dyn, k, axis, true)); }
  ValuesIndices<B, Rank, Kind> topk(std::int64_t k, int axis, Smallest) const { return pair(ReduceFunctions<B>::topk(dyn, k, axis, false)); }

  // In place: a += b checks before it gives up its own elements, so a += a works and a failed one leaves a as it was.

  // clang-format off
#define HEARTH_UPDATE(symbol, row)                                                                                                       \
  template <class C, int S, class K> Tensor& operator symbol(Tensor<C, S, K> b) {                                                        \
    static_assert(S <= Rank, "hearth: the right side has more dimensions than the tensor it is to be written into");                     \
    static_assert(detail::accepted<Kind>(detail::row_kinds::row), "hearth: " #symbol " does not take tensors of this kind");                  \
    if constexpr (detail::operands_match<B, Kind, C, K>()) MathFunctions<B>::update(dyn, BinaryCode::row, std::move(b.dyn));             \
    return *this;                                                                                                                        \
  }                                                                                                                                      \
  Tensor& operator symbol(Scalar b) {                                                                                                    \
    static_assert(detail::accepted<Kind>(detail::row_kinds::row), "hearth: " #symbol " does not take tensors of this kind");                  \
    MathFunctions<B>::update(dyn, BinaryCode::row, b);                                                                                   \
    return *this;                                                                                                                        \
  }
  HEARTH_UPDATE(+=, add)
  HEARTH_UPDATE(-=, sub)
  HEARTH_UPDATE(*=, mul)
  HEARTH_UPDATE(/=, div)
  HEARTH_UPDATE(&=, bitwise_and)
  HEARTH_UPDATE(|=, bitwise_or)
  HEARTH_UPDATE(^=, bitwise_xor)
#undef HEARTH_UPDATE
  // clang-format on

 private:
  template <ReduceCode Code, int Removed>
  Reduced<Code, Removed> reduced(const Axes& axes) const {
    if constexpr (Removed <= Rank) return Reduced<Code, Removed>(ReduceFunctions<B>::reduce(Code, dyn, axes, Removed == 0 && Rank > 0));
  }
  template <int Removed>
  Tensor<B, Rank - Removed, Kind> statistic(Dyn<B> (*function)(Dyn<B>, const Axes&, bool, double), const Axes& axes, double option) const {
    static_assert(std::same_as<Kind, Float>, "hearth: var, std, norm and logsumexp take Float tensors; change the kind with x.cast<Float>()");
    return Tensor<B, Rank - Removed, Kind>(function(dyn, axes, Removed == 0 && Rank > 0, option));
  }
  static ValuesIndices<B, Rank, Kind> pair(std::array<Dyn<B>, 2> both) {
    return {Tensor(std::move(both[0])), Tensor<B, Rank, Int>(std::move(both[1]))};
  }
};

/// The tensor in a Dyn; an error if its rank or kind is another.
template <int Rank, class Kind = Float, class B>
Tensor<B, Rank, Kind> as_tensor(Dyn<B> dyn) {
  if (!dyn.error()) detail::check_type("as_tensor", dyn.spec(), Rank, Kind::set);
  return Tensor<B, Rank, Kind>(std::move(dyn));
}

}  // namespace hearth
