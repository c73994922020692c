// autodiff/rules/view: gradients of views are views back, or sums over what was seen more than once.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../rule.hpp"

namespace hearth {

template <>
struct Rule<op::Reshape> : SavesNothing {
  template <class B>
  static OperandGradients<op::Reshape, B> back(Saved<op::Reshape, B>& s) {
    return {reshape(s.grad[0], s.spec[0].shape)};
  }
};

template <>
struct Rule<op::Permute> : SavesNothing {
  template <class B>
  static OperandGradients<op::Permute, B> back(Saved<op::Permute, B>& s) {
    const int rank = s.op.axes.size();
    Axes inverse = Axes::filled(rank, 0);
    for (int i = 0; i < rank; ++i) inverse[normalize_axis("permute", s.op.axes[i], rank)] = i;
    return {permute(s.grad[0], inverse)};
  }
};

template <>
struct Rule<op::Expand> : SavesNothing {
  template <class B>
  static OperandGradients<op::Expand, B> back(Saved<op::Expand, B>& s) {
    return {sum_to(s.grad[0], s.spec[0].shape)};
  }
};

template <>
struct Rule<op::Slice> : SavesNothing {
  template <class B>
  static OperandGradients<op::Slice, B> back(Saved<op::Slice, B>& s) {
    return {call<B>(op::SliceAssign{s.op.start, s.op.size, s.op.step}, s.zeros(0), s.grad[0])};
  }
};

template <>
struct Rule<op::Unfold> : SavesNothing {
  template <class B>
  static OperandGradients<op::Unfold, B> back(Saved<op::Unfold, B>& s) {
    const int axis = normalize_axis("unfold", s.op.axis, s.spec[0].shape.size());
    return {call<B>(op::Fold{axis, s.spec[0].shape[axis], s.op.step, s.op.dilation}, s.grad[0])};
  }
};

template <>
struct Rule<op::Fold> : SavesNothing {
  template <class B>
  static OperandGradients<op::Fold, B> back(Saved<op::Fold, B>& s) {
    const Shape& windows = s.spec[0].shape;
    const int axis = normalize_axis("fold", s.op.axis, windows.size() - 1);
    return {call<B>(op::Unfold{axis, windows[-1], s.op.step, s.op.dilation}, s.grad[0])};
  }
};

}  // namespace hearth
