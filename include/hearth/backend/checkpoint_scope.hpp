// backend/checkpoint_scope: what a checkpointed function must find as it was when it is run again: the random numbers that it draws.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "../core/error.hpp"

namespace hearth {

/// The key of op::Random and the first counter of a range that nobody else gets.
struct Draw {
  std::uint64_t key = 0, offset = 0;
};

namespace detail {

/// Lives while a checkpointed function runs on this thread: the first time it notes the draws, later it gives them out again, in the
/// same order. Scopes nest as checkpoints do.
class CheckpointScope {
 public:
  CheckpointScope(std::vector<Draw>& draws, bool again) : draws_(draws), again_(again), outer_(current) { current = this; }
  CheckpointScope(const CheckpointScope&) = delete;
  CheckpointScope& operator=(const CheckpointScope&) = delete;
  ~CheckpointScope() { current = outer_; }

  /// Is some function being run again? What it does to the world outside has been done.
  static bool recomputing() {
    for (const CheckpointScope* scope = current; scope; scope = scope->outer_)
      if (scope->again_) return true;
    return false;
  }
  /// The next draw of this thread: `fresh()`, unless a function is being run again.
  template <class F>
  static Draw draw(F fresh) {
    CheckpointScope* end = current;
    while (end && !end->again_) end = end->outer_;
    if (end && end->next_ == end->draws_.size())
      return fail("checkpoint", "the function draws more random numbers than the first time", {}, "it must do the same both times");
    const Draw drawn = end ? end->draws_[end->next_++] : fresh();
    for (CheckpointScope* scope = current; scope != end; scope = scope->outer_) scope->draws_.push_back(drawn);
    return drawn;
  }

 private:
  static inline constinit thread_local CheckpointScope* current = nullptr;
  std::vector<Draw>& draws_;
  const bool again_;
  std::size_t next_ = 0;
  CheckpointScope* const outer_;
};

}  // namespace detail
}  // namespace hearth
