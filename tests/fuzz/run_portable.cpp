// tests/fuzz/run_portable: calls on Portable.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/portable.hpp"
#include "run.hpp"

namespace hearth::fuzz {
HEARTH_FUZZ_RUN(run_on_portable, Portable)
}  // namespace hearth::fuzz
