// nn/pool: pools as layers, for Sequential. They hold no parameters and fit every backend.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../tensor/tensor.hpp"

namespace hearth {

struct MaxPool2d {
  PerAxis kernel = 2;
  PoolOptions options = {};
  template <class B>
  Tensor<B, 4> operator()(const Tensor<B, 4>& x) const {
    return max_pool2d(x, kernel, options);
  }
};
struct AvgPool2d {
  PerAxis kernel = 2;
  PoolOptions options = {};
  template <class B>
  Tensor<B, 4> operator()(const Tensor<B, 4>& x) const {
    return avg_pool2d(x, kernel, options);
  }
};
/// Means over as many windows as the output has elements.
struct AdaptiveAvgPool2d {
  PerAxis size = 1;
  template <class B>
  Tensor<B, 4> operator()(const Tensor<B, 4>& x) const {
    return adaptive_avg_pool2d(x, size);
  }
};
/// [n, ...] -> [n, the rest]
struct Flatten {
  template <class B, int R>
  Tensor<B, 2> operator()(const Tensor<B, R>& x) const {
    return x.template flatten<1>();
  }
};

}  // namespace hearth
