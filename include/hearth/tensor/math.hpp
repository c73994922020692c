// tensor/math: operators and functions element by element, stamped from the tables for tensors and for numbers on either side.
// Shapes broadcast, also between ranks. Tensors never change their dtype by themselves; a number takes the dtype of the tensor.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kinds.hpp"

namespace hearth {

namespace detail {
// Which kinds each row takes, as constants with the rows' names.
namespace row_kinds {
using namespace kinds;
#define HEARTH_UNARY(name, set, ...) inline constexpr Kinds name = set;
#include "../op/unary.def"
#undef HEARTH_UNARY
#define HEARTH_BINARY(name, set, ...) inline constexpr Kinds name = set;
#include "../op/binary.def"
#undef HEARTH_BINARY
}  // namespace row_kinds
}  // namespace detail

// clang-format off
#define HEARTH_KIND_CHECK(name) \
  static_assert(detail::accepted<K>(detail::row_kinds::name), "hearth: " #name " does not take tensors of this kind; change it with x.cast<Kind>() first")

#define HEARTH_UNARY(name, ...) \
  template <class B, int R, class K> Tensor<B, R, K> name(Tensor<B, R, K> x) { HEARTH_KIND_CHECK(name); return Tensor<B, R, K>(Dyn<B>::unary(UnaryCode::name, std::move(x.dyn))); }
#include "../op/unary.def"
#undef HEARTH_UNARY

// Each of these names gets tensor-tensor, tensor-number, number-tensor, and an overload that explains operands which do not match.
#define HEARTH_TWO_OPERANDS(function, row) \
  template <class B, int R, class K, int S> Tensor<B, detail::larger<R, S>, K> function(Tensor<B, R, K> a, Tensor<B, S, K> b) { HEARTH_KIND_CHECK(row); return Tensor<B, detail::larger<R, S>, K>(Dyn<B>::binary(BinaryCode::row, std::move(a.dyn), std::move(b.dyn))); } \
  template <class B, int R, class K> Tensor<B, R, K> function(Tensor<B, R, K> a, Scalar b) { HEARTH_KIND_CHECK(row); return Tensor<B, R, K>(Dyn<B>::binary_scalar(BinaryCode::row, std::move(a.dyn), b, Side::right)); } \
  template <class B, int R, class K> Tensor<B, R, K> function(Scalar a, Tensor<B, R, K> b) { HEARTH_KIND_CHECK(row); return Tensor<B, R, K>(Dyn<B>::binary_scalar(BinaryCode::row, std::move(b.dyn), a, Side::left)); } \
  template <class B, int R, class K, class C, int S, class L> requires detail::Mismatch<B, K, C, L> Tensor<B, R, K> function(const Tensor<B, R, K>& a, const Tensor<C, S, L>&) { (void)detail::operands_match<B, K, C, L>(); return a; }
#define HEARTH_BINARY(name, ...) HEARTH_TWO_OPERANDS(name, name)
#include "../op/binary.def"
#undef HEARTH_BINARY
HEARTH_TWO_OPERANDS(operator+, add)
HEARTH_TWO_OPERANDS(operator-, sub)
HEARTH_TWO_OPERANDS(operator*, mul)
HEARTH_TWO_OPERANDS(operator/, div)
HEARTH_TWO_OPERANDS(operator&, bitwise_and)
HEARTH_TWO_OPERANDS(operator|, bitwise_or)
HEARTH_TWO_OPERANDS(operator^, bitwise_xor)
#undef HEARTH_TWO_OPERANDS

#define HEARTH_COMPARISON(function, row, mirrored) \
  template <class B, int R, class K, int S> Tensor<B, detail::larger<R, S>, Bool> function(Tensor<B, R, K> a, Tensor<B, S, K> b) { return Tensor<B, detail::larger<R, S>, Bool>(Dyn<B>::compare(CompareCode::row, std::move(a.dyn), std::move(b.dyn))); } \
  template <class B, int R, class K> Tensor<B, R, Bool> function(Tensor<B, R, K> a, Scalar b) { return Tensor<B, R, Bool>(Dyn<B>::compare_scalar(CompareCode::row, std::move(a.dyn), b)); } \
  template <class B, int R, class K> Tensor<B, R, Bool> function(Scalar a, Tensor<B, R, K> b) { return Tensor<B, R, Bool>(Dyn<B>::compare_scalar(CompareCode::mirrored, std::move(b.dyn), a)); } \
  template <class B, int R, class K, class C, int S, class L> requires detail::Mismatch<B, K, C, L> Tensor<B, R, Bool> function(const Tensor<B, R, K>&, const Tensor<C, S, L>&) { (void)detail::operands_match<B, K, C, L>(); return {}; }
HEARTH_COMPARISON(operator==, eq, eq) HEARTH_COMPARISON(eq, eq, eq)
HEARTH_COMPARISON(operator!=, ne, ne) HEARTH_COMPARISON(ne, ne, ne)
HEARTH_COMPARISON(operator<, lt, gt)  HEARTH_COMPARISON(lt, lt, gt)
HEARTH_COMPARISON(operator<=, le, ge) HEARTH_COMPARISON(le, le, ge)
HEARTH_COMPARISON(operator>, gt, lt)  HEARTH_COMPARISON(gt, gt, lt)
HEARTH_COMPARISON(operator>=, ge, le) HEARTH_COMPARISON(ge, ge, le)
#undef HEARTH_COMPARISON
#undef HEARTH_KIND_CHECK

template <class B, int R, class K> Tensor<B, R, K> operator-(Tensor<B, R, K> x) { return neg(std::move(x)); }
template <class B, int R, class K> Tensor<B, R, K> operator~(Tensor<B, R, K> x) { return bitwise_not(std::move(x)); }
template <class B, int R> Tensor<B, R, Bool> operator!(Tensor<B, R, Bool> x) { return bitwise_not(std::move(x)); }
template <class B, int R> Tensor<B, R, Bool> logical_not(Tensor<B, R, Bool> x) { return bitwise_not(std::move(x)); }
template <class B, int R, int S> auto logical_and(Tensor<B, R, Bool> a, Tensor<B, S, Bool> b) { return bitwise_and(std::move(a), std::move(b)); }
template <class B, int R, int S> auto logical_or(Tensor<B, R, Bool> a, Tensor<B, S, Bool> b) { return bitwise_or(std::move(a), std::move(b)); }
template <class B, int R, int S> auto logical_xor(Tensor<B, R, Bool> a, Tensor<B, S, Bool> b) { return bitwise_xor(std::move(a), std::move(b)); }
// clang-format on

/// Compiled per stack.
template <class B>
struct MathFunctions {
  static void update(Dyn<B>& a, BinaryCode code, Dyn<B> b);  ///< a = code(a, b); a keeps its shape and, when this fails, its value
  static void update(Dyn<B>& a, BinaryCode code, Scalar b);
  static Dyn<B> is_infinite(Dyn<B> x);
  static Dyn<B> is_finite(Dyn<B> x);
  static Dyn<B> is_close(Dyn<B> a, Dyn<B> b, double relative, double absolute);
  static bool all_true(Dyn<B> mask);
  static bool equal(const Dyn<B>& a, const Dyn<B>& b);
  static Dyn<B> where(Dyn<B> mask, Scalar then, Scalar otherwise, Dtype dtype);
};

/// Where the mask is true `then`, elsewhere `otherwise`; all three broadcast.
template <class B, int M, int R, int S, class K>
Tensor<B, detail::larger<M, R, S>, K> where(Tensor<B, M, Bool> mask, Tensor<B, R, K> then, Tensor<B, S, K> otherwise) {
  return Tensor<B, detail::larger<M, R, S>, K>(Dyn<B>::select(std::move(mask.dyn), std::move(then.dyn), std::move(otherwise.dyn)));
}
template <class B, int M, int R, class K>
Tensor<B, detail::larger<M, R>, K> where(Tensor<B, M, Bool> mask, Tensor<B, R, K> then, Scalar otherwise) {
  return Tensor<B, detail::larger<M, R>, K>(Dyn<B>::select_scalar(std::move(mask.dyn), std::move(then.dyn), otherwise, Side::right));
}
template <class B, int M, int R, class K>
Tensor<B, detail::larger<M, R>, K> where(Tensor<B, M, Bool> mask, Scalar then, Tensor<B, R, K> otherwise) {
  return Tensor<B, detail::larger<M, R>, K>(Dyn<B>::select_scalar(std::move(mask.dyn), std::move(otherwise.dyn), then, Side::left));
}
/// Of two numbers of one type: its kind, with that kind's dtype.
template <class B, int M, class T>
  requires(std::is_arithmetic_v<T>)
Tensor<B, M, detail::KindOf<T>> where(Tensor<B, M, Bool> mask, T then, T otherwise) {
  return Tensor<B, M, detail::KindOf<T>>(MathFunctions<B>::where(std::move(mask.dyn), then, otherwise, detail::KindOf<T>::dtype));
}

/// min(max(x, low), high); a bound that is none (Scalar{}) is open; NaN stays NaN.
template <class B, int R, class K>
Tensor<B, R, K> clamp(Tensor<B, R, K> x, Scalar low, Scalar high) {
  return Tensor<B, R, K>(Dyn<B>::clamp(std::move(x.dyn), low, high));
}
template <class B, int R, class K, int S, int T>
Tensor<B, detail::larger<R, S, T>, K> clamp(Tensor<B, R, K> x, Tensor<B, S, K> low, Tensor<B, T, K> high) {
  return minimum(maximum(std::move(x), std::move(low)), std::move(high));
}
template <class B, int R, class K>
Tensor<B, R, K> clamp_min(Tensor<B, R, K> x, Scalar low) {
  return clamp(std::move(x), low, Scalar{});
}
template <class B, int R, class K>
Tensor<B, R, K> clamp_max(Tensor<B, R, K> x, Scalar high) {
  return clamp(std::move(x), Scalar{}, high);
}
/// a + weight (b - a), taken from the nearer end, so that weight 0 gives a and weight 1 gives b exactly.
template <class B, int R, class K, int S>
Tensor<B, detail::larger<R, S>, K> lerp(Tensor<B, R, K> a, Tensor<B, S, K> b, Scalar weight) {
  auto distance = b - a;
  if (weight.to_double() < 0.5) return std::move(a) + weight * std::move(distance);
  return std::move(b) - Scalar(1 - weight.to_double()) * std::move(distance);
}

/// Where x is NaN, an infinity, or neither.
template <class B, int R>
Tensor<B, R, Bool> isnan(Tensor<B, R> x) {
  return Tensor<B, R, Bool>(Dyn<B>::compare(CompareCode::ne, x.dyn, x.dyn));
}
template <class B, int R>
Tensor<B, R, Bool> isinf(Tensor<B, R> x) {
  return Tensor<B, R, Bool>(MathFunctions<B>::is_infinite(std::move(x.dyn)));
}
template <class B, int R>
Tensor<B, R, Bool> isfinite(Tensor<B, R> x) {
  return Tensor<B, R, Bool>(MathFunctions<B>::is_finite(std::move(x.dyn)));
}

/// |a - b| <= absolute + relative |b|, element by element. Equal infinities are close, NaN is close to nothing.
template <class B, int R, int S>
Tensor<B, detail::larger<R, S>, Bool> is_close(Tensor<B, R> a, Tensor<B, S> b, double relative = 1e-5, double absolute = 1e-8) {
  return Tensor<B, detail::larger<R, S>, Bool>(MathFunctions<B>::is_close(std::move(a.dyn), std::move(b.dyn), relative, absolute));
}
/// Is every pair close? Reads one value from the device.
template <class B, int R, int S>
bool all_close(Tensor<B, R> a, Tensor<B, S> b, double relative = 1e-5, double absolute = 1e-8) {
  return MathFunctions<B>::all_true(MathFunctions<B>::is_close(std::move(a.dyn), std::move(b.dyn), relative, absolute));
}
/// The same dtype, shape and elements? NaN equals nothing. Reads one value from the device.
template <class B, int R, class K>
bool equal(const Tensor<B, R, K>& a, const Tensor<B, R, K>& b) {
  return MathFunctions<B>::equal(a.dyn, b.dyn);
}

}  // namespace hearth
