// cpu/reduce: Reduce over any axes of any layout, without a transposing copy. One axis, the innermost in memory, is handed to a
// kernel; the others are loops. If it is reduced, rows are joined into one accumulator (`reduce_rows`); if it is kept, row after
// row is joined into a row of accumulators (`reduce_columns`). Long reductions are cut into parts whose size depends on the shape
// alone, and the parts are joined in order, so that the number of threads does not show.
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "reduce_kernels.hpp"
#include "stream.hpp"

namespace hearth::cpu {

namespace {

/// Elements of one part of a reduction.
constexpr std::int64_t part_elements = 1 << 16;

struct Axis {
  std::int64_t size = 1, stride = 1, out_stride = 1;
  bool reduced = true;
};
using AxisList = InlineList<Axis, max_rank>;

/// Writes accumulators as results: divided by `divisor` for a mean, converted to the result's dtype.
using Finish = void (*)(const void* accumulators, std::int64_t count, double divisor, std::byte* out, std::int64_t stride);
template <class A, class T>
void finish_loop(const void* accumulators, std::int64_t count, double divisor, std::byte* out, std::int64_t stride) {
  const A* from = static_cast<const A*>(accumulators);
  T* to = reinterpret_cast<T*>(out);
  for (std::int64_t i = 0; i < count; ++i) {
    if constexpr (std::is_same_v<A, double>) to[i * stride] = convert<T>(from[i] / divisor);  // a divisor of 1 changes nothing
    else to[i * stride] = convert<T>(from[i]);
  }
}
Finish finish_of(Dtype accumulator, Dtype result) {
  return with_type(accumulator, [&](auto from) {
    using A = typename decltype(from)::type;
    return with_type(result, [&](auto to) -> Finish {
      using T = typename decltype(to)::type;
      // Accumulators are of the result's dtype, or f64 for floats, or f32 for the extremes of 16-bit floats.
      if constexpr (std::is_same_v<A, T> || (is_float(dtype_of<T>) && (std::is_same_v<A, double> || std::is_same_v<A, float>)))
        return &finish_loop<A, T>;
      else return nullptr;
    });
  });
}

/// All that a reduction needs to know, laid out once.
struct Plan {
  const std::byte* x;
  Dtype dtype, accumulator;
  std::int64_t size, step;         ///< bytes of an element and of an accumulator
  ReduceKernels kernels, joining;  ///< for elements, and for accumulators
  Finish finish;
  double divisor;
  alignas(8) std::byte start[8];  ///< an accumulator that nothing has joined yet
  std::byte* out;
  std::int64_t out_size;
  Axis inner;
  Loops<2> kept;  ///< strides in x and in the result
  Loops<1> reduced;

