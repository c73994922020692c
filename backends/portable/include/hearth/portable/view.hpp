// portable/view: the same buffer under another layout; Reshape copies where strides do not allow it. Fold is Unfold's adjoint.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "execute.hpp"
#include "sum.hpp"

namespace hearth::portable {

inline Handle view(const op::Reshape&, const Handle& x, const Spec& result) {
  Layout layout;
  if (reshaped(x->layout, result.shape, layout)) return view_of(x, layout);
  const Handle copied = contiguous(x, "reshape");
  return copied ? view_of(copied, Layout::contiguous(result.shape)) : Handle{};
}

inline Handle view(const op::Permute& op, const Handle& x, const Spec&) {
  Axes axes;
  for (int axis : op.axes) axes.push(normalize_axis("permute", axis, op.axes.size()));
  return view_of(x, permuted(x->layout, axes));
}

inline Handle view(const op::Expand&, const Handle& x, const Spec& result) { return view_of(x, expanded(x->layout, result.shape)); }

inline Handle view(const op::Slice& op, const Handle& x, const Spec&) { return view_of(x, sliced(x->layout, op.start, op.size, op.step)); }

inline Handle view(const op::Unfold& op, const Handle& x, const Spec&) {
  return view_of(x, unfolded(x->layout, normalize_axis("unfold", op.axis, x->spec.shape.size()), op.size, op.step, op.dilation));
}

inline void kernel(const op::Fold& op, const Operands<op::Fold, Handle>& in, Results<op::Fold, Handle>& out) {
  const int axis = normalize_axis("fold", op.axis, out[0]->spec.shape.size());
  add_at(in[0], out[0], "fold", [&](const Shape& from, Shape& to) {
    to = from;
    to.pop();
    to[axis] = from[axis] * op.step + from[-1] * op.dilation;
    return true;
  });
}

}  // namespace hearth::portable
