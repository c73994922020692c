// tests/second_order: Autodiff<Autodiff<Portable>>, compiled once (second_order.cpp) for the programs that take second derivatives with it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "hearth/autodiff/autodiff.hpp"
#include "hearth/portable.hpp"
