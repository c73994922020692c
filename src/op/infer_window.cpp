// op/infer_window: results of pools and resampling.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "infer.hpp"

namespace hearth {

using namespace detail;

bool detail::window_fits(std::string_view op, std::int64_t count, const Shape& x, int axis, std::int64_t kernel, std::int64_t dilation, std::int64_t before,
                         std::int64_t after) {
  if (count > 0) return true;
  const std::string padding = before || after ? ", padded by " + text(before) + " and " + text(after) : "";
  const std::string dilated = dilation > 1 ? " with dilation " + text(dilation) + " spans " + text((kernel - 1) * dilation + 1) + " elements and" : "";
  return fail(op, "a window of " + text(kernel) + dilated + " does not fit into axis " + text(axis) + " of " + to_string(x) + padding, {x},
              "take a smaller window, or more padding");
}

namespace {

/// Does every window of one axis hold an element of the input? Only windows that begin in the padding can miss it all.
bool windows_hold_something(std::string_view op, const PoolGeometry& geometry, int axis, std::int64_t size) {
  const std::int64_t kernel = geometry.kernel[axis], dilation = geometry.dilation[axis], before = geometry.before[axis], after = geometry.after[axis];
  const std::int64_t reach = (kernel - 1) * dilation;  // from the first element of a window to its last
  bool ok = size > 0 && before <= reach && after <= reach;
  if (ok && size < dilation) {  // a window may even step over the whole input
    constexpr std::int64_t most = 4096;
    std::int64_t start = -before;
    for (std::int64_t i = 0; ok && start < 0; ++i) {
      const std::int64_t rest = start % dilation;
      ok = i < most && (rest < 0 ? rest + dilation : rest) < size;
      start += geometry.stride[axis];
    }
  }
  if (ok) return true;
  return fail(op, "a window of " + text(kernel) + " holds no element of an axis of " + text(size) + " elements with paddings " +
                      text(before) + " and " + text(after),
              {}, "paddings must be shorter than the window");
}

/// Sets `result` to the pool's output for x.
bool pool_shape(std::string_view op, const PoolGeometry& geometry, const Shape& x, Shape& result) {
  const int spatial = x.size() - 2;
  if (!geometry.adaptive.empty()) {
    if (!has_entries(op, "the output size", geometry.adaptive.size(), spatial)) return false;
  } else if (!has_entries(op, "kernel", geometry.kernel.size(), spatial) || !has_entries(op, "stride", geometry.stride.size(), spatial) ||
             !has_entries(op, "dilation", geometry.dilation.size(), spatial) ||
             !has_entries(op, "the padding ahead", geometry.before.size(), spatial) ||
             !has_entries(op, "the padding behind", geometry.after.size(), spatial)) {
    return false;
  }
  result = {x[0], x[1]};
  for (int i = 0; i < spatial; ++i) {
    const std::int64_t size = pool_output_size(op, geometry, i, x[i + 2]);
    if (pending_error()) return false;
    if (geometry.adaptive.empty() && (!window_fits(op, size, x, i + 2, geometry.kernel[i], geometry.dilation[i], geometry.before[i], geometry.after[i]) ||
                                      !windows_hold_something(op, geometry, i, x[i + 2])))
      return false;
    if (size > 0 && x[i + 2] == 0) return fail(op, "axis " + text(i + 2) + " of " + to_string(x) + " is empty", {x});
    result.push(size);
  }
  return true;
}

bool resampling_fits(std::string_view op, const Resampling& resampling, int spatial) {
  if (!has_entries(op, "the output size", resampling.size.size(), spatial)) return false;
  if (!resampling.scale.empty() && !has_entries(op, "scale", resampling.scale.size(), spatial)) return false;
  for (double scale : resampling.scale)
    if (!(scale > 0) || !std::isfinite(scale)) return fail(op, "a scale must be positive and finite, not " + to_string(Scalar(scale)));
  for (std::int64_t size : resampling.size)
    if (size < 1) return fail(op, "output sizes must be at least 1: " + to_string(resampling.size), {resampling.size});
  const InterpolateMode mode = resampling.mode;
  const bool smooth = mode == InterpolateMode::linear || mode == InterpolateMode::cubic || mode == InterpolateMode::lanczos;
  if (!smooth && resampling.align_corners) return fail(op, "align_corners is for the modes linear, cubic and lanczos");
  if (!smooth && resampling.antialias) return fail(op, "antialias is for the modes linear, cubic and lanczos");
  return true;
}

}  // namespace

Out<op::MaxPool> infer(const op::MaxPool& op, const In<op::MaxPool>& in) {
  if (!given<op::MaxPool>("max_pool", in)) return {};
  const Spec& x = *in[0];
  Spec values{x.dtype, {}};
  if (!takes("max_pool", numbers, x) || !has_rank("max_pool", "x", x, 3, 5) || !pool_shape("max_pool", op.geometry, x.shape, values.shape)) return {};
  const Spec indices{Dtype::i64, values.shape};
  if (!fits("max_pool", indices)) return {};
  return {values, indices};
}

Out<op::AvgPool> infer(const op::AvgPool& op, const In<op::AvgPool>& in) {
  if (!given<op::AvgPool>("avg_pool", in)) return {};
  const Spec& x = *in[0];
  Spec result{x.dtype, {}};
  if (!takes("avg_pool", kinds::F, x) || !has_rank("avg_pool", "x", x, 3, 5) || !pool_shape("avg_pool", op.geometry, x.shape, result.shape) ||
      !fits("avg_pool", result))
    return {};
  return {result};
}

Out<op::AvgPoolGrad> infer(const op::AvgPoolGrad& op, const In<op::AvgPoolGrad>& in) {
  constexpr std::string_view name = "avg_pool_grad";
  if (!given<op::AvgPoolGrad>(name, in)) return {};
  const Spec& g = *in[0];
  if (!takes(name, kinds::F, g) || !has_rank(name, "g", g, 3, 5) || !has_entries(name, "size", op.size.size(), g.shape.size() - 2)) return {};
  Spec x{g.dtype, {}};
  Shape expected;
  if (!joined(name, part(g.shape, 0, 2), op.size, x.shape) || !fits(name, x) || !pool_shape(name, op.geometry, x.shape, expected) ||
      !has_shape(name, "g", g, expected))
    return {};
  return {x};
}

Out<op::Interpolate> infer(const op::Interpolate& op, const In<op::Interpolate>& in) {
  if (!given<op::Interpolate>("interpolate", in)) return {};
  const Spec& x = *in[0];
  Spec result{x.dtype, {}};
  if (!takes("interpolate", kinds::F, x) || !has_rank("interpolate", "x", x, 3, 5) || !resampling_fits("interpolate", op.resampling, x.shape.size() - 2))
    return {};
  for (int i = 2; i < x.shape.size(); ++i)
    if (x.shape[i] == 0) return fail("interpolate", "axis " + text(i) + " of " + to_string(x.shape) + " is empty", {x.shape});
  if (!joined("interpolate", part(x.shape, 0, 2), op.resampling.size, result.shape) || !fits("interpolate", result)) return {};
  return {result};
}

Out<op::InterpolateGrad> infer(const op::InterpolateGrad& op, const In<op::InterpolateGrad>& in) {
  constexpr std::string_view name = "interpolate_grad";
  if (!given<op::InterpolateGrad>(name, in)) return {};
  const Spec& g = *in[0];
  if (!takes(name, kinds::F, g) || !has_rank(name, "g", g, 3, 5)) return {};
  const int spatial = g.shape.size() - 2;
  Shape expected;
  Spec x{g.dtype, {}};
  if (!resampling_fits(name, op.resampling, spatial) || !has_entries(name, "size", op.size.size(), spatial) ||
      !joined(name, part(g.shape, 0, 2), op.resampling.size, expected) || !has_shape(name, "g", g, expected) ||
      !joined(name, part(g.shape, 0, 2), op.size, x.shape) || !fits(name, x))
    return {};
  for (std::int64_t size : op.size)
    if (size == 0) return fail(name, "an axis of x is empty: " + to_string(op.size), {op.size});
  return {x};
}

}  // namespace hearth
