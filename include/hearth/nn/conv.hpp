// nn/conv: convolutions and transposed convolutions. Weights and names as in PyTorch.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "init.hpp"
#include "param.hpp"

namespace hearth {

/// x [n, in, length] -> [n, out, length']
template <Backend B>
struct Conv1d {
  Param<B, 3> weight;  ///< [out, in / groups, kernel]
  std::optional<Param<B, 1>> bias;
  ConvOptions options;

  Tensor<B, 3> operator()(const Tensor<B, 3>& x) const { return conv1d(x, weight, optional_tensor(bias), options); }
};
/// x [n, in, height, width] -> [n, out, height', width']
template <Backend B>
struct Conv2d {
  Param<B, 4> weight;  ///< [out, in / groups, kernel height, kernel width]
  std::optional<Param<B, 1>> bias;
  ConvOptions options;

  Tensor<B, 4> operator()(const Tensor<B, 4>& x) const { return conv2d(x, weight, optional_tensor(bias), options); }
};
/// x [n, in, height, width] -> [n, out, height', width']: the adjoint of a convolution from out to in channels.
template <Backend B>
struct ConvTranspose2d {
  Param<B, 4> weight;  ///< [in, out / groups, kernel height, kernel width]
  std::optional<Param<B, 1>> bias;
  ConvTransposeOptions options;

  Tensor<B, 4> operator()(const Tensor<B, 4>& x) const { return conv_transpose2d(x, weight, optional_tensor(bias), options); }
};

/// ConvOptions, and whether there is a bias.
struct ConvLayerOptions {
  PerAxis stride = 1, padding = 0, dilation = 1;
  std::int64_t groups = 1;
  bool bias = true;
};
struct ConvTransposeLayerOptions {
  PerAxis stride = 1, padding = 0, output_padding = 0, dilation = 1;
  std::int64_t groups = 1;
  bool bias = true;
};

namespace detail {
/// The kernel's size along each axis, of what may be given as one for all.
inline Shape kernel_sizes(std::string_view op, const PerAxis& kernel, int axes) {
  if (kernel.values.size() == axes) return kernel.values;
  if (kernel.values.size() == 1) return Shape::filled(axes, kernel.values[0]);
  return fail(op, "the kernel has " + std::to_string(kernel.values.size()) + " sizes for " + std::to_string(axes) + " spatial axes");
}

/// Weight and bias uniform in +-1 / sqrt(fan in), as PyTorch starts them.
template <class Layer, class B, int R>
Layer start_conv(const Shape& weight, std::int64_t out, bool bias, const DeviceOf<B>& device, RandomSource source) {
  const double fan = init::fans(weight).in, bound = fan > 0 ? 1 / std::sqrt(fan) : 0;
  Layer layer{.weight = param(uniform<B, R>(weight, -bound, bound, device, source)), .bias = {}, .options = {}};
  if (bias) layer.bias = param(uniform<B>({out}, -bound, bound, device, source));
  return layer;
}
inline bool divides(std::string_view op, std::int64_t groups, std::int64_t in, std::int64_t out) {
  if (groups >= 1 && in % groups == 0 && out % groups == 0) return true;
  return fail(op, std::to_string(groups) + " groups do not divide " + std::to_string(in) + " input and " + std::to_string(out) + " output channels");
}
}  // namespace detail

template <Backend B>
Conv1d<B> make_conv1d(std::int64_t in, std::int64_t out, std::int64_t kernel, ConvLayerOptions options = {}, const DeviceOf<B>& device = {}, RandomSource source = {}) {
  if (!detail::divides("conv1d", options.groups, in, out)) return {};
  auto layer = detail::start_conv<Conv1d<B>, B, 3>({out, in / options.groups, kernel}, out, options.bias, device, source);
  layer.options = {.stride = options.stride, .padding = options.padding, .dilation = options.dilation, .padding_after = {}, .groups = options.groups};
  return layer;
}
template <Backend B>
Conv2d<B> make_conv2d(std::int64_t in, std::int64_t out, PerAxis kernel, ConvLayerOptions options = {}, const DeviceOf<B>& device = {}, RandomSource source = {}) {
  if (!detail::divides("conv2d", options.groups, in, out)) return {};
  const Shape k = detail::kernel_sizes("conv2d", kernel, 2);
  if (pending_error()) return {};
  auto layer = detail::start_conv<Conv2d<B>, B, 4>({out, in / options.groups, k[0], k[1]}, out, options.bias, device, source);
  layer.options = {.stride = options.stride, .padding = options.padding, .dilation = options.dilation, .padding_after = {}, .groups = options.groups};
  return layer;
}
template <Backend B>
ConvTranspose2d<B> make_conv_transpose2d(std::int64_t in, std::int64_t out, PerAxis kernel, ConvTransposeLayerOptions options = {}, const DeviceOf<B>& device = {},
                                         RandomSource source = {}) {
  if (!detail::divides("conv_transpose2d", options.groups, in, out)) return {};
  const Shape k = detail::kernel_sizes("conv_transpose2d", kernel, 2);
  if (pending_error()) return {};
  auto layer = detail::start_conv<ConvTranspose2d<B>, B, 4>({in, out / options.groups, k[0], k[1]}, out, options.bias, device, source);
  layer.options = {.stride = options.stride, .padding = options.padding, .output_padding = options.output_padding, .dilation = options.dilation, .groups = options.groups};
  return layer;
}

}  // namespace hearth
