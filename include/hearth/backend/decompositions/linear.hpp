// backend/decompositions/linear: a matrix product or a convolution with what usually follows it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "common.hpp"

namespace hearth {

template <>
struct Decomposition<op::Linear> {
  template <class B>
  static std::array<Dyn<B>, 1> run(const op::Linear& op, std::array<Dyn<B>, 4> in) {
    auto& [x, weight, bias, residual] = in;
    // One product over all leading axes instead of many small ones.
    Shape shape = x.shape();
    const int leading = shape.size() - 1;
    if (leading != 1) x = reshape(std::move(x), {detail::product(shape, 0, leading), shape[-1]});
    shape[-1] = weight.size(0);
    auto y = matmul(std::move(x), transpose(std::move(weight)));
    if (leading != 1) y = reshape(std::move(y), shape);
    if (bias) y = std::move(y) + std::move(bias);
    if (residual) y = std::move(y) + std::move(residual);
    return {activate(op.activation, std::move(y))};
  }
};

template <>
struct Decomposition<op::ConvBiasActivation> {
  template <class B>
  static std::array<Dyn<B>, 1> run(const op::ConvBiasActivation& op, std::array<Dyn<B>, 4> in) {
    auto& [x, weight, bias, residual] = in;
    auto y = call<B>(op::Conv{op.geometry}, std::move(x), std::move(weight), std::move(bias));
    if (residual) y = std::move(y) + std::move(residual);
    return {activate(op.activation, std::move(y))};
  }
};

}  // namespace hearth
