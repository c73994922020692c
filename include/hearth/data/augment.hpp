// data/augment: changes at random that leave an image what it is, so that a model sees more than its dataset holds.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../tensor/tensor.hpp"

namespace hearth {

/// Each of the images [n, c, height, width] moved by up to `reach` points along both axes, every move as likely as any other; what comes in
/// over an edge is 0. PyTorch's RandomCrop of an image that is padded by `reach`.
template <class B>
Tensor<B, 4> random_shift(const Tensor<B, 4>& images, std::int64_t reach, RandomSource source = {}) {
  if (reach < 0) return fail("random_shift", "the reach is " + std::to_string(reach) + "; it must not be negative");
  if (images.error()) return images;
  const auto padded = images.pad({{reach, reach}, {reach, reach}});
  // The rows, or columns, of the padded image that stay: another run of them for each image.
  const auto kept = [&](int axis) {
    const auto first = randint<B>({images.size(0), 1}, 0, 2 * reach + 1, images.device(), source);
    return first + arange<B>(images.size(axis), images.device());
  };
  const auto rows = kept(2), columns = kept(3);
  return padded.take_along(rows.reshape({images.size(0), 1, images.size(2), 1}), 2).take_along(columns.reshape({images.size(0), 1, 1, images.size(3)}), 3);
}

}  // namespace hearth