  void reset(std::byte* accumulators, std::int64_t count) const {
    for (std::int64_t i = 0; i < count; ++i) std::memcpy(accumulators + i * step, start, std::size_t(step));
  }
  void write(const std::byte* accumulators, std::int64_t count, std::int64_t offset) const {
    finish(accumulators, count, divisor, out + offset * out_size, inner.out_stride);
  }
  /// Joins `count` elements along the inner axis, from `offset` on, into one accumulator or into as many.
  void feed(std::int64_t offset, std::int64_t count, std::byte* accumulators) const {
    const ReduceKernel kernel = inner.reduced ? kernels.row : kernels.column;
    if (inner.stride == 1 && !is_narrow(dtype)) return kernel(x + offset * size, count, accumulators);
    BlockBuffer block, wide;
    while (count > 0) {
      const std::int64_t length = std::min(count, block_elements);
      const void* elements = x + offset * size;
      if (inner.stride != 1) {
        gather_strided(std::size_t(size), elements, inner.stride, length, block.bytes);
        elements = block.bytes;
      }
      if (is_narrow(dtype)) {
        convert_kernel(dtype, Dtype::f32)(elements, wide.bytes, length);
        elements = wide.bytes;
      }
      kernel(elements, length, accumulators);
      if (!inner.reduced) accumulators += length * step;
      offset += length * inner.stride;
      count -= length;
    }
  }
};

/// Chooses the inner axis and makes loops of the others, from the outermost to the innermost in memory.
void lay_out(const AxisList& axes, Plan& plan) {
  const auto step = [](const Axis& axis) { return axis.stride == 0 ? std::numeric_limits<std::int64_t>::max() : magnitude(axis.stride); };
  AxisList sorted;
  for (const Axis& axis : axes) {
    int at = sorted.size();
    while (at > 0 && step(sorted[at - 1]) < step(axis)) --at;
    sorted.insert(at, axis);
  }
  // Neighbours become one, so that the innermost axis is as long as it can be.
  AxisList joined;
  for (const Axis& axis : sorted) {
    if (!joined.empty() && joined[-1].reduced == axis.reduced && joined[-1].stride == axis.stride * axis.size &&
        joined[-1].out_stride == axis.out_stride * axis.size) {
      joined[-1] = {joined[-1].size * axis.size, axis.stride, axis.out_stride, axis.reduced};
    } else {
      joined.push(axis);
    }
  }
  if (joined.empty()) joined.push({});
  // A short innermost axis would mean a kernel call for a few elements: the next long one of the other kind is better, though strided.
  int chosen = joined.size() - 1;
  if (joined[-1].size < 16)
    for (int i = joined.size() - 2; i >= 0; --i)
      if (joined[i].size >= 64 && joined[i].reduced != joined[-1].reduced) {
        chosen = i;
        break;
      }
  plan.inner = joined[chosen];
  for (int i = 0; i < joined.size(); ++i) {
    if (i == chosen) continue;
    if (joined[i].reduced) plan.reduced.push(joined[i].size, {joined[i].stride});
    else plan.kept.push(joined[i].size, {joined[i].stride, joined[i].out_stride});
  }
}

std::int64_t ceiling(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// The inner axis is reduced: one accumulator per result and part.
bool reduce_rows(const Plan& plan) {
  const std::int64_t results = plan.kept.count(), row = plan.inner.size, elements = plan.reduced.count() * row;
  const std::int64_t parts = std::max<std::int64_t>(1, ceiling(elements, part_elements));
  const Scratch<std::byte> partial(parts > 1 ? results * parts * plan.step : 0);
  if (!partial.data()) return false;
  parallel_for(results * parts, row_grain(elements / parts), [&](std::int64_t begin, std::int64_t end) {
    Odometer<2> result(plan.kept, 0, plan.kept.rank, begin / parts);
    for (std::int64_t unit = begin; unit < end; ++unit) {
      alignas(8) std::byte own[8];
      std::byte* accumulator = parts > 1 ? partial.data() + unit * plan.step : own;
      plan.reset(accumulator, 1);
      std::int64_t position = unit % parts * part_elements;
      const std::int64_t last = std::min(elements, position + part_elements);
      if (position < last) {
        Odometer<1> at(plan.reduced, 0, plan.reduced.rank, position / row);
        for (std::int64_t column = position % row; position < last; column = 0, at.next()) {
          const std::int64_t length = std::min(row - column, last - position);
          plan.feed(result.offset[0] + at.offset[0] + column * plan.inner.stride, length, accumulator);
          position += length;
        }
      }
      if (parts == 1) plan.write(accumulator, 1, result.offset[1]);
      if ((unit + 1) % parts == 0) result.next();
    }
  });
  if (parts == 1) return true;
  Odometer<2> result(plan.kept, 0, plan.kept.rank, 0);
  for (std::int64_t i = 0; i < results; ++i, result.next()) {
    alignas(8) std::byte total[8];
    plan.reset(total, 1);
    plan.joining.row(partial.data() + i * parts * plan.step, parts, total);
    plan.write(total, 1, result.offset[1]);
  }
  return true;
}

/// The inner axis is kept: a row of accumulators per block of it, and part of the rows.
bool reduce_columns(const Plan& plan) {
  const std::int64_t width = std::min(plan.inner.size, block_elements), blocks = width == 0 ? 0 : ceiling(plan.inner.size, width);
  const std::int64_t rows = plan.reduced.count(), part_rows = width == 0 ? 1 : std::max<std::int64_t>(1, part_elements / width);
  const std::int64_t parts = std::max<std::int64_t>(1, ceiling(rows, part_rows)), outer = plan.kept.count();
  const Scratch<std::byte> partial(parts > 1 ? outer * blocks * parts * width * plan.step : 0);
  if (!partial.data()) return false;
  parallel_for(outer * blocks * parts, row_grain(rows / parts * width), [&](std::int64_t begin, std::int64_t end) {
    BlockBuffer own;
    for (std::int64_t unit = begin; unit < end; ++unit) {
      const std::int64_t part = unit % parts, column = unit / parts % blocks * width, length = std::min(width, plan.inner.size - column);
      const Odometer<2> result(plan.kept, 0, plan.kept.rank, unit / (parts * blocks));
      std::byte* accumulators = parts > 1 ? partial.data() + unit * width * plan.step : own.bytes;
      plan.reset(accumulators, length);
      const std::int64_t first = part * part_rows, last = std::min(rows, first + part_rows);
      if (first < last) {
        Odometer<1> at(plan.reduced, 0, plan.reduced.rank, first);
        for (std::int64_t row = first; row < last; ++row, at.next())
          plan.feed(result.offset[0] + at.offset[0] + column * plan.inner.stride, length, accumulators);
      }
      if (parts == 1) plan.write(accumulators, length, result.offset[1] + column * plan.inner.out_stride);
    }
  });
  if (parts == 1) return true;
  parallel_for(outer * blocks, row_grain(parts * width), [&](std::int64_t begin, std::int64_t end) {
    BlockBuffer total;
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t column = i % blocks * width, length = std::min(width, plan.inner.size - column);
      const Odometer<2> result(plan.kept, 0, plan.kept.rank, i / blocks);
      plan.reset(total.bytes, length);
      for (std::int64_t part = 0; part < parts; ++part)
        plan.joining.column(partial.data() + (i * parts + part) * width * plan.step, length, total.bytes);
      plan.write(total.bytes, length, result.offset[1] + column * plan.inner.out_stride);
    }
  });
  return true;
}

}  // namespace

Results<op::Reduce, Handle> execute(const op::Reduce& op, Operands<op::Reduce, Handle> in, const Results<op::Reduce, Spec>& specs) {
  const Array& x = *in[0];
  const Spec& spec = specs[0];
  Handle result = allocate(spec);
  if (!result) return {};
  unsigned reduced = 0;
  for (int axis : normalize_axes("reduce", op.axes, x.spec.shape.size())) reduced |= 1u << axis;

  Plan plan;
  plan.x = bytes_of(x);
  plan.dtype = x.spec.dtype;
  plan.accumulator = accumulator_dtype(op.code, compute_dtype(plan.dtype));
  plan.size = std::int64_t(size_of(plan.dtype));
  plan.step = std::int64_t(size_of(plan.accumulator));
  plan.kernels = reduce_kernels(op.code, compute_dtype(plan.dtype));
  plan.joining = reduce_kernels(op.code, plan.accumulator);
  plan.finish = finish_of(plan.accumulator, spec.dtype);
  with_type(plan.accumulator, [&](auto tag) {
    using A = typename decltype(tag)::type;
    if constexpr (std::is_same_v<A, Compute<A>>) {
      const A value = start<A>(op.code);
      std::memcpy(plan.start, &value, sizeof value);
    }
  });
  plan.out = bytes_of(*result);
  plan.out_size = std::int64_t(size_of(spec.dtype));

  AxisList axes;
  std::int64_t joined = 1;
  for (int i = 0; i < x.spec.shape.size(); ++i) {
    const bool goes = (reduced >> i & 1u) != 0;
    if (goes) joined *= x.spec.shape[i];
    if (x.spec.shape[i] != 1) axes.push({x.spec.shape[i], x.strides[i], goes ? 0 : result->strides[i], goes});
  }
  plan.divisor = op.code == ReduceCode::mean ? double(joined) : 1;
  lay_out(axes, plan);
  if (!(plan.inner.reduced ? reduce_rows(plan) : reduce_columns(plan))) return {};
  return {std::move(result)};
}

}  // namespace hearth::cpu
