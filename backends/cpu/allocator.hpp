// cpu/allocator: cached memory. Freed blocks wait in a free list of their size, so that a steady program never asks the system.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hearth/cpu.hpp"

namespace hearth::cpu {

/// Uninitialised memory, 64-byte aligned and counted as live until its last owner goes. Null, and a device error raised, if there is none.
Ref<Buffer> allocate_buffer(std::size_t bytes);

MemoryStats memory_stats();
void trim_memory();
void set_memory_cap(std::size_t bytes);

/// The op that runs on this thread, for messages about memory.
std::string_view current_op();
void set_current_op(std::string_view name);

/// Temporary memory of `count` elements, 64-byte aligned and uninitialised, from the same free lists.
template <class T>
class Scratch {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  explicit Scratch(std::int64_t count) : buffer_(allocate_buffer(bytes(count))) {}
  T* data() const { return buffer_ ? reinterpret_cast<T*>(buffer_->data) : nullptr; }
  T& operator[](std::int64_t i) const { return data()[i]; }

 private:
  static std::size_t bytes(std::int64_t count) {
    std::size_t size = 0;
    return count < 0 || __builtin_mul_overflow(std::size_t(count), sizeof(T), &size) ? ~std::size_t(0) : size;
  }
  Ref<Buffer> buffer_;
};

}  // namespace hearth::cpu
