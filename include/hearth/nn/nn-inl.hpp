// nn/nn-inl: the bodies of everything that modules forward to. For src/stacks and <hearth/instantiate.hpp>.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "loss-inl.hpp"
#include "model-inl.hpp"
#include "recurrent-inl.hpp"

/// Each of these templates is stamped for each stack.
#define HEARTH_NN_FUNCTIONS(X) \
  X(Walker) X(LossFunctions) X(detail::RecurrentFunctions) X(detail::ModeSetter) X(detail::Freezer) X(detail::Summary)
