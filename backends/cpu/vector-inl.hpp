// cpu/vector: Vec<float> and Vec<double>, values of as many lanes as the processor has, with the operators and functions that the
// rows of the tables name. Highway includes this once per target. Tested to 4 units in the last place against f64 or long double.
// Where a function has no vector form, or lanes leave the range of the one it has, <cmath> is called lane by lane.
// SPDX-License-Identifier: Apache-2.0
#if defined(HEARTH_CPU_VECTOR_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef HEARTH_CPU_VECTOR_INL
#undef HEARTH_CPU_VECTOR_INL
#else
#define HEARTH_CPU_VECTOR_INL
#endif

#include <hwy/highway.h>

#include <limits>
#include <type_traits>

// Highway's own headers are not written for -Wcast-qual and -Wshadow.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#include <hwy/contrib/math/math-inl.h>
#pragma GCC diagnostic pop

#include "hearth/op/scalar_math.hpp"

HWY_BEFORE_NAMESPACE();
namespace hearth::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
struct Vec;

/// One truth value per lane.
template <class T>
struct Mask {
  decltype(hn::Eq(hn::Zero(hn::ScalableTag<T>()), hn::Zero(hn::ScalableTag<T>()))) m;
  friend HWY_INLINE Mask operator&(Mask a, Mask b) { return {hn::And(a.m, b.m)}; }
  friend HWY_INLINE Mask operator|(Mask a, Mask b) { return {hn::Or(a.m, b.m)}; }
  friend HWY_INLINE bool all(Mask a) { return hn::AllTrue(hn::ScalableTag<T>(), a.m); }
};

/// `f` of each lane, out of line: for what is rare or slow anyway.
template <class T>
HWY_NOINLINE void each_lane(T (*f)(T), T* lanes, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) lanes[i] = f(lanes[i]);
}
template <class T>
HWY_NOINLINE void each_lane(T (*f)(T, T), T* lanes, const T* others, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) lanes[i] = f(lanes[i], others[i]);
}
template <class T>
HWY_INLINE Vec<T> per_lane(T (*f)(T), Vec<T> x) {
  const hn::ScalableTag<T> d;
  T lanes[HWY_MAX_BYTES / sizeof(T)];
  hn::StoreU(x.v, d, lanes);
  each_lane(f, lanes, hn::Lanes(d));
  return Vec<T>(hn::LoadU(d, lanes));
}
template <class T>
HWY_INLINE Vec<T> per_lane(T (*f)(T, T), Vec<T> x, Vec<T> y) {
  const hn::ScalableTag<T> d;
  T lanes[HWY_MAX_BYTES / sizeof(T)], others[HWY_MAX_BYTES / sizeof(T)];
  hn::StoreU(x.v, d, lanes);
  hn::StoreU(y.v, d, others);
  each_lane(f, lanes, others, hn::Lanes(d));
  return Vec<T>(hn::LoadU(d, lanes));
}

// The functions of plain numbers, to be pointed at.
#define HEARTH_ONE(name)          \
  template <class T>              \
  T lane_##name(T x) {            \
    using namespace hearth::scalar; \
    return name(x);               \
  }
HEARTH_ONE(acosh) HEARTH_ONE(asinh) HEARTH_ONE(atanh) HEARTH_ONE(cbrt) HEARTH_ONE(cos) HEARTH_ONE(cosh) HEARTH_ONE(digamma) HEARTH_ONE(erf)
HEARTH_ONE(erfc) HEARTH_ONE(erfinv) HEARTH_ONE(lgamma) HEARTH_ONE(sin) HEARTH_ONE(sinh) HEARTH_ONE(tan) HEARTH_ONE(exp2)
#undef HEARTH_ONE
#define HEARTH_TWO(name)            \
  template <class T>                \
  T lane_##name(T x, T y) {         \
    using namespace hearth::scalar; \
    return name(x, y);              \
  }
HEARTH_TWO(pow) HEARTH_TWO(floor_divide) HEARTH_TWO(fmod) HEARTH_TWO(remainder) HEARTH_TWO(atan2) HEARTH_TWO(hypot) HEARTH_TWO(zeta)
#undef HEARTH_TWO

