// op/infer_reduce: results of reductions, running reductions and orders.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/op/formula.hpp"
#include "infer.hpp"

namespace hearth {

using namespace detail;

namespace {

std::string_view name_of(ArgCode code) { return code == ArgCode::max ? "argmax" : "argmin"; }

bool not_empty(std::string_view op, const Shape& x, int axis) {
  if (x[axis] != 0) return true;
  return fail(op, "axis " + text(axis) + " of " + to_string(x) + " is empty and has no extreme", {x});
}

/// "cumsum", "cummax": what users call a running reduction.
std::string scan_name(std::string_view code) { return code == "logsumexp" ? "logcumsumexp" : "cum" + std::string(code); }

}  // namespace

Out<op::Reduce> infer(const op::Reduce& op, const In<op::Reduce>& in) {
  const std::string_view name = name_of(op.code);
  if (!given<op::Reduce>(name, in) || !takes(name, kinds_of(op.code), *in[0])) return {};
  const Spec& x = *in[0];
  Spec result{result_dtype(op.code, x.dtype), x.shape};
  unsigned seen = 0;
  for (int given_axis : op.axes) {
    int axis = 0;
    if (!find_axis(name, given_axis, x.shape.size(), axis)) return {};
    if (seen >> axis & 1u) return fail(name, "axis " + text(axis) + " is named twice in " + to_string(op.axes), {x.shape});
    seen |= 1u << axis;
    if ((op.code == ReduceCode::max || op.code == ReduceCode::min) && !not_empty(name, x.shape, axis)) return {};
    result.shape[axis] = 1;
  }
  if (!fits(name, result)) return {};  // widened elements are larger
  return {result};
}

Out<op::ArgReduce> infer(const op::ArgReduce& op, const In<op::ArgReduce>& in) {
  const std::string_view name = name_of(op.code);
  if (!given<op::ArgReduce>(name, in)) return {};
  Spec result{Dtype::i64, in[0]->shape};
  int axis = 0;
  if (!find_axis(name, op.axis, result.shape.size(), axis) || !not_empty(name, result.shape, axis)) return {};
  result.shape[axis] = 1;
  if (!fits(name, result)) return {};
  return {result};
}

Out<op::Scan> infer(const op::Scan& op, const In<op::Scan>& in) {
  const std::string name = scan_name(name_of(op.code));
  if (!given<op::Scan>(name, in) || !takes(name, kinds_of(op.code), *in[0])) return {};
  const Spec result{result_dtype(op.code, in[0]->dtype), in[0]->shape};
  int axis = 0;
  if (!find_axis(name, op.axis, result.shape.size(), axis) || !fits(name, result)) return {};
  return {result};
}

Out<op::ArgScan> infer(const op::ArgScan& op, const In<op::ArgScan>& in) {
  const std::string name = scan_name(op.code == ArgCode::max ? "max" : "min");
  if (!given<op::ArgScan>(name, in)) return {};
  const Spec result{Dtype::i64, in[0]->shape};
  int axis = 0;
  if (!find_axis(name, op.axis, result.shape.size(), axis) || !fits(name, result)) return {};
  return {result};
}

Out<op::Sort> infer(const op::Sort& op, const In<op::Sort>& in) {
  if (!given<op::Sort>("sort", in)) return {};
  const Spec &values = *in[0], indices{Dtype::i64, values.shape};
  int axis = 0;
  if (!find_axis("sort", op.axis, values.shape.size(), axis) || !fits("sort", indices)) return {};
  return {values, indices};
}

Out<op::TopK> infer(const op::TopK& op, const In<op::TopK>& in) {
  if (!given<op::TopK>("topk", in)) return {};
  Spec values = *in[0];
  int axis = 0;
  if (!find_axis("topk", op.axis, values.shape.size(), axis)) return {};
  if (op.k < 0 || op.k > values.shape[axis])
    return fail("topk", "k is " + text(op.k) + ", but axis " + text(axis) + " of " + to_string(values.shape) + " has " + text(values.shape[axis]) + " elements",
                {values.shape});
  values.shape[axis] = op.k;
  const Spec indices{Dtype::i64, values.shape};
  if (!fits("topk", indices)) return {};
  return {values, indices};
}

}  // namespace hearth
