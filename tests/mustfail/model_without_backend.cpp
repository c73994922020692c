// expect: no backend is to be found in the type of this model; name it there: using Backend = ...
// SPDX-License-Identifier: Apache-2.0
#include "hearth/nn/linear.hpp"
#include "hearth/nn/model.hpp"
#include "hearth/portable.hpp"
using namespace hearth;
struct Net {
  Linear<Autodiff<Portable>> output;
};
void f(Net& model) { train(model); }
