// expect: this would have a negative rank: more axes are removed than the tensor has
// SPDX-License-Identifier: Apache-2.0
#include "hearth/portable.hpp"
#include "hearth/tensor/tensor.hpp"
using namespace hearth;
auto f(const Tensor<Portable, 1>& x) { return x.sum({0, 1}); }
