// data/loader: the order of an epoch, and the threads that make its batches ahead.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/data/loader.hpp"

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <numeric>
#include <system_error>
#include <thread>

#include "hearth/op/philox.hpp"

namespace hearth {

std::vector<std::int64_t> epoch_order(std::int64_t size, bool shuffle, std::uint64_t seed, std::int64_t epoch) {
  std::vector<std::int64_t> order(std::size_t(std::max<std::int64_t>(size, 0)));
  std::iota(order.begin(), order.end(), std::int64_t(0));
  if (!shuffle) return order;
  for (std::size_t i = order.size(); i > 1; --i) {
    const auto words = philox(seed, i, std::uint64_t(epoch));
    std::swap(order[i - 1], order[std::size_t(uniform_integer(words[0], words[1], i))]);
  }
  return order;
}

namespace detail {

namespace {
struct Slot {
  Ref<Counted> batch;
  std::exception_ptr error;
  bool done = false;
};
}  // namespace

struct Prefetcher::State {
  const BatchMaker* maker;
  std::int64_t count, given;    // the next batch to give out
  std::int64_t taken;           // the next batch that a worker takes up
  std::size_t ahead;            // how many may be under way or waiting
  std::deque<Slot> slots;       // batches given .. taken - 1
  bool stopping = false;
  std::mutex mutex;
  std::condition_variable ready, room;
  std::vector<std::thread> workers;

  void work() {
    std::unique_lock lock(mutex);
    for (;;) {
      room.wait(lock, [&] { return stopping || taken >= count || slots.size() < ahead; });
      if (stopping || taken >= count) return;
      const std::int64_t index = taken++;
      slots.emplace_back();
      lock.unlock();
      Slot slot;
#if HEARTH_EXCEPTIONS
      try {
        slot.batch = maker->make(index);
      } catch (...) {
        slot.error = std::current_exception();
      }
#else
      slot.batch = maker->make(index);
#endif
      slot.done = true;
      lock.lock();
      if (stopping) return;
      slots[std::size_t(index - given)] = std::move(slot);
      ready.notify_all();
    }
  }
};

Prefetcher::Prefetcher(const BatchMaker& maker, std::int64_t first, std::int64_t count, int workers, int prefetch) : state_(new State) {
  state_->maker = &maker;
  state_->count = count;
  state_->given = state_->taken = first;
  state_->ahead = std::size_t(workers) * std::size_t(std::max(prefetch, 1));
  const auto useful = std::min<std::int64_t>(workers, count - first);  // more than there are batches would have nothing to do
#if HEARTH_EXCEPTIONS
  try {
    for (std::int64_t i = 0; i < useful; ++i) state_->workers.emplace_back([state = state_] { state->work(); });
  } catch (const std::system_error& error) {
    if (!state_->workers.empty()) return;  // those that the system gave do the work
    delete state_;
    (void)fail(Error(ErrorKind::device, "loader", std::string("the system gives no thread for a worker: ") + error.what()));
  }
#else
  for (std::int64_t i = 0; i < useful; ++i) state_->workers.emplace_back([state = state_] { state->work(); });
#endif
}

Prefetcher::~Prefetcher() {
  {
    std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->room.notify_all();
  for (std::thread& worker : state_->workers) worker.join();
  delete state_;
}

Ref<Counted> Prefetcher::next() {
  if (state_->given >= state_->count) return {};
  if (state_->workers.empty()) return state_->maker->make(state_->given++);
  std::unique_lock lock(state_->mutex);
  state_->ready.wait(lock, [&] { return !state_->slots.empty() && state_->slots.front().done; });
  Slot slot = std::move(state_->slots.front());
  state_->slots.pop_front();
  ++state_->given;
  lock.unlock();
  state_->room.notify_all();
  if (slot.error) std::rethrow_exception(slot.error);
  return std::move(slot.batch);
}

}  // namespace detail
}  // namespace hearth
