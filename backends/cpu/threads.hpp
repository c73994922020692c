// cpu/threads: parallel loops over one arena of the process. Small work runs on the calling thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace hearth::cpu {

/// Elements of cheap elementwise work that make a task worth its start.
inline constexpr std::int64_t task_elements = 32768;

/// The grain for parallel_for over `rows` of work that each cost about as much as `row_elements` elementwise results.
constexpr std::int64_t row_grain(std::int64_t row_elements) {
  return row_elements >= task_elements ? 1 : row_elements < 1 ? task_elements : task_elements / row_elements;
}

namespace detail {
using Range = void (*)(const void* function, std::int64_t begin, std::int64_t end);
void parallel_for(std::int64_t count, std::int64_t grain, Range range, const void* function);
}  // namespace detail

/// fn(begin, end) over disjoint ranges that cover [0, count). Each range begins at a multiple of `grain` and covers one or more
/// whole grains (the last may be cut), so results must not depend on how grains are joined: a reduction that wants fixed blocks
/// loops over blocks. Errors thrown by fn come out of the call. fn may call parallel_for, but must not hold thread-local state
/// across that call, since a waiting thread may run other ranges meanwhile.
template <class F>
void parallel_for(std::int64_t count, std::int64_t grain, const F& fn) {
  if (count <= 0) return;
  if (count <= grain) return fn(std::int64_t(0), count);
  detail::parallel_for(
      count, grain, [](const void* function, std::int64_t begin, std::int64_t end) { (*static_cast<const F*>(function))(begin, end); }, &fn);
}

void set_threads(int count);
int threads();

}  // namespace hearth::cpu