template <class T>
struct Vec {
  using D = hn::ScalableTag<T>;
  hn::VFromD<D> v;

  Vec() = default;
  HWY_INLINE explicit Vec(hn::VFromD<D> value) : v(value) {}
  template <class U>
    requires std::is_arithmetic_v<U>
  HWY_INLINE Vec(U value) : v(hn::Set(D(), T(value))) {}
  static HWY_INLINE Vec load(const T* from) { return Vec(hn::LoadU(D(), from)); }
  HWY_INLINE void store(T* to) const { hn::StoreU(v, D(), to); }
  static HWY_INLINE std::int64_t lanes() { return std::int64_t(hn::Lanes(D())); }

  // clang-format off
  friend HWY_INLINE Vec operator+(Vec a, Vec b) { return Vec(hn::Add(a.v, b.v)); }
  friend HWY_INLINE Vec operator-(Vec a, Vec b) { return Vec(hn::Sub(a.v, b.v)); }
  friend HWY_INLINE Vec operator*(Vec a, Vec b) { return Vec(hn::Mul(a.v, b.v)); }
  friend HWY_INLINE Vec operator/(Vec a, Vec b) { return Vec(hn::Div(a.v, b.v)); }
  friend HWY_INLINE Vec operator-(Vec a) { return Vec(hn::Neg(a.v)); }
  friend HWY_INLINE Mask<T> operator==(Vec a, Vec b) { return {hn::Eq(a.v, b.v)}; }
  friend HWY_INLINE Mask<T> operator!=(Vec a, Vec b) { return {hn::Not(hn::Eq(a.v, b.v))}; }  // Ne of AVX3 is false for NaN
  friend HWY_INLINE Mask<T> operator<(Vec a, Vec b) { return {hn::Lt(a.v, b.v)}; }
  friend HWY_INLINE Mask<T> operator<=(Vec a, Vec b) { return {hn::Le(a.v, b.v)}; }
  friend HWY_INLINE Mask<T> operator>(Vec a, Vec b) { return {hn::Gt(a.v, b.v)}; }
  friend HWY_INLINE Mask<T> operator>=(Vec a, Vec b) { return {hn::Ge(a.v, b.v)}; }
  friend HWY_INLINE Vec when(Mask<T> condition, Vec then, Vec otherwise) { return Vec(hn::IfThenElse(condition.m, then.v, otherwise.v)); }
  /// a b + c with one rounding: for polynomials, never for a row.
  friend HWY_INLINE Vec fused(Vec a, Vec b, Vec c) { return Vec(hn::MulAdd(a.v, b.v, c.v)); }

  friend HWY_INLINE Vec abs(Vec x) { return Vec(hn::Abs(x.v)); }
  friend HWY_INLINE Vec sqrt(Vec x) { return Vec(hn::Sqrt(x.v)); }
  friend HWY_INLINE Vec ceil(Vec x) { return Vec(hn::Ceil(x.v)); }
  friend HWY_INLINE Vec floor(Vec x) { return Vec(hn::Floor(x.v)); }
  friend HWY_INLINE Vec trunc(Vec x) { return Vec(hn::Trunc(x.v)); }
  friend HWY_INLINE Vec round(Vec x) { return Vec(hn::Round(x.v)); }
  friend HWY_INLINE Vec copysign(Vec x, Vec s) { return Vec(hn::CopySign(x.v, s.v)); }
  friend HWY_INLINE Mask<T> is_nan(Vec x) { return x != x; }
  // The order of the operands is that of scalar::max and min, so that zeros of either sign come out alike.
  friend HWY_INLINE Vec max(Vec a, Vec b) { return when(is_nan(a) | (a > b), a, b); }
  friend HWY_INLINE Vec min(Vec a, Vec b) { return when(is_nan(a) | (a < b), a, b); }
  friend HWY_INLINE Vec sign(Vec x) { return when(is_nan(x), x, when(x > 0, Vec(1), when(x < 0, Vec(-1), Vec(0)))); }
  // clang-format on
};

template <class T>
inline constexpr T infinity = std::numeric_limits<T>::infinity();

// Highway's functions, with what they leave out at the edges.

