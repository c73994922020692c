// op/infer_sample: results of ops that read an image at places which are operands: grid sampling and deformable convolution.
// SPDX-License-Identifier: Apache-2.0
#include "infer.hpp"

namespace hearth {

using namespace detail;

namespace {

/// Sets `result` to x sampled at the grid.
bool grid_fits(std::string_view op, InterpolateMode mode, const Spec& x, const Spec& grid, Spec& result) {
  if (!takes(op, kinds::F, x) || !same_dtype(op, x, grid) || !has_rank(op, "x", x, 4, 5)) return false;
  const int rank = x.shape.size();
  if (mode != InterpolateMode::nearest && mode != InterpolateMode::linear && (mode != InterpolateMode::cubic || rank != 4))
    return fail(op, "the mode must be nearest or linear, or cubic for 2 spatial axes", {x.shape});
  if (grid.shape.size() != rank || grid.shape[-1] != rank - 2 || grid.shape[0] != x.shape[0])
    return fail(op, "the grid for x " + to_string(x.shape) + " must be [" + text(x.shape[0]) + ", ..., " + text(rank - 2) + "], not " + to_string(grid.shape),
                {x.shape, grid.shape});
  for (int i = 2; i < rank; ++i)
    if (x.shape[i] == 0) return fail(op, "axis " + text(i) + " of " + to_string(x.shape) + " is empty", {x.shape});
  result = {x.dtype, {x.shape[0], x.shape[1]}};
  for (int i = 1; i < rank - 1; ++i) result.shape.push(grid.shape[i]);
  return fits(op, result);
}

/// Sets `result` to the deformed convolution's.
bool deform_fits(std::string_view op, const ConvGeometry& geometry, std::int64_t groups, const Spec& x, const Spec& offset, const Spec& weight,
                 const Spec* mask, const Spec* bias, Spec& result) {
  result = {x.dtype, {}};
  if (!takes(op, kinds::F, x) || !same_dtype(op, x, offset) || !same_dtype(op, x, weight) || !same_dtype(op, x, mask) || !same_dtype(op, x, bias) ||
      !has_rank(op, "x", x, 4, 4) || !conv_shape(op, geometry, x.shape, weight.shape, bias, result.shape) || !fits(op, result))
    return false;
  if (groups < 1 || x.shape[1] % groups != 0)
    return fail(op, text(groups) + " offset groups do not divide the " + text(x.shape[1]) + " channels of " + to_string(x.shape), {x.shape});
  std::int64_t places = 0, numbers_of_places = 0;
  if (__builtin_mul_overflow(weight.shape[2], weight.shape[3], &places) || __builtin_mul_overflow(places, groups, &places) ||
      __builtin_mul_overflow(places, 2, &numbers_of_places))
    return fail(op, "the offsets pass 2^63 - 1", {weight.shape});
  const Shape& y = result.shape;
  return has_shape(op, "offset", offset, {y[0], numbers_of_places, y[2], y[3]}) && has_shape(op, "mask", mask, {y[0], places, y[2], y[3]});
}

}  // namespace

Out<op::GridSample> infer(const op::GridSample& op, const In<op::GridSample>& in) {
  Spec result;
  if (!given<op::GridSample>("grid_sample", in) || !grid_fits("grid_sample", op.mode, *in[0], *in[1], result)) return {};
  return {result};
}

Out<op::GridSampleGrad> infer(const op::GridSampleGrad& op, const In<op::GridSampleGrad>& in) {
  constexpr std::string_view name = "grid_sample_grad";
  Spec result;
  if (!given<op::GridSampleGrad>(name, in) || !grid_fits(name, op.mode, *in[1], *in[2], result) || !same_dtype(name, *in[1], *in[0]) ||
      !has_shape(name, "g", *in[0], result.shape))
    return {};
  return {*in[1], *in[2]};
}

Out<op::DeformConv> infer(const op::DeformConv& op, const In<op::DeformConv>& in) {
  Spec result;
  if (!given<op::DeformConv>("deform_conv", in) ||
      !deform_fits("deform_conv", op.geometry, op.offset_groups, *in[0], *in[1], *in[2], in[3], in[4], result))
    return {};
  return {result};
}

Out<op::DeformConvGrad> infer(const op::DeformConvGrad& op, const In<op::DeformConvGrad>& in) {
  constexpr std::string_view name = "deform_conv_grad";
  Spec result;
  if (!given<op::DeformConvGrad>(name, in) || !deform_fits(name, op.geometry, op.offset_groups, *in[1], *in[2], *in[3], in[4], nullptr, result) ||
      !same_dtype(name, *in[1], *in[0]) || !has_shape(name, "g", *in[0], result.shape))
    return {};
  return {*in[1], *in[2], *in[3], in[4] ? *in[4] : Spec{in[1]->dtype, {0}}};
}

}  // namespace hearth
