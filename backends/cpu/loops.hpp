// cpu/loops: nests of loops over arrays of one shape, as few and as long as their strides allow.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>

#include "hearth/core/shape.hpp"

namespace hearth::cpu {

/// Of a stride: how far apart neighbours lie.
constexpr std::int64_t magnitude(std::int64_t v) { return v < 0 ? -v : v; }

/// Loops over N arrays, outermost first. Axes of size 1 are gone, and axes that lie behind one another in every array are one.
template <int N>
struct Loops {
  int rank = 0;
  std::int64_t size[max_rank];
  std::int64_t stride[max_rank][N];

  std::int64_t count(int from, int to) const {
    std::int64_t product = 1;
    for (int i = from; i < to; ++i) product *= size[i];
    return product;
  }
  std::int64_t count() const { return count(0, rank); }

  /// An axis of size 1, for code that wants a last loop even where there is none.
  void add_axis() {
    size[rank] = 1;
    for (int k = 0; k < N; ++k) stride[rank][k] = 0;
    ++rank;
  }
  void push(std::int64_t length, const std::array<std::int64_t, N>& steps) {
    if (length == 1) return;
    if (rank > 0) {
      bool joins = true;
      for (int k = 0; k < N; ++k) joins = joins && stride[rank - 1][k] == steps[k] * length;
      if (joins) {
        size[rank - 1] *= length;
        for (int k = 0; k < N; ++k) stride[rank - 1][k] = steps[k];
        return;
      }
    }
    size[rank] = length;
    for (int k = 0; k < N; ++k) stride[rank][k] = steps[k];
    ++rank;
  }
};

template <int N>
Loops<N> make_loops(const Shape& shape, const std::array<const Strides*, N>& strides) {
  Loops<N> loops;
  for (int i = 0; i < shape.size(); ++i) {
    std::array<std::int64_t, N> steps;
    for (int k = 0; k < N; ++k) steps[k] = (*strides[k])[i];
    loops.push(shape[i], steps);
  }
  return loops;
}

/// Counts through the axes [from, to) of some loops and keeps the offset of each array.
template <int N>
class Odometer {
 public:
  Odometer(const Loops<N>& loops, int from, int to, std::int64_t start) : loops_(loops), from_(from), to_(to) {
    for (int i = to - 1; i >= from; --i) {
      index_[i] = start % loops.size[i];
      start /= loops.size[i];
      for (int k = 0; k < N; ++k) offset[k] += index_[i] * loops.stride[i][k];
    }
  }
  void next() {
    for (int i = to_ - 1; i >= from_; --i) {
      for (int k = 0; k < N; ++k) offset[k] += loops_.stride[i][k];
      if (++index_[i] < loops_.size[i]) return;
      for (int k = 0; k < N; ++k) offset[k] -= loops_.size[i] * loops_.stride[i][k];
      index_[i] = 0;
    }
  }
  std::int64_t index(int axis) const { return index_[axis]; }

  std::int64_t offset[N] = {};

 private:
  const Loops<N>& loops_;
  int from_, to_;
  std::int64_t index_[max_rank];
};

}  // namespace hearth::cpu
