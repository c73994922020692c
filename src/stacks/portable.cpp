// stacks/portable: Portable itself.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/portable.hpp"

#define HEARTH_STACK Portable
#include "hearth/instantiate.hpp"
