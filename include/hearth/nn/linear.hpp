// nn/linear: the fully connected layer.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "init.hpp"
#include "param.hpp"

namespace hearth {

/// x [..., in] -> [..., out]
template <Backend B>
struct Linear {
  Param<B, 2> weight;               ///< [out, in]
  std::optional<Param<B, 1>> bias;  ///< [out]

  template <int R>
  Tensor<B, R> operator()(const Tensor<B, R>& x) const {
    return linear(x, weight, optional_tensor(bias));
  }
};

struct LinearOptions {
  bool bias = true;
};

/// Weight and bias uniform in +-1 / sqrt(in), as PyTorch starts them.
template <Backend B>
Linear<B> make_linear(std::int64_t in, std::int64_t out, LinearOptions options = {}, const DeviceOf<B>& device = {}, RandomSource source = {}) {
  const double bound = in > 0 ? 1 / std::sqrt(double(in)) : 0;
  Linear<B> layer{.weight = param(uniform<B>({out, in}, -bound, bound, device, source)), .bias = {}};
  if (options.bias) layer.bias = param(uniform<B>({out}, -bound, bound, device, source));
  return layer;
}

}  // namespace hearth
