// stacks/portable_move: Portable's move ops, compiled.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/portable/move.hpp"

namespace hearth::portable {

#define HEARTH_MOVE_OP(Name) template Results<op::Name, Handle> execute(const op::Name& op, const Operands<op::Name, Handle>& in);
#include "hearth/op/ops.def"

}  // namespace hearth::portable
