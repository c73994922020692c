// autodiff/rules/composite_sample: gradients of reading between elements, by the composites that compute them whole.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../../backend/decompositions/common.hpp"
#include "../rule.hpp"

namespace hearth {

template <>
struct Rule<op::GridSample> {
  static constexpr Saves saves(const op::GridSample&, unsigned) { return {0b11, 0}; }

  template <class B>
  static OperandGradients<op::GridSample, B> back(Saved<op::GridSample, B>& s) {
    auto [dx, dgrid] = call<B>(op::GridSampleGrad{s.op.mode, s.op.padding, s.op.align_corners}, std::move(s.grad[0]), std::move(s.in[0]), std::move(s.in[1]));
    return {s.need(0) ? std::move(dx) : Dyn<B>(), s.need(1) ? std::move(dgrid) : Dyn<B>()};
  }
};

template <>
struct Rule<op::DeformConv> {
  static constexpr Saves saves(const op::DeformConv&, unsigned needs) { return {(needs & 0b1111u) ? 0b1111u : 0u, 0}; }

  template <class B>
  static OperandGradients<op::DeformConv, B> back(Saved<op::DeformConv, B>& s) {
    OperandGradients<op::DeformConv, B> r;
    auto g = std::move(s.grad[0]);
    if (s.need(4)) r[4] = detail::converted(reshape(sum(detail::accumulated(g), {0, 2, 3}), s.spec[4].shape), s.spec[4].dtype);
    if (!s.need(0) && !s.need(1) && !s.need(2) && !s.need(3)) return r;
    auto parts = call<B>(op::DeformConvGrad{s.op.geometry, s.op.offset_groups}, std::move(g), std::move(s.in[0]), std::move(s.in[1]),
                         std::move(s.in[2]), std::move(s.in[3]));
    for (int i = 0; i < 4; ++i)
      if (s.need(i)) r[std::size_t(i)] = std::move(parts[std::size_t(i)]);
    return r;
  }
};

}  // namespace hearth
