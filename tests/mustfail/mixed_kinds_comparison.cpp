// expect: the tensors have different kinds \(Float, Int, Bool\); change one with x.cast<Kind>\(\)
// SPDX-License-Identifier: Apache-2.0
#include "hearth/portable.hpp"
#include "hearth/tensor/tensor.hpp"
using namespace hearth;
auto f(const Tensor<Portable, 2>& a, const Tensor<Portable, 2, Int>& b) { return a == b; }
