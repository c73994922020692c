// nn/dropout: elements dropped while training.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "param.hpp"

namespace hearth {

/// While training: each element is 0 with probability p, the others are divided by 1 - p (Srivastava et al. 2014). Draws from the
/// device's default generator.
struct Dropout {
  double p = 0.5;
  Mode mode = {};

  template <class B, int R>
  Tensor<B, R> operator()(const Tensor<B, R>& x) const {
    return mode.training && p > 0 ? dropout(x, p) : x;
  }
};

}  // namespace hearth
