// cpu/move: arrays joined, and slices of arrays overwritten.
// SPDX-License-Identifier: Apache-2.0
#include "array.hpp"

namespace hearth::cpu {

namespace {

/// Copies `from` to where `to` says in `target`.
void copy_into(const Array& from, const Layout& stretched, const Array& target, const Layout& to) {
  const std::size_t size = size_of(target.spec.dtype);
  copy_elements(size, stretched, from.buffer->data, to, target.buffer->data);
}

}  // namespace

Results<op::Concat, Handle> execute(const op::Concat& op, Operands<op::Concat, Handle> in, const Results<op::Concat, Spec>& specs) {
  if (in.size() == 1) return {std::move(in[0])};
  Handle result = allocate(specs[0]);
  if (!result) return {};
  const int rank = specs[0].shape.size(), axis = normalize_axis("concat", op.axis, rank);
  Shape start = Shape::filled(rank, 0);
  const Shape step = Shape::filled(rank, 1);
  for (const Handle& x : in) {
    copy_into(*x, layout_of(*x), *result, sliced(layout_of(*result), start, x->spec.shape, step));
    start[axis] += x->spec.shape[axis];
  }
  return {std::move(result)};
}

Results<op::SliceAssign, Handle> execute(const op::SliceAssign& op, Operands<op::SliceAssign, Handle> in, const Results<op::SliceAssign, Spec>& specs) {
  Handle result;
  if (is_own(in[0]) && is_contiguous(*in[0])) {
    result = std::move(in[0]);
  } else {
    result = allocate(specs[0]);
    if (!result) return {};
    copy_into(*in[0], layout_of(*in[0]), *result, layout_of(*result));
  }
  copy_into(*in[1], expanded(layout_of(*in[1]), op.size), *result, sliced(layout_of(*result), op.start, op.size, op.step));
  return {std::move(result)};
}

}  // namespace hearth::cpu
