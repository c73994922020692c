// op/philox: the random numbers of every backend. Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy
// as 1, 2, 3", 2011): a function of key and counter, so any element can be drawn by itself and in any order.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "../core/config.hpp"

namespace hearth {

/// Four random words for a 128-bit counter {counter, stream} under a 64-bit key.
constexpr std::array<std::uint32_t, 4> philox(std::uint64_t key, std::uint64_t counter, std::uint64_t stream = 0) {
  std::array<std::uint32_t, 4> c{std::uint32_t(counter), std::uint32_t(counter >> 32), std::uint32_t(stream), std::uint32_t(stream >> 32)};
  std::uint32_t k0 = std::uint32_t(key), k1 = std::uint32_t(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t(0xD2511F53u) * c[0], b = std::uint64_t(0xCD9E8D57u) * c[2];
    c = {std::uint32_t(b >> 32) ^ c[1] ^ k0, std::uint32_t(b), std::uint32_t(a >> 32) ^ c[3] ^ k1, std::uint32_t(a)};
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return c;
}

// What an element draws from its four words. f32 and narrower use one word (uniform) or two (normal); f64 uses two or four.

/// [0, 1) with 24 bits.
constexpr float uniform_float(std::uint32_t word) { return float(word >> 8) * 0x1p-24f; }
/// [0, 1) with 53 bits.
constexpr double uniform_double(std::uint32_t high, std::uint32_t low) {
  return double((std::uint64_t(high) << 32 | low) >> 11) * 0x1p-53;
}
namespace detail {
__extension__ typedef unsigned __int128 Wide;
}
/// An integer in [0, range) by the high half of a 64 x 64 bit product; the bias is below range / 2^64. range 0 means 2^64.
constexpr std::uint64_t uniform_integer(std::uint32_t high, std::uint32_t low, std::uint64_t range) {
  const std::uint64_t bits = std::uint64_t(high) << 32 | low;
  return range ? std::uint64_t((static_cast<detail::Wide>(bits) * range) >> 64) : bits;
}
// normal: Box and Muller (1958), cosine branch: sqrt(-2 log(1 - u)) cos(2 pi v), u and v uniform; u from word 0 (words 0, 1 in
// f64) and v from word 1 (words 2, 3 in f64). Computed in f32 for f32 and narrower, in f64 for f64.

}  // namespace hearth