template <class T>
HWY_INLINE Vec<T> exp(Vec<T> x) {
  // Below -104 (f32) the result is 0 by itself; above 104 Highway's scaling wraps around.
  constexpr T above = sizeof(T) == 4 ? T(89) : T(709.79);
  const Vec<T> y(hn::Exp(hn::ScalableTag<T>(), x.v));
  return when(x < above, y, when(is_nan(x), x, Vec<T>(infinity<T>)));
}
/// What log gives outside (0, infinity): -infinity of 0, NaN of negative numbers, infinity and NaN of themselves.
template <class T>
HWY_INLINE Vec<T> log_edges(Vec<T> x, Vec<T> inside) {
  const Vec<T> outside = when(x == 0, Vec<T>(-infinity<T>), when(x < 0, Vec<T>(std::numeric_limits<T>::quiet_NaN()), x));
  return when((x > 0) & (x < infinity<T>), inside, outside);
}
template <class T>
HWY_INLINE Vec<T> log(Vec<T> x) {
  return log_edges(x, Vec<T>(hn::Log(hn::ScalableTag<T>(), x.v)));
}
template <class T>
HWY_INLINE Vec<T> log2(Vec<T> x) {
  return log_edges(x, Vec<T>(hn::Log2(hn::ScalableTag<T>(), x.v)));
}
template <class T>
HWY_INLINE Vec<T> log10(Vec<T> x) {
  return log_edges(x, Vec<T>(hn::Log10(hn::ScalableTag<T>(), x.v)));
}
template <class T>
HWY_INLINE Vec<T> log1p(Vec<T> x) {
  const Vec<T> inside(hn::Log1p(hn::ScalableTag<T>(), x.v));
  const Vec<T> outside = when(x == -1, Vec<T>(-infinity<T>), when(x < -1, Vec<T>(std::numeric_limits<T>::quiet_NaN()), x));
  return when((x > -1) & (x < infinity<T>) & (x != 0), inside, outside);  // 0 keeps its sign
}
template <class T>
HWY_INLINE Vec<T> expm1(Vec<T> x) {
  const Vec<T> inside(hn::Expm1(hn::ScalableTag<T>(), x.v));
  return when(x < (sizeof(T) == 4 ? 89 : 709), inside, when(is_nan(x), x, exp(x)));
}
template <class T>
HWY_INLINE Vec<T> tanh(Vec<T> x) {
  return Vec<T>(hn::Tanh(hn::ScalableTag<T>(), x.v));
}
template <class T>
HWY_INLINE Vec<T> sinh(Vec<T> x) {
  if (!all(abs(x) < (sizeof(T) == 4 ? 88 : 708))) return per_lane(&lane_sinh<T>, x);
  return Vec<T>(hn::Sinh(hn::ScalableTag<T>(), x.v));
}
template <class T>
HWY_INLINE Vec<T> cosh(Vec<T> x) {
  if (!all(abs(x) < (sizeof(T) == 4 ? 88 : 708))) return per_lane(&lane_cosh<T>, x);
  return (exp(x) + exp(-x)) * 0.5;
}
template <class T>
HWY_INLINE Vec<T> sin(Vec<T> x) {
  if (!all(abs(x) < 30000)) return per_lane(&lane_sin<T>, x);
  return Vec<T>(hn::Sin(hn::ScalableTag<T>(), x.v));
}
template <class T>
HWY_INLINE Vec<T> cos(Vec<T> x) {
  if (!all(abs(x) < 30000)) return per_lane(&lane_cos<T>, x);
  return Vec<T>(hn::Cos(hn::ScalableTag<T>(), x.v));
}
template <class T>
HWY_INLINE Vec<T> asin(Vec<T> x) {
  return Vec<T>(hn::Asin(hn::ScalableTag<T>(), x.v));
}
template <class T>
HWY_INLINE Vec<T> acos(Vec<T> x) {
  return Vec<T>(hn::Acos(hn::ScalableTag<T>(), x.v));
}
template <class T>
HWY_INLINE Vec<T> atan(Vec<T> x) {
  return Vec<T>(hn::Atan(hn::ScalableTag<T>(), x.v));
}
template <class T>
HWY_INLINE Vec<T> asinh(Vec<T> x) {
  if (!all(abs(x) < 1e18)) return per_lane(&lane_asinh<T>, x);
  return Vec<T>(hn::Asinh(hn::ScalableTag<T>(), x.v));
}
template <class T>
HWY_INLINE Vec<T> acosh(Vec<T> x) {
  if (!all((x >= 1) & (x < 1e18))) return per_lane(&lane_acosh<T>, x);
  return Vec<T>(hn::Acosh(hn::ScalableTag<T>(), x.v));
}
template <class T>
HWY_INLINE Vec<T> atanh(Vec<T> x) {
  if (!all(abs(x) < 1)) return per_lane(&lane_atanh<T>, x);
  return Vec<T>(hn::Atanh(hn::ScalableTag<T>(), x.v));
}

