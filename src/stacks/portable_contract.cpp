// stacks/portable_contract: Portable's products, convolutions, pools and resampling.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/portable/contract.hpp"

#include "hearth/portable/conv.hpp"
#include "hearth/portable/execute.hpp"
#include "hearth/portable/interpolate.hpp"
#include "hearth/portable/pool.hpp"

namespace hearth::portable {
#define HEARTH_CONTRACT_OP(Name) template Results<op::Name, Handle> execute(const op::Name&, const Operands<op::Name, Handle>&);
#include "hearth/op/ops.def"
}  // namespace hearth::portable
