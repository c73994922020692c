// stacks/portable_autodiff: Autodiff<Portable>.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/autodiff/autodiff.hpp"
#include "hearth/portable.hpp"

#define HEARTH_INNER_STACK Portable
#define HEARTH_STACK Autodiff<Portable>
#include "hearth/instantiate.hpp"
