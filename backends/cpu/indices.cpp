// cpu/indices: checking and widening index values.
// SPDX-License-Identifier: Apache-2.0
#include "indices.hpp"

#include <atomic>

#include "threads.hpp"

namespace hearth::cpu {

namespace {

/// The first position whose value is outside, at most `count`.
template <class T>
std::int64_t first_outside(const T* values, std::int64_t count, const Shape& sizes, std::int64_t* widened) {
  std::atomic<std::int64_t> first{count};
  const std::int64_t period = sizes.size();
  // Blocks of whole tuples: the fast loop only asks whether something is wrong, the slow one where.
  const std::int64_t tuples = count / period, grain = std::max<std::int64_t>(1, task_elements / period);
  parallel_for(tuples, grain, [&](std::int64_t begin, std::int64_t end) {
    bool wrong = false;
    for (std::int64_t axis = 0; axis < period; ++axis) {
      const std::uint64_t size = std::uint64_t(sizes[int(axis)]);
      for (std::int64_t i = begin * period + axis; i < end * period; i += period) {
        const T v = values[i];
        wrong |= v < T(0) || std::uint64_t(v) >= size;  // a negative value is huge without its sign
        if (widened) widened[i] = std::int64_t(v);
      }
    }
    if (!wrong) return;
    for (std::int64_t i = begin * period; i < end * period; ++i) {
      const T v = values[i];
      if (v >= T(0) && std::uint64_t(v) < std::uint64_t(sizes[int(i % period)])) continue;
      std::int64_t known = first.load();
      while (i < known && !first.compare_exchange_weak(known, i)) {
      }
      return;
    }
  });
  return first;
}

}  // namespace

Handle checked_indices(std::string_view op, const Handle& index, const Shape& shape, const Axes& axes) {
  Handle values = contiguous(index);
  if (!values) return {};
  Shape sizes;
  for (int axis : axes) sizes.push(shape[axis]);
  const std::int64_t count = count_of(*values);
  Handle result = values;
  if (index->spec.dtype != Dtype::i64) result = allocate({Dtype::i64, index->spec.shape});
  if (!result) return {};
  std::string wrong;
  int axis = 0;
  with_type(index->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (is_integer(dtype_of<T>)) {
      const T* data = data_of<const T>(values);
      const std::int64_t at = first_outside(data, count, sizes, std::is_same_v<T, std::int64_t> ? nullptr : data_of<std::int64_t>(result));
      if (at == count) return;
      wrong = std::to_string(data[at]);
      axis = axes[int(at % axes.size())];
    }
  });
  if (wrong.empty()) return result;
  return fail(op, "index " + wrong + " is out of range for axis " + std::to_string(axis) + " of size " + std::to_string(shape[axis]),
              {shape, index->spec.shape}, "indices count from 0; negative ones do not count from the end");
}

}  // namespace hearth::cpu
