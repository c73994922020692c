// tensor/linear: from the options of convolutions, pools and resampling to the geometry that ops carry.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/tensor/functional.hpp"

namespace hearth::detail {

namespace {

/// One value per spatial axis.
Shape each(std::string_view op, const char* what, int spatial, const PerAxis& given) {
  if (given.values.size() == 1) return Shape::filled(spatial, given.values[0]);
  if (given.values.size() == spatial) return given.values;
  return fail(op, std::string(what) + " has " + std::to_string(given.values.size()) + " values for " + std::to_string(spatial) + " spatial axes");
}
Shape each_or(std::string_view op, const char* what, int spatial, const PerAxis& given, const Shape& otherwise) {
  return given.values.empty() ? otherwise : each(op, what, spatial, given);
}

}  // namespace

ConvGeometry conv_geometry(std::string_view op, int spatial, const ConvOptions& options) {
  ConvGeometry g;
  g.stride = each(op, "stride", spatial, options.stride);
  g.dilation = each(op, "dilation", spatial, options.dilation);
  g.before = each(op, "padding", spatial, options.padding);
  g.after = each_or(op, "padding_after", spatial, options.padding_after, g.before);
  g.groups = options.groups;
  return g;
}

ConvGeometry conv_transpose_geometry(std::string_view op, const Shape& x, const Shape& weight, const ConvTransposeOptions& options, Shape& size) {
  const int spatial = x.size() - 2;
  ConvGeometry g = conv_geometry(op, spatial, ConvOptions{options.stride, options.padding, options.dilation, {}, options.groups});
  const Shape extra = each(op, "output_padding", spatial, options.output_padding);
  if (weight.size() != x.size()) return fail(op, "the weight " + to_string(weight) + " has not the rank of x " + to_string(x), {x, weight});
  size = {};
  for (int i = 0; i < spatial; ++i) {
    if (extra[i] < 0 || extra[i] >= (g.stride[i] > g.dilation[i] ? g.stride[i] : g.dilation[i]))
      return fail(op, "output_padding " + std::to_string(extra[i]) + " is not below the stride or the dilation, " + std::to_string(g.stride[i]) + " and " +
                          std::to_string(g.dilation[i]), {x, weight});
    // (x - 1) stride + dilation (kernel - 1) - before - after + extra + 1
    std::int64_t length = 0, window = 0;
    bool overflow = __builtin_mul_overflow(x[2 + i] - 1, g.stride[i], &length);
    overflow |= __builtin_mul_overflow(weight[2 + i] - 1, g.dilation[i], &window);
    for (std::int64_t more : {window, extra[i], std::int64_t(1)}) overflow |= __builtin_add_overflow(length, more, &length);
    for (std::int64_t less : {g.before[i], g.after[i]}) overflow |= __builtin_sub_overflow(length, less, &length);
    if (overflow) return fail(op, "the size of axis " + std::to_string(2 + i) + " of the result passes 2^63 - 1", {x, weight});
    size.push(length > 0 ? length : 0);
  }
  return g;
}

PoolGeometry pool_geometry(std::string_view op, int spatial, const PerAxis& kernel, const PoolOptions& options) {
  PoolGeometry g;
  g.kernel = each(op, "kernel", spatial, kernel);
  g.stride = each_or(op, "stride", spatial, options.stride, g.kernel);
  g.dilation = each(op, "dilation", spatial, options.dilation);
  g.before = each(op, "padding", spatial, options.padding);
  g.after = each_or(op, "padding_after", spatial, options.padding_after, g.before);
  g.ceil_mode = options.ceil_mode;
  return g;
}

PoolGeometry adaptive_geometry(std::string_view op, int spatial, const PerAxis& size) {
  PoolGeometry g;
  g.adaptive = each(op, "size", spatial, size);
  return g;
}

Resampling resampling(std::string_view op, const Shape& x, const InterpolateOptions& options) {
  const int spatial = x.size() - 2;
  Resampling r;
  r.mode = options.mode;
  r.align_corners = options.align_corners;
  r.antialias = options.antialias;
  if (options.size.values.empty() == options.scale.empty()) return fail(op, "takes either a size or a scale", {x});
  if (!options.size.values.empty()) {
    r.size = each(op, "size", spatial, options.size);
    return r;
  }
  if (options.scale.size() != 1 && options.scale.size() != spatial)
    return fail(op, "scale has " + std::to_string(options.scale.size()) + " values for " + std::to_string(spatial) + " spatial axes", {x});
  for (int i = 0; i < spatial; ++i) {
    const double scale = options.scale[options.scale.size() == 1 ? 0 : i];
    if (!(scale > 0)) return fail(op, "scale " + to_string(Scalar(scale)) + " is not positive", {x});
    if (!(double(x[2 + i]) * scale < 0x1p62)) return fail(op, "scale " + to_string(Scalar(scale)) + " passes 2^62 elements", {x});
    r.scale.push(scale);
    r.size.push(std::int64_t(double(x[2 + i]) * scale));
  }
  return r;
}

}  // namespace hearth::detail
