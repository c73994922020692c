// expect: the tensors live on different backends; move one with to_backend<B>\(x\)
// SPDX-License-Identifier: Apache-2.0
#include "hearth/portable.hpp"
#include "hearth/tensor/tensor.hpp"
using namespace hearth;
auto f(const Tensor<Portable, 2>& a, const Tensor<Autodiff<Portable>, 2>& b) { return a + b; }
