// optim/config: the optimisers as plain values. What each does is op::SgdStep, op::AdamStep and op::RmsPropStep.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <variant>

#include "../core/config.hpp"

namespace hearth {

/// Stochastic gradient descent, with momentum and Nesterov's form of it (Sutskever et al. 2013), as in PyTorch.
struct Sgd {
  double rate = 0.01, momentum = 0, dampening = 0, weight_decay = 0;
  bool nesterov = false;
};
/// Kingma and Ba 2015; the decay is added to the gradient.
struct Adam {
  double rate = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weight_decay = 0;
};
/// Adam with decoupled decay: Loshchilov and Hutter 2019.
struct AdamW {
  double rate = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weight_decay = 0.01;
};
/// Hinton's lecture 6e; `centered` divides by the variance instead of the mean square (Graves 2013).
struct RmsProp {
  double rate = 0.01, alpha = 0.99, epsilon = 1e-8, weight_decay = 0, momentum = 0;
  bool centered = false;
};

using OptimizerConfig = std::variant<Sgd, Adam, AdamW, RmsProp>;

}  // namespace hearth
