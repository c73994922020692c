// stacks/portable_view: Portable's view ops, compiled.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/portable/view.hpp"

namespace hearth::portable {

#define HEARTH_VIEW_OP(Name) template Results<op::Name, Handle> execute(const op::Name& op, const Operands<op::Name, Handle>& in);
#include "hearth/op/ops.def"

}  // namespace hearth::portable
