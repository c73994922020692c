// autodiff/rules/composite_linear: gradients of products with an activation behind them. Where the activation's derivative follows
// from the result, the product is not computed again.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../../backend/decompositions/common.hpp"
#include "../../op/formula.hpp"
#include "../rule.hpp"
#include "elementwise.hpp"

namespace hearth {

namespace detail {

/// The row that an activation is; relu for none, which has no row.
constexpr UnaryCode unary_code(Activation activation) {
  switch (activation) {
    case Activation::none:
    case Activation::relu: return UnaryCode::relu;
    case Activation::sigmoid: return UnaryCode::sigmoid;
    case Activation::tanh: return UnaryCode::tanh;
    case Activation::gelu: return UnaryCode::gelu;
    case Activation::gelu_tanh: return UnaryCode::gelu_tanh;
    case Activation::silu: return UnaryCode::silu;
  }
  __builtin_unreachable();
}
/// Does the activation's derivative read what went into it?
constexpr bool reads_operand(Activation activation) {
  return activation != Activation::none && (gradient(unary_code(activation), uses_g, uses_a, uses_y).bits & uses_a.bits) != 0;
}
/// What such an op (x, weight, bias, residual) saves.
constexpr Saves saves_of_product(Activation activation, unsigned needs) {
  if (reads_operand(activation)) return {0b1111, 0};  // the product again, with all that is added to it
  return {(needs & 1) << 1 | (needs >> 1 & 1), activation == Activation::none ? 0u : 1u};
}
/// The gradient of what went into the activation. `product` computes that again; it is called only where it is read.
template <class Op, class B, class F>
Dyn<B> through_activation(Saved<Op, B>& s, F product) {
  const Activation activation = s.op.activation;
  auto g = std::move(s.grad[0]);
  if (activation == Activation::none) return g;
  // As for the rows themselves: several steps of 16 bits are taken in f32.
  const UnaryCode code = unary_code(activation);
  const Dtype dtype = s.spec[0].dtype;
  const bool wide = in_f32(gradient(code, uses_g, uses_a, uses_y), dtype);
  const auto widened = [&](Dyn<B> x) { return wide ? accumulated(std::move(x)) : x; };
  g = widened(std::move(g));
  const Dyn<B> read = widened(reads_operand(activation) ? product() : std::move(s.out[0]));
  return converted(gradient(code, g, read, read), dtype);
}

}  // namespace detail

template <>
struct Rule<op::Linear> {
  static constexpr Saves saves(const op::Linear& op, unsigned needs) { return detail::saves_of_product(op.activation, needs); }

  template <class B>
  static OperandGradients<op::Linear, B> back(Saved<op::Linear, B>& s) {
    auto g = detail::through_activation(s, [&] { return call<B>(op::Linear{}, s.in[0], s.in[1], s.in[2], s.in[3]); });
    OperandGradients<op::Linear, B> r;
    const Shape x = s.spec[0].shape, weight = s.spec[1].shape;
    const std::int64_t rows = detail::product(x, 0, x.size() - 1);
    if (s.need(3)) r[3] = g;
    g = reshape(std::move(g), {rows, weight[0]});
    if (s.need(0)) r[0] = reshape(matmul(g, std::move(s.in[1])), x);
    if (s.need(1)) r[1] = matmul(transpose(g), reshape(std::move(s.in[0]), {rows, weight[1]}));
    if (s.need(2)) r[2] = sum_to(std::move(g), {weight[0]});
    return r;
  }
};

template <>
struct Rule<op::ConvBiasActivation> {
  static constexpr Saves saves(const op::ConvBiasActivation& op, unsigned needs) { return detail::saves_of_product(op.activation, needs); }

  template <class B>
  static OperandGradients<op::ConvBiasActivation, B> back(Saved<op::ConvBiasActivation, B>& s) {
    const ConvGeometry& geometry = s.op.geometry;
    auto g = detail::through_activation(s, [&] { return call<B>(op::ConvBiasActivation{geometry}, s.in[0], s.in[1], s.in[2], s.in[3]); });
    OperandGradients<op::ConvBiasActivation, B> r;
    const Shape x = s.spec[0].shape, weight = s.spec[1].shape;
    Shape input, kernel;
    for (int i = 2; i < x.size(); ++i) input.push(x[i]), kernel.push(weight[i]);
    if (s.need(3)) r[3] = g;
    if (s.need(0)) r[0] = call<B>(op::ConvInputGrad{geometry, input}, g, std::move(s.in[1]));
    if (s.need(1)) r[1] = call<B>(op::ConvWeightGrad{geometry, kernel}, std::move(s.in[0]), g);
    if (s.need(2)) r[2] = reshape(sum(std::move(g), detail::all_but_channels(x.size())), {weight[0]});
    return r;
  }
};

}  // namespace hearth
