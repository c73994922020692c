// data/mnist: the handwritten digits of MNIST, and what is stored as they are (Fashion-MNIST, EMNIST, KMNIST), as tensors.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../core/tensor_data.hpp"
#include "tensor_dataset.hpp"

namespace hearth {

namespace detail {
struct MnistFiles {
  TensorData images, labels;  ///< u8 [n, height, width] and [n]; empty, without exceptions only, where a file is broken
};
MnistFiles read_mnist(const std::string& folder, const std::string& part);
}  // namespace detail

/// Images [n, 1, height, width] from 0 (paper) to 1 (ink), and what they show [n].
template <class B>
using LabelledImages = TensorDataset<Tensor<B, 4>, Tensor<B, 1, Int>>;

/// Reads `<part>-images-idx3-ubyte` and `<part>-labels-idx1-ubyte` of a folder, or the gzipped `.gz` of either. MNIST's own parts are
/// "train" and "t10k". A file that is missing, broken or of another shape than its partner is an Error of kind file.
template <class B>
LabelledImages<B> read_mnist(const std::string& folder, const std::string& part, const DeviceOf<B>& device = {}) {
  const LetGo errors;
  const auto [images, labels] = detail::read_mnist(folder, part);
  const Shape& shape = images.spec.shape;
  if (shape.size() != 3) return LabelledImages<B>({}, {});
  return LabelledImages<B>(tensor<B, Float>(images.template view<std::uint8_t>(), {shape[0], 1, shape[1], shape[2]}, device) / 255,
                           tensor<B, Int>(labels.template view<std::uint8_t>(), device));
}

}  // namespace hearth
