// core/reflect: the fields of a plain aggregate and their names, without macros in the aggregate. Ops and modules share it.
// Limits: public fields, no base class, no C array, no user-written constructor, at most 32 fields.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

#include "config.hpp"

namespace hearth::reflect {

namespace detail {
/// Stands for any field and is never made. The body is for Clang, which misses it where T has no linkage.
struct AnyField {
  template <class T>
  operator T() const {
    __builtin_unreachable();
  }
};
template <class T, class... A>
concept BraceConstructible = requires { T{std::declval<A>()...}; };
template <class T, std::size_t... I>
consteval bool takes(std::index_sequence<I...>) {
  return BraceConstructible<T, decltype((void(I), AnyField{}))...>;
}
template <class T, std::size_t N = 0>
consteval std::size_t count_fields() {
  if constexpr (takes<T>(std::make_index_sequence<N + 1>{})) return count_fields<T, N + 1>();
  else return N;
}
}  // namespace detail

/// How many fields the aggregate T has.
template <class T>
inline constexpr std::size_t field_count = detail::count_fields<std::remove_cvref_t<T>>();

/// References to the fields of a value: get<I>(fields) is one of them. A std::tuple would do, at several times the compile time.
template <std::size_t I, class T>
struct Reference {
  T& field;
};
template <class Numbers, class... T>
struct References;
template <std::size_t... I, class... T>
struct References<std::index_sequence<I...>, T...> : Reference<I, T>... {};
template <std::size_t I, class T>
constexpr T& get(const Reference<I, T>& reference) {
  return reference.field;
}
template <class... T>
constexpr auto references(T&... fields) {
  return References<std::index_sequence_for<T...>, T...>{{fields}...};
}

/// References to all fields.
template <class T>
constexpr auto tie(T& value) {
  constexpr auto fields = field_count<T>;
  static_assert(fields <= 32, "hearth: a module or op may have at most 32 fields; group some of them in a struct");
  // clang-format off
  if constexpr (fields == 0) return references();
#define HEARTH_TIE(count, ...) else if constexpr (fields == count) { auto& [__VA_ARGS__] = value; return references(__VA_ARGS__); }
  HEARTH_TIE(1, a)
  HEARTH_TIE(2, a, b)
  HEARTH_TIE(3, a, b, c)
  HEARTH_TIE(4, a, b, c, d)
  HEARTH_TIE(5, a, b, c, d, e)
  HEARTH_TIE(6, a, b, c, d, e, f)
  HEARTH_TIE(7, a, b, c, d, e, f, g)
  HEARTH_TIE(8, a, b, c, d, e, f, g, h)
  HEARTH_TIE(9, a, b, c, d, e, f, g, h, i)
  HEARTH_TIE(10, a, b, c, d, e, f, g, h, i, j)
  HEARTH_TIE(11, a, b, c, d, e, f, g, h, i, j, k)
  HEARTH_TIE(12, a, b, c, d, e, f, g, h, i, j, k, l)
  HEARTH_TIE(13, a, b, c, d, e, f, g, h, i, j, k, l, m)
  HEARTH_TIE(14, a, b, c, d, e, f, g, h, i, j, k, l, m, n)
  HEARTH_TIE(15, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o)
  HEARTH_TIE(16, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)
  HEARTH_TIE(17, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q)
  HEARTH_TIE(18, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r)
  HEARTH_TIE(19, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s)
  HEARTH_TIE(20, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t)
  HEARTH_TIE(21, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u)
  HEARTH_TIE(22, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v)
  HEARTH_TIE(23, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w)
  HEARTH_TIE(24, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x)
  HEARTH_TIE(25, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y)
  HEARTH_TIE(26, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z)
  HEARTH_TIE(27, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa)
  HEARTH_TIE(28, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab)
  HEARTH_TIE(29, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac)
  HEARTH_TIE(30, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac, ad)
  HEARTH_TIE(31, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac, ad, ae)
  HEARTH_TIE(32, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac, ad, ae, af)
#undef HEARTH_TIE
  // clang-format on
}

#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#pragma clang diagnostic ignored "-Wundefined-internal"
#endif
namespace detail {
// An object that is never defined: only the addresses of its fields are named, and only at compile time.
template <class T>
struct Box {
  T value;
};
template <class T>
extern const Box<T> ghost;
template <class T>
struct Pointer {
  const T* p;
};
template <class T>
Pointer(const T*) -> Pointer<T>;

// The compiler spells the address of a field as `...value.NAME...` in the function's own name; NAME is its last word.
template <auto P>
consteval std::string_view last_word() {
  std::string_view s = __PRETTY_FUNCTION__;
  s = s.substr(s.find("P = "));
  s = s.substr(0, s.find(';'));
  s = s.substr(0, s.find_last_not_of(")}]") + 1);
  return s.substr(s.find_last_of(":.&>") + 1);
}
// The word alone, so that the long spelling around it does not end up in programs.
template <auto P>
inline constexpr auto kept_word = [] {
  constexpr std::string_view word = last_word<P>();
  std::array<char, word.size()> letters{};
  for (std::size_t i = 0; i < word.size(); ++i) letters[i] = word[i];
  return letters;
}();
template <auto P>
inline constexpr std::string_view kept_name{kept_word<P>.data(), kept_word<P>.size()};
}  // namespace detail

/// The name of field I of T, as written in its declaration.
template <class T, std::size_t I>
inline constexpr std::string_view field_name =
    detail::kept_name<detail::Pointer{&get<I>(tie(detail::ghost<std::remove_cv_t<T>>.value))}>;

/// f(name, field) for each field in order.
template <class T, class F>
constexpr void each(T& value, F&& f) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    [[maybe_unused]] auto fields = tie(value);
    (f(field_name<T, I>, get<I>(fields)), ...);
  }(std::make_index_sequence<field_count<T>>{});
}
#ifdef __clang__
#pragma clang diagnostic pop
#endif

}  // namespace hearth::reflect
