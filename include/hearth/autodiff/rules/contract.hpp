// autodiff/rules/contract: products, convolutions, pools and resampling. Each linear op's adjoint is an op, so rules call each other's.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../../backend/decompositions/common.hpp"
#include "../rule.hpp"

namespace hearth {

namespace detail {
/// Of two factors each needs the other.
constexpr Saves other_factor(unsigned needs) { return {(needs & 1u) << 1 | (needs >> 1 & 1u), 0}; }
/// The sizes of a shape behind its first two.
inline Shape spatial(const Shape& shape) {
  Shape result;
  for (int i = 2; i < shape.size(); ++i) result.push(shape[i]);
  return result;
}
}  // namespace detail

template <>
struct Rule<op::MatMul> {
  static Saves saves(const op::MatMul&, unsigned needs) { return detail::other_factor(needs); }
  template <class B>
  static OperandGradients<op::MatMul, B> back(Saved<op::MatMul, B>& s) {
    OperandGradients<op::MatMul, B> result;
    const Shape &a = s.spec[0].shape, &b = s.spec[1].shape;
    if (s.need(0)) result[0] = sum_to(matmul(s.grad[0], transpose(s.in[1])), a);
    if (s.need(1)) {
      if (b.size() == 2 && a.size() > 2 && element_count(a) > 0) {
        // One matrix for the whole batch: its gradient is one product of all rows, not a sum of products.
        const Dyn<B> rows = reshape(s.in[0], {-1, a[-1]}), g = reshape(s.grad[0], {-1, b[-1]});
        result[1] = matmul(transpose(rows), g);
      } else {
        result[1] = sum_to(matmul(transpose(s.in[0]), s.grad[0]), b);
      }
    }
    return result;
  }
};

template <>
struct Rule<op::Conv> {
  static Saves saves(const op::Conv&, unsigned needs) { return detail::other_factor(needs); }
  template <class B>
  static OperandGradients<op::Conv, B> back(Saved<op::Conv, B>& s) {
    OperandGradients<op::Conv, B> result;
    if (s.need(0)) result[0] = call<B>(op::ConvInputGrad{s.op.geometry, detail::spatial(s.spec[0].shape)}, s.grad[0], s.in[1]);
    if (s.need(1)) result[1] = call<B>(op::ConvWeightGrad{s.op.geometry, detail::spatial(s.spec[1].shape)}, s.in[0], s.grad[0]);
    if (s.need(2)) result[2] = reshape(sum(s.grad[0], detail::all_but_channels(s.spec[0].shape.size())), s.spec[2].shape);
    return result;
  }
};
template <>
struct Rule<op::ConvInputGrad> {
  static Saves saves(const op::ConvInputGrad&, unsigned needs) { return detail::other_factor(needs); }
  template <class B>
  static OperandGradients<op::ConvInputGrad, B> back(Saved<op::ConvInputGrad, B>& s) {
    OperandGradients<op::ConvInputGrad, B> result;
    if (s.need(0)) result[0] = call<B>(op::Conv{s.op.geometry}, s.grad[0], s.in[1], Dyn<B>());
    if (s.need(1)) result[1] = call<B>(op::ConvWeightGrad{s.op.geometry, detail::spatial(s.spec[1].shape)}, s.grad[0], s.in[0]);
    return result;
  }
};
template <>
struct Rule<op::ConvWeightGrad> {
  static Saves saves(const op::ConvWeightGrad&, unsigned needs) { return detail::other_factor(needs); }
  template <class B>
  static OperandGradients<op::ConvWeightGrad, B> back(Saved<op::ConvWeightGrad, B>& s) {
    OperandGradients<op::ConvWeightGrad, B> result;
    if (s.need(0)) result[0] = call<B>(op::ConvInputGrad{s.op.geometry, detail::spatial(s.spec[0].shape)}, s.in[1], s.grad[0]);
    if (s.need(1)) result[1] = call<B>(op::Conv{s.op.geometry}, s.in[0], s.grad[0], Dyn<B>());
    return result;
  }
};

/// The indices of the maxima count through the flattened spatial axes: one axis to scatter along.
template <>
struct Rule<op::MaxPool> {
  static Saves saves(const op::MaxPool&, unsigned) { return {0, 2}; }
  template <class B>
  static OperandGradients<op::MaxPool, B> back(Saved<op::MaxPool, B>& s) {
    const Shape& x = s.spec[0].shape;
    auto flat = [&](const Shape& spatial) { return Shape{x[0], x[1], element_count(spatial)}; };
    const Shape from = flat(detail::spatial(s.grad[0].shape()));
    Dyn<B> zeros = Dyn<B>::full(s.device(), {s.spec[0].dtype, flat(detail::spatial(x))}, 0);
    Dyn<B> indices = reshape(std::move(s.out[1]), from), gradient = reshape(std::move(s.grad[0]), from);
    return {reshape(call<B>(op::Scatter{2, ScatterMode::add}, std::move(zeros), std::move(indices), std::move(gradient)), x)};
  }
};
template <>
struct Rule<op::AvgPool> : SavesNothing {
  template <class B>
  static OperandGradients<op::AvgPool, B> back(Saved<op::AvgPool, B>& s) {
    return {call<B>(op::AvgPoolGrad{s.op.geometry, s.op.count_padding, detail::spatial(s.spec[0].shape)}, s.grad[0])};
  }
};
template <>
struct Rule<op::AvgPoolGrad> : SavesNothing {
  template <class B>
  static OperandGradients<op::AvgPoolGrad, B> back(Saved<op::AvgPoolGrad, B>& s) {
    return {call<B>(op::AvgPool{s.op.geometry, s.op.count_padding}, s.grad[0])};
  }
};

template <>
struct Rule<op::Interpolate> : SavesNothing {
  template <class B>
  static OperandGradients<op::Interpolate, B> back(Saved<op::Interpolate, B>& s) {
    return {call<B>(op::InterpolateGrad{s.op.resampling, detail::spatial(s.spec[0].shape)}, s.grad[0])};
  }
};
template <>
struct Rule<op::InterpolateGrad> : SavesNothing {
  template <class B>
  static OperandGradients<op::InterpolateGrad, B> back(Saved<op::InterpolateGrad, B>& s) {
    return {call<B>(op::Interpolate{s.op.resampling}, s.grad[0])};
  }
};

}  // namespace hearth
