// nn/state: what an object must remember to go on later: named tensors and named numbers. Optimisers give and take it, files keep it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "../backend/dyn.hpp"
#include "../core/reflect.hpp"

namespace hearth {

template <class B>
struct State {
  struct Tensor {
    std::string name;
    Dyn<B> value;
  };
  struct Value {
    std::string name;
    Scalar value;
  };
  std::vector<Tensor> tensors;
  std::vector<Value> values;
  std::string file = {};  ///< the path that it was read from, or empty

  void set(std::string_view name, Scalar value) { values.push_back({std::string(name), value}); }
  /// The number of that name; an error if there is none.
  template <class T>
  T get(std::string_view name) const {
    for (const Value& v : values)
      if (v.name == name) return v.value.template to<T>();
    return refuse("state", "there is no value \"" + std::string(name) + "\"");
  }
  /// Raises that something is wrong with it: the file's fault if it comes from one.
  Failure refuse(std::string_view op, const std::string& sentence) const {
    if (file.empty()) return fail(op, sentence);
    return fail(Error(ErrorKind::file, op, file + ": " + sentence));
  }
};

/// A plain aggregate of numbers (a Generator, a loader's state, your own counters) as a state, by its field names.
template <class B, class T>
State<B> state_of(const T& numbers) {
  State<B> state;
  reflect::each(numbers, [&](std::string_view name, const auto& field) { state.set(name, field); });
  return state;
}
/// And back. An error, and nothing is changed, if the state lacks a field.
template <class B, class T>
void restore(T& numbers, const State<B>& state) {
  T read = numbers;
  reflect::each(read, [&](std::string_view name, auto& field) { field = state.template get<std::remove_reference_t<decltype(field)>>(name); });
  if (!pending_error()) numbers = read;
}

}  // namespace hearth