// In f32, functions that are hard to get right in f32 itself run in f64.

/// The nearest f32 of each lane; infinity where that is too small for it.
template <class D, class V>
HWY_INLINE hn::VFromD<D> to_single(D d, V v) {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
  // Highway's emulation stops at the largest f32 instead.
  const hn::Rebind<double, D> wide;
  double from[HWY_MAX_BYTES / sizeof(double)];
  float to[HWY_MAX_BYTES / sizeof(float)];
  hn::StoreU(v, wide, from);
  for (std::size_t k = 0; k < hn::Lanes(d); ++k) to[k] = float(from[k]);
  return hn::LoadU(d, to);
#else
  return hn::DemoteTo(d, v);
#endif
}

/// Vec<float> as two halves of Vec<double>, and back; F::of(Vec<double>...) computes.
template <class F, class... V>
HWY_INLINE Vec<float> in_double(V... x) {
  const hn::ScalableTag<float> d;
  const hn::ScalableTag<double> wide;
#if HWY_TARGET == HWY_SCALAR
  return Vec<float>(to_single(d, F::of(Vec<double>(hn::PromoteTo(wide, x.v))...).v));
#else
  const hn::Half<decltype(d)> half;
  const auto low = to_single(half, F::of(Vec<double>(hn::PromoteTo(wide, hn::LowerHalf(half, x.v)))...).v);
  const auto high = to_single(half, F::of(Vec<double>(hn::PromoteTo(wide, hn::UpperHalf(half, x.v)))...).v);
  return Vec<float>(hn::Combine(d, high, low));
#endif
}

template <class T, class... C>
HWY_INLINE Vec<T> polynomial(Vec<T> x, double first, C... rest) {  // highest power first
  Vec<T> sum(first);
  ((sum = fused(sum, x, Vec<T>(rest))), ...);
  return sum;
}

/// erfc to 1.2e-9 relative: exp(-x x) q(t) / (1 + 2 |x|) with t = (|x| - 4) / (|x| + 4); q by Chebyshev interpolation in 50 digits.
HWY_INLINE Vec<double> narrow_erfc(Vec<double> x) {
  const Vec<double> size = abs(x), a = when(size > 10.5, Vec<double>(10.5), size);  // NaN passes
  const Vec<double> t = (a - 4) / (a + 4);
  const Vec<double> q = polynomial(t, -0.000643772842524, -0.00113866672391, 0.00504926749761, -0.0160129298171, 0.0372264086543, -0.0663571016997,
                                   0.0937195340062, -0.101037750168, 0.0680980046309, 0.0153796364191, -0.139621134813, 1.23299511865);
  const Vec<double> y = when(size > 10.5, Vec<double>(0), exp(-(a * a)) * q / (1 + 2 * a));  // 0 in f32 from 10.06 on
  return when(x < 0, 2 - y, y);
}
struct NarrowErfc {
  static HWY_INLINE Vec<double> of(Vec<double> x) { return narrow_erfc(x); }
};
/// erf to 4e-11 relative; below 1 by its series' shape x p(x x).
struct NarrowErf {
  static HWY_INLINE Vec<double> of(Vec<double> x) {
    const Vec<double> s = x * x;
    const Vec<double> p = polynomial(s, -9.66704457149e-6, 0.000112659590256, -0.000848408040554, 0.00522103180786, -0.0268654307277,
                                     0.112837824952, -0.37612638468, 1.12837916706);
    return when(abs(x) < 1, x * p, 1 - narrow_erfc(x));
  }
};
struct NarrowExp2 {
  static HWY_INLINE Vec<double> of(Vec<double> x) { return exp(max(min(x, Vec<double>(400)), Vec<double>(-400)) * 0.693147180559945309417); }
};
struct NarrowTan {
  static HWY_INLINE Vec<double> of(Vec<double> x) { return sin(x) / cos(x); }
};
/// a^b of positive finite a: the exponent is off by 1e-13 at most, the result by as much relatively.
struct NarrowPow {
  static HWY_INLINE Vec<double> of(Vec<double> a, Vec<double> b) { return exp(max(min(log(a) * b, Vec<double>(400)), Vec<double>(-400))); }
};

