// expect: this layer of a Sequential has no call operator \(a const one\) that takes what the layer before it gives
// SPDX-License-Identifier: Apache-2.0
#include "hearth/nn/linear.hpp"
#include "hearth/nn/sequential.hpp"
#include "hearth/portable.hpp"
using namespace hearth;
template <Backend B>
struct Unfinished {
  Linear<B> linear;  // but no call operator
};
auto f(const Sequential<Linear<Portable>, Unfinished<Portable>>& model, const Tensor<Portable, 2>& x) { return model(x); }
