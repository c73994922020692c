// cpu/lanes: ops that walk along one axis (scans, arg-reductions, sorts) see an array as lanes. Lanes that lie side by side in memory
// are walked together, so that an outer axis costs no more than the inner one.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>

#include "array.hpp"
#include "loops.hpp"
#include "threads.hpp"

namespace hearth::cpu {

/// Lanes that are walked together at most.
inline constexpr std::int64_t lanes_together = 128;

/// A few lanes of N arrays: where the first element of the first lane lies in each, and how far it is to the next element and lane.
template <int N>
struct LaneGroup {
  std::int64_t first[N], step[N], lane[N];
  std::int64_t count;  ///< lanes

  /// The same lanes from their ends.
  void reverse(std::int64_t length) {
    for (int k = 0; k < N; ++k) {
      first[k] += (length - 1) * step[k];
      step[k] = -step[k];
    }
  }
};

/// f(group) for all lanes along `axis` of arrays that are as long as `shape` in all other axes, in parallel. Which lanes are walked
/// together is for the first array to say.
template <int N, class F>
void for_lanes(const Shape& shape, int axis, const std::array<const Strides*, N>& strides, const F& f) {
  const std::int64_t length = shape[axis];
  Loops<N> loops;
  for (int i = 0; i < shape.size(); ++i) {
    if (i == axis) continue;
    std::array<std::int64_t, N> steps;
    for (int k = 0; k < N; ++k) steps[k] = (*strides[k])[i];
    loops.push(shape[i], steps);
  }
  if (loops.rank == 0) loops.add_axis();
  // The lanes of the last loop go together if they lie closer to each other than the elements of one lane.
  const int last = loops.rank - 1;
  const bool together = magnitude(loops.stride[last][0]) < magnitude((*strides[0])[axis]) || length == 1;
  const std::int64_t row = loops.size[last], width = together ? std::clamp<std::int64_t>(row, 1, lanes_together) : 1;
  const std::int64_t groups = row == 0 ? 0 : (row + width - 1) / width;
  parallel_for(loops.count(0, last) * groups, row_grain(width * std::max<std::int64_t>(length, 1)), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const Odometer<N> at(loops, 0, last, i / groups);
      const std::int64_t start = i % groups * width;
      LaneGroup<N> group;
      for (int k = 0; k < N; ++k) {
        group.lane[k] = loops.stride[last][k];
        group.first[k] = at.offset[k] + start * group.lane[k];
        group.step[k] = (*strides[k])[axis];
      }
      group.count = std::min(width, row - start);
      f(group);
    }
  });
}

}  // namespace hearth::cpu
