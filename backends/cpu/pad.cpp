// cpu/pad: padding, and the ops that add many elements onto few: PadGrad and Fold. Both directions follow from lists that say, per
// axis, where the elements of a result come from; results are computed one by one, so threads never meet.
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "array.hpp"
#include "hearth/core/convert.hpp"
#include "hearth/op/formula.hpp"
#include "loops.hpp"
#include "threads.hpp"

namespace hearth::cpu {

namespace {

/// Which element of an axis of `size` a padded place shows, `at` counted from the axis' first element; not for constants.
std::int64_t shown(PadMode mode, std::int64_t at, std::int64_t size) {
  if (at >= 0 && at < size) return at;
  switch (mode) {
    case PadMode::constant: break;
    case PadMode::replicate: return at < 0 ? 0 : size - 1;
    case PadMode::circular: return at < 0 ? at + size : at - size;            // infer: at most one period
    case PadMode::reflect: return at < 0 ? -at : 2 * (size - 1) - at;         // infer: less than one period
  }
  return -1;
}

/// Per axis and result index, the offsets of the elements that it is the sum of.
struct Sources {
  struct AxisSources {
    std::vector<std::int64_t> offsets, starts;  ///< of index i: offsets[starts[i]] up to offsets[starts[i + 1]]
  };
  AxisSources axis[max_rank];
};

/// An axis whose index i comes from element i alone.
void add_plain(Sources::AxisSources& axis, std::int64_t size, std::int64_t stride) {
  for (std::int64_t i = 0; i < size; ++i) {
    axis.starts.push_back(i);
    axis.offsets.push_back(i * stride);
  }
  axis.starts.push_back(size);
}

/// result[index] = the sum of x over the product of the index's sources; floats in f64, integers wrap.
template <class T>
void sum_sources(const Sources& sources, const T* x, const Shape& shape, T* y) {
  using A = std::conditional_t<is_float(dtype_of<T>), double, T>;
  using V = typename FormulaType<A>::type;
  const int rank = shape.size();
  if (rank == 0) {
    *y = *x;
    return;
  }
  const std::int64_t row = shape[-1], rows = count_of(shape) / std::max<std::int64_t>(row, 1);
  const Sources::AxisSources& inner = sources.axis[rank - 1];
  parallel_for(row == 0 ? 0 : rows, row_grain(row), [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::int64_t> offsets, next;
    for (std::int64_t r = begin; r < end; ++r) {
      // Where the rows begin that add up to row r: all sums of one offset per outer axis.
      offsets.assign(1, 0);
      for (std::int64_t rest = r, axis = rank - 2; axis >= 0; --axis) {
        const std::int64_t index = rest % shape[int(axis)];
        rest /= shape[int(axis)];
        const Sources::AxisSources& outer = sources.axis[axis];
        next.clear();
        for (std::int64_t i = outer.starts[std::size_t(index)]; i < outer.starts[std::size_t(index) + 1]; ++i)
          for (std::int64_t offset : offsets) next.push_back(offset + outer.offsets[std::size_t(i)]);
        std::swap(offsets, next);
      }
      T* const to = y + r * row;
      for (std::int64_t j = 0; j < row; ++j) {
        A sum{};
        for (std::int64_t i = inner.starts[std::size_t(j)]; i < inner.starts[std::size_t(j) + 1]; ++i)
          for (std::int64_t offset : offsets) sum = A(V(sum) + V(convert<A>(x[offset + inner.offsets[std::size_t(i)]])));
        to[j] = convert<T>(sum);
      }
    }
  });
}

void sum_sources(const Handle& x, const Sources& sources, const Handle& result) {
  with_type(result->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!std::is_same_v<T, bool>) sum_sources<T>(sources, data_of<const T>(x), result->spec.shape, data_of<T>(result));
  });
}

/// The borders of a constant padding, each element once: per axis the slabs ahead of and behind what the axes before it left.
void fill_borders(const op::Pad& op, const Shape& inside, const Array& result) {
  const std::size_t size = size_of(result.spec.dtype);
  const int rank = inside.size();
  alignas(8) std::byte value[8];
  with_type(result.spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T v = op.value.to<T>();
    __builtin_memcpy(value, &v, sizeof v);
  });
  Shape start = Shape::filled(rank, 0), extent = result.spec.shape;
  const Shape step = Shape::filled(rank, 1);
  const auto fill = [&](const Shape& from, const Shape& slab) {
    copy_elements(size, Layout{slab, Strides::filled(rank, 0), 0}, value, sliced(layout_of(result), from, slab, step), result.buffer->data);
  };
  for (int axis = 0; axis < rank; ++axis) {
    Shape from = start, slab = extent;
    slab[axis] = op.before[axis];
    fill(from, slab);
    from[axis] = op.before[axis] + inside[axis];
    slab[axis] = op.after[axis];
    fill(from, slab);
    start[axis] = op.before[axis];
    extent[axis] = inside[axis];
  }
}

