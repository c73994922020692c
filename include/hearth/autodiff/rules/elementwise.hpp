// autodiff/rules/elementwise: the rows' own gradients, and the ops that choose, cast or clamp.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../../op/formula.hpp"
#include "../rule.hpp"

namespace hearth {

namespace detail {
/// What a row's gradient touched, of operands a and b and result y.
constexpr Saves as_saves(unsigned uses) { return {uses >> 1 & 3u, uses >> 3 & 1u}; }
}  // namespace detail

template <>
struct Rule<op::Unary> {
  static Saves saves(const op::Unary& op, unsigned) { return detail::as_saves(gradient(op.code, uses_g, uses_a, uses_y).bits); }
  template <class B>
  static OperandGradients<op::Unary, B> back(Saved<op::Unary, B>& s) {
    return {gradient(s.op.code, s.grad[0], s.in[0], s.out[0])};
  }
};

template <>
struct Rule<op::Binary> {
  static Saves saves(const op::Binary& op, unsigned needs) {
    unsigned uses = 0;
    if (needs & 1) uses |= gradient(op.code, Side::left, uses_g, uses_a, uses_b, uses_y).bits;
    if (needs & 2) uses |= gradient(op.code, Side::right, uses_g, uses_a, uses_b, uses_y).bits;
    return detail::as_saves(uses);
  }
  template <class B>
  static OperandGradients<op::Binary, B> back(Saved<op::Binary, B>& s) {
    OperandGradients<op::Binary, B> result;
    for (int i : {0, 1})
      if (s.need(i))
        result[std::size_t(i)] = sum_to(gradient(s.op.code, i == 0 ? Side::left : Side::right, s.grad[0], s.in[0], s.in[1], s.out[0]), s.spec[std::size_t(i)].shape);
    return result;
  }
};

template <>
struct Rule<op::BinaryScalar> {
  static Saves saves(const op::BinaryScalar& op, unsigned) {
    const double scalar = op.scalar.to_double();
    if (op.side == Side::right) return detail::as_saves(gradient(op.code, Side::left, uses_g, uses_a, scalar, uses_y).bits);
    return detail::as_saves(gradient(op.code, Side::right, uses_g, scalar, uses_a, uses_y).bits);
  }
  template <class B>
  static OperandGradients<op::BinaryScalar, B> back(Saved<op::BinaryScalar, B>& s) {
    const double scalar = s.op.scalar.to_double();
    if (s.op.side == Side::right) return {gradient(s.op.code, Side::left, s.grad[0], s.in[0], scalar, s.out[0])};
    return {gradient(s.op.code, Side::right, s.grad[0], scalar, s.in[0], s.out[0])};
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
