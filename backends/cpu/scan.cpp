// cpu/scan: running reductions and running extremes along an axis, and the place of the extreme of a whole axis.
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "hearth/core/convert.hpp"
#include "hearth/op/formula.hpp"
#include "lanes.hpp"
#include "reduce_kernels.hpp"
#include "stream.hpp"

namespace hearth::cpu {

namespace {

/// The type in which a scan over T runs: f64 for floats, and 64 bits for sums and products of integers and bool.
template <class T, ScanCode Code>
using ScanType = std::conditional_t<is_float(dtype_of<T>), double,
                                    std::conditional_t<Code == ScanCode::sum || Code == ScanCode::prod,
                                                       std::conditional_t<std::is_same_v<T, std::uint64_t>, std::uint64_t, std::int64_t>, T>>;

template <class T, ScanCode Code>
void scan_lanes(const Array& x, const Array& y, int axis, bool reverse) {
  using A = ScanType<T, Code>;
  using R = std::conditional_t<is_float(dtype_of<T>), T, A>;
  const T* const from = data_of<const T>(x);
  R* const to = data_of<R>(y);
  const std::int64_t length = x.spec.shape[axis];
  if (length == 0) return;
  for_lanes<2>(x.spec.shape, axis, {&x.strides, &y.strides}, [=](LaneGroup<2> lanes) {
    if (reverse) lanes.reverse(length);
    const T* in = from + lanes.first[0];
    R* out = to + lanes.first[1];
    A total[lanes_together];
    for (std::int64_t k = 0; k < lanes.count; ++k) {
      total[k] = convert<A>(in[k * lanes.lane[0]]);
      out[k * lanes.lane[1]] = convert<R>(total[k]);
    }
    for (std::int64_t i = 1; i < length; ++i) {
      in += lanes.step[0], out += lanes.step[1];
      for (std::int64_t k = 0; k < lanes.count; ++k) {
        total[k] = combine<A>(Code, total[k], convert<A>(in[k * lanes.lane[0]]));
        out[k * lanes.lane[1]] = convert<R>(total[k]);
      }
    }
  });
}

/// Does v take the place of the extreme so far? Equals do not, and nothing takes the place of a NaN.
template <class T>
bool beats(bool largest, T v, T best) {
  return (best == best) & ((v != v) | (largest ? v > best : v < best));
}

/// y: the place of the extreme so far, or of the whole lane where `whole`.
template <class T>
void arg_lanes(const Array& x, const Array& y, int axis, bool largest, bool reverse, bool whole) {
  using V = Compute<T>;
  const T* const from = data_of<const T>(x);
  std::int64_t* const to = data_of<std::int64_t>(y);
  const std::int64_t length = x.spec.shape[axis];
  if (length == 0) return;
  for_lanes<2>(x.spec.shape, axis, {&x.strides, &y.strides}, [=](LaneGroup<2> lanes) {
    if (reverse) lanes.reverse(length);
    const T* in = from + lanes.first[0];
    std::int64_t* out = to + lanes.first[1];
    std::int64_t place = reverse ? length - 1 : 0;
    const std::int64_t forward = reverse ? -1 : 1;
    V best[lanes_together];
    std::int64_t at[lanes_together];
    for (std::int64_t i = 0; i < length; ++i, in += lanes.step[0], place += forward) {
      for (std::int64_t k = 0; k < lanes.count; ++k) {
        const V v = V(in[k * lanes.lane[0]]);
        const bool better = i == 0 || beats(largest, v, best[k]);
        best[k] = better ? v : best[k];
        at[k] = better ? place : at[k];
      }
      if (whole) continue;
      for (std::int64_t k = 0; k < lanes.count; ++k) out[k * lanes.lane[1]] = at[k];
      out += lanes.step[1];
    }
    if (whole)
      for (std::int64_t k = 0; k < lanes.count; ++k) out[k * lanes.lane[1]] = at[k];
  });
}

/// The place of the extreme of contiguous lanes: first its value, by a kernel, then where that is.
void arg_rows(const Array& x, const Array& y, int axis, bool largest) {
  const Dtype dtype = x.spec.dtype, computed = compute_dtype(dtype);
  const std::int64_t length = x.spec.shape[axis], size = std::int64_t(size_of(dtype));
  const ReduceKernel extreme = reduce_kernels(largest ? ReduceCode::max : ReduceCode::min, computed).row;
  const FindKernel find = find_kernel(computed);
  const BinaryKernel beat = compare_kernel(largest ? CompareCode::gt : CompareCode::lt, computed), equal = compare_kernel(CompareCode::eq, computed);
  const UnaryKernel widen = is_narrow(dtype) ? convert_kernel(dtype, Dtype::f32) : nullptr;
  const std::byte* const from = bytes_of(x);
  std::int64_t* const to = data_of<std::int64_t>(y);
  for_lanes<2>(x.spec.shape, axis, {&x.strides, &y.strides}, [=](const LaneGroup<2>& lanes) {
    BlockBuffer wide;
    // One lane at a time, block by block: an earlier block keeps the lead unless it is beaten, and a NaN ends the search.
    for (std::int64_t k = 0; k < lanes.count; ++k) {
      const std::byte* row = from + (lanes.first[0] + k * lanes.lane[0]) * size;
      alignas(8) std::byte best[8], own[8];
      std::int64_t place = -1;
      for (std::int64_t i = 0; i < length; i += block_elements) {
        const std::int64_t count = std::min(block_elements, length - i);
        const void* block = row + i * size;
        if (widen) widen(block, wide.bytes, count), block = wide.bytes;
        std::memcpy(own, block, size_of(computed));
        extreme(block, count, own);
        bool better = place < 0, same = true;
        if (!better) beat(own, best, &better, 1);
        equal(own, own, &same, 1);
        if (!better && same) continue;
        place = i + find(block, count, own);
        std::memcpy(best, own, sizeof best);
        if (!same) break;
      }
      to[lanes.first[1] + k * lanes.lane[1]] = place;
    }
  });
}

}  // namespace

Results<op::Scan, Handle> execute(const op::Scan& op, Operands<op::Scan, Handle> in, const Results<op::Scan, Spec>& specs) {
  using namespace kinds;
  Handle result = allocate(specs[0]);
  if (!result) return {};
  const Array& x = *in[0];
  const int axis = normalize_axis("scan", op.axis, x.spec.shape.size());
  with_type(x.spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr Kinds own = kinds_of(dtype_of<T>);
    switch (op.code) {
#define HEARTH_SCAN(name, kinds, ...)                                                                      \
  case ScanCode::name:                                                                                     \
    if constexpr (((kinds) & own) != 0) scan_lanes<T, ScanCode::name>(x, *result, axis, op.reverse);       \
    break;
#include "hearth/op/scan.def"
#undef HEARTH_SCAN
    }
  });
  return {std::move(result)};
}

