// stacks/shapes: the stack Shapes, which every build has.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/backend/shapes.hpp"

#define HEARTH_STACK hearth::Shapes
#include "hearth/instantiate.hpp"
