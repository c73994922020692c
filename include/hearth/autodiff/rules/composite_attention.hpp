// autodiff/rules/composite_attention: gradients of attention and of its rotary embedding.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../../backend/decompositions/rope.hpp"
#include "../rule.hpp"

namespace hearth {

template <>
struct Rule<op::Attention> {
  static constexpr Saves saves(const op::Attention&, unsigned) { return {0b11111, 0}; }

  template <class B>
  static OperandGradients<op::Attention, B> back(Saved<op::Attention, B>& s) {
    auto [dq, dk, dv, dbias] = call<B>(op::AttentionGrad{s.op.options}, std::move(s.grad[0]), std::move(s.in[0]), std::move(s.in[1]),
                                       std::move(s.in[2]), std::move(s.in[3]), std::move(s.in[4]));
    OperandGradients<op::Attention, B> r;
    if (s.need(0)) r[0] = std::move(dq);
    if (s.need(1)) r[1] = std::move(dk);
    if (s.need(2)) r[2] = std::move(dv);
    if (s.need(4)) r[4] = std::move(dbias);
    return r;
  }
};

template <>
struct Rule<op::Rope> {
  static constexpr Saves saves(const op::Rope&, unsigned needs) { return {((needs & 1u) ? 0b110u : 0u) | ((needs & 0b110u) ? 1u : 0u), 0}; }

  template <class B>
  static OperandGradients<op::Rope, B> back(Saved<op::Rope, B>& s) {
    using namespace detail;
    OperandGradients<op::Rope, B> r;
    auto g = std::move(s.grad[0]);
    if (s.need(1) || s.need(2)) {
      const RopeHalves halves(s.spec[0].shape, s.op.interleaved);
      auto x = accumulated(std::move(s.in[0])), wide = accumulated(g);
      auto a = halves.of(x, false), b = halves.of(std::move(x), true);
      auto ga = halves.of(wide, false), gb = halves.of(std::move(wide), true);
      if (s.need(1)) r[1] = converted(sum_to(ga * a + gb * b, s.spec[1].shape), s.spec[1].dtype);
      if (s.need(2)) r[2] = converted(sum_to(std::move(gb) * std::move(a) - std::move(ga) * std::move(b), s.spec[2].shape), s.spec[2].dtype);
    }
    if (s.need(0)) r[0] = call<B>(s.op, std::move(g), std::move(s.in[1]), -std::move(s.in[2]));  // turned back
    return r;
  }
};

}  // namespace hearth
