// stacks/portable_low_bits: Portable's quantisation.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/portable/low_bits.hpp"

#include "hearth/portable/execute.hpp"

namespace hearth::portable {
#define HEARTH_LOW_BIT_OP(Name) template Results<op::Name, Handle> execute(const op::Name&, const Operands<op::Name, Handle>&);
#include "hearth/op/ops.def"
}  // namespace hearth::portable
