// op/random: what an element draws from the four words of its counter. Every backend on the host draws by these formulas, and
// those elsewhere by the same arithmetic, so that a seed means the same integers and uniforms everywhere.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>

#include "../core/scalar.hpp"
#include "codes.hpp"
#include "philox.hpp"

namespace hearth {

namespace detail {
/// The largest T below a finite x.
template <class T>
T next_below(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::nextafter(x, -std::numeric_limits<T>::infinity());
  } else {  // 16 bits: sign and magnitude, so the neighbour is one away in magnitude
    const bool zero = (x.bits & 0x7fffu) == 0, negative = (x.bits & 0x8000u) != 0;
    return T::from_bits(zero ? std::uint16_t(0x8001u) : std::uint16_t(negative ? x.bits + 1 : x.bits - 1));
  }
}
}  // namespace detail

/// [a, b): a + (b - a) u. Where rounding reaches b, the largest number below b; a where a and b are one number in T.
template <class T>
T draw_uniform(const std::array<std::uint32_t, 4>& words, const Scalar& a, const Scalar& b) {
  using V = Compute<T>;
  const V low = a.to<V>(), high = b.to<V>();
  V u;
  if constexpr (std::is_same_v<V, double>) u = uniform_double(words[0], words[1]);
  else u = uniform_float(words[0]);
  const T x = T(low + (high - low) * u);
  return V(x) >= V(T(high)) && V(T(low)) < V(T(high)) ? detail::next_below(T(high)) : x;
}

/// Mean a, standard deviation b, by Box and Muller.
template <class T>
T draw_normal(const std::array<std::uint32_t, 4>& words, const Scalar& a, const Scalar& b) {
  using V = Compute<T>;
  V u, v;
  if constexpr (std::is_same_v<V, double>) u = uniform_double(words[0], words[1]), v = uniform_double(words[2], words[3]);
  else u = uniform_float(words[0]), v = uniform_float(words[1]);
  const V normal = std::sqrt(V(-2) * std::log(1 - u)) * std::cos(V(6.283185307179586476925) * v);
  return T(a.to<V>() + b.to<V>() * normal);
}

/// [a, b) of any integer dtype.
template <class T>
T draw_integer(const std::array<std::uint32_t, 4>& words, const Scalar& a, const Scalar& b) {
  using V = std::conditional_t<std::is_same_v<T, std::uint64_t>, std::uint64_t, std::int64_t>;
  const std::uint64_t low = std::uint64_t(a.to<V>()), high = std::uint64_t(b.to<V>());
  return convert<T>(V(low + uniform_integer(words[0], words[1], high - low)));
}

/// As many low bits of words 0 (high) and 1 (low) as T has.
template <class T>
T draw_bits(const std::array<std::uint32_t, 4>& words) {
  const std::uint64_t bits = uniform_integer(words[0], words[1], 0);
  if constexpr (std::is_same_v<T, bool>) return (bits & 1u) != 0;
  else return T(bits);
}

/// One element of op::Random, whose infer has accepted T.
template <class T>
T draw(Distribution distribution, const std::array<std::uint32_t, 4>& words, const Scalar& a, const Scalar& b) {
  constexpr bool floating = is_float(dtype_of<T>);
  switch (distribution) {
    case Distribution::uniform:
      if constexpr (floating) return draw_uniform<T>(words, a, b);
      break;
    case Distribution::normal:
      if constexpr (floating) return draw_normal<T>(words, a, b);
      break;
    case Distribution::integer: return draw_integer<T>(words, a, b);
    case Distribution::bits:
      if constexpr (!floating) return draw_bits<T>(words);
      break;
  }
  return T{};
}

}  // namespace hearth
