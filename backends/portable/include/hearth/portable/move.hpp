// portable/move: elements go elsewhere: joined, padded, picked by index, put back by index.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "execute.hpp"
#include "hearth/op/formula.hpp"
#include "sum.hpp"

namespace hearth::portable {

inline void kernel(const op::Concat& op, const Operands<op::Concat, Handle>& in, Results<op::Concat, Handle>& out) {
  const int rank = out[0]->spec.shape.size(), axis = normalize_axis("concat", op.axis, rank);
  Shape start = Shape::filled(rank, 0);
  for (const Handle& x : in) {
    copy(x, view_of(out[0], sliced(out[0]->layout, start, x->spec.shape, Shape::filled(rank, 1))));
    start[axis] += x->spec.shape[axis];
  }
}

inline void kernel(const op::SliceAssign& op, const Operands<op::SliceAssign, Handle>& in, Results<op::SliceAssign, Handle>& out) {
  copy(in[0], out[0]);
  const Handle source = view_of(in[1], expanded(in[1]->layout, op.size));
  copy(source, view_of(out[0], sliced(out[0]->layout, op.start, op.size, op.step)));
}

/// Which element of an axis of `size` a padded place shows, `at` counted from the axis' first element; -1 for the constant.
inline std::int64_t padded_from(PadMode mode, std::int64_t at, std::int64_t size) {
  if (at >= 0 && at < size) return at;
  switch (mode) {
    case PadMode::constant: return -1;
    case PadMode::replicate: return at < 0 ? 0 : size - 1;
    case PadMode::circular: return (at % size + size) % size;
    case PadMode::reflect: {  // 2 1 | 0 1 2 | 1 0: mirrored at the edge elements, which are not repeated
      const std::int64_t period = size > 1 ? 2 * (size - 1) : 1, phase = (at % period + period) % period;
      return phase < size ? phase : period - phase;
    }
  }
  __builtin_unreachable();
}
/// Sets `from` to the element that a padded index shows; false for the constant.
inline bool padded_index(PadMode mode, const Shape& padded, const Shape& before, const Shape& size, Shape& from) {
  for (int axis = 0; axis < padded.size(); ++axis) {
    from[axis] = padded_from(mode, padded[axis] - before[axis], size[axis]);
    if (from[axis] < 0) return false;
  }
  return true;
}

inline void kernel(const op::Pad& op, const Operands<op::Pad, Handle>& in, Results<op::Pad, Handle>& out) {
  with_type(in[0]->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto x = elements<const T>(in[0]);
    T* y = data<T>(out[0]);
    const T constant = op.value.template to<T>();
    Shape from = in[0]->spec.shape;
    each_index(out[0]->spec.shape, [&](const Shape& index) {
      *y++ = padded_index(op.mode, index, op.before, in[0]->spec.shape, from) ? x[from] : constant;
    });
  });
}

inline void kernel(const op::PadGrad& op, const Operands<op::PadGrad, Handle>& in, Results<op::PadGrad, Handle>& out) {
  add_at(in[0], out[0], "pad_grad",
         [&](const Shape& from, Shape& to) { return padded_index(op.mode, from, op.before, out[0]->spec.shape, to); });
}

/// The index values as row-major i64, each checked: value i belongs to axis axes[i % axes.size()] of x. Null if one is outside.
inline Handle checked_indices(const Handle& index, const Handle& x, const Axes& axes, std::string_view op) {
  const Handle result = allocate(index->device, {Dtype::i64, index->spec.shape}, op);
  if (!result) return result;
  bool good = true;
  with_integer(index->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* values = data<const T>(index);
    std::int64_t *to = data<std::int64_t>(result), position = 0;
    walk<1>(index->spec.shape, {index->layout.strides}, [&](auto& at) {
      const T v = values[at[0]];
      const int axis = axes[int(position++ % axes.size())];
      const std::int64_t size = x->spec.shape[axis];
      if (good && (v < T(0) || std::uint64_t(v) >= std::uint64_t(size))) {
        good = false;
        (void)fail(op, "index " + std::to_string(v) + " is out of range for axis " + std::to_string(axis) + " of size " + std::to_string(size),
                   {x->spec.shape, index->spec.shape}, "indices count from 0; negative ones do not count from the end");
      }
      *to++ = std::int64_t(v);
    });
  });
  return good ? result : Handle{};
}

