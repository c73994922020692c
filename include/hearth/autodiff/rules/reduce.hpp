// autodiff/rules/reduce: reductions, running reductions and order.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>

#include "../rule.hpp"

namespace hearth {

namespace detail {

/// x moved by `distance` along an axis, towards its end (from its start, where negative); `fill` enters at the other end.
template <class B>
Dyn<B> shift(Dyn<B> x, int axis, std::int64_t distance, Scalar fill) {
  const std::int64_t length = x.size(axis), moved = distance < 0 ? -distance : distance;
  Shape before = Shape::filled(x.rank(), 0), after = before;
  (distance < 0 ? after : before)[axis] = moved;
  x = narrow(std::move(x), axis, distance < 0 ? moved : 0, length - moved);
  return call<B>(op::Pad{before, after, PadMode::constant, fill}, std::move(x));
}

/// s with s[k] = b[k] + a[k] s[k + 1] along an axis (s[k - 1] where not `from_end`), in log n steps that double the reach (Hillis and
/// Steele 1986): only products and sums, so it is right with zeros, and so are its derivatives.
template <class B>
Dyn<B> recurrence(Dyn<B> a, Dyn<B> b, int axis, bool from_end) {
  const std::int64_t length = b.size(axis);
  for (std::int64_t reach = 1; reach < length; reach *= 2) {
    const std::int64_t distance = from_end ? -reach : reach;
    b = b + a * shift(b, axis, distance, 0);
    if (2 * reach < length) a = a * shift(a, axis, distance, 0);
  }
  return b;
}

/// The product of all elements of x ahead of each along an axis (behind it where `reverse`).
template <class B>
Dyn<B> product_ahead(const Dyn<B>& x, int axis, bool reverse) {
  return shift(call<B>(op::Scan{ScanCode::prod, axis, reverse}, x), axis, reverse ? -1 : 1, 1);
}

template <class B>
Dyn<B> prod_gradient(const Dyn<B>& x, const Dyn<B>& g, const Axes& axes) {
  if (element_count(x.shape()) == 0) return zero_like(x);
  if (axes.size() == 1) return g * (product_ahead(x, axes[0], false) * product_ahead(x, axes[0], true));
  // Several axes: they become one, the last.
  Axes order, inverse = Axes::filled(x.rank(), 0);
  Shape kept;
  for (int i = 0, next = 0; i < x.rank(); ++i) {
    if (next < axes.size() && axes[next] == i) ++next;
    else order.push(i), kept.push(x.size(i));
  }
  for (int axis : axes) order.push(axis);
  for (int i = 0; i < x.rank(); ++i) inverse[order[i]] = i;
  const Dyn<B> moved = permute(x, order);
  Shape flat = kept;
  flat.push(-1);
  const Dyn<B> row = reshape(moved, flat);
  const int axis = kept.size();
  return g * permute(reshape(product_ahead(row, axis, false) * product_ahead(row, axis, true), moved.shape()), inverse);
}

}  // namespace detail

template <>
struct Rule<op::Reduce> {
  static Saves saves(const op::Reduce& op, unsigned) {
    switch (op.code) {
      case ReduceCode::sum:
      case ReduceCode::mean:
      case ReduceCode::any:
      case ReduceCode::all: return {};
      case ReduceCode::prod: return {1, 0};
      case ReduceCode::max:
      case ReduceCode::min: return {1, 1};
    }
    __builtin_unreachable();
  }
  template <class B>
  static OperandGradients<op::Reduce, B> back(Saved<op::Reduce, B>& s) {
    const Shape& shape = s.spec[0].shape;
    const Axes axes = normalize_axes("reduce", s.op.axes, shape.size());
    switch (s.op.code) {
      case ReduceCode::sum: return {expand(s.grad[0], shape)};
      case ReduceCode::mean: {
        double count = 1;
        for (int axis : axes) count *= double(shape[axis]);
        // A count may lie beyond the largest f16; its reciprocal is still a number.
        const bool narrow = size_of(s.spec[0].dtype) == 2;
        return {expand(narrow ? s.grad[0] * Scalar(1 / count) : s.grad[0] / Scalar(count), shape)};
      }
      case ReduceCode::prod: return {axes.empty() ? s.grad[0] : detail::prod_gradient(s.in[0], s.grad[0], axes)};
      case ReduceCode::max:
      case ReduceCode::min: {
        // Equal extremes share the gradient evenly. (A NaN result equals nothing: no gradient.)
        // Their number may lie beyond the largest f16.
        const Dyn<B> extreme = s.in[0] == expand(s.out[0], shape);
        const Dtype dtype = s.spec[0].dtype;
        const bool narrow = size_of(dtype) == 2;
        Dyn<B> share = (narrow ? cast(s.grad[0], Dtype::f32) : s.grad[0]) / sum(cast(extreme, narrow ? Dtype::f32 : dtype), axes);
        if (narrow) share = cast(std::move(share), dtype);
        return {when(extreme, expand(share, shape), Scalar(0))};
      }
      case ReduceCode::any:
      case ReduceCode::all: break;  // bool in, bool out
    }
    return {};
  }
};

template <>
struct Rule<op::ArgReduce> : NoGradient {};
template <>
struct Rule<op::ArgScan> : NoGradient {};

template <>
struct Rule<op::Scan> {
  static Saves saves(const op::Scan& op, unsigned) {
    switch (op.code) {
      case ScanCode::sum: return {};
      case ScanCode::prod:
      case ScanCode::max:
      case ScanCode::min: return {1, 0};
      case ScanCode::logsumexp: return {1, 1};
    }
    __builtin_unreachable();
  }
  template <class B>
  static OperandGradients<op::Scan, B> back(Saved<op::Scan, B>& s) {
    const int axis = normalize_axis("scan", s.op.axis, s.spec[0].shape.size());
    const bool reverse = s.op.reverse;
    const std::int64_t next = reverse ? 1 : -1;  // shifts the following element to each place
    const Dyn<B>&x = s.in[0], &g = s.grad[0];
    if (element_count(s.spec[0].shape) == 0) return {g};
    switch (s.op.code) {
      case ScanCode::sum: return {call<B>(op::Scan{ScanCode::sum, axis, !reverse}, g)};
      case ScanCode::prod:
        // dx[k] is the product ahead of k times s[k] = g[k] + x[k + 1] s[k + 1].
        return {detail::product_ahead(x, axis, reverse) * detail::recurrence(detail::shift(x, axis, next, 0), g, axis, !reverse)};
      case ScanCode::max:
      case ScanCode::min: {
        const ArgCode code = s.op.code == ScanCode::max ? ArgCode::max : ArgCode::min;
        return {call<B>(op::Scatter{axis, ScatterMode::add}, s.zeros(0), call<B>(op::ArgScan{code, axis, reverse}, x), g)};
      }
      case ScanCode::logsumexp: {
        // dx[k] = exp(x[k] - y[k]) u[k] with u[k] = g[k] + exp(y[k] - y[k + 1]) u[k + 1]: no exponent is positive. While y is -inf all
        // factors are 0, and the inner choice keeps NaN out of their derivatives.
        const Dyn<B>& y = s.out[0];
        constexpr double infinity = std::numeric_limits<double>::infinity();
        const Dyn<B> nothing = y == Scalar(-infinity);
        const Dyn<B> finite = when(nothing, Scalar(0), y);
        const Dyn<B> step = when(nothing, Scalar(0), finite - detail::shift(finite, axis, next, infinity));  // the last factor is 0
        const Dyn<B> factor = when(nothing, Scalar(0), exp(step));
        return {exp(x - finite) * detail::recurrence(factor, g, axis, !reverse)};
      }
    }
    return {};
  }
};

namespace detail {
/// Values that were picked by index: each gradient goes back to where its value was.
struct PickedRule {
  template <class Op>
  static Saves saves(const Op&, unsigned) {
    return {0, 2};
  }
  template <class Op, class B>
  static OperandGradients<Op, B> back(Saved<Op, B>& s) {
    return {call<B>(op::Scatter{s.op.axis, ScatterMode::add}, s.zeros(0), s.out[1], s.grad[0])};
  }
};
}  // namespace detail
template <>
struct Rule<op::Sort> : detail::PickedRule {};
template <>
struct Rule<op::TopK> : detail::PickedRule {};

}  // namespace hearth
