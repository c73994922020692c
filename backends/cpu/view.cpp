// cpu/view: other looks at the same buffer. Only a reshape that no strides can express copies.
// SPDX-License-Identifier: Apache-2.0
#include "array.hpp"

namespace hearth::cpu {

namespace {

/// `handle` under another layout; the array itself is changed where nobody else holds it.
Handle look(Handle handle, const Layout& layout) {
  if (!handle.unique()) return view(handle, layout);
  handle->spec.shape = layout.shape;
  handle->strides = layout.strides;
  handle->offset = layout.offset;
  return handle;
}

}  // namespace

Results<op::Reshape, Handle> execute(const op::Reshape&, Operands<op::Reshape, Handle> in, const Results<op::Reshape, Spec>& specs) {
  Layout layout;
  if (reshaped(layout_of(*in[0]), specs[0].shape, layout)) return {look(std::move(in[0]), layout)};
  Handle copy = contiguous(std::move(in[0]));
  if (!copy) return {};
  return {look(std::move(copy), Layout::contiguous(specs[0].shape))};
}

Results<op::Permute, Handle> execute(const op::Permute& op, Operands<op::Permute, Handle> in, const Results<op::Permute, Spec>&) {
  Axes axes;
  for (int axis : op.axes) axes.push(axis < 0 ? axis + op.axes.size() : axis);
  const Layout layout = permuted(layout_of(*in[0]), axes);
  return {look(std::move(in[0]), layout)};
}

Results<op::Expand, Handle> execute(const op::Expand& op, Operands<op::Expand, Handle> in, const Results<op::Expand, Spec>&) {
  const Layout layout = expanded(layout_of(*in[0]), op.shape);
  return {look(std::move(in[0]), layout)};
}

Results<op::Slice, Handle> execute(const op::Slice& op, Operands<op::Slice, Handle> in, const Results<op::Slice, Spec>&) {
  const Layout layout = sliced(layout_of(*in[0]), op.start, op.size, op.step);
  return {look(std::move(in[0]), layout)};
}

Results<op::Unfold, Handle> execute(const op::Unfold& op, Operands<op::Unfold, Handle> in, const Results<op::Unfold, Spec>&) {
  const int axis = normalize_axis("unfold", op.axis, in[0]->spec.shape.size());
  const Layout layout = unfolded(layout_of(*in[0]), axis, op.size, op.step, op.dilation);
  return {look(std::move(in[0]), layout)};
}

}  // namespace hearth::cpu
