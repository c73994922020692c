// limits: what this machine can do at best, measured beside the cases: fused multiply-adds per second, and bytes per second.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <benchmark/benchmark.h>

namespace bench {

/// A walk over memory, by one thread: count is a multiple of eight vectors, the arrays are aligned.
struct Walk {
  const char* name;
  bool writes;  ///< else it only reads
  void (*run)(const float* a, const float* b, float* to, long count);
  int arrays;  ///< how many of a, b and `to` it walks over
};

/// The limits' kernels for one instruction set.
struct Kernels {
  const char* target;
  long vector;  ///< floats that it holds
  double (*fma_rounds)(long rounds, float* values);
  Walk walks[5];  ///< copy, triad, both with stores that go past the caches, and reading alone
};
/// With the widest vectors that the machine has. Chosen once and together: Highway's choice changes when Cpu obeys HEARTH_SIMD.
const Kernels& kernels();

/// Multiply-adds of f32 in registers, on this many threads. Reports the counter flops: how many one iteration makes.
void fma_peak(benchmark::State& state, int threads);

/// Walks again and again over arrays that have `bytes` bytes together, each thread over its part. Reports the counter bytes: how many
/// one iteration reads and writes.
void bandwidth(benchmark::State& state, const Walk& walk, double bytes, int threads);

}  // namespace bench
