// digits/data: handwritten digits as tensors.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <hearth/data/idx.hpp>
#include <hearth/tensor/tensor.hpp>

/// Images [n, 1, 28, 28] from 0 (paper) to 1 (ink), and what they show [n]. A Loader takes batches from it.
template <hearth::Backend B>
struct Digits {
  hearth::Tensor<B, 4> images;
  hearth::Tensor<B, 1, hearth::Int> labels;

  std::int64_t size() const { return images.size(0); }
  Digits batch(std::span<const std::int64_t> rows) const {
    const auto index = hearth::tensor<B>(rows);
    return {images.index_select(0, index), labels.index_select(0, index)};
  }
};

/// Reads `part` ("train" or "test") of the data set in a folder.
template <hearth::Backend B>
Digits<B> read_digits(const std::string& folder, const std::string& part) {
  const auto images = hearth::read_idx(folder + "/" + part + "-images-idx3-ubyte.gz");
  const auto labels = hearth::read_idx(folder + "/" + part + "-labels-idx1-ubyte.gz");
  return {.images = hearth::tensor<B, hearth::Float>(images.view<std::uint8_t>(), {images.spec.shape[0], 1, 28, 28}) / 255,
          .labels = hearth::tensor<B, hearth::Int>(labels.view<std::uint8_t>())};
}

/// The share of digits, in percent, whose largest score is for the right class. The model is on the same backend.
template <hearth::Backend B, class Model>
double accuracy(const Model& model, const Digits<B>& digits) {
  std::int64_t right = 0;
  constexpr std::int64_t at_once = 250;
  for (std::int64_t i = 0; i < digits.size(); i += at_once) {
    const std::int64_t count = std::min(at_once, digits.size() - i);
    const auto predicted = model(digits.images.narrow(0, i, count)).argmax(1);
    right += (predicted == digits.labels.narrow(0, i, count)).template cast<hearth::Int>().sum().item();
  }
  return 100 * double(right) / double(digits.size());
}
