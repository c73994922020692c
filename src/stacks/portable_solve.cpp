// stacks/portable_solve: Portable's decompositions, Fourier transform and value-sized ops.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/portable/solve.hpp"

#include "hearth/portable/execute.hpp"
#include "hearth/portable/fft.hpp"
#include "hearth/portable/value_sized.hpp"

namespace hearth::portable {
#define HEARTH_SOLVE_OP(Name) template Results<op::Name, Handle> execute(const op::Name&, const Operands<op::Name, Handle>&);
#include "hearth/op/ops.def"
}  // namespace hearth::portable
