// autodiff/rules/composite_norm: gradients of the norms, by the composites that compute them whole.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../../backend/decompositions/common.hpp"
#include "../rule.hpp"

namespace hearth {

namespace detail {
/// A norm of x with scale (operand 1) and bias: x is read for any gradient but the bias's, the scale only for that of x.
constexpr Saves saves_of_norm(unsigned needs) { return {(needs & 0b11u) == 0 ? 0u : (needs & 1u) ? 0b11u : 0b1u, 0}; }
/// Those gradients that are wanted, each in its operand's dtype.
template <class Op, class B, class Parts>
OperandGradients<Op, B> wanted(const Saved<Op, B>& s, Parts parts) {
  OperandGradients<Op, B> r;
  for (int i = 0; i < int(parts.size()); ++i)
    if (s.need(i)) r[std::size_t(i)] = converted(std::move(parts[std::size_t(i)]), s.spec[std::size_t(i)].dtype);
  return r;
}
}  // namespace detail

template <>
struct Rule<op::LayerNorm> {
  static constexpr Saves saves(const op::LayerNorm&, unsigned needs) { return detail::saves_of_norm(needs); }

  template <class B>
  static OperandGradients<op::LayerNorm, B> back(Saved<op::LayerNorm, B>& s) {
    if (!s.need(0) && !s.need(1))
      return {Dyn<B>(), Dyn<B>(), detail::converted(sum_to(detail::accumulated(std::move(s.grad[0])), s.spec[2].shape), s.spec[2].dtype)};
    return detail::wanted(s, call<B>(op::LayerNormGrad{s.op.axes, s.op.epsilon}, std::move(s.grad[0]), std::move(s.in[0]), std::move(s.in[1])));
  }
};

template <>
struct Rule<op::RmsNorm> {
  static constexpr Saves saves(const op::RmsNorm&, unsigned needs) { return detail::saves_of_norm(needs); }

  template <class B>
  static OperandGradients<op::RmsNorm, B> back(Saved<op::RmsNorm, B>& s) {
    return detail::wanted(s, call<B>(op::RmsNormGrad{s.op.axes, s.op.epsilon}, std::move(s.grad[0]), std::move(s.in[0]), std::move(s.in[1])));
  }
};

template <>
struct Rule<op::GroupNorm> {
  static constexpr Saves saves(const op::GroupNorm&, unsigned needs) { return detail::saves_of_norm(needs); }

  template <class B>
  static OperandGradients<op::GroupNorm, B> back(Saved<op::GroupNorm, B>& s) {
    if (!s.need(0) && !s.need(1)) {
      auto dbias = sum(detail::accumulated(std::move(s.grad[0])), detail::all_but_channels(s.spec[0].shape.size()));
      dbias = reshape(std::move(dbias), s.spec[2].shape);
      return {Dyn<B>(), Dyn<B>(), detail::converted(std::move(dbias), s.spec[2].dtype)};
    }
    return detail::wanted(s, call<B>(op::GroupNormGrad{s.op.groups, s.op.epsilon}, std::move(s.grad[0]), std::move(s.in[0]), std::move(s.in[1])));
  }
};

template <>
struct Rule<op::BatchNormTraining> {
  static constexpr Saves saves(const op::BatchNormTraining&, unsigned) { return {0b11, 0b110}; }

  template <class B>
  static OperandGradients<op::BatchNormTraining, B> back(Saved<op::BatchNormTraining, B>& s) {
    using namespace detail;
    const Dtype dtype = s.spec[0].dtype;
    const Shape shape = s.spec[0].shape;
    auto x = std::move(s.in[0]), center = std::move(s.out[1]), variance = std::move(s.out[2]);
    if (compute_dtype(center.dtype()) != center.dtype()) {  // 16 bits of the statistics are not enough for the gradient
      const Axes axes = all_but_channels(shape.size());
      auto wide = accumulated(x), exact = mean(wide, axes);
      center = reshape(exact, {shape[1]});
      variance = reshape(mean(square(std::move(wide) - std::move(exact)), axes), {shape[1]});
    }

    OperandGradients<op::BatchNormTraining, B> r;
    if (s.grad[0])
      r = wanted(s, call<B>(op::BatchNormGrad{s.op.epsilon}, std::move(s.grad[0]), x, std::move(s.in[1]), center, std::move(variance)));
    if (s.need(0)) {
      // The statistics are results too: the mean moves by 1 / n of x, the variance by 2 / n of what x is above the mean.
      const double count = double(element_count(shape) / (shape[1] > 0 ? shape[1] : 1));
      auto dx = accumulated(std::move(r[0]));
      const auto add = [&](Dyn<B> part) { dx = dx ? std::move(dx) + std::move(part) : expand(std::move(part), shape); };
      if (s.grad[1]) add(per_channel(accumulated(std::move(s.grad[1])) / count, shape.size()));
      if (s.grad[2]) {
        auto above = accumulated(std::move(x)) - per_channel(std::move(center), shape.size());
        add(std::move(above) * per_channel(accumulated(std::move(s.grad[2])) * (2 / count), shape.size()));
      }
      r[0] = converted(std::move(dx), dtype);
    }
    return r;
  }
};

}  // namespace hearth
