// tensor/index-inl: the bodies of IndexFunctions.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "index.hpp"
#include "refuse-inl.hpp"
#include "replace-inl.hpp"
#include "shape-inl.hpp"

namespace hearth {

template <class B>
Dyn<B> IndexFunctions<B>::at(Dyn<B> x, const index::Item* items, int count) {
  const detail::Selection part = detail::select("index", x.shape(), items, count);
  if (part.size != x.shape() || part.step != Shape::filled(part.step.size(), 1)) x = Dyn<B>::slice(std::move(x), part.start, part.size, part.step);
  return ShapeFunctions<B>::reshape(std::move(x), part.shape);
}

template <class B>
void IndexFunctions<B>::put(Dyn<B>& x, const op::SliceAssign& op, Dyn<B> value) {
  detail::replace(x, false, [&](Dyn<B> old) { return call<B>(op, std::move(old), std::move(value)); });
}

template <class B>
void IndexFunctions<B>::assign(Dyn<B>& x, const index::Item* items, int count, Dyn<B> value) {
  const LetGo errors;
  if (x.error()) return;
  if (const Error* error = value.error()) return report_error(*error);
  const detail::Selection part = detail::select("assign", x.shape(), items, count);
  if (pending_error()) return;
  if (!broadcastable(value.shape(), part.shape))
    return (void)fail("assign", "a value of shape " + to_string(value.shape()) + " does not fit into " + to_string(part.shape), {value.shape(), part.shape});
  if (!(x.device() == value.device()))
    return (void)fail("assign", "the tensors are on different devices", {x.shape(), value.shape()}, "move one with x.to(device)");
  // The value is laid out as x(items) would be: give it the axes that positions drop, take those that newaxis adds.
  if (part.shape != part.size) value = ShapeFunctions<B>::reshape(ShapeFunctions<B>::expand(std::move(value), part.shape), part.size);
  const op::SliceAssign op{part.start, part.size, part.step};
  (void)infer(op, {&x.spec(), &value.spec()});
  if (pending_error()) return;
  put(x, op, std::move(value));
}

template <class B>
void IndexFunctions<B>::assign(Dyn<B>& x, const index::Item* items, int count, Scalar value) {
  const LetGo errors;
  if (x.error()) return;
  const detail::Selection part = detail::select("assign", x.shape(), items, count);
  if (pending_error()) return;
  detail::check_scalar("assign", value, x.spec());
  if (pending_error()) return;
  Dyn<B> one = Dyn<B>::full(x.device(), Spec{x.dtype(), Shape::filled(x.rank(), 1)}, value);
  put(x, op::SliceAssign{part.start, part.size, part.step}, std::move(one));
}

template <class B>
Dyn<B> IndexFunctions<B>::gather(Dyn<B> x, Dyn<B> index, int axis) {
  return Dyn<B>::gather(std::move(x), std::move(index), axis);
}

template <class B>
Dyn<B> IndexFunctions<B>::take_along(Dyn<B> x, Dyn<B> index, int axis) {
  axis = normalize_axis("take_along", axis, x.rank());
  Shape of_x = x.shape(), of_index = index.shape();
  const std::int64_t size = of_x[axis], count = of_index[axis];
  of_x[axis] = of_index[axis] = 1;
  Shape both = broadcast("take_along", of_x, of_index);
  both[axis] = size;
  x = ShapeFunctions<B>::expand(std::move(x), both);
  both[axis] = count;
  return Dyn<B>::gather(std::move(x), ShapeFunctions<B>::expand(std::move(index), both), axis);
}

template <class B>
Dyn<B> IndexFunctions<B>::take(Dyn<B> x, Dyn<B> index, int axis) {
  axis = normalize_axis("take", axis, x.rank());
  const Shape from = x.shape(), indices = index.shape();
  if (axis == 0) {  // an embedding: whole slices at a time
    Shape places = indices;
    places.push(1);
    return call<B>(op::GatherNd{}, std::move(x), Dyn<B>::reshape(std::move(index), places));
  }
  Shape line = Shape::filled(from.size(), 1), across = from, result;
  across[axis] = line[axis] = element_count(indices);
  index = Dyn<B>::expand(Dyn<B>::reshape(std::move(index), line), across);
  x = Dyn<B>::gather(std::move(x), std::move(index), axis);
  for (int i = 0; i < from.size(); ++i) {
    if (i != axis) result.push(from[i]);
    else
      for (auto size : indices) result.push(size);
  }
  return ShapeFunctions<B>::reshape(std::move(x), result);
}

template <class B>
Dyn<B> IndexFunctions<B>::scatter(Dyn<B> x, Dyn<B> index, Dyn<B> source, int axis, ScatterMode mode) {
  return Dyn<B>::scatter(std::move(x), std::move(index), std::move(source), axis, mode);
}

template <class B>
Dyn<B> IndexFunctions<B>::gather_nd(Dyn<B> x, Dyn<B> index) {
  return call<B>(op::GatherNd{}, std::move(x), std::move(index));
}

template <class B>
Dyn<B> IndexFunctions<B>::scatter_nd(Dyn<B> x, Dyn<B> index, Dyn<B> source, ScatterMode mode) {
  return call<B>(op::ScatterNd{mode}, std::move(x), std::move(index), std::move(source));
}

template <class B>
Dyn<B> IndexFunctions<B>::masked_select(Dyn<B> x, Dyn<B> mask) {
  const Shape both = broadcast("masked_select", x.shape(), mask.shape()), flat{element_count(both)};
  Dyn<B> places = call<B>(op::NonZero{}, ShapeFunctions<B>::reshape(ShapeFunctions<B>::expand(std::move(mask), both), flat));
  x = ShapeFunctions<B>::reshape(ShapeFunctions<B>::expand(std::move(x), both), flat);
  return call<B>(op::GatherNd{}, std::move(x), std::move(places));
}

template <class B>
Dyn<B> IndexFunctions<B>::nonzero(Dyn<B> x) {
  return call<B>(op::NonZero{}, std::move(x));
}

}  // namespace hearth
