// optim/gradients: what is done to gradients between backward and step: adding up over several passes, scaling, clipping.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../tensor/tensor.hpp"

namespace hearth {

/// Compiled per stack; B is the inner backend, on which gradients live.
template <class B>
struct GradientFunctions {
  static void accumulate(Gradients<B>& into, Gradients<B> more);
  static void scale(Gradients<B>& gradients, Scalar factor);
  static void clip_by_value(Gradients<B>& gradients, double limit);
  static Dyn<B> clip_by_norm(Gradients<B>& gradients, double limit, double p);
};

/// into += more, leaf by leaf: gradient accumulation over several backward passes.
template <class B>
void accumulate(Gradients<B>& into, Gradients<B> more) {
  GradientFunctions<B>::accumulate(into, std::move(more));
}
/// Every gradient times a number: 1 / passes after accumulation.
template <class B>
void scale(Gradients<B>& gradients, Scalar factor) {
  GradientFunctions<B>::scale(gradients, factor);
}
/// Every element into [-limit, limit].
template <class B>
void clip_by_value(Gradients<B>& gradients, double limit) {
  GradientFunctions<B>::clip_by_value(gradients, limit);
}
/// All gradients together scaled down to a p-norm of `limit` if theirs is larger; p may be infinite. Returns the norm before.
/// As PyTorch: the factor is limit / (norm + 1e-6). Nothing is read from the device.
template <class B>
Tensor<B, 0> clip_by_norm(Gradients<B>& gradients, double limit, double p = 2) {
  return Tensor<B, 0>(GradientFunctions<B>::clip_by_norm(gradients, limit, p));
}

}  // namespace hearth
