// op/formula: the rows' formulas over any value type. value() computes, gradient() differentiates, and Uses finds out what a
// gradient reads, so that nobody declares it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "codes.hpp"
#include "scalar_math.hpp"

namespace hearth {

/// Which kinds a row accepts.
constexpr Kinds kinds_of(UnaryCode code) {
  using namespace kinds;
  switch (code) {
#define HEARTH_UNARY(name, kinds, ...) \
  case UnaryCode::name: return kinds;
#include "unary.def"
#undef HEARTH_UNARY
  }
  __builtin_unreachable();
}
constexpr Kinds kinds_of(BinaryCode code) {
  using namespace kinds;
  switch (code) {
#define HEARTH_BINARY(name, kinds, ...) \
  case BinaryCode::name: return kinds;
#include "binary.def"
#undef HEARTH_BINARY
  }
  __builtin_unreachable();
}
constexpr Kinds kinds_of(ReduceCode code) {
  using namespace kinds;
  switch (code) {
#define HEARTH_REDUCE(name, kinds, ...) \
  case ReduceCode::name: return kinds;
#include "reduce.def"
#undef HEARTH_REDUCE
  }
  __builtin_unreachable();
}
constexpr Kinds kinds_of(ScanCode code) {
  using namespace kinds;
  switch (code) {
#define HEARTH_SCAN(name, kinds, ...) \
  case ScanCode::name: return kinds;
#include "scan.def"
#undef HEARTH_SCAN
  }
  __builtin_unreachable();
}

namespace detail {
constexpr Dtype same(Dtype d) { return d; }
/// The kind of a value type, to leave out the rows that it cannot compute. Anything that is not a plain number counts as float.
template <class T>
inline constexpr Kinds kind_of_value = kinds::F;
template <class T>
inline constexpr Kinds kind_of_value<Integer<T>> = kinds::I;
template <>
inline constexpr Kinds kind_of_value<bool> = kinds::B;

inline constexpr double ln2 = 0.693147180559945309417, ln10 = 2.302585092994045684018, pi = 3.141592653589793238463,
                        two_over_sqrt_pi = 1.128379167095512573896, half_sqrt_pi = 0.886226925452758013649,
                        sqrt_half = 0.707106781186547524401, inverse_sqrt_2pi = 0.398942280401432677940,
                        sqrt_2_over_pi = 0.797884560802865355880;
}  // namespace detail

/// The dtype of a reduction's or scan's result.
constexpr Dtype result_dtype(ReduceCode code, Dtype d) {
  using namespace detail;
  switch (code) {
#define HEARTH_REDUCE(name, kinds, start, combine, result, ...) \
  case ReduceCode::name: return result(d);
#include "reduce.def"
#undef HEARTH_REDUCE
  }
  __builtin_unreachable();
}
constexpr Dtype result_dtype(ScanCode code, Dtype d) {
  using namespace detail;
  switch (code) {
#define HEARTH_SCAN(name, kinds, combine, result, ...) \
  case ScanCode::name: return result(d);
#include "scan.def"
#undef HEARTH_SCAN
  }
  __builtin_unreachable();
}

// In the formulas below a row that the value type does not have leaves its case empty: infer has refused it before.
// Of a bool `~` would be that of an int: it has a function of its own.

template <class T>
T value(UnaryCode code, T x) {
  using namespace scalar;
  using namespace detail;
  using namespace kinds;
  switch (code) {
#define HEARTH_UNARY(name, kinds, lo, hi, value, ...)                         \
  case UnaryCode::name:                                                       \
    if constexpr (((kinds) & kind_of_value<T>) != 0) return T(value);         \
    break;
#include "unary.def"
#undef HEARTH_UNARY
  }
  return x;
}
inline bool value(UnaryCode, bool x) { return !x; }  // bitwise_not is the only row that takes a bool

template <class T>
T value(BinaryCode code, T a, T b) {
  using namespace scalar;
  using namespace kinds;
  switch (code) {
#define HEARTH_BINARY(name, kinds, alo, ahi, blo, bhi, value, ...)            \
  case BinaryCode::name:                                                      \
    if constexpr (((kinds) & detail::kind_of_value<T>) != 0) return T(value); \
    break;
#include "binary.def"
#undef HEARTH_BINARY
  }
  return a;
}
template <class T>
bool value(CompareCode code, T a, T b) {
  switch (code) {
#define HEARTH_COMPARE(name, value, ...) \
  case CompareCode::name: return value;
#include "compare.def"
#undef HEARTH_COMPARE
  }
  __builtin_unreachable();
}
/// What a reduction starts from, computed in T.
template <class T>
T start(ReduceCode code) {
  using namespace scalar;
  switch (code) {
#define HEARTH_REDUCE(name, kinds, start, ...) \
  case ReduceCode::name: return start;
#include "reduce.def"
#undef HEARTH_REDUCE
  }
  __builtin_unreachable();
}
/// How a reduction joins two values of T (a plain number; integers wrap).
template <class T>
T combine(ReduceCode code, T a_value, T b_value) {
  using namespace scalar;
  using namespace kinds;
  using V = typename FormulaType<T>::type;
  const V a = a_value, b = b_value;
  constexpr bool bits = detail::kind_of_value<V> != kinds::F;
  switch (code) {
#define HEARTH_REDUCE(name, kinds, start, combine, ...)                             \
  case ReduceCode::name:                                                            \
    if constexpr (bits || ((kinds) & detail::kind_of_value<V>) != 0) return T(combine); \
    break;
#include "reduce.def"
#undef HEARTH_REDUCE
  }
  return a_value;
}
template <class T>
T combine(ScanCode code, T a_value, T b_value) {
  using namespace scalar;
  using namespace kinds;
  using V = typename FormulaType<T>::type;
  const V a = a_value, b = b_value;
  switch (code) {
#define HEARTH_SCAN(name, kinds, combine, ...)                                \
  case ScanCode::name:                                                        \
    if constexpr (((kinds) & detail::kind_of_value<V>) != 0) return T(combine); \
    break;
#include "scan.def"
#undef HEARTH_SCAN
  }
  return a_value;
}

/// A value that only remembers which names a formula touched, and in how many steps. Bit 0: g, 1: first operand, 2: second operand, 3: result.
struct Uses {
  unsigned bits = 0, steps = 0;
  constexpr Uses() = default;
  constexpr explicit Uses(unsigned b, unsigned s = 0) : bits(b), steps(s) {}
  template <class T>
    requires std::is_arithmetic_v<T>
  constexpr Uses(T) {}

#define HEARTH_TWO(name) \
  friend constexpr Uses name(Uses a, Uses b) { return Uses(a.bits | b.bits, a.steps + b.steps + 1); }
  HEARTH_TWO(operator+) HEARTH_TWO(operator-) HEARTH_TWO(operator*) HEARTH_TWO(operator/) HEARTH_TWO(pow) HEARTH_TWO(zeta)
  HEARTH_TWO(floor_divide) HEARTH_TWO(operator<) HEARTH_TWO(operator>) HEARTH_TWO(operator==)
#undef HEARTH_TWO
#define HEARTH_ONE(name) \
  friend constexpr Uses name(Uses a) { return Uses(a.bits, a.steps + 1); }
  HEARTH_ONE(operator-) HEARTH_ONE(cos) HEARTH_ONE(cosh) HEARTH_ONE(digamma) HEARTH_ONE(erfc) HEARTH_ONE(exp) HEARTH_ONE(log) HEARTH_ONE(rsqrt)
  HEARTH_ONE(sigmoid) HEARTH_ONE(sign) HEARTH_ONE(sin) HEARTH_ONE(sinh) HEARTH_ONE(softplus) HEARTH_ONE(sqrt) HEARTH_ONE(square)
  HEARTH_ONE(tanh) HEARTH_ONE(abs) HEARTH_ONE(trunc) HEARTH_ONE(zero_like) HEARTH_ONE(unavailable)
#undef HEARTH_ONE
  friend constexpr Uses when(Uses a, Uses b, Uses c) { return Uses(a.bits | b.bits | c.bits, a.steps + b.steps + c.steps + 1); }
};
inline constexpr Uses uses_g{1u}, uses_a{2u}, uses_b{4u}, uses_y{8u};

/// The gradient of a row's operand, over handles with operators or over Uses.
template <class T>
constexpr T gradient(UnaryCode code, [[maybe_unused]] const T& g, [[maybe_unused]] const T& x, [[maybe_unused]] const T& y) {
  using namespace detail;
  switch (code) {
#define HEARTH_UNARY(name, kinds, lo, hi, value, gradient, ...) \
  case UnaryCode::name: return gradient;
#include "unary.def"
#undef HEARTH_UNARY
  }
  __builtin_unreachable();
}
/// The gradient of operand `side` of a row. a or b may be a plain double: the scalar of BinaryScalar.
template <class T, class A, class B>
constexpr T gradient(BinaryCode code, Side side, [[maybe_unused]] const T& g, [[maybe_unused]] const A& a, [[maybe_unused]] const B& b,
                     [[maybe_unused]] const T& y) {
  using namespace scalar;
  using namespace detail;
  switch (code) {
#define HEARTH_BINARY(name, kinds, alo, ahi, blo, bhi, value, gradient_a, gradient_b, ...) \
  case BinaryCode::name:                                                                   \
    if (side == Side::left) return gradient_a;                                             \
    else return gradient_b;
#include "binary.def"
#undef HEARTH_BINARY
  }
  __builtin_unreachable();
}
static_assert(gradient(UnaryCode::tanh, uses_g, uses_a, uses_y).bits == (1 | 8), "tanh saves its result only");
static_assert(gradient(BinaryCode::mul, Side::left, uses_g, uses_a, uses_b, uses_y).bits == (1 | 4), "each factor needs the other");

}  // namespace hearth
