// digits/model: a small convolutional network for images of 28 x 28 points, on any backend.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <hearth/nn/nn.hpp>

/// Convolution, normalisation, relu, and half the height and width.
template <hearth::Backend B>
struct Stage {
  hearth::Conv2d<B> conv;
  hearth::BatchNorm<B> norm;

  hearth::Tensor<B, 4> operator()(const hearth::Tensor<B, 4>& x) const { return max_pool2d(relu(norm(conv(x))), 2); }
};
template <hearth::Backend B>
Stage<B> make_stage(std::int64_t in, std::int64_t out) {
  return {.conv = hearth::make_conv2d<B>(in, out, 3, {.padding = 1}), .norm = hearth::make_batch_norm<B>(out)};
}

template <hearth::Backend B>
struct DigitNet {
  Stage<B> stage1, stage2, stage3;
  hearth::Dropout dropout;
  hearth::Linear<B> output;

  /// Images [n, 1, 28, 28] -> scores [n, 10].
  hearth::Tensor<B, 2> operator()(const hearth::Tensor<B, 4>& images) const {
    const auto features = stage3(stage2(stage1(images)));
    return output(dropout(features.template flatten<1>()));
  }
};
template <hearth::Backend B>
DigitNet<B> make_digit_net() {
  return {.stage1 = make_stage<B>(1, 16),
          .stage2 = make_stage<B>(16, 32),
          .stage3 = make_stage<B>(32, 64),
          .dropout = {.p = 0.2},
          .output = hearth::make_linear<B>(64 * 3 * 3, 10)};
}
