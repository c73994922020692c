// backend/decompositions: every composite's meaning, collected. Each file of decompositions/ holds one family.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "decomposition.hpp"
#include "decompositions/attention.hpp"
#include "decompositions/batch_norm.hpp"
#include "decompositions/cells.hpp"
#include "decompositions/cross_entropy.hpp"
#include "decompositions/ctc.hpp"
#include "decompositions/deform_conv.hpp"
#include "decompositions/dropout.hpp"
#include "decompositions/fourier.hpp"
#include "decompositions/fused.hpp"
#include "decompositions/grid_sample.hpp"
#include "decompositions/layer_norm.hpp"
#include "decompositions/linear.hpp"
#include "decompositions/quantized.hpp"
#include "decompositions/rope.hpp"
#include "decompositions/softmax.hpp"
#include "decompositions/steps.hpp"

namespace hearth {

// Whoever adds a composite to the list and forgets to say what it means is told so here.
#define HEARTH_COMPOSITE_OP(Name) static_assert(Composite<op::Name>, "op::" #Name " is a composite without a Decomposition");
#include "../op/ops.def"

}  // namespace hearth