HWY_INLINE Vec<float> erfc(Vec<float> x) { return in_double<NarrowErfc>(x); }
HWY_INLINE Vec<double> erfc(Vec<double> x) { return per_lane(&lane_erfc<double>, x); }
HWY_INLINE Vec<float> erf(Vec<float> x) { return in_double<NarrowErf>(x); }
HWY_INLINE Vec<double> erf(Vec<double> x) { return per_lane(&lane_erf<double>, x); }
HWY_INLINE Vec<float> exp2(Vec<float> x) { return in_double<NarrowExp2>(x); }
HWY_INLINE Vec<double> exp2(Vec<double> x) { return per_lane(&lane_exp2<double>, x); }
HWY_INLINE Vec<float> tan(Vec<float> x) {
  if (!all(abs(x) < 30000)) return per_lane(&lane_tan<float>, x);
  return in_double<NarrowTan>(x);
}
HWY_INLINE Vec<double> tan(Vec<double> x) { return per_lane(&lane_tan<double>, x); }
HWY_INLINE Vec<float> pow(Vec<float> a, Vec<float> b) {
  if (!all((a > 0) & (a < infinity<float>) & (abs(b) < infinity<float>))) return per_lane(&lane_pow<float>, a, b);
  return in_double<NarrowPow>(a, b);
}
HWY_INLINE Vec<double> pow(Vec<double> a, Vec<double> b) { return per_lane(&lane_pow<double>, a, b); }

struct NarrowFloorDivide {
  static HWY_INLINE Vec<double> of(Vec<double> a, Vec<double> b) { return floor(a / b); }
};
HWY_INLINE Vec<float> floor_divide(Vec<float> a, Vec<float> b) { return in_double<NarrowFloorDivide>(a, b); }
HWY_INLINE Vec<double> floor_divide(Vec<double> a, Vec<double> b) {
  const Vec<double> quotient = a / b, whole = floor(quotient);
  if (all(quotient != whole)) return whole;  // only rounding up to a whole number goes wrong
  return per_lane(&lane_floor_divide<double>, a, b);
}

template <class T>
HWY_INLINE Vec<T> logaddexp(Vec<T> a, Vec<T> b) {
  return when(a == b, a + 0.693147180559945309417, max(a, b) + log1p(exp(-abs(a - b))));
}
template <class T>
HWY_INLINE Vec<T> xlogy(Vec<T> a, Vec<T> b) {
  return when((a == 0) & (b == b), Vec<T>(0), a * log(b));
}

// clang-format off
#define HEARTH_ONE(name) template <class T> HWY_INLINE Vec<T> name(Vec<T> x) { return per_lane(&lane_##name<T>, x); }
HEARTH_ONE(cbrt) HEARTH_ONE(digamma) HEARTH_ONE(erfinv) HEARTH_ONE(lgamma)
#undef HEARTH_ONE
#define HEARTH_TWO(name) template <class T> HWY_INLINE Vec<T> name(Vec<T> a, Vec<T> b) { return per_lane(&lane_##name<T>, a, b); }
HEARTH_TWO(fmod) HEARTH_TWO(remainder) HEARTH_TWO(atan2) HEARTH_TWO(hypot) HEARTH_TWO(zeta)
#undef HEARTH_TWO
// clang-format on

}  // namespace hearth::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
