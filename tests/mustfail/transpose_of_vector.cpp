// expect: transpose takes tensors of rank 2 or more
// SPDX-License-Identifier: Apache-2.0
#include "hearth/portable.hpp"
#include "hearth/tensor/tensor.hpp"
using namespace hearth;
auto f(const Tensor<Portable, 1>& x) { return x.transpose(); }
