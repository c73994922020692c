// tests/host_memory: what a test program takes from the host's heap, the library's share included. For one source file of a program.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace hearth::test {
inline std::atomic<std::int64_t> host_blocks{0};      // alive
inline std::atomic<std::size_t> largest_host_block{0};  // bytes, asked for since it was set to 0
}  // namespace hearth::test

// Never inlined: GCC would see memory of `new` end in free, and warn.
[[gnu::noinline]] void* operator new(std::size_t size) {
  void* block = std::malloc(size == 0 ? 1 : size);
  if (!block) throw std::bad_alloc();
  ++hearth::test::host_blocks;
  if (size > hearth::test::largest_host_block) hearth::test::largest_host_block = size;
  return block;
}
[[gnu::noinline]] void operator delete(void* block) noexcept {
  if (!block) return;
  --hearth::test::host_blocks;
  std::free(block);
}
[[gnu::noinline]] void operator delete(void* block, std::size_t) noexcept { operator delete(block); }
