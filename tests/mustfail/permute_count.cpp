// expect: permute takes one axis per dimension
// SPDX-License-Identifier: Apache-2.0
#include "hearth/portable.hpp"
#include "hearth/tensor/tensor.hpp"
using namespace hearth;
auto f(const Tensor<Portable, 3>& x) { return x.permute({1, 0}); }
