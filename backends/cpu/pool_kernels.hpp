// cpu/pool_kernels: rows of pools by vectors, for each target.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace hearth::cpu {

/// The largest of each 2 x 2 elements of two rows, the second `row` elements behind the first, and its position, where x is `position`:
/// of equals the first, and NaN before all.
using HalvingKernel = void (*)(const float* x, std::int64_t row, std::int64_t count, std::int64_t position, float* values, std::int64_t* indices);
HalvingKernel halving_kernel();

}  // namespace hearth::cpu
