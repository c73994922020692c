// core/config: what the compiler offers, asked once. Nothing here is an option that a user sets.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
#define HEARTH_EXCEPTIONS 1
#else
#define HEARTH_EXCEPTIONS 0
#endif

namespace hearth {

inline constexpr int version_major = 0, version_minor = 1, version_patch = 0;

}  // namespace hearth
