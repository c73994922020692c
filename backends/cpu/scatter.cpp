// cpu/scatter: elements combined into places that indices name. Sources of one place join in row-major order, whatever the threads:
// lanes (Scatter) and places (ScatterNd) are what is shared out. Sums and products of floats run in f64 and round once.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>

#include "hearth/core/convert.hpp"
#include "hearth/op/formula.hpp"
#include "indices.hpp"
#include "lanes.hpp"
#include "radix.hpp"

namespace hearth::cpu {

namespace {

template <ScatterMode Mode, class A>
A joined(A old, A source) {
  using V = typename FormulaType<A>::type;
  if constexpr (Mode == ScatterMode::assign) return source;
  else if constexpr (Mode == ScatterMode::add) return A(value(BinaryCode::add, V(old), V(source)));
  else if constexpr (Mode == ScatterMode::mul) return A(value(BinaryCode::mul, V(old), V(source)));
  else if constexpr (Mode == ScatterMode::max) return A(value(BinaryCode::maximum, V(old), V(source)));
  else return A(value(BinaryCode::minimum, V(old), V(source)));
}

/// What sources of T are joined in: f64 where rounding on the way would show.
template <class T, ScatterMode Mode>
using JoinType = std::conditional_t<!is_float(dtype_of<T>), T, std::conditional_t<Mode == ScatterMode::add || Mode == ScatterMode::mul, double, Compute<T>>>;

/// The unsigned type of as many bytes, for what does not look at the sign.
template <class T>
using Unsigned = std::conditional_t<sizeof(T) == 1, std::uint8_t,
                                    std::conditional_t<sizeof(T) == 2, std::uint16_t, std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

/// f.template operator()<T, mode>() with a type that stands for the dtype under the mode.
template <class F>
void with_mode(Dtype dtype, ScatterMode mode, F&& f) {
  with_type(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using Wrapping = std::conditional_t<is_float(dtype_of<T>), T, Unsigned<T>>;
    switch (mode) {
      case ScatterMode::assign: return f.template operator()<Unsigned<T>, ScatterMode::assign>();
      case ScatterMode::add: return f.template operator()<Wrapping, ScatterMode::add>();
      case ScatterMode::mul: return f.template operator()<Wrapping, ScatterMode::mul>();
      case ScatterMode::max: return f.template operator()<T, ScatterMode::max>();
      case ScatterMode::min: return f.template operator()<T, ScatterMode::min>();
    }
  });
}

/// The base to be written into: itself if it is ours, else a copy.
Handle writable(Handle base) {
  if (is_own(base) && is_contiguous(*base)) return base;
  Handle result = allocate(base->spec);
  if (!result) return {};
  Layout from = layout_of(*base);
  from.offset = 0;
  copy_elements(size_of(base->spec.dtype), from, bytes_of(*base), Layout::contiguous(from.shape), bytes_of(*result));
  return result;
}

/// Are these indices below `size` all different? `seen` has a bit for each place.
bool distinct(const std::int64_t* indices, std::int64_t step, std::int64_t length, std::int64_t size, std::uint64_t* seen) {
  std::fill_n(seen, (size + 63) / 64, std::uint64_t(0));
  std::uint64_t twice = 0;
  for (std::int64_t i = 0; i < length; ++i) {
    const std::uint64_t place = std::uint64_t(indices[i * step]), bit = std::uint64_t(1) << (place % 64);
    twice |= seen[place / 64] & bit;
    seen[place / 64] |= bit;
  }
  return twice == 0;
}

/// Scatter: source, index and y, which is the base or its copy, are walked lane by lane.
template <class T, ScatterMode Mode>
bool scatter_lanes(const Array& source, const Array& index, const Array& y, int axis) {
  using A = JoinType<T, Mode>;
  const std::int64_t length = index.spec.shape[axis], target_length = y.spec.shape[axis];
  const T* const from = data_of<const T>(source);
  const std::int64_t* const picked = data_of<const std::int64_t>(index);
  T* const to = data_of<T>(y);
  const std::int64_t along = y.strides[axis];
  // Joining in another type needs a lane of that type; a few sources are sorted by place instead.
  constexpr bool direct = std::is_same_v<A, T>;
  const bool dense = !direct && length * 4 >= target_length, sparse = !direct && !dense && length > 1;
  std::atomic<bool> out_of_memory{false};
  for_lanes<3>(index.spec.shape, axis, {&source.strides, &y.strides, &index.strides}, [&](const LaneGroup<3>& lanes) {
    const Scratch<A> lane(dense ? target_length : 0);
    const Scratch<std::uint64_t> seen(dense ? (target_length + 63) / 64 : 0);
    const Scratch<KeyedPlace> entries(sparse ? (length < radix_from ? 1 : 2) * length : 0);
    if (!lane.data() || !seen.data() || !entries.data()) {
      out_of_memory = true;
      return;
    }
    const std::int64_t in_step = lanes.step[0], step = lanes.step[2];
    for (std::int64_t k = 0; k < lanes.count; ++k) {
      const T* in = from + lanes.first[0] + k * lanes.lane[0];
      T* out = to + lanes.first[1] + k * lanes.lane[1];
      const std::int64_t* indices = picked + lanes.first[2] + k * lanes.lane[2];
      // Where nothing is joined twice, as behind a pool, nothing is rounded twice either.
      if (dense && !distinct(indices, step, length, target_length, seen.data())) {
        for (std::int64_t i = 0; i < target_length; ++i) lane[i] = convert<A>(out[i * along]);
        for (std::int64_t i = 0; i < length; ++i) {
          A& place = lane[indices[i * step]];
          place = joined<Mode, A>(place, convert<A>(in[i * in_step]));
        }
        for (std::int64_t i = 0; i < target_length; ++i) out[i * along] = convert<T>(lane[i]);
      } else if (sparse) {
        for (std::int64_t i = 0; i < length; ++i) entries[i] = {std::uint64_t(indices[i * step]), i};
        sort_entries(entries.data(), entries.data() + (length < radix_from ? 0 : length), length, 8);
        for (std::int64_t i = 0; i < length;) {
          const std::uint64_t key = entries[i].key;
          T& place = out[std::int64_t(key) * along];
          A total = convert<A>(place);
          for (; i < length && entries[i].key == key; ++i) total = joined<Mode, A>(total, convert<A>(in[entries[i].place * in_step]));
          place = convert<T>(total);
        }
      } else {
        for (std::int64_t i = 0; i < length; ++i) {
          T& place = out[indices[i * step] * along];
          place = convert<T>(joined<Mode, A>(convert<A>(place), convert<A>(in[i * in_step])));
        }
      }
    }
  });
  return !out_of_memory;
}

/// ScatterNd: slices of `size` elements, `source` contiguous; `places` are sorted by the offset in y, then by the source's row.
template <class T, ScatterMode Mode>
void scatter_slices(const Array& source, const KeyedPlace* places, std::int64_t rows, std::int64_t size, const Array& y) {
  using A = JoinType<T, Mode>;
  const T* const from = data_of<const T>(source);
  T* const to = data_of<T>(y);
  constexpr std::int64_t block = 256;
  const std::int64_t blocks = (size + block - 1) / block, grain = row_grain(std::min(size, block));
  parallel_for(rows * blocks, grain, [&](std::int64_t begin, std::int64_t end) {
    A total[block];
    // A unit is a row and a block of columns; the unit at the first row of a place does all rows of that place.
    for (std::int64_t unit = begin; unit < end; ++unit) {
      const std::int64_t first = unit / blocks, column = unit % blocks * block, width = std::min(block, size - column);
      const std::uint64_t key = places[first].key;
      if (first > 0 && places[first - 1].key == key) continue;
      T* target = to + std::int64_t(key) + column;
      for (std::int64_t j = 0; j < width; ++j) total[j] = convert<A>(target[j]);
      for (std::int64_t row = first; row < rows && places[row].key == key; ++row) {
        const T* in = from + places[row].place * size + column;
        for (std::int64_t j = 0; j < width; ++j) total[j] = joined<Mode, A>(total[j], convert<A>(in[j]));
      }
      for (std::int64_t j = 0; j < width; ++j) target[j] = convert<T>(total[j]);
    }
  });
}

}  // namespace

