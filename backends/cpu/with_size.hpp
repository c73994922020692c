// cpu/with_size: what only moves elements is compiled per size of an element, not per dtype.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

namespace hearth::cpu {

/// f(a zero of the integer type that is as wide as an element of `size` bytes: 1, 2, 4 or 8)
template <class F>
void with_size(std::size_t size, F&& f) {
  switch (size) {
    case 1: return f(std::uint8_t{});
    case 2: return f(std::uint16_t{});
    case 4: return f(std::uint32_t{});
    default: return f(std::uint64_t{});
  }
}

}  // namespace hearth::cpu
