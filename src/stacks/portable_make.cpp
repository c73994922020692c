// stacks/portable_make: Portable's make ops, compiled.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/portable/make.hpp"

namespace hearth::portable {

#define HEARTH_MAKE_OP(Name) template Handle create(const Device& device, const op::Name& op);
#include "hearth/op/ops.def"

}  // namespace hearth::portable
