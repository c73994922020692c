// cpu/allocator: size classes, a small cache per thread, one shared cache, and the counters.
// A block of a buffer begins with 64 bytes that hold the Buffer itself, so an array costs two trips to a free list and no more.
// SPDX-License-Identifier: Apache-2.0
#include "allocator.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#define HEARTH_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEARTH_ADDRESS_SANITIZER 1
#endif
#endif
#ifdef HEARTH_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

namespace hearth::cpu {

namespace {

constexpr std::size_t line = 64, small_limit = 4096, huge_limit = std::size_t(1) << 46;
constexpr int small_classes = int(small_limit / line) + 1, classes = small_classes + (46 - 12) * 8 + 1;

/// Up to 4 KiB a class holds multiples of 64 bytes; above, each doubling is cut in 8, so at most an eighth is lost.
int class_of(std::size_t size) {
  if (size <= small_limit) return int((size + line - 1) / line);
  const int power = std::bit_width(size - 1) - 1;  // 2^power < size <= 2^(power + 1)
  const std::size_t step = std::size_t(1) << (power - 3);
  return small_classes - 1 + (power - 12) * 8 + int((size - (std::size_t(1) << power) + step - 1) / step);
}
std::size_t size_of_class(int index) {
  if (index < small_classes) return std::size_t(index) * line;
  const int power = 12 + (index - small_classes) / 8, eighths = (index - small_classes) % 8 + 1;
  return (std::size_t(1) << power) + (std::size_t(eighths) << (power - 3));
}

/// A free block: the first bytes link it to the next one.
struct Free {
  Free* next;
};

// A use of freed memory would go unseen inside a cache; the sanitizer is told.
void hide([[maybe_unused]] void* block, [[maybe_unused]] std::size_t size) {
#ifdef HEARTH_ADDRESS_SANITIZER
  __asan_poison_memory_region(static_cast<char*>(block) + sizeof(Free), size - sizeof(Free));
#endif
}
void show([[maybe_unused]] void* block, [[maybe_unused]] std::size_t size) {
#ifdef HEARTH_ADDRESS_SANITIZER
  __asan_unpoison_memory_region(block, size);
#endif
}

struct Local;
struct Shared {
  std::mutex mutex;
  Free* free[classes] = {};
  std::size_t cached = 0;
  Local* threads = nullptr;            // those whose counts are not all in `live`
  std::atomic<std::int64_t> live{0};   // what the threads have counted in
  std::atomic<std::size_t> peak{0}, reserved{0}, cap{0};

