// op/infer_move: results of ops that carry elements elsewhere.
// SPDX-License-Identifier: Apache-2.0
#include "infer.hpp"

namespace hearth {

using namespace detail;

namespace {

/// Are there paddings for each axis of x, none negative, and can the mode fill them?
bool padding_fits(std::string_view op, const Shape& x, const Shape& before, const Shape& after, PadMode mode) {
  if (!has_entries(op, "before", before.size(), x.size()) || !has_entries(op, "after", after.size(), x.size())) return false;
  for (int i = 0; i < x.size(); ++i) {
    if (before[i] < 0 || after[i] < 0)
      return fail(op, "negative padding: " + to_string(before) + " and " + to_string(after), {x}, "slice to crop");
    const std::int64_t most = before[i] > after[i] ? before[i] : after[i];
    if (most == 0 || mode == PadMode::constant) continue;
    const bool ok = mode == PadMode::reflect ? most < x[i] : mode == PadMode::circular ? most <= x[i] : x[i] > 0;
    if (!ok) {
      const std::string_view word = mode == PadMode::reflect ? "reflected" : mode == PadMode::circular ? "wrapped" : "replicated";
      return fail(op, "axis " + text(i) + " of " + to_string(x) + " is too short for " + text(most) + " " + std::string(word) + " elements", {x});
    }
  }
  return true;
}

/// Adds two lists of sizes; false, with an error, past 2^63 - 1.
bool grown(std::string_view op, const Shape& x, const Shape& before, const Shape& after, Shape& result) {
  result = x;
  for (int i = 0; i < x.size(); ++i)
    if (__builtin_add_overflow(result[i], before[i], &result[i]) || __builtin_add_overflow(result[i], after[i], &result[i]))
      return fail(op, "the size of axis " + text(i) + " passes 2^63 - 1", {x});
  return true;
}

/// Gather's and Scatter's: is `index` of x's rank and no longer than x but along `axis`?
bool index_fits(std::string_view op, const Spec& x, const Spec& index, int given_axis) {
  int axis = 0;
  if (!is_index(op, "index", index) || !find_axis(op, given_axis, x.shape.size(), axis)) return false;
  bool ok = x.shape.size() == index.shape.size();
  for (int i = 0; ok && i < x.shape.size(); ++i) ok = i == axis || index.shape[i] <= x.shape[i];
  if (ok) return true;
  return fail(op, "index " + to_string(index.shape) + " does not lie inside " + to_string(x.shape) + " but for axis " + text(axis),
              {x.shape, index.shape});
}

/// Sets `result` to index.shape[:-1] + x.shape[k:].
bool places(std::string_view op, const Spec& x, const Spec& index, Shape& result) {
  if (!is_index(op, "index", index) || !has_rank(op, "index", index, 1)) return false;
  const std::int64_t k = index.shape[-1];
  if (k < 1 || k > x.shape.size())
    return fail(op, "the last axis of index " + to_string(index.shape) + " holds " + text(k) + " numbers for the axes of " + to_string(x.shape),
                {x.shape, index.shape}, "it must hold 1 to " + text(x.shape.size()));
  return joined(op, part(index.shape, 0, index.shape.size() - 1), tail(x.shape, int(k)), result);
}

/// Is the mode defined for the dtype?
bool mode_fits(std::string_view op, ScatterMode mode, const Spec& base) {
  return takes(op, mode == ScatterMode::add || mode == ScatterMode::mul ? numbers : everything, base);
}

}  // namespace

Out<op::Concat> infer(const op::Concat& op, const In<op::Concat>& in) {
  if (in.empty()) return fail("concat", "there is nothing to join");
  if (!given<op::Concat>("concat", in)) return {};
  Spec result = *in[0];
  int axis = 0;
  if (!find_axis("concat", op.axis, result.shape.size(), axis)) return {};
  for (std::size_t i = 1; i < in.size(); ++i) {
    const Spec& next = *in[i];
    if (!same_dtype("concat", *in[0], next)) return {};
    bool ok = next.shape.size() == result.shape.size();
    for (int a = 0; ok && a < result.shape.size(); ++a) ok = a == axis || next.shape[a] == result.shape[a];
    if (!ok)
      return fail("concat", to_string(in[0]->shape) + " and " + to_string(next.shape) + " differ in more than axis " + text(axis), {in[0]->shape, next.shape});
    if (__builtin_add_overflow(result.shape[axis], next.shape[axis], &result.shape[axis]))
      return fail("concat", "the size of axis " + text(axis) + " passes 2^63 - 1", {next.shape});
  }
  if (!fits("concat", result)) return {};
  return {result};
}

Out<op::Pad> infer(const op::Pad& op, const In<op::Pad>& in) {
  if (!given<op::Pad>("pad", in)) return {};
  const Spec& x = *in[0];
  Spec result{x.dtype, {}};
  if (!is_number_beside("pad", op.value, x) || !padding_fits("pad", x.shape, op.before, op.after, op.mode) ||
      !grown("pad", x.shape, op.before, op.after, result.shape) || !fits("pad", result))
    return {};
  return {result};
}

Out<op::PadGrad> infer(const op::PadGrad& op, const In<op::PadGrad>& in) {
  if (!given<op::PadGrad>("pad_grad", in)) return {};
  const Spec& g = *in[0];
  if (!takes("pad_grad", numbers, g) || !has_entries("pad_grad", "before", op.before.size(), g.shape.size()) ||
      !has_entries("pad_grad", "after", op.after.size(), g.shape.size()))
    return {};
  Spec result = g;
  for (int i = 0; i < g.shape.size(); ++i) {
    // Paddings beyond the size of g are refused before they are subtracted.
    if (op.before[i] < 0 || op.after[i] < 0 || op.before[i] > g.shape[i] || op.after[i] > g.shape[i] - op.before[i])
      return fail("pad_grad", to_string(g.shape) + " has no paddings " + to_string(op.before) + " and " + to_string(op.after), {g.shape});
    result.shape[i] = g.shape[i] - op.before[i] - op.after[i];
  }
  if (!padding_fits("pad_grad", result.shape, op.before, op.after, op.mode)) return {};
  return {result};
}

Out<op::Gather> infer(const op::Gather& op, const In<op::Gather>& in) {
  if (!given<op::Gather>("gather", in)) return {};
  const Spec result{in[0]->dtype, in[1]->shape};
  if (!index_fits("gather", *in[0], *in[1], op.axis) || !fits("gather", result)) return {};
  return {result};
}

Out<op::Scatter> infer(const op::Scatter& op, const In<op::Scatter>& in) {
  if (!given<op::Scatter>("scatter", in)) return {};
  const Spec &base = *in[0], &index = *in[1], &source = *in[2];
  if (!same_dtype("scatter", base, source) || !mode_fits("scatter", op.mode, base) || !index_fits("scatter", base, index, op.axis) ||
      !has_shape("scatter", "source", source, index.shape))
    return {};
  return {base};
}

Out<op::GatherNd> infer(const op::GatherNd&, const In<op::GatherNd>& in) {
  if (!given<op::GatherNd>("gather_nd", in)) return {};
  Spec result{in[0]->dtype, {}};
  if (!places("gather_nd", *in[0], *in[1], result.shape) || !fits("gather_nd", result)) return {};
  return {result};
}

Out<op::ScatterNd> infer(const op::ScatterNd& op, const In<op::ScatterNd>& in) {
  if (!given<op::ScatterNd>("scatter_nd", in)) return {};
  const Spec &base = *in[0], &index = *in[1], &source = *in[2];
  Shape expected;
  if (!same_dtype("scatter_nd", base, source) || !mode_fits("scatter_nd", op.mode, base) || !places("scatter_nd", base, index, expected) ||
      !has_shape("scatter_nd", "source", source, expected))
    return {};
  return {base};
}

Out<op::SliceAssign> infer(const op::SliceAssign& op, const In<op::SliceAssign>& in) {
  if (!given<op::SliceAssign>("slice_assign", in)) return {};
  const Spec &base = *in[0], &source = *in[1];
  if (!same_dtype("slice_assign", base, source) || !slice_fits("slice_assign", base.shape, op.start, op.size, op.step)) return {};
  if (!broadcastable(source.shape, op.size))
    return fail("slice_assign", to_string(source.shape) + " does not stretch to the slice " + to_string(op.size) + " of " + to_string(base.shape),
                {base.shape, source.shape});
  return {base};
}

}  // namespace hearth
