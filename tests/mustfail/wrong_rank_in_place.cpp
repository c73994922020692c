// expect: the right side has more dimensions than the tensor it is to be written into
// SPDX-License-Identifier: Apache-2.0
#include "hearth/portable.hpp"
#include "hearth/tensor/tensor.hpp"
using namespace hearth;
void f(Tensor<Portable, 2>& a, const Tensor<Portable, 3>& b) { a += b; }
