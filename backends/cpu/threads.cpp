// cpu/threads: the arenas. One per number of threads that was ever set; the current one serves all loops of the process.
// SPDX-License-Identifier: Apache-2.0
#include "threads.hpp"

#include <tbb/blocked_range.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

#include "allocator.hpp"
#include "hearth/core/error.hpp"

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#include <sanitizer/tsan_interface.h>
#define __SANITIZE_THREAD__ 1
#endif
#endif

namespace hearth::cpu {

namespace {

struct Arenas {
  std::mutex mutex;
  std::map<int, tbb::task_arena> made;  // kept, since another thread may be inside one that is no longer current
  std::atomic<tbb::task_arena*> current{nullptr};
  std::atomic<int> count{0};

  Arenas() { set(tbb::info::default_concurrency()); }
  void set(int threads) {
    const std::lock_guard lock(mutex);
    // oneTBB has no more workers than the machine has processors, and says so aloud if asked for more.
    const int slots = std::min(threads, tbb::info::default_concurrency());
    current = slots > 1 ? &made.try_emplace(slots, slots).first->second : nullptr;
    count = threads;
  }
};
/// Never destroyed: worker threads may still be about when static objects die.
Arenas& arenas() {
  static Arenas* const instance = new Arenas;
  return *instance;
}

/// oneTBB makes the start of a loop happen before its ranges, and these before its end. Debian's is built without ThreadSanitizer, which
/// must be told.
#ifdef __SANITIZE_THREAD__
void happens_before(void* place) { __tsan_release(place); }
void happens_after(void* place) { __tsan_acquire(place); }
#else
void happens_before(void*) {}
void happens_after(void*) {}
#endif

}  // namespace

void set_threads(int count) {
  if (count < 1) return (void)fail("set_threads", "the number of threads must be 1 or more, not " + std::to_string(count));
  arenas().set(count);
}

int threads() { return arenas().count; }

namespace detail {

void parallel_for(std::int64_t count, std::int64_t grain, Range range, const void* function) {
  tbb::task_arena* arena = arenas().current;
  if (!arena) return range(function, 0, count);
  grain = std::max<std::int64_t>(grain, 1);
  const std::int64_t grains = (count - 1) / grain + 1;
  const std::string_view op = current_op();
  char begun = 0, ended = 0;  // places that only ThreadSanitizer hears of
  happens_before(&begun);
  arena->execute([&] {
    tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, grains), [&](const tbb::blocked_range<std::int64_t>& part) {
      happens_after(&begun);
      set_current_op(op);  // on whichever thread this is, for messages about memory
      range(function, part.begin() * grain, std::min(count, part.end() * grain));
      happens_before(&ended);
    });
  });
  happens_after(&ended);
  set_current_op(op);  // while it waited, this thread may have run ranges of another op
}

}  // namespace detail
}  // namespace hearth::cpu