/// One step of a scatter.
template <class V>
V scattered(ScatterMode mode, V old, V source) {
  switch (mode) {
    case ScatterMode::assign: return source;
    case ScatterMode::add: return value(BinaryCode::add, old, source);
    case ScatterMode::mul: return value(BinaryCode::mul, old, source);
    case ScatterMode::max: return value(BinaryCode::maximum, old, source);
    case ScatterMode::min: return value(BinaryCode::minimum, old, source);
  }
  __builtin_unreachable();
}

inline void kernel(const op::Gather& op, const Operands<op::Gather, Handle>& in, Results<op::Gather, Handle>& out) {
  const int axis = normalize_axis("gather", op.axis, in[0]->spec.shape.size());
  const Handle indices = checked_indices(in[1], in[0], {axis}, "gather");
  if (!indices) return;
  with_type(in[0]->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto x = elements<const T>(in[0]);
    const std::int64_t* picked = data<const std::int64_t>(indices);
    T* y = data<T>(out[0]);
    each_index(indices->spec.shape, [&](Shape from) {
      from[axis] = *picked++;
      *y++ = x[from];
    });
  });
}

inline void kernel(const op::Scatter& op, const Operands<op::Scatter, Handle>& in, Results<op::Scatter, Handle>& out) {
  const int axis = normalize_axis("scatter", op.axis, in[0]->spec.shape.size());
  const Handle indices = checked_indices(in[1], in[0], {axis}, "scatter");
  if (!indices) return;
  with_type(in[0]->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using V = typename FormulaType<Wide<T>>::type;
    const Handle work = widen<T>(in[0], "scatter");
    if (!work) return;
    const auto y = elements<Wide<T>>(work);
    const auto source = elements<const T>(in[2]);
    const std::int64_t* picked = data<const std::int64_t>(indices);
    each_index(indices->spec.shape, [&](const Shape& from) {
      Shape to = from;
      to[axis] = *picked++;
      y[to] = Wide<T>(scattered<V>(op.mode, y[to], convert<Wide<T>>(source[from])));
    });
    narrow<T>(work, out[0]);
  });
}

/// The sizes or strides of axes `first`, first + 1, ...
inline Strides tail(const Strides& list, int first) {
  Strides rest;
  for (int axis = first; axis < list.size(); ++axis) rest.push(list[axis]);
  return rest;
}

/// f(offset in x, offset in y) for each pair of elements that meet in GatherNd and ScatterNd: x is what the indices point into,
/// y has the shape index.shape[:-1] + x.shape[k:].
template <class F>
void each_pointed(const Handle& x, const Handle& indices, const Handle& y, F f) {
  Shape rows = indices->spec.shape;
  const int k = int(rows[-1]);
  rows.pop();
  const Shape slice = tail(x->spec.shape, k);
  const Strides inner = tail(y->layout.strides, rows.size());
  const std::int64_t* index = data<const std::int64_t>(indices);
  walk<1>(rows, {y->layout.strides}, [&](auto& row) {
    std::int64_t first = 0;
    for (int axis = 0; axis < k; ++axis) first += *index++ * x->layout.strides[axis];
    walk<2>(slice, {tail(x->layout.strides, k), inner}, [&](auto& at) { f(first + at[0], row[0] + at[1]); });
  });
}

inline void kernel(const op::GatherNd&, const Operands<op::GatherNd, Handle>& in, Results<op::GatherNd, Handle>& out) {
  const Handle indices = checked_indices(in[1], in[0], all_axes(int(in[1]->spec.shape[-1])), "gather_nd");
  if (!indices) return;
  with_type(in[0]->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* x = data<const T>(in[0]);
    T* y = data<T>(out[0]);
    each_pointed(in[0], indices, out[0], [&](std::int64_t from, std::int64_t to) { y[to] = x[from]; });
  });
}

inline void kernel(const op::ScatterNd& op, const Operands<op::ScatterNd, Handle>& in, Results<op::ScatterNd, Handle>& out) {
  const Handle indices = checked_indices(in[1], in[0], all_axes(int(in[1]->spec.shape[-1])), "scatter_nd");
  if (!indices) return;
  with_type(in[0]->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using V = typename FormulaType<Wide<T>>::type;
    const Handle work = widen<T>(in[0], "scatter_nd");
    if (!work) return;
    Wide<T>* y = data<Wide<T>>(work);
    const T* source = data<const T>(in[2]);
    each_pointed(work, indices, in[2], [&](std::int64_t to, std::int64_t from) {
      y[to] = Wide<T>(scattered<V>(op.mode, y[to], convert<Wide<T>>(source[from])));
    });
    narrow<T>(work, out[0]);
  });
}

}  // namespace hearth::portable
