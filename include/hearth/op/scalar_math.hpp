// op/scalar_math: the functions that the rows of the tables name, for plain numbers: float, double, bool and Integer<T>.
// Other value types (Dyn, Uses, vectors, kernel values) bring functions of the same names with them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "../core/config.hpp"

namespace hearth {

/// An integer as the numerics contract has it: arithmetic wraps, division by 0 gives 0, a shift past the width gives 0 or all signs.
template <std::integral T>
struct Integer {
  using Bits = std::make_unsigned_t<T>;
  // Wide enough that promotion to int cannot overflow: 16-bit factors are multiplied as 32-bit unsigned.
  using Wrap = std::conditional_t<(sizeof(T) < 4), std::uint32_t, Bits>;
  T value = 0;

  constexpr Integer() = default;
  constexpr Integer(T v) : value(v) {}
  template <class U>
    requires(std::is_arithmetic_v<U> && !std::is_same_v<U, T>)
  constexpr Integer(U v) : value(T(v)) {}
  constexpr explicit operator T() const { return value; }

  static constexpr T wrap(Wrap w) { return T(Bits(w)); }
  friend constexpr Integer operator+(Integer a, Integer b) { return wrap(Wrap(a.value) + Wrap(b.value)); }
  friend constexpr Integer operator-(Integer a, Integer b) { return wrap(Wrap(a.value) - Wrap(b.value)); }
  friend constexpr Integer operator*(Integer a, Integer b) { return wrap(Wrap(a.value) * Wrap(b.value)); }
  friend constexpr Integer operator-(Integer a) { return wrap(Wrap(0) - Wrap(a.value)); }
  friend constexpr Integer operator/(Integer a, Integer b) {
    if (b.value == 0) return T(0);
    if constexpr (std::is_signed_v<T>)
      if (b.value == T(-1)) return -a;
    return T(a.value / b.value);
  }
  friend constexpr Integer fmod(Integer a, Integer b) {
    if (b.value == 0) return T(0);
    if constexpr (std::is_signed_v<T>)
      if (b.value == T(-1)) return T(0);
    return T(a.value % b.value);
  }
  friend constexpr Integer floor_divide(Integer a, Integer b) {
    const Integer quotient = a / b;
    if constexpr (std::is_signed_v<T>)
      if (fmod(a, b).value != 0 && (a.value < 0) != (b.value < 0)) return quotient - Integer(T(1));
    return quotient;
  }
  friend constexpr Integer remainder(Integer a, Integer b) {
    const Integer rest = fmod(a, b);
    if constexpr (std::is_signed_v<T>)
      if (rest.value != 0 && (rest.value < 0) != (b.value < 0)) return rest + b;
    return rest;
  }
  /// By squaring, wrapping. A negative exponent gives the truncated reciprocal: 0 but for the bases 1 and -1 (0 for base 0).
  friend constexpr Integer pow(Integer a, Integer b) {
    if constexpr (std::is_signed_v<T>)
      if (b.value < 0) {
        if (a.value == T(1)) return T(1);
        if (a.value == T(-1)) return b.value % 2 ? T(-1) : T(1);
        return T(0);
      }
    Integer result = T(1);
    for (Bits e = Bits(b.value); e; e = Bits(e >> 1)) {
      if (e & 1) result = result * a;
      a = a * a;
    }
    return result;
  }
  friend constexpr Integer operator&(Integer a, Integer b) { return T(a.value & b.value); }
  friend constexpr Integer operator|(Integer a, Integer b) { return T(a.value | b.value); }
  friend constexpr Integer operator^(Integer a, Integer b) { return T(a.value ^ b.value); }
  friend constexpr Integer operator~(Integer a) { return T(~a.value); }
  friend constexpr Integer shift_left(Integer a, Integer b) {
    if (b.value < T(0) || std::uint64_t(b.value) >= sizeof(T) * 8) return T(0);
    return wrap(Wrap(Wrap(a.value) << b.value));
  }
  friend constexpr Integer shift_right(Integer a, Integer b) {
    if (b.value < T(0) || std::uint64_t(b.value) >= sizeof(T) * 8) return a.value < T(0) ? T(-1) : T(0);
    return T(a.value >> b.value);
  }
  friend constexpr bool operator==(Integer a, Integer b) { return a.value == b.value; }
  friend constexpr auto operator<=>(Integer a, Integer b) { return a.value <=> b.value; }
  friend constexpr Integer max(Integer a, Integer b) { return a < b ? b : a; }
  friend constexpr Integer min(Integer a, Integer b) { return b < a ? b : a; }
  friend constexpr Integer abs(Integer a) { return a.value < T(0) ? -a : a; }
  friend constexpr Integer sign(Integer a) { return T((a.value > T(0)) - (a.value < T(0))); }
};

/// The type that a formula sees for elements computed in T.
template <class T>
struct FormulaType {
  using type = T;
};
template <class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
struct FormulaType<T> {
  using type = Integer<T>;
};

/// Functions that <cmath> lacks, or has in a form that will not do (src/op/special.cpp).
/// log |gamma(x)|, without the sign that std::lgamma writes to a variable that all threads share.
double log_gamma(double x);
double digamma(double x);
double erfinv(double x);
double hurwitz_zeta(double s, double q);

/// What the formulas of the tables see when they are evaluated on plain numbers: `using namespace scalar` inside, never outside.
namespace scalar {

using std::acos, std::acosh, std::asin, std::asinh, std::atan, std::atan2, std::atanh, std::cbrt, std::ceil, std::copysign, std::cos,
    std::cosh, std::erf, std::erfc, std::exp, std::exp2, std::expm1, std::floor, std::fmod, std::hypot, std::log, std::log10,
    std::log1p, std::log2, std::pow, std::sin, std::sinh, std::sqrt, std::tan, std::tanh, std::trunc;

template <class T>
concept Real = std::is_floating_point_v<T>;

template <Real T>
T abs(T x) {
  return std::fabs(x);
}
/// NaN from either side wins.
template <Real T, class U>
T max(T a, U b) {
  const T c = T(b);
  return a != a || a > c ? a : c;
}
template <Real T, class U>
T min(T a, U b) {
  const T c = T(b);
  return a != a || a < c ? a : c;
}
inline bool max(bool a, bool b) { return a || b; }
inline bool min(bool a, bool b) { return a && b; }
template <Real T>
T sign(T x) {
  return x != x ? x : T((x > 0) - (x < 0));
}
/// Half to even, in the rounding mode that a program begins with.
template <Real T>
T round(T x) {
  return std::nearbyint(x);
}
/// The floor of the quotient before it is rounded: 1 / 0.1 is a little below 10, but its nearest number is not.
template <Real T>
T floor_divide(T a, T b) {
  if constexpr (sizeof(T) < sizeof(double)) {
    return T(std::floor(double(a) / double(b)));  // so many digits that rounding up to a whole number cannot happen
  } else {
    const T whole = std::floor(a / b), rest = std::fma(-whole, b, a);  // rest has the right sign, however small it is
    return (b > 0 ? rest < 0 : rest > 0) ? whole - 1 : whole;
  }
}
template <Real T>
T remainder(T a, T b) {
  const T rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
template <Real T>
T logaddexp(T a, T b) {
  if (a == b) return a + T(0.693147180559945309417);  // also for equal infinities
  return max(a, b) + std::log1p(std::exp(-std::fabs(a - b)));
}
template <Real T>
T xlogy(T a, T b) {
  return a == 0 && b == b ? T(0) : a * std::log(b);
}
template <Real T>
T lgamma(T x) {
  return T(log_gamma(double(x)));
}
template <Real T>
T digamma(T x) {
  return T(hearth::digamma(double(x)));
}
template <Real T>
T erfinv(T x) {
  return T(hearth::erfinv(double(x)));
}
template <Real T>
T zeta(T s, T q) {
  return T(hurwitz_zeta(double(s), double(q)));
}
template <class T>
inline constexpr bool is_plain = std::is_arithmetic_v<T>;
template <class T>
inline constexpr bool is_plain<Integer<T>> = true;
/// The branch-free choice that every value type has.
template <class T, class U>
  requires(is_plain<T> && is_plain<U>)
auto when(bool condition, T then, U otherwise) {
  using R = std::conditional_t<std::is_arithmetic_v<T> && !std::is_arithmetic_v<U>, U, std::conditional_t<std::is_integral_v<T>, U, T>>;
  return condition ? R(then) : R(otherwise);
}

template <class T>
constexpr T lowest() {
  if constexpr (std::numeric_limits<T>::has_infinity) return -std::numeric_limits<T>::infinity();
  else return std::numeric_limits<T>::lowest();
}
template <class T>
constexpr T highest() {
  if constexpr (std::numeric_limits<T>::has_infinity) return std::numeric_limits<T>::infinity();
  else return std::numeric_limits<T>::max();
}

}  // namespace scalar
}  // namespace hearth
