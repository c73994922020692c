// core/enum_names: the enumerators of an enum and their names, without a list beside the enum. Compiled where text is made or
// read, not in every user's file. Limits: enumerators count from 0 without gaps, at most 256.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "config.hpp"

namespace hearth::reflect {

namespace detail {
// The compiler spells an enumerator as `...V = hearth::Side::left` in the function's own name, and a value without one as a cast:
// `(hearth::Side)7`. Other parentheses belong to namespaces without a name, and `::` follows them.
template <auto V>
consteval std::string_view enumerator() {
  std::string_view s = __PRETTY_FUNCTION__;
  s = s.substr(s.find("V = ") + 4);
  s = s.substr(0, s.find_first_of(";]"));
  const std::size_t parenthesis = s.find_last_of(')');
  if (parenthesis != s.npos && s[parenthesis + 1] != ':') return {};
  return s.substr(s.find_last_of(':') + 1);
}
template <class E, std::size_t N = 0>
consteval std::size_t count_enumerators() {
  if constexpr (enumerator<static_cast<E>(N)>().empty()) return N;
  else return count_enumerators<E, N + 1>();
}
// The word alone, so that the long spelling around it does not end up in programs.
template <auto V>
inline constexpr auto kept_enumerator = [] {
  constexpr std::string_view word = enumerator<V>();
  std::array<char, word.size()> letters{};
  for (std::size_t i = 0; i < word.size(); ++i) letters[i] = word[i];
  return letters;
}();
template <class E, std::size_t... I>
consteval auto all_names(std::index_sequence<I...>) {
  return std::array<std::string_view, sizeof...(I)>{
      std::string_view{kept_enumerator<static_cast<E>(I)>.data(), kept_enumerator<static_cast<E>(I)>.size()}...};
}
}  // namespace detail

/// The names of E's enumerators, in order.
template <class E>
  requires std::is_enum_v<E>
inline constexpr auto enum_names = detail::all_names<E>(std::make_index_sequence<detail::count_enumerators<E>()>{});

/// "left"; empty for a value that no enumerator has.
template <class E>
constexpr std::string_view enum_name(E value) {
  const std::size_t i = std::size_t(value);
  return i < enum_names<E>.size() ? enum_names<E>[i] : std::string_view{};
}
/// The enumerator of that name, if there is one.
template <class E>
constexpr std::optional<E> enum_named(std::string_view name) {
  for (std::size_t i = 0; i < enum_names<E>.size(); ++i)
    if (enum_names<E>[i] == name) return static_cast<E>(i);
  return {};
}

}  // namespace hearth::reflect
