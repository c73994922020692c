// digits/model: a small convolutional network for images of 28 x 28 points, on any backend.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <hearth/nn/nn.hpp>

template <hearth::Backend B>
struct DigitNet {
  hearth::Conv2d<B> conv1, conv2;
  hearth::Linear<B> hidden, output;
  hearth::Dropout dropout;

  /// Images [n, 1, 28, 28] -> scores [n, 10].
  hearth::Tensor<B, 2> operator()(const hearth::Tensor<B, 4>& images) const {
    auto x = max_pool2d(relu(conv1(images)), 2);
    x = max_pool2d(relu(conv2(x)), 2);
    return output(dropout(relu(hidden(dropout(x.template flatten<1>())))));
  }
};

template <hearth::Backend B>
DigitNet<B> make_digit_net() {
  return {.conv1 = hearth::make_conv2d<B>(1, 16, 3, {.padding = 1}),
          .conv2 = hearth::make_conv2d<B>(16, 32, 3, {.padding = 1}),
          .hidden = hearth::make_linear<B>(32 * 7 * 7, 128),
          .output = hearth::make_linear<B>(128, 10),
          .dropout = {.p = 0.25}};
}
