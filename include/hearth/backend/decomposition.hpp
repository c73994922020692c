// backend/decomposition: what a composite means in terms of other ops. One specialisation per composite, in decompositions/.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "dyn.hpp"

namespace hearth {

/// template <class B> static Results<Op, Dyn<B>> run(const Op&, Operands<Op, Dyn<B>>); absent operands are null Dyns.
template <class Op>
struct Decomposition;

template <class Op>
concept Composite = requires { sizeof(Decomposition<Op>); };

}  // namespace hearth
