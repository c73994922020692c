// core/ref: the one counted pointer. Intrusive and without weak references, so unique() is exact: an owner that sees 1 is alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <type_traits>
#include <utility>

#include "config.hpp"

namespace hearth {

/// Base of everything that a Ref owns.
class Counted {
 public:
  Counted() = default;
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  virtual ~Counted() = default;

 private:
  template <class T>
  friend class Ref;
  friend void release(const Counted* object) noexcept;
  mutable std::atomic<int> owners_{0};
};

/// Gives up one ownership and destroys the object if it was the last. Compiled once, in src/core/ref.cpp.
void release(const Counted* object) noexcept;

template <class T>
class Ref {
 public:
  Ref() = default;
  explicit Ref(T* object) noexcept : object_(object) { acquire(); }
  Ref(const Ref& other) noexcept : object_(other.object_) { acquire(); }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <class U>
    requires(!std::is_same_v<T, U> && std::is_convertible_v<U*, T*>)
  Ref(Ref<U> other) noexcept : object_(other.detach()) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_) release(object_);
  }

  T* get() const noexcept { return object_; }
  T* operator->() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  /// Is this the only owner? Then nobody else can become one meanwhile.
  bool unique() const noexcept { return object_ && object_->owners_.load(std::memory_order_acquire) == 1; }
  /// Gives the pointer away with its ownership.
  T* detach() noexcept { return std::exchange(object_, nullptr); }

  friend bool operator==(const Ref& a, const Ref& b) { return a.object_ == b.object_; }

 private:
  void acquire() noexcept {
    if (object_) object_->owners_.fetch_add(1, std::memory_order_relaxed);
  }
  T* object_ = nullptr;
};

template <class T, class... A>
Ref<T> make_ref(A&&... arguments) {
  return Ref<T>(new T(std::forward<A>(arguments)...));
}

}  // namespace hearth
