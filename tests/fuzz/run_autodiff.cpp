// tests/fuzz/run_autodiff: calls on Autodiff<Portable>, there and back.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/autodiff/autodiff.hpp"
#include "hearth/portable.hpp"
#include "run.hpp"

namespace hearth::fuzz {
HEARTH_FUZZ_RUN(run_on_autodiff, Autodiff<Portable>)
}  // namespace hearth::fuzz
