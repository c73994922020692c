// core/config: what the compiler offers, asked once. Nothing here is an option that a user sets. Every other header comes here first, so
// that a program which cannot work with Hearth hears so in a sentence.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>  // brings the standard library's own settings

#ifdef _MSVC_LANG
#define HEARTH_LANGUAGE _MSVC_LANG
#else
#define HEARTH_LANGUAGE __cplusplus
#endif
#if HEARTH_LANGUAGE < 202002L
#error "hearth: this file is compiled as an older C++ than Hearth is written in; use -std=c++20 or newer (the CMake target Hearth::hearth asks for it)"
#endif
#undef HEARTH_LANGUAGE
#if defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI
#error "hearth: this file is compiled with _GLIBCXX_USE_CXX11_ABI=0, whose std::string is another than the one in Hearth's library; remove that definition"
#endif

#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
#define HEARTH_EXCEPTIONS 1
#else
#define HEARTH_EXCEPTIONS 0
#endif

namespace hearth {

inline constexpr int version_major = 0, version_minor = 1, version_patch = 0;

}  // namespace hearth
