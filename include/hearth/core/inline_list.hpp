// core/inline_list: a short list with inline storage. Shapes, strides and axes are such lists, so a spec costs no heap.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <initializer_list>

#include "config.hpp"

namespace hearth {

namespace detail {
[[gnu::cold]] void list_is_full(int capacity);  // raises the error "a list of more than 8 sizes" (src/core/error.cpp)
}

/// At most `Max` values of a trivial type T, stored in place. A negative index counts from the end.
/// Without exceptions a call goes on after an error, with the shape of an empty array: then an index outside the list stays inside its storage.
template <class T, int Max>
class InlineList {
 public:
  using value_type = T;
  static constexpr int capacity = Max;

  constexpr InlineList() = default;
  constexpr InlineList(std::initializer_list<T> values) {
    for (T v : values) push(v);
  }
  /// n copies of value.
  static constexpr InlineList filled(int n, T value) {
    InlineList list;
    for (int i = 0; i < n; ++i) list.push(value);
    return list;
  }

  constexpr int size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr void push(T value) {
    if (size_ == Max) return detail::list_is_full(Max);
    values_[size_++] = value;
  }
  constexpr void insert(int at, T value) {
    if (size_ == Max) return detail::list_is_full(Max);
    for (int i = size_; i > at && i > 0; --i) values_[i] = values_[i - 1];
    values_[place(at)] = value;
    ++size_;
  }
  constexpr void erase(int at) {
    for (int i = at; i + 1 < size_; ++i) values_[i] = values_[i + 1];
    pop();
  }
  constexpr void pop() {
    if (size_ > 0) values_[--size_] = T{};
  }

  constexpr T& operator[](int i) { return values_[place(i < 0 ? i + size_ : i)]; }
  constexpr const T& operator[](int i) const { return values_[place(i < 0 ? i + size_ : i)]; }
  constexpr T* begin() { return values_; }
  constexpr T* end() { return values_ + size_; }
  constexpr const T* begin() const { return values_; }
  constexpr const T* end() const { return values_ + size_; }
  constexpr const T* data() const { return values_; }

  friend constexpr bool operator==(const InlineList& a, const InlineList& b) {
    if (a.size_ != b.size_) return false;
    for (int i = 0; i < a.size_; ++i)
      if (a.values_[i] != b.values_[i]) return false;
    return true;
  }

 private:
  static constexpr int place(int i) {
    if constexpr (HEARTH_EXCEPTIONS) return i;
    else return i >= 0 && i < Max ? i : Max - 1;
  }
  T values_[Max]{};
  int size_ = 0;
};

}  // namespace hearth
