// stacks/cpu_autodiff: Autodiff<Cpu>.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/autodiff/autodiff.hpp"
#include "hearth/cpu.hpp"

#define HEARTH_STACK Autodiff<Cpu>
#include "hearth/instantiate.hpp"
