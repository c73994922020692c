// autodiff/rules/low_bits: stored numbers are integers, but the scale beside them is a float with a gradient.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../rule.hpp"

namespace hearth {

namespace detail {
/// What arrives at each element, summed to the scale that the element belongs to: the adjoint of spreading the scales.
template <class B>
Dyn<B> sum_to_scale(const QuantScheme& scheme, Dyn<B> each, const Shape& scale) {
  const int rank = each.rank();
  if (scheme.axis >= 0 && scheme.block > 0) {
    // The axis becomes (block, element of it), its last block filled up with zeros.
    const std::int64_t size = each.size(scheme.axis), block = size < scheme.block ? size : scheme.block;
    const std::int64_t blocks = scale[scheme.axis], missing = blocks * block - size;
    Shape none = Shape::filled(rank, 0), after = none;
    after[scheme.axis] = missing;
    if (missing > 0) each = call<B>(op::Pad{none, after, PadMode::constant, 0}, std::move(each));
    // Rank 8 has no room for another axis; what lies around the split one may be joined.
    std::int64_t ahead = 1, behind = 1;
    for (int i = 0; i < rank; ++i) (i < scheme.axis ? ahead : behind) *= i == scheme.axis ? 1 : each.size(i);
    each = sum(reshape(std::move(each), {ahead, blocks, block, behind}), {2});
  } else {
    Axes others;
    for (int i = 0; i < rank; ++i)
      if (i != scheme.axis) others.push(i);
    each = sum(std::move(each), others);
  }
  return reshape(std::move(each), scale);
}
}  // namespace detail

// Its result is made of integers. FakeQuantize is the one to train through.
template <>
struct Rule<op::Quantize> : NoGradient {};

/// y = (q - zero point) scale is linear in the scale: dy/dscale is what a scale of 1 gives, summed over the elements that share the scale.
template <>
struct Rule<op::Dequantize> {
  static Saves saves(const op::Dequantize&, unsigned) { return {0b101, 0}; }
  template <class B>
  static OperandGradients<op::Dequantize, B> back(Saved<op::Dequantize, B>& s) {
    const Spec& scale = s.spec[1];
    Dyn<B> each = s.grad[0] * call<B>(s.op, s.in[0], Dyn<B>::full(s.device(), scale, 1), s.in[2]);
    return {Dyn<B>(), detail::sum_to_scale(s.op.scheme, std::move(each), scale.shape), Dyn<B>()};
  }
};

}  // namespace hearth
