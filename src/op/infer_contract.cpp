// op/infer_contract: results of products and convolutions. Pools and resampling are in infer_window.cpp.
// SPDX-License-Identifier: Apache-2.0
#include "infer.hpp"

namespace hearth {

using namespace detail;

namespace detail {

bool matmul_shape(std::string_view op, const Shape& a, const Shape& b, Shape& result) {
  const auto refuse = [&](const char* sentence, const char* hint) -> bool {
    return fail(op, std::string(sentence) + ": " + to_string(a) + " x " + to_string(b), {a, b}, hint);
  };
  if (a.size() < 2 || b.size() < 2) return refuse("operands must have rank 2 or more", "give a vector an axis of size 1");
  if (a[-1] != b[-2]) return refuse("inner sizes differ", "");
  const Shape batch_a = part(a, 0, a.size() - 2), batch_b = part(b, 0, b.size() - 2);
  const Shape& longer = batch_a.size() < batch_b.size() ? batch_b : batch_a;
  result = longer;
  for (int i = 1; i <= longer.size(); ++i) {
    const std::int64_t x = i <= batch_a.size() ? batch_a[-i] : 1, y = i <= batch_b.size() ? batch_b[-i] : 1;
    if (x != y && x != 1 && y != 1) return refuse("batch axes do not broadcast", "");
    result[-i] = x == 1 ? y : x;
  }
  result.push(a[-2]);
  result.push(b[-1]);
  return true;
}

bool conv_fits(std::string_view op, const ConvGeometry& geometry, int spatial) {
  if (!has_entries(op, "stride", geometry.stride.size(), spatial) || !has_entries(op, "dilation", geometry.dilation.size(), spatial) ||
      !has_entries(op, "the padding ahead", geometry.before.size(), spatial) ||
      !has_entries(op, "the padding behind", geometry.after.size(), spatial))
    return false;
  if (geometry.groups < 1) return fail(op, "groups must be at least 1, not " + text(geometry.groups));
  return true;
}

}  // namespace detail

namespace {

/// Is `count` (of what) a whole number of groups?
bool grouped(std::string_view op, std::string_view what, std::int64_t count, std::int64_t groups, const Shape& shape) {
  if (count % groups == 0) return true;
  return fail(op, text(groups) + " groups do not divide " + text(count) + " " + std::string(what) + ": " + to_string(shape), {shape});
}

bool spatial_size(std::string_view op, const ConvGeometry& geometry, const Shape& x, const Shape& kernel, int axis, std::int64_t& result) {
  result = conv_output_size(op, x[axis + 2], kernel[axis + 2], geometry.stride[axis], geometry.dilation[axis], geometry.before[axis],
                            geometry.after[axis]);
  return !pending_error() &&
         window_fits(op, result, x, axis + 2, kernel[axis + 2], geometry.dilation[axis], geometry.before[axis], geometry.after[axis]);
}

/// Are the spatial sizes of g what the convolution gives for x?
bool outputs_fit(std::string_view op, const ConvGeometry& geometry, const Shape& x, const Shape& kernel, const Shape& g) {
  for (int i = 0; i < x.size() - 2; ++i) {
    std::int64_t size = 0;
    if (!spatial_size(op, geometry, x, kernel, i, size)) return false;
    if (size != g[i + 2])
      return fail(op, "an axis of " + text(x[i + 2]) + " elements with a kernel of " + text(kernel[i + 2]) + " gives " + text(size) + ", not the " +
                          text(g[i + 2]) + " of " + to_string(g),
                  {x, g});
  }
  return true;
}

}  // namespace

bool detail::conv_shape(std::string_view op, const ConvGeometry& geometry, const Shape& x, const Shape& weight, const Spec* bias,
                        Shape& result) {
  const int spatial = x.size() - 2;
  if (!conv_fits(op, geometry, spatial)) return false;
  if (weight.size() != x.size()) return fail(op, "ranks differ: x " + to_string(x) + ", weight " + to_string(weight), {x, weight});
  if (!grouped(op, "input channels", x[1], geometry.groups, x) || !grouped(op, "output channels", weight[0], geometry.groups, weight)) return false;
  if (x[1] / geometry.groups != weight[1])
    return fail(op, "x " + to_string(x) + " has " + text(x[1] / geometry.groups) + " channels in each of " + text(geometry.groups) +
                        (geometry.groups == 1 ? " group" : " groups") + ", weight " + to_string(weight) + " takes " + text(weight[1]),
                {x, weight});
  if (!has_shape(op, "bias", bias, {weight[0]})) return false;
  result = {x[0], weight[0]};
  for (int i = 0; i < spatial; ++i) {
    std::int64_t size = 0;
    if (!spatial_size(op, geometry, x, weight, i, size)) return false;
    result.push(size);
  }
  return true;
}

Out<op::MatMul> infer(const op::MatMul&, const In<op::MatMul>& in) {
  if (!given<op::MatMul>("matmul", in)) return {};
  const Spec &a = *in[0], &b = *in[1];
  Spec result{a.dtype, {}};
  if (!same_dtype("matmul", a, b) || !takes("matmul", numbers, a) || !matmul_shape("matmul", a.shape, b.shape, result.shape) || !fits("matmul", result))
    return {};
  return {result};
}

Out<op::Conv> infer(const op::Conv& op, const In<op::Conv>& in) {
  if (!given<op::Conv>("conv", in)) return {};
  const Spec &x = *in[0], &weight = *in[1];
  Spec result{x.dtype, {}};
  if (!takes("conv", numbers, x) || !same_dtype("conv", x, weight) || !same_dtype("conv", x, in[2]) || !has_rank("conv", "x", x, 3, 5) ||
      !conv_shape("conv", op.geometry, x.shape, weight.shape, in[2], result.shape) || !fits("conv", result))
    return {};
  return {result};
}

Out<op::ConvInputGrad> infer(const op::ConvInputGrad& op, const In<op::ConvInputGrad>& in) {
  constexpr std::string_view name = "conv_input_grad";
  if (!given<op::ConvInputGrad>(name, in)) return {};
  const Spec &g = *in[0], &weight = *in[1];
  if (!takes(name, numbers, g) || !same_dtype(name, g, weight) || !has_rank(name, "g", g, 3, 5)) return {};
  const int spatial = g.shape.size() - 2;
  if (!has_rank(name, "weight", weight, spatial + 2, spatial + 2) || !conv_fits(name, op.geometry, spatial) ||
      !has_entries(name, "size", op.size.size(), spatial) || !grouped(name, "output channels", weight.shape[0], op.geometry.groups, weight.shape))
    return {};
  if (g.shape[1] != weight.shape[0])
    return fail(name, "g " + to_string(g.shape) + " and weight " + to_string(weight.shape) + " differ in output channels", {g.shape, weight.shape});
  std::int64_t channels = 0;
  if (__builtin_mul_overflow(weight.shape[1], op.geometry.groups, &channels)) return fail(name, "the channels pass 2^63 - 1", {weight.shape});
  Spec x{g.dtype, {}};
  if (!joined(name, {g.shape[0], channels}, op.size, x.shape) || !fits(name, x) || !outputs_fit(name, op.geometry, x.shape, weight.shape, g.shape))
    return {};
  return {x};
}

Out<op::ConvWeightGrad> infer(const op::ConvWeightGrad& op, const In<op::ConvWeightGrad>& in) {
  constexpr std::string_view name = "conv_weight_grad";
  if (!given<op::ConvWeightGrad>(name, in)) return {};
  const Spec &x = *in[0], &g = *in[1];
  if (!takes(name, numbers, x) || !same_dtype(name, x, g) || !has_rank(name, "x", x, 3, 5)) return {};
  const int spatial = x.shape.size() - 2;
  if (!has_rank(name, "g", g, spatial + 2, spatial + 2) || !conv_fits(name, op.geometry, spatial) ||
      !has_entries(name, "size", op.size.size(), spatial) || !grouped(name, "input channels", x.shape[1], op.geometry.groups, x.shape) ||
      !grouped(name, "output channels", g.shape[1], op.geometry.groups, g.shape))
    return {};
  if (x.shape[0] != g.shape[0])
    return fail(name, "x " + to_string(x.shape) + " and g " + to_string(g.shape) + " differ in batch size", {x.shape, g.shape});
  Spec weight{x.dtype, {}};
  if (!joined(name, {g.shape[1], x.shape[1] / op.geometry.groups}, op.size, weight.shape) || !fits(name, weight) ||
      !outputs_fit(name, op.geometry, x.shape, weight.shape, g.shape))
    return {};
  return {weight};
}

}  // namespace hearth
