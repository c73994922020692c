// cpu/radix: sorting entries by unsigned keys, least significant digit first.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>

namespace hearth::cpu {

/// A key and the place where its element stood. Ordered by key, then place: no two entries are equal, so any sort is stable.
struct KeyedPlace {
  std::uint64_t key;
  std::int64_t place;
  friend bool operator<(const KeyedPlace& a, const KeyedPlace& b) { return a.key != b.key ? a.key < b.key : a.place < b.place; }
};
/// A 32-bit key above a 32-bit place, in one number.
using PackedPlace = std::uint64_t;

inline void set_entry(KeyedPlace& entry, std::uint64_t key, std::int64_t place) { entry = {key, place}; }
inline void set_entry(PackedPlace& entry, std::uint32_t key, std::int64_t place) { entry = std::uint64_t(key) << 32 | std::uint64_t(place); }
inline std::int64_t place_of(const KeyedPlace& entry) { return entry.place; }
inline std::int64_t place_of(PackedPlace entry) { return std::int64_t(entry & 0xffffffffu); }
inline std::uint64_t key_of_entry(const KeyedPlace& entry) { return entry.key; }
inline std::uint64_t key_of_entry(PackedPlace entry) { return entry >> 32; }

/// Below this many entries std::sort is as good.
inline constexpr std::int64_t radix_from = 1024;

/// Sorts entries that stand in the order of their places. `other` is as long; needed only from radix_from entries on.
/// Digits of 8 bits that are the same everywhere are left out.
template <class Entry>
void sort_entries(Entry* entries, Entry* other, std::int64_t count, int key_bytes) {
  if (count < radix_from) return std::sort(entries, entries + count);
  Entry* const home = entries;
  for (int byte = 0; byte < key_bytes; ++byte) {
    const auto digit = [=](const Entry& entry) { return key_of_entry(entry) >> (8 * byte) & 255u; };
    std::int64_t starts[256] = {};
    for (std::int64_t i = 0; i < count; ++i) ++starts[digit(entries[i])];
    if (std::find(starts, starts + 256, count) != starts + 256) continue;
    std::int64_t sum = 0;
    for (std::int64_t& start : starts) sum += std::exchange(start, sum);
    for (std::int64_t i = 0; i < count; ++i) other[starts[digit(entries[i])]++] = entries[i];
    std::swap(entries, other);
  }
  if (entries != home) std::copy_n(entries, count, home);
}

}  // namespace hearth::cpu
