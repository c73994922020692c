// backend/decompositions/quantized: quantised operands are turned back into floats first.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "common.hpp"

namespace hearth {

namespace detail {
/// The plain floats of an operand that may be stored in few bits (then it has a scale).
template <class B>
Dyn<B> plain(const QuantScheme& scheme, const Shape& shape, Dtype dtype, Dyn<B> x, Dyn<B> scale, Dyn<B> zero_point) {
  if (!scale) return converted(std::move(x), dtype);
  return call<B>(op::Dequantize{scheme, dtype, shape}, std::move(x), std::move(scale), std::move(zero_point));
}
}  // namespace detail

template <>
struct Decomposition<op::FakeQuantize> {
  template <class B>
  static std::array<Dyn<B>, 1> run(const op::FakeQuantize& op, std::array<Dyn<B>, 3> in) {
    const Spec spec = in[0].spec();
    auto stored = call<B>(op::Quantize{op.scheme}, std::move(in[0]), in[1], in[2]);
    return {call<B>(op::Dequantize{op.scheme, spec.dtype, spec.shape}, std::move(stored), std::move(in[1]), std::move(in[2]))};
  }
};

template <>
struct Decomposition<op::QuantizedMatMul> {
  template <class B>
  static std::array<Dyn<B>, 1> run(const op::QuantizedMatMul& op, std::array<Dyn<B>, 6> in) {
    auto a = detail::plain(op.a, op.a_shape, op.dtype, std::move(in[0]), std::move(in[1]), std::move(in[2]));
    auto b = detail::plain(op.b, op.b_shape, op.dtype, std::move(in[3]), std::move(in[4]), std::move(in[5]));
    return {matmul(std::move(a), std::move(b))};
  }
};

template <>
struct Decomposition<op::QuantizedConv> {
  template <class B>
  static std::array<Dyn<B>, 1> run(const op::QuantizedConv& op, std::array<Dyn<B>, 7> in) {
    auto x = detail::plain(op.x, op.x_shape, op.dtype, std::move(in[0]), std::move(in[1]), std::move(in[2]));
    auto weight = detail::plain(op.weight, op.weight_shape, op.dtype, std::move(in[3]), std::move(in[4]), std::move(in[5]));
    auto bias = detail::converted(std::move(in[6]), op.dtype);
    return {call<B>(op::Conv{op.geometry}, std::move(x), std::move(weight), std::move(bias))};
  }
};

}  // namespace hearth
