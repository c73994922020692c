// autodiff/rules/elementwise: the rows' own gradients, and the ops that choose, cast or clamp.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../../op/formula.hpp"
#include "../rule.hpp"

namespace hearth {

namespace detail {

/// What a row's gradient touched, of operands a and b and result y.
constexpr Saves as_saves(Uses uses) { return {uses.bits >> 1 & 3u, uses.bits >> 3 & 1u}; }

/// Gradients of 16-bit floats that take several steps are computed in f32, so that no step rounds or overflows.
inline bool in_f32(Uses uses, Dtype dtype) { return uses.steps > 1 && size_of(dtype) == 2; }
template <class B>
Dyn<B> to_f32(const Dyn<B>& x) {
  return x ? cast(x, Dtype::f32) : x;
}
inline double to_f32(double x) { return x; }

inline Uses uses_of(UnaryCode code) { return gradient(code, uses_g, uses_a, uses_y); }
inline Uses uses_of(BinaryCode code, Side side) { return gradient(code, side, uses_g, uses_a, uses_b, uses_y); }

/// The gradient of one operand of a binary row, of `spec`'s shape; a or b may be a plain number.
template <class B, class X, class Y>
Dyn<B> row_gradient(BinaryCode code, Side side, const Spec& spec, const Dyn<B>& g, const X& a, const Y& b, const Dyn<B>& y) {
  if (!in_f32(uses_of(code, side), spec.dtype)) return sum_to(gradient(code, side, g, a, b, y), spec.shape);
  return cast(sum_to(gradient(code, side, to_f32(g), to_f32(a), to_f32(b), to_f32(y)), spec.shape), spec.dtype);
}

}  // namespace detail

template <>
struct Rule<op::Unary> {
  static Saves saves(const op::Unary& op, unsigned) { return detail::as_saves(detail::uses_of(op.code)); }
  template <class B>
  static OperandGradients<op::Unary, B> back(Saved<op::Unary, B>& s) {
    using namespace detail;
    const Dtype dtype = s.spec[0].dtype;
    if (!in_f32(uses_of(s.op.code), dtype)) return {gradient(s.op.code, s.grad[0], s.in[0], s.out[0])};
    return {cast(gradient(s.op.code, to_f32(s.grad[0]), to_f32(s.in[0]), to_f32(s.out[0])), dtype)};
  }
};

template <>
struct Rule<op::Binary> {
  static Saves saves(const op::Binary& op, unsigned needs) {
    Uses uses;
    if (needs & 1) uses.bits |= detail::uses_of(op.code, Side::left).bits;
    if (needs & 2) uses.bits |= detail::uses_of(op.code, Side::right).bits;
    return detail::as_saves(uses);
  }
  template <class B>
  static OperandGradients<op::Binary, B> back(Saved<op::Binary, B>& s) {
    OperandGradients<op::Binary, B> result;
    if (s.need(0)) result[0] = detail::row_gradient(s.op.code, Side::left, s.spec[0], s.grad[0], s.in[0], s.in[1], s.out[0]);
    if (s.need(1)) result[1] = detail::row_gradient(s.op.code, Side::right, s.spec[1], s.grad[0], s.in[0], s.in[1], s.out[0]);
    return result;
  }
};

template <>
struct Rule<op::BinaryScalar> {
  static Saves saves(const op::BinaryScalar& op, unsigned) {
    const double scalar = op.scalar.to_double();
    if (op.side == Side::right) return detail::as_saves(gradient(op.code, Side::left, uses_g, uses_a, scalar, uses_y));
    return detail::as_saves(gradient(op.code, Side::right, uses_g, scalar, uses_a, uses_y));
  }
  template <class B>
  static OperandGradients<op::BinaryScalar, B> back(Saved<op::BinaryScalar, B>& s) {
    const double scalar = s.op.scalar.to_double();
    if (s.op.side == Side::right) return {detail::row_gradient(s.op.code, Side::left, s.spec[0], s.grad[0], s.in[0], scalar, s.out[0])};
    return {detail::row_gradient(s.op.code, Side::right, s.spec[0], s.grad[0], scalar, s.in[0], s.out[0])};
  }
};

template <>
struct Rule<op::Compare> : NoGradient {};
template <>
struct Rule<op::CompareScalar> : NoGradient {};

template <>
struct Rule<op::Select> {
  static Saves saves(const op::Select&, unsigned) { return {1, 0}; }
  template <class B>
  static OperandGradients<op::Select, B> back(Saved<op::Select, B>& s) {
    OperandGradients<op::Select, B> result;
    if (s.need(1)) result[1] = sum_to(when(s.in[0], s.grad[0], Scalar(0)), s.spec[1].shape);
    if (s.need(2)) result[2] = sum_to(when(s.in[0], Scalar(0), s.grad[0]), s.spec[2].shape);
    return result;
  }
};

template <>
struct Rule<op::SelectScalar> {
  static Saves saves(const op::SelectScalar&, unsigned) { return {1, 0}; }
  template <class B>
  static OperandGradients<op::SelectScalar, B> back(Saved<op::SelectScalar, B>& s) {
    return {Dyn<B>(), sum_to(Dyn<B>::select_scalar(s.in[0], s.grad[0], 0, s.op.side), s.spec[1].shape)};
  }
};

template <>
struct Rule<op::Cast> : SavesNothing {
  template <class B>
  static OperandGradients<op::Cast, B> back(Saved<op::Cast, B>& s) {
    return {cast(s.grad[0], s.spec[0].dtype)};
  }
};

/// The gradient passes where the bounds leave x as it is, the bounds themselves included.
template <>
struct Rule<op::Clamp> {
  static Saves saves(const op::Clamp&, unsigned) { return {1, 0}; }
  template <class B>
  static OperandGradients<op::Clamp, B> back(Saved<op::Clamp, B>& s) {
    Dyn<B> g = s.grad[0];
    if (s.op.low) g = when(s.in[0] >= s.op.low, std::move(g), Scalar(0));
    if (s.op.high) g = when(s.in[0] <= s.op.high, std::move(g), Scalar(0));
    return {g};
  }
};

}  // namespace hearth
