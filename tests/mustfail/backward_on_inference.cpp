// expect: backward needs a backend that records gradients: build the tensors and the model on Autodiff<B>
// SPDX-License-Identifier: Apache-2.0
#include "hearth/portable.hpp"
#include "hearth/tensor/tensor.hpp"
using namespace hearth;
void f(const Tensor<Portable, 0>& loss) { (void)backward(loss); }
