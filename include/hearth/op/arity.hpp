// op/arity: how many operands and results an op has. It says so itself: `inputs`, `outputs`, and `optional` as a mask.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "../core/config.hpp"

namespace hearth {

/// A number of operands or results that is known only at run time.
inline constexpr int many = -1;

namespace detail {
template <int N, class T>
struct ListOf {
  using type = std::array<T, std::size_t(N)>;
};
template <class T>
struct ListOf<many, T> {
  using type = std::vector<T>;
};
}  // namespace detail

/// The operands of an op as T: an array as long as the op says, a vector where it says `many`.
template <class Op, class T>
using Operands = typename detail::ListOf<Op::inputs, T>::type;
template <class Op, class T>
using Results = typename detail::ListOf<Op::outputs, T>::type;

/// Bit i: operand i may be absent (a null handle in its place).
template <class Op>
inline constexpr unsigned optional_mask = 0;
template <class Op>
  requires requires { Op::optional; }
inline constexpr unsigned optional_mask<Op> = Op::optional;
/// May operand `position` be absent? Lists may be longer than the mask: what lies behind it must be there.
template <class Op>
constexpr bool may_be_absent(std::size_t position) {
  return position < 32 && (optional_mask<Op> >> position & 1u) != 0;
}

/// f over an array gives an array, over a vector a vector.
template <class List, class F>
constexpr auto map_list(List&& list, F&& f) {
  using Value = decltype(f(list[0]));
  if constexpr (requires(std::remove_cvref_t<List> copy) { copy.push_back(copy[0]); }) {
    std::vector<Value> result;
    result.reserve(list.size());
    for (auto& v : list) result.push_back(f(v));
    return result;
  } else {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::array<Value, sizeof...(I)>{f(list[I])...};
    }(std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<List>>>{});
  }
}

}  // namespace hearth
