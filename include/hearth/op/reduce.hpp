// op/reduce: many elements to one, running reductions, and order.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../core/spec.hpp"
#include "codes.hpp"

namespace hearth::op {

/// x -> reduced over `axes`, which stay as size 1 (the front removes them). No axes: no reduction. reduce.def says the dtypes.
struct Reduce {
  static constexpr int inputs = 1, outputs = 1;
  ReduceCode code{};
  Axes axes;
};
/// x -> i64 index of the extreme along `axis`, which stays as size 1. Ties give the lowest index; the first NaN wins.
struct ArgReduce {
  static constexpr int inputs = 1, outputs = 1;
  ArgCode code{};
  int axis = 0;
};
/// x -> running reduction along `axis`, from its end where `reverse`.
struct Scan {
  static constexpr int inputs = 1, outputs = 1;
  ScanCode code{};
  int axis = 0;
  bool reverse = false;
};
/// x -> i64 index of the extreme so far along `axis`: the earliest of equals, the first NaN from then on.
struct ArgScan {
  static constexpr int inputs = 1, outputs = 1;
  ArgCode code{};
  int axis = 0;
  bool reverse = false;
};
/// x -> values in order along `axis`, and their i64 indices. Stable; NaN counts as the largest.
struct Sort {
  static constexpr int inputs = 1, outputs = 2;
  int axis = 0;
  bool descending = false;
};
/// x -> the k largest (or smallest) along `axis` in order, and their i64 indices; NaN counts as the largest, ties go to the lower index.
struct TopK {
  static constexpr int inputs = 1, outputs = 2;
  int axis = 0;
  std::int64_t k = 1;
  bool largest = true;
};

}  // namespace hearth::op
