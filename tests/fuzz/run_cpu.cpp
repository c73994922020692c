// tests/fuzz/run_cpu: calls on Cpu.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/cpu.hpp"
#include "run.hpp"

namespace hearth::fuzz {
HEARTH_FUZZ_RUN(run_on_cpu, Cpu)
}  // namespace hearth::fuzz
