// expect: this tensor has another backend, rank or kind than what it is given to
// SPDX-License-Identifier: Apache-2.0
#include "hearth/portable.hpp"
#include "hearth/tensor/tensor.hpp"
using namespace hearth;
auto f(const Tensor<Portable, 2>& scores, const Tensor<Portable, 1>& labels) { return cross_entropy(scores, labels); }
