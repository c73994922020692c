// cpu/targets: reading HEARTH_SIMD.
// SPDX-License-Identifier: Apache-2.0
#include "targets.hpp"

#include <cstdlib>
#include <string>
#include <string_view>

#include "hearth/core/error.hpp"

namespace hearth::cpu {

bool limit_targets() {
  const char* const wanted = std::getenv("HEARTH_SIMD");
  if (!wanted || !*wanted) return false;
  struct Named {
    std::string_view name;
    std::int64_t target;
  };
  constexpr Named known[] = {
#if HWY_ARCH_X86
      {"avx512", HWY_AVX3}, {"avx2", HWY_AVX2}, {"sse4", HWY_SSE4},
#endif
      {"scalar", HWY_EMU128},
  };
  for (const Named& one : known)
    if (one.name == wanted) {
      hwy::DisableTargets(one.target - 1);  // a better target is a lower bit
      return true;
    }
  std::string names;
  for (const Named& one : known) names += (names.empty() ? "" : ", ") + std::string(one.name);
  return fail("Cpu", "the environment variable HEARTH_SIMD is \"" + std::string(wanted) + "\", which is none of " + names);
}

}  // namespace hearth::cpu
