// expect: this tensor has another backend, rank or kind than what it is given to
// SPDX-License-Identifier: Apache-2.0
#include "hearth/portable.hpp"
#include "hearth/tensor/tensor.hpp"
using namespace hearth;
Tensor<Portable, 2> f(const Tensor<Portable, 2>& a, const Tensor<Portable, 3>& b) { return a + b; }
