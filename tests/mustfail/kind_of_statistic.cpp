// expect: var, std, norm and logsumexp take Float tensors; change the kind with x.cast<Float>\(\)
// SPDX-License-Identifier: Apache-2.0
#include "hearth/portable.hpp"
#include "hearth/tensor/tensor.hpp"
using namespace hearth;
auto f(const Tensor<Portable, 2, Int>& x) { return x.var(1); }
