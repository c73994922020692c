// forward: the names of what users hold, for headers that only mention them: a fraction of the cost of including what they are.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "hearth/built_names.hpp"
#include "tensor/names.hpp"

namespace hearth {

#define HEARTH_BUILT(name, Backend) struct Backend;
HEARTH_BUILT_BACKENDS(HEARTH_BUILT)
#undef HEARTH_BUILT

template <class B>
struct Autodiff;
template <class B>
struct Checked;
template <class B>
struct Profile;
template <class B>
struct Fusion;

template <class B>
struct Dyn;
template <class B, int Rank>
class Param;
template <class B>
struct Optimizer;
class Session;
class Error;

}  // namespace hearth
