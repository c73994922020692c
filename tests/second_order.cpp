// tests/second_order: the stack, compiled.
// SPDX-License-Identifier: Apache-2.0
#include "second_order.hpp"

#define HEARTH_INNER_STACK Autodiff<Portable>
#define HEARTH_STACK Autodiff<Autodiff<Portable>>
#include "hearth/instantiate.hpp"
