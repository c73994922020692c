// portable/reduce: many elements to one, running reductions, and order along an axis.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>

#include "execute.hpp"
#include "hearth/op/formula.hpp"
#include "sum.hpp"

namespace hearth::portable {

/// Writes what was computed wide to element `at` of a result that is either wide (sums of integers) or of T.
template <class T>
void put(const Handle& result, std::int64_t at, Wide<T> total) {
  if (result->spec.dtype == dtype_of<Wide<T>>) data<Wide<T>>(result)[at] = total;
  else data<T>(result)[at] = convert<T>(total);
}

inline void kernel(const op::Reduce& op, const Operands<op::Reduce, Handle>& in, Results<op::Reduce, Handle>& out) {
  const Shape& shape = in[0]->spec.shape;
  Shape inner = Shape::filled(shape.size(), 1);
  for (int axis : normalize_axes("reduce", op.axes, shape.size())) inner[axis] = shape[axis];
  const std::int64_t count = element_count(inner);
  const bool sums = op.code == ReduceCode::sum || op.code == ReduceCode::mean;
  with_type(in[0]->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using W = Wide<T>;
    const T* x = data<const T>(in[0]);
    std::int64_t to = 0;
    walk<1>(out[0]->spec.shape, {in[0]->layout.strides}, [&](auto& first) {
      Sum sum;
      W total = start<W>(op.code);
      walk<1>(inner, {in[0]->layout.strides}, [&](auto& at) {
        const W v = convert<W>(x[first[0] + at[0]]);
        if (sums && is_float(dtype_of<T>)) sum.add(double(v));
        else total = combine(op.code, total, v);
      });
      if (sums && is_float(dtype_of<T>)) total = W(sum.value());
      if (op.code == ReduceCode::mean) total = W(double(total) / double(count));
      put<T>(out[0], to++, total);
    });
  });
}

/// f(first of the lane in x, first of the lane in y) for each line of elements along `axis`.
template <class F>
void each_lane(const Handle& x, const Handle& y, int axis, F f) {
  Shape lanes = x->spec.shape;
  lanes[axis] = 1;
  walk<2>(lanes, {x->layout.strides, y->layout.strides}, [&](auto& at) { f(at[0], at[1]); });
}

/// Does v take the place of the extreme found so far? Equals do not, and nothing takes the place of a NaN.
template <class T>
bool beats(ArgCode code, T v, T best) {
  if (best != best) return false;
  return v != v || (code == ArgCode::max ? v > best : v < best);
}

inline void kernel(const op::ArgReduce& op, const Operands<op::ArgReduce, Handle>& in, Results<op::ArgReduce, Handle>& out) {
  const int axis = normalize_axis("arg_reduce", op.axis, in[0]->spec.shape.size());
  const std::int64_t size = in[0]->spec.shape[axis], stride = in[0]->layout.strides[axis];
  std::int64_t* y = data<std::int64_t>(out[0]);
  with_type(in[0]->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    each_lane(in[0], out[0], axis, [&](std::int64_t from, std::int64_t to) {
      const T* x = data<const T>(in[0]) + from;
      std::int64_t best = 0;
      for (std::int64_t i = 1; i < size; ++i)
        if (beats(op.code, Compute<T>(x[i * stride]), Compute<T>(x[best * stride]))) best = i;
      y[to] = best;
    });
  });
}

inline void kernel(const op::Scan& op, const Operands<op::Scan, Handle>& in, Results<op::Scan, Handle>& out) {
  const int axis = normalize_axis("scan", op.axis, in[0]->spec.shape.size());
  const std::int64_t size = in[0]->spec.shape[axis], from_stride = in[0]->layout.strides[axis], to_stride = out[0]->layout.strides[axis];
  with_type(in[0]->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using W = Wide<T>;
    const T* x = data<const T>(in[0]);
    each_lane(in[0], out[0], axis, [&](std::int64_t from, std::int64_t to) {
      Sum sum;
      W total{};
      for (std::int64_t k = 0; k < size; ++k) {
        const std::int64_t i = op.reverse ? size - 1 - k : k;
        const W v = convert<W>(x[from + i * from_stride]);
        if (op.code == ScanCode::sum && is_float(dtype_of<T>)) {
          sum.add(double(v));
          total = W(sum.value());
        } else {
          total = k == 0 ? v : combine(op.code, total, v);
        }
        put<T>(out[0], to + i * to_stride, total);
      }
    });
  });
}

inline void kernel(const op::ArgScan& op, const Operands<op::ArgScan, Handle>& in, Results<op::ArgScan, Handle>& out) {
  const int axis = normalize_axis("arg_scan", op.axis, in[0]->spec.shape.size());
  const std::int64_t size = in[0]->spec.shape[axis], from_stride = in[0]->layout.strides[axis], to_stride = out[0]->layout.strides[axis];
  std::int64_t* y = data<std::int64_t>(out[0]);
  with_type(in[0]->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    each_lane(in[0], out[0], axis, [&](std::int64_t from, std::int64_t to) {
      const T* x = data<const T>(in[0]) + from;
      std::int64_t best = op.reverse ? size - 1 : 0;
      for (std::int64_t k = 0; k < size; ++k) {
        const std::int64_t i = op.reverse ? size - 1 - k : k;
        if (beats(op.code, Compute<T>(x[i * from_stride]), Compute<T>(x[best * from_stride]))) best = i;
        y[to + i * to_stride] = best;
      }
    });
  });
}

/// Is a before b in ascending order? NaN comes last.
template <class T>
bool before(T a, T b) {
  return a < b || (b != b && a == a);
}

/// The first `count` values of each lane along `axis` in order, and where they stood. Equals stay in the order of their places.
inline void sort_lanes(const Handle& in, int axis, bool descending, std::int64_t count, const Handle& values, const Handle& indices,
                       std::string_view op) {
  const std::int64_t size = in->spec.shape[axis], from_stride = in->layout.strides[axis], to_stride = values->layout.strides[axis];
  const Handle places = allocate(in->device, {Dtype::i64, {size}}, op);
  if (!places) return;
  std::int64_t* order = data<std::int64_t>(places);
  with_type(in->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    each_lane(in, values, axis, [&](std::int64_t from, std::int64_t to) {
      const T* x = data<const T>(in) + from;
      for (std::int64_t i = 0; i < size; ++i) order[i] = i;
      std::sort(order, order + size, [&](std::int64_t i, std::int64_t j) {
        const Compute<T> a = x[i * from_stride], b = x[j * from_stride];
        if (before(a, b) || before(b, a)) return before(a, b) != descending;
        return i < j;
      });
      for (std::int64_t i = 0; i < count; ++i) {
        data<T>(values)[to + i * to_stride] = x[order[i] * from_stride];
        data<std::int64_t>(indices)[to + i * to_stride] = order[i];
      }
    });
  });
}

inline void kernel(const op::Sort& op, const Operands<op::Sort, Handle>& in, Results<op::Sort, Handle>& out) {
  const int axis = normalize_axis("sort", op.axis, in[0]->spec.shape.size());
  sort_lanes(in[0], axis, op.descending, in[0]->spec.shape[axis], out[0], out[1], "sort");
}

inline void kernel(const op::TopK& op, const Operands<op::TopK, Handle>& in, Results<op::TopK, Handle>& out) {
  const int axis = normalize_axis("topk", op.axis, in[0]->spec.shape.size());
  sort_lanes(in[0], axis, op.largest, op.k, out[0], out[1], "topk");
}

}  // namespace hearth::portable
