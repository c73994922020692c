// expect: inference\(model\) changes the backend in the model's type: write the model as template <Backend B> struct
// SPDX-License-Identifier: Apache-2.0
#include "hearth/nn/convert.hpp"
#include "hearth/nn/linear.hpp"
#include "hearth/portable.hpp"
using namespace hearth;
struct Net {
  using Backend = Autodiff<Portable>;
  Linear<Backend> layer;
};
void f(const Net& net) { (void)inference(net); }
