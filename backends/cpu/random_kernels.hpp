// cpu/random_kernels: Philox by vectors, and what is drawn from its words, for each target. Integers, words and uniforms are those of
// op/random.hpp to the last bit; normals come from vector functions and may differ from <cmath>'s in the last places.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

namespace hearth::cpu {

/// Elements that are drawn at once.
inline constexpr std::int64_t random_block = 1024;
/// The words of a block's elements, each with room for a vector more.
struct RandomWords {
  alignas(64) std::uint32_t word[4][random_block + 64];
};

struct RandomKernels {
  /// The first `words` (1, 2 or 4) words of `count` elements from `counter` on, count at most random_block.
  void (*words)(int words, std::uint64_t key, std::uint64_t counter, std::int64_t count, RandomWords& result);
  /// low + range u from word 0, and `below` where that reaches `high` (NaN: nowhere).
  void (*uniform)(const RandomWords& words, std::int64_t count, float low, float range, float high, float below, float* y);
  /// mean + deviation n; f32 from words 0 and 1, f64 from all.
  void (*normal_single)(const RandomWords& words, std::int64_t count, float mean, float deviation, float* y);
  void (*normal_double)(const RandomWords& words, std::int64_t count, double mean, double deviation, double* y);
  /// x / divisor where the uniform of word 0 is p or more, else 0. y may be x.
  void (*drop_single)(const RandomWords& words, std::int64_t count, float p, const float* x, float divisor, float* y);
  void (*drop_double)(const RandomWords& words, std::int64_t count, float p, const double* x, double divisor, double* y);
};
RandomKernels random_kernels();

}  // namespace hearth::cpu
