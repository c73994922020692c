// expect: inference\(model\) takes a model on Autodiff<B>; this one records nothing already
// SPDX-License-Identifier: Apache-2.0
#include "hearth/nn/convert.hpp"
#include "hearth/nn/linear.hpp"
#include "hearth/portable.hpp"
using namespace hearth;
void f(const Linear<Portable>& model) { (void)inference(model); }
