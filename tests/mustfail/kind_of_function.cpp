// expect: exp does not take tensors of this kind; change it with x.cast<Kind>\(\) first
// SPDX-License-Identifier: Apache-2.0
#include "hearth/portable.hpp"
#include "hearth/tensor/tensor.hpp"
using namespace hearth;
auto f(const Tensor<Portable, 2, Int>& x) { return exp(x); }
