// expect: a tensor does not become a parameter by itself; write param\(x\)
// SPDX-License-Identifier: Apache-2.0
#include "hearth/nn/linear.hpp"
#include "hearth/portable.hpp"
using namespace hearth;
auto f(const Tensor<Portable, 2>& weight) { return Linear<Portable>{.weight = weight, .bias = {}}; }
