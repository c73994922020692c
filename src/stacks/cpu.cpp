// stacks/cpu: Cpu itself.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/cpu.hpp"

#define HEARTH_STACK Cpu
#include "hearth/instantiate.hpp"
