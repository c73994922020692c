// limits: what this machine can do at best, measured beside the cases: fused multiply-adds per second, and bytes per second.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <benchmark/benchmark.h>

#include <span>

namespace bench {

/// Multiply-adds of f32 in registers, on this many threads. Reports the counter flops: how many one iteration makes.
void fma_peak(benchmark::State& state, int threads);

/// A walk over memory, by one thread: count is a multiple of eight vectors, the arrays are aligned.
struct Walk {
  const char* name;
  bool writes;  ///< else it only reads
  void (*run)(const float* a, const float* b, float* to, long count);
  int arrays;  ///< how many of a, b and `to` it walks over
};
/// Copy, triad, both with stores that go past the caches, and reading alone, with the widest vectors that the machine has.
std::span<const Walk> walks();

/// Walks again and again over arrays that have `bytes` bytes together, each thread over its part. Reports the counter bytes: how many
/// one iteration reads and writes.
void bandwidth(benchmark::State& state, const Walk& walk, double bytes, int threads);

/// The instruction set of all of these.
const char* vector_target();

}  // namespace bench
