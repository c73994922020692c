// nn/attention: multi-head attention and rotary position encoding.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "linear.hpp"

namespace hearth {

/// Vaswani et al. 2017, with PyTorch's parameter names: one projection for queries, keys and values. Batch first: q [n, l, width],
/// k and v [n, s, width] -> [n, l, width].
template <Backend B>
struct MultiHeadAttention {
  Param<B, 2> in_proj_weight;               ///< [3 width, width]: queries, keys, values
  std::optional<Param<B, 1>> in_proj_bias;  ///< [3 width]
  Linear<B> out_proj;
  std::int64_t heads = 1;
  double dropout = 0;  ///< of attention weights, while training
  Mode mode = {};

  /// mask (true: may attend) broadcasts to [n, heads, l, s]; causal: query i sees keys up to i + s - l.
  Tensor<B, 3> operator()(const Tensor<B, 3>& q, const Tensor<B, 3>& k, const Tensor<B, 3>& v, detail::Optional<B, Bool> mask = {}, bool causal = false) const {
    if (heads < 1 || in_proj_weight.size(1) % heads != 0)
      return fail("multi_head_attention", std::to_string(heads) + " heads do not divide a width of " + std::to_string(in_proj_weight.size(1)));
    AttentionOptions options;
    options.causal = causal;
    if (mode.training && dropout > 0) {
      const Draw draw = GeneratorFunctions<B>::reserve(q.device(), {}, std::uint64_t(q.size(0) * heads * q.size(1) * k.size(1)));
      options.dropout = dropout;
      options.key = draw.key;
      options.offset = draw.offset;
    }
    auto y = attention(project(q, 0), project(k, 1), project(v, 2), std::move(mask), {}, options);
    return out_proj(y.permute({0, 2, 1, 3}).reshape({q.size(0), q.size(1), q.size(2)}));
  }
  /// Self-attention.
  Tensor<B, 3> operator()(const Tensor<B, 3>& x, bool causal = false) const { return (*this)(x, x, x, {}, causal); }

 private:
  // [n, l, width] -> [n, heads, l, width / heads], through the given third of the projection.
  Tensor<B, 4> project(const Tensor<B, 3>& x, std::int64_t which) const {
    const std::int64_t width = in_proj_weight.size(1);
    const auto weight = in_proj_weight.narrow(0, which * width, width);
    const auto bias = in_proj_bias ? in_proj_bias->narrow(0, which * width, width) : Tensor<B, 1>();
    return linear(x, weight, bias).reshape({x.size(0), x.size(1), heads, width / heads}).permute({0, 2, 1, 3});
  }
};
struct MultiHeadAttentionOptions {
  bool bias = true;
  double dropout = 0;
};
template <Backend B>
MultiHeadAttention<B> make_multi_head_attention(std::int64_t width, std::int64_t heads, MultiHeadAttentionOptions options = {}, const DeviceOf<B>& device = {},
                                                RandomSource source = {}) {
  if (heads < 1 || width % heads != 0) return fail("multi_head_attention", std::to_string(heads) + " heads do not divide a width of " + std::to_string(width));
  MultiHeadAttention<B> layer{.in_proj_weight = param(init::xavier_uniform<B, 2>({3 * width, width}, 1, device, source)),
                              .in_proj_bias = {},
                              .out_proj = make_linear<B>(width, width, {.bias = options.bias}, device, source),
                              .heads = heads,
                              .dropout = options.dropout,
                              .mode = {}};
  if (options.bias) {
    layer.in_proj_bias = param(zeros<B>({3 * width}, device));
    layer.out_proj.bias = param(zeros<B>({width}, device));
  }
  return layer;
}

/// Rotary position encoding (Su et al. 2021): positions turn pairs of features by angles position * base^(-2 i / width). Constants, not
/// parameters.
template <Backend B>
struct RotaryEncoding {
  Tensor<B, 2> cos, sin;  ///< [positions, width / 2]
  bool interleaved = false;

  /// x [..., l, width] at positions `first` to first + l.
  template <int R>
  Tensor<B, R> operator()(const Tensor<B, R>& x, std::int64_t first = 0) const {
    return rope(x, cos.narrow(0, first, x.size(-2)), sin.narrow(0, first, x.size(-2)), interleaved);
  }
};
struct RotaryOptions {
  double base = 10000;
  bool interleaved = false;
};
template <Backend B>
RotaryEncoding<B> make_rotary_encoding(std::int64_t positions, std::int64_t width, RotaryOptions options = {}, const DeviceOf<B>& device = {}) {
  if (width < 2 || width % 2 != 0) return fail("rotary_encoding", "the width is " + std::to_string(width) + "; features turn in pairs");
  // On the host and in doubles: angles of late positions are large, and lose digits in f32.
  const std::int64_t half = width / 2;
  if (positions < 0 || positions > (std::int64_t(1) << 48) / half)
    return fail("rotary_encoding", std::to_string(positions) + " positions of width " + std::to_string(width) + " are no table that memory holds");
  std::vector<float> cosines(std::size_t(positions * half)), sines(cosines.size());
  for (std::int64_t p = 0; p < positions; ++p)
    for (std::int64_t i = 0; i < half; ++i) {
      const double angle = double(p) * std::pow(options.base, -2.0 * double(i) / double(width));
      cosines[std::size_t(p * half + i)] = float(std::cos(angle));
      sines[std::size_t(p * half + i)] = float(std::sin(angle));
    }
  return {.cos = tensor<B>(cosines, {positions, half}, device), .sin = tensor<B>(sines, {positions, half}, device), .interleaved = options.interleaved};
}

}  // namespace hearth
