// expect: an index is a position, s\(start, stop, step\) or newaxis
// SPDX-License-Identifier: Apache-2.0
#include "hearth/portable.hpp"
#include "hearth/tensor/tensor.hpp"
using namespace hearth;
auto f(const Tensor<Portable, 2>& x) { return x(0, 1.5); }