Results<op::ArgScan, Handle> execute(const op::ArgScan& op, Operands<op::ArgScan, Handle> in, const Results<op::ArgScan, Spec>& specs) {
  Handle result = allocate(specs[0]);
  if (!result) return {};
  const Array& x = *in[0];
  const int axis = normalize_axis("arg_scan", op.axis, x.spec.shape.size());
  with_type(x.spec.dtype, [&](auto tag) {
    arg_lanes<typename decltype(tag)::type>(x, *result, axis, op.code == ArgCode::max, op.reverse, false);
  });
  return {std::move(result)};
}

Results<op::ArgReduce, Handle> execute(const op::ArgReduce& op, Operands<op::ArgReduce, Handle> in, const Results<op::ArgReduce, Spec>& specs) {
  Handle result = allocate(specs[0]);
  if (!result) return {};
  const Array& x = *in[0];
  const int axis = normalize_axis("arg_reduce", op.axis, x.spec.shape.size());
  if (x.strides[axis] == 1 && x.spec.shape[axis] >= 16) {
    arg_rows(x, *result, axis, op.code == ArgCode::max);
  } else {
    with_type(x.spec.dtype, [&](auto tag) {
      arg_lanes<typename decltype(tag)::type>(x, *result, axis, op.code == ArgCode::max, false, true);
    });
  }
  return {std::move(result)};
}

}  // namespace hearth::cpu
