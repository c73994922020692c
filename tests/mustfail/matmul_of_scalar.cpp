// expect: matmul takes tensors of rank 1 or more; multiply by a tensor of rank 0 with \*
// SPDX-License-Identifier: Apache-2.0
#include "hearth/portable.hpp"
#include "hearth/tensor/tensor.hpp"
using namespace hearth;
auto f(const Tensor<Portable, 2>& a, const Tensor<Portable, 0>& b) { return matmul(a, b); }
