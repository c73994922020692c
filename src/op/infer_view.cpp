// op/infer_view: results of ops that look at the same elements in another way.
// SPDX-License-Identifier: Apache-2.0
#include "infer.hpp"

namespace hearth {

using namespace detail;

namespace detail {

bool slice_fits(std::string_view op, const Shape& x, const Shape& start, const Shape& size, const Shape& step) {
  if (!has_entries(op, "start", start.size(), x.size()) || !has_entries(op, "size", size.size(), x.size()) ||
      !has_entries(op, "step", step.size(), x.size()))
    return false;
  for (int i = 0; i < x.size(); ++i) {
    if (step[i] == 0) return fail(op, "the step of axis " + text(i) + " is 0", {x});
    if (size[i] < 0) return fail(op, "a size is negative: " + to_string(size), {x, size});
    if (size[i] == 0) continue;
    std::int64_t span = 0, last = 0;
    const bool overflow = __builtin_mul_overflow(size[i] - 1, step[i], &span) || __builtin_add_overflow(start[i], span, &last);
    if (overflow || start[i] < 0 || start[i] >= x[i] || last < 0 || last >= x[i])
      return fail(op, text(size[i]) + " elements from " + text(start[i]) + " in steps of " + text(step[i]) + " leave axis " + text(i) + " of " + to_string(x),
                  {x});
  }
  return true;
}

}  // namespace detail

namespace {

/// How many windows an axis of x has.
bool windows(std::string_view op, const Shape& x, int axis, std::int64_t size, std::int64_t step, std::int64_t dilation, std::int64_t& result) {
  result = conv_output_size(op, x[axis], size, step, dilation, 0, 0);
  return !pending_error() && window_fits(op, result, x, axis, size, dilation, 0, 0);
}

}  // namespace

Out<op::Reshape> infer(const op::Reshape& op, const In<op::Reshape>& in) {
  if (!given<op::Reshape>("reshape", in)) return {};
  const Spec& x = *in[0];
  Spec result{x.dtype, op.shape};
  int open = -1;
  for (int i = 0; i < op.shape.size(); ++i)
    if (op.shape[i] == -1) {
      if (open >= 0) return fail("reshape", "more than one size is -1: " + to_string(op.shape), {x.shape, op.shape});
      open = i;
      result.shape[i] = 1;
    }
  if (!fits("reshape", result)) return {};
  const std::int64_t count = element_count(x.shape), rest = element_count(result.shape);
  if (open >= 0) {
    if (rest == 0) return fail("reshape", "the size -1 of " + to_string(op.shape) + " could be anything", {x.shape, op.shape});
    result.shape[open] = count / rest;
  }
  if (open >= 0 ? count % rest != 0 : count != rest)
    return fail("reshape", to_string(x.shape) + " has " + text(count) + " elements and does not fit into " + to_string(op.shape), {x.shape, op.shape});
  if (!fits("reshape", result)) return {};  // sizes of 0 may hide behind huge ones
  return {result};
}

Out<op::Permute> infer(const op::Permute& op, const In<op::Permute>& in) {
  if (!given<op::Permute>("permute", in)) return {};
  const Spec& x = *in[0];
  if (!has_entries("permute", "the permutation", op.axes.size(), x.shape.size())) return {};
  Spec result{x.dtype, {}};
  unsigned seen = 0;
  for (int axis : op.axes) {
    int a = 0;
    if (!find_axis("permute", axis, x.shape.size(), a)) return {};
    if (seen >> a & 1u) return fail("permute", "axis " + text(a) + " is named twice in " + to_string(op.axes), {x.shape});
    seen |= 1u << a;
    result.shape.push(x.shape[a]);
  }
  return {result};
}

Out<op::Expand> infer(const op::Expand& op, const In<op::Expand>& in) {
  if (!given<op::Expand>("expand", in)) return {};
  const Spec& x = *in[0];
  const Spec result{x.dtype, op.shape};
  if (!fits("expand", result)) return {};
  if (!broadcastable(x.shape, op.shape))
    return fail("expand", to_string(x.shape) + " does not stretch to " + to_string(op.shape), {x.shape, op.shape},
                "only axes of size 1 stretch, and new axes come first");
  return {result};
}

Out<op::Slice> infer(const op::Slice& op, const In<op::Slice>& in) {
  if (!given<op::Slice>("slice", in) || !slice_fits("slice", in[0]->shape, op.start, op.size, op.step)) return {};
  return {Spec{in[0]->dtype, op.size}};
}

Out<op::Unfold> infer(const op::Unfold& op, const In<op::Unfold>& in) {
  if (!given<op::Unfold>("unfold", in)) return {};
  Spec result = *in[0];
  int axis = 0;
  if (!find_axis("unfold", op.axis, result.shape.size(), axis)) return {};
  if (!windows("unfold", in[0]->shape, axis, op.size, op.step, op.dilation, result.shape[axis]) ||
      !joined("unfold", result.shape, {op.size}, result.shape) || !fits("unfold", result))
    return {};
  return {result};
}

Out<op::Fold> infer(const op::Fold& op, const In<op::Fold>& in) {
  if (!given<op::Fold>("fold", in)) return {};
  const Spec& x = *in[0];
  int axis = 0;
  if (!takes("fold", numbers, x) || !has_rank("fold", "the operand", x, 2) || !find_axis("fold", op.axis, x.shape.size() - 1, axis)) return {};
  Spec result{x.dtype, part(x.shape, 0, x.shape.size() - 1)};
  result.shape[axis] = op.length;
  std::int64_t expected = 0;
  if (!fits("fold", result) || !windows("fold", result.shape, axis, x.shape[-1], op.step, op.dilation, expected)) return {};
  if (expected != x.shape[axis])
    return fail("fold", text(op.length) + " elements have " + text(expected) + " windows of " + text(x.shape[-1]) + ", not the " + text(x.shape[axis]) +
                            " of " + to_string(x.shape),
                {x.shape});
  return {result};
}

}  // namespace hearth
