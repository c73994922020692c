// expect: Autodiff goes outside Fusion: write Autodiff<Fusion<B>>
// SPDX-License-Identifier: Apache-2.0
#include "hearth/hearth.hpp"
#include "hearth/portable.hpp"
using namespace hearth;
auto f() { return zeros<Fusion<Autodiff<Portable>>>({2, 3}); }