  void put(int index, Free* block) {
    block->next = free[index];
    free[index] = block;
    cached += size_of_class(index);
  }
  Free* take(int index) {
    Free* block = free[index];
    if (!block) return nullptr;
    free[index] = block->next;
    cached -= size_of_class(index);
    return block;
  }
  void trim() {
    for (int i = 0; i < classes; ++i)
      while (Free* block = take(i)) {
        show(block, size_of_class(i));
        reserved.fetch_sub(size_of_class(i), std::memory_order_relaxed);
        std::free(block);
      }
  }
};
/// Never destroyed: arrays may outlive every static object.
Shared& shared() {
  static Shared* const instance = new Shared;
  return *instance;
}

/// Small blocks of one thread, and the live bytes that it has not counted in yet: only this thread writes them, so that a small
/// array costs no operation that other processors wait for. Plain data, so that it may be used while the thread's other objects die;
/// `closed` from then on.
struct Local {
  Free* free[small_classes];
  int count[small_classes];
  bool guarded, closed;
  std::atomic<std::int64_t> live, high;  ///< `high`: the most that `live` was since it was counted in
  Local* next;
};
thread_local constinit Local local{};
/// What a class keeps per thread.
constexpr int local_limit(int index) { return 256 / index; }

void flush_local(int index, int keep) {
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  for (; local.count[index] > keep; --local.count[index]) {
    Free* block = local.free[index];
    local.free[index] = block->next;
    all.put(index, block);
  }
}
/// Counts in what this thread has held back, and `bytes` more.
void settle(std::int64_t bytes) {
  Shared& all = shared();
  const std::int64_t held = local.live.load(std::memory_order_relaxed) + bytes, high = std::max(local.high.load(std::memory_order_relaxed), held);
  const std::size_t now = std::size_t(std::max<std::int64_t>(0, all.live.fetch_add(held, std::memory_order_relaxed) + high));
  local.live.store(0, std::memory_order_relaxed);
  local.high.store(0, std::memory_order_relaxed);
  std::size_t peak = all.peak.load(std::memory_order_relaxed);
  while (now > peak && !all.peak.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
  }
}

struct LocalGuard {
  LocalGuard() {
    Shared& all = shared();
    const std::lock_guard lock(all.mutex);
    local.next = all.threads;
    all.threads = &local;
  }
  ~LocalGuard() {
    local.closed = true;
    for (int i = 1; i < small_classes; ++i) flush_local(i, 0);
    settle(0);
    Shared& all = shared();
    const std::lock_guard lock(all.mutex);
    for (Local** at = &all.threads; *at; at = &(*at)->next)
      if (*at == &local) {
        *at = local.next;
        break;
      }
  }
};
[[gnu::noinline]] void guard_local() {
  local.guarded = true;
  thread_local LocalGuard guard;
}

/// Bytes that a thread may hold back. On one thread peaks are exact nevertheless; each thread more adds so much doubt.
constexpr std::int64_t most_held = std::int64_t(1) << 16;

void count_live(std::int64_t bytes) {
  if (!local.guarded) guard_local();
  const std::int64_t held = local.live.load(std::memory_order_relaxed) + bytes;
  if (local.closed || bytes > std::int64_t(small_limit) || -bytes > std::int64_t(small_limit) || held > most_held || -held > most_held) return settle(bytes);
  local.live.store(held, std::memory_order_relaxed);
  if (held > local.high.load(std::memory_order_relaxed)) local.high.store(held, std::memory_order_relaxed);
}

MemoryStats counted() {
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  std::int64_t live = all.live.load(), high = live;
  for (const Local* thread = all.threads; thread; thread = thread->next) {
    live += thread->live.load(std::memory_order_relaxed);
    high += thread->high.load(std::memory_order_relaxed);
  }
  return {std::size_t(std::max<std::int64_t>(live, 0)), all.reserved.load(), std::max(all.peak.load(), std::size_t(std::max<std::int64_t>(high, 0)))};
}

Free* from_system(int index) {
  Shared& all = shared();
  const std::size_t size = size_of_class(index);
  const auto fits = [&] {
    const std::size_t cap = all.cap.load(std::memory_order_relaxed);
    return cap == 0 || all.reserved.load(std::memory_order_relaxed) + size <= cap;
  };
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (attempt > 0)
      for (int i = 1; i < small_classes; ++i) flush_local(i, 0);
    {
      // Sizes that change from step to step would fill the cache with blocks that nobody asks for again: bound it by the peak.
      const std::lock_guard lock(all.mutex);
      if (attempt > 0 || all.cached > all.peak.load(std::memory_order_relaxed) + (std::size_t(64) << 20)) all.trim();
    }
    if (!fits()) continue;
    if (void* memory = std::aligned_alloc(line, size)) {
      all.reserved.fetch_add(size, std::memory_order_relaxed);
      return static_cast<Free*>(memory);
    }
  }
  return nullptr;
}

/// A block of class `index`, or null.
void* take_block(int index) {
  Free* block = nullptr;
  if (index < small_classes && local.free[index]) {
    block = local.free[index];
    local.free[index] = block->next;
    --local.count[index];
  } else {
    Shared& all = shared();
    const std::lock_guard lock(all.mutex);
    block = all.take(index);
  }
  if (!block) return from_system(index);
  show(block, size_of_class(index));
  return block;
}

void give_block(int index, void* memory) {
  Free* block = static_cast<Free*>(memory);
  hide(block, size_of_class(index));
  if (index < small_classes && !local.closed) {
    if (!local.guarded) guard_local();
    block->next = local.free[index];
    local.free[index] = block;
    if (++local.count[index] > local_limit(index)) flush_local(index, local_limit(index) / 2);
    return;
  }
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  all.put(index, block);
}

/// Lies in the first 64 bytes of its block; the last 8 of them hold the class, for use when the object is gone.
struct Owned final : Buffer {
  using Buffer::Buffer;
  ~Owned() override { count_live(-std::int64_t(size)); }
  static void* operator new(std::size_t, void* block) { return block; }
  static void operator delete(void*, void*) {}
  static void operator delete(void* block) noexcept { give_block(*class_in(block), block); }
  static int* class_in(void* block) { return reinterpret_cast<int*>(static_cast<std::byte*>(block) + line - sizeof(std::size_t)); }
};
static_assert(sizeof(Owned) <= line - sizeof(std::size_t));

thread_local std::string_view running_op;

}  // namespace

std::string_view current_op() { return running_op; }
void set_current_op(std::string_view name) { running_op = name; }

Ref<Buffer> allocate_buffer(std::size_t bytes) {
  void* block = nullptr;
  if (bytes <= huge_limit - line) {
    const int index = class_of(bytes + line);
    block = take_block(index);
    if (block) *Owned::class_in(block) = index;
  }
  if (!block) {
    const std::size_t cap = shared().cap.load();
    std::string text = "cannot allocate " + (bytes == ~std::size_t(0) ? "2^64 bytes or more" : std::to_string(bytes) + " bytes") + ": " +
                       std::to_string(counted().live) + " are live";
    if (cap) text += ", the cap is " + std::to_string(cap);
    return fail(Error(ErrorKind::device, running_op.empty() ? "memory" : running_op, std::move(text)));
  }
  count_live(std::int64_t(bytes));
  return Ref<Buffer>(new (block) Owned(static_cast<std::byte*>(block) + line, bytes));
}

MemoryStats memory_stats() { return counted(); }

void trim_memory() {
  for (int i = 1; i < small_classes; ++i) flush_local(i, 0);
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  all.trim();
}

void set_memory_cap(std::size_t bytes) { shared().cap.store(bytes); }

void* Array::operator new(std::size_t size) noexcept(!HEARTH_EXCEPTIONS) {
  void* block = take_block(class_of(size));
  if (!block) (void)fail(Error(ErrorKind::device, "memory", "cannot allocate the " + std::to_string(size) + " bytes of an array's description"));
  return block;
}
void Array::operator delete(void* memory) noexcept { give_block(class_of(sizeof(Array)), memory); }

}  // namespace hearth::cpu