/// Every element shows one of x: rows are picked by the outer axes' lists, elements by the inner one's.
template <class T>
void show_elements(const std::vector<std::int64_t>* offsets, const T* x, const Shape& shape, T* y) {
  const int rank = shape.size();
  const std::int64_t row = shape[-1], rows = count_of(shape) / std::max<std::int64_t>(row, 1);
  const std::vector<std::int64_t>& inner = offsets[rank - 1];
  parallel_for(row == 0 ? 0 : rows, row_grain(row), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      std::int64_t first = 0;
      for (std::int64_t rest = r, axis = rank - 2; axis >= 0; --axis) {
        first += offsets[axis][std::size_t(rest % shape[int(axis)])];
        rest /= shape[int(axis)];
      }
      for (std::int64_t j = 0; j < row; ++j) y[r * row + j] = x[first + inner[std::size_t(j)]];
    }
  });
}

}  // namespace

Results<op::Pad, Handle> execute(const op::Pad& op, Operands<op::Pad, Handle> in, const Results<op::Pad, Spec>& specs) {
  const Array& x = *in[0];
  const Spec& spec = specs[0];
  const int rank = spec.shape.size();
  if (spec.shape == x.spec.shape) return {std::move(in[0])};
  Handle result = allocate(spec);
  if (!result) return {};
  const std::size_t size = size_of(spec.dtype);
  if (op.mode == PadMode::constant) {
    fill_borders(op, x.spec.shape, *result);
    copy_elements(size, layout_of(x), x.buffer->data, sliced(layout_of(*result), op.before, x.spec.shape, Shape::filled(rank, 1)), result->buffer->data);
    return {std::move(result)};
  }
  std::vector<std::int64_t> offsets[max_rank];
  if (count_of(*result) == 0) return {std::move(result)};
  for (int axis = 0; axis < rank; ++axis)
    for (std::int64_t i = 0; i < spec.shape[axis]; ++i)
      offsets[axis].push_back(shown(op.mode, i - op.before[axis], x.spec.shape[axis]) * x.strides[axis]);
  with_size(size, [&](auto zero) {
    using T = decltype(zero);
    show_elements(offsets, data_of<const T>(x), spec.shape, data_of<T>(*result));
  });
  return {std::move(result)};
}

Results<op::PadGrad, Handle> execute(const op::PadGrad& op, Operands<op::PadGrad, Handle> in, const Results<op::PadGrad, Spec>& specs) {
  const Array& g = *in[0];
  const Shape& shape = specs[0].shape;
  if (shape == g.spec.shape) return {std::move(in[0])};
  if (op.mode == PadMode::constant)
    return {contiguous(view(in[0], sliced(layout_of(g), op.before, shape, Shape::filled(shape.size(), 1))))};
  const Handle result = allocate(specs[0]);  // before the lists, which are as long as its axes
  if (!result || count_of(*result) == 0) return {result};
  Sources sources;
  for (int axis = 0; axis < shape.size(); ++axis) {
    Sources::AxisSources& list = sources.axis[axis];
    if (shape[axis] == g.spec.shape[axis]) {
      add_plain(list, shape[axis], g.strides[axis]);
      continue;
    }
    // The padded places that show element i, in their own order.
    std::vector<std::vector<std::int64_t>> places(static_cast<std::size_t>(shape[axis]));
    for (std::int64_t i = 0; i < g.spec.shape[axis]; ++i)
      places[std::size_t(shown(op.mode, i - op.before[axis], shape[axis]))].push_back(i * g.strides[axis]);
    for (const auto& of_one : places) {
      list.starts.push_back(std::int64_t(list.offsets.size()));
      list.offsets.insert(list.offsets.end(), of_one.begin(), of_one.end());
    }
    list.starts.push_back(std::int64_t(list.offsets.size()));
  }
  sum_sources(in[0], sources, result);
  return {result};
}

Results<op::Fold, Handle> execute(const op::Fold& op, Operands<op::Fold, Handle> in, const Results<op::Fold, Spec>& specs) {
  const Array& x = *in[0];
  const Shape& shape = specs[0].shape;
  const int axis = normalize_axis("fold", op.axis, shape.size());
  const std::int64_t windows = x.spec.shape[axis], size = x.spec.shape[-1];
  const Handle result = allocate(specs[0]);  // before the lists, which are as long as its axes
  if (!result || count_of(*result) == 0) return {result};
  Sources sources;
  for (int i = 0; i < shape.size(); ++i) {
    Sources::AxisSources& list = sources.axis[i];
    if (i != axis) {
      add_plain(list, shape[i], x.strides[i]);
      continue;
    }
    for (std::int64_t p = 0; p < op.length; ++p) {
      list.starts.push_back(std::int64_t(list.offsets.size()));
      for (std::int64_t j = 0; j < size && j * op.dilation <= p; ++j) {
        const std::int64_t start = p - j * op.dilation;
        if (start % op.step == 0 && start / op.step < windows) list.offsets.push_back(start / op.step * x.strides[axis] + j * x.strides[-1]);
      }
    }
    list.starts.push_back(std::int64_t(list.offsets.size()));
  }
  sum_sources(in[0], sources, result);
  return {result};
}

}  // namespace hearth::cpu
