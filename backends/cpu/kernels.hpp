// cpu/kernels: loops over contiguous elements, one per code and dtype, chosen once per call. A result may lie over an operand.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "hearth/core/convert.hpp"
#include "hearth/op/formula.hpp"

// Before a loop whose iterations do not depend on each other, though a result may lie exactly over an operand.
#ifdef __clang__
#define HEARTH_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define HEARTH_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace hearth::cpu {

using UnaryKernel = void (*)(const void* x, void* y, std::int64_t count);
using BinaryKernel = void (*)(const void* a, const void* b, void* y, std::int64_t count);
/// mask, then, otherwise; clamp: x, low, high.
using TernaryKernel = void (*)(const void* a, const void* b, const void* c, void* y, std::int64_t count);

/// Rows on the dtypes that are computed as themselves: all but f16 and bf16. Null where the row does not take the kind.
UnaryKernel unary_kernel(UnaryCode code, Dtype dtype);
BinaryKernel binary_kernel(BinaryCode code, Dtype dtype);
/// Results are bool.
BinaryKernel compare_kernel(CompareCode code, Dtype dtype);
TernaryKernel clamp_kernel(Dtype dtype);
/// The choice between elements of `size` bytes.
TernaryKernel select_kernel(std::size_t size);
/// From any dtype to any other, by core/convert.hpp.
UnaryKernel convert_kernel(Dtype from, Dtype to);

// Vector forms by target, where there is one (simd_*.cpp).
UnaryKernel vector_unary(UnaryCode code, bool f64);
BinaryKernel vector_binary(BinaryCode code, bool f64);

}  // namespace hearth::cpu
