// digits/model: a small convolutional network for images of 28 x 28 points, on any backend.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <hearth/nn/nn.hpp>

template <hearth::Backend B>
struct Stage {
  hearth::Conv2d<B> conv;
  hearth::BatchNorm<B> norm;
  hearth::Tensor<B, 4> operator()(const hearth::Tensor<B, 4>& x) const { return max_pool2d(relu(norm(conv(x))), 2); }
};

template <hearth::Backend B>
struct DigitNet {
  static Stage<B> stage(std::int64_t in, std::int64_t out) { return {hearth::make_conv2d<B>(in, out, 3, {.padding = 1}), hearth::make_batch_norm<B>(out)}; }

  Stage<B> stage1 = stage(1, 16), stage2 = stage(16, 32), stage3 = stage(32, 64);
  hearth::Dropout dropout = {.p = 0.2};
  hearth::Linear<B> output = hearth::make_linear<B>(64 * 3 * 3, 10);
  /// Images [n, 1, 28, 28] -> scores [n, 10].
  hearth::Tensor<B, 2> operator()(const hearth::Tensor<B, 4>& x) const { return output(dropout(hearth::flatten<1>(stage3(stage2(stage1(x)))))); }
};