Results<op::Scatter, Handle> execute(const op::Scatter& op, Operands<op::Scatter, Handle> in, const Results<op::Scatter, Spec>&) {
  const int axis = normalize_axis("scatter", op.axis, in[0]->spec.shape.size());
  const Handle index = checked_indices("scatter", in[1], in[0]->spec.shape, {axis});
  if (!index) return {};
  if (count_of(*index) == 0) return {std::move(in[0])};
  Handle result = writable(std::move(in[0]));
  if (!result) return {};
  bool done = true;
  with_mode(result->spec.dtype, op.mode, [&]<class T, ScatterMode Mode>() { done = scatter_lanes<T, Mode>(*in[2], *index, *result, axis); });
  if (!done) return {};
  return {std::move(result)};
}

Results<op::ScatterNd, Handle> execute(const op::ScatterNd& op, Operands<op::ScatterNd, Handle> in, const Results<op::ScatterNd, Spec>&) {
  const int k = int(in[1]->spec.shape[-1]);
  const Handle index = checked_indices("scatter_nd", in[1], in[0]->spec.shape, all_axes(k));
  if (!index) return {};
  const Handle source = contiguous(in[2]);
  if (!source) return {};
  if (count_of(*source) == 0) return {std::move(in[0])};
  Handle result = writable(std::move(in[0]));
  if (!result) return {};
  const std::int64_t rows = count_of(*index) / k, size = count_of(*source) / rows;
  const std::int64_t* picked = data_of<const std::int64_t>(index);
  const Scratch<KeyedPlace> places((rows < radix_from ? 1 : 2) * rows);
  if (!places.data()) return {};
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int64_t offset = 0;
    for (int i = 0; i < k; ++i) offset += picked[row * k + i] * result->strides[i];
    places[row] = {std::uint64_t(offset), row};
  }
  sort_entries(places.data(), places.data() + (rows < radix_from ? 0 : rows), rows, 8);
  with_mode(result->spec.dtype, op.mode, [&]<class T, ScatterMode Mode>() { scatter_slices<T, Mode>(*source, places.data(), rows, size, *result); });
  return {std::move(result)};
}

}  // namespace hearth::cpu
