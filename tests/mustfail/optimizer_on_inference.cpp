// expect: an optimizer needs a model whose backend records gradients: build it on Autodiff<B>
// SPDX-License-Identifier: Apache-2.0
#include "hearth/nn/linear.hpp"
#include "hearth/optim/optimizer.hpp"
#include "hearth/portable.hpp"
using namespace hearth;
void f(const Linear<Portable>& model) { Optimizer optimizer(Adam{}, model); }
