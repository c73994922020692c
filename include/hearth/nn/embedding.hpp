// nn/embedding: rows by index.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "param.hpp"

namespace hearth {

/// index [...] -> [..., width]. An index out of range is an error.
template <Backend B>
struct Embedding {
  Param<B, 2> weight;  ///< [entries, width]

  template <int R>
  Tensor<B, R + 1> operator()(const Tensor<B, R, Int>& index) const {
    return embedding(index, weight);
  }
};
/// Normal with mean 0 and deviation 1.
template <Backend B>
Embedding<B> make_embedding(std::int64_t entries, std::int64_t width, const DeviceOf<B>& device = {}, RandomSource source = {}) {
  return {.weight = param(normal<B>({entries, width}, 0, 1, device, source))};
}

}  // namespace hearth
