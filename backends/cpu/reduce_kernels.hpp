// cpu/reduce_kernels: loops that join contiguous elements into accumulators, by code and dtype, for each target.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "kernels.hpp"

namespace hearth::cpu {

/// What a reduction accumulates in: f64 for sums and products of floats, 64 bits for those of integers and bool, else the dtype itself.
constexpr Dtype accumulator_dtype(ReduceCode code, Dtype dtype) {
  switch (code) {
    case ReduceCode::sum:
    case ReduceCode::mean:
    case ReduceCode::prod: return is_float(dtype) ? Dtype::f64 : widened(dtype);
    case ReduceCode::max:
    case ReduceCode::min:
    case ReduceCode::any:
    case ReduceCode::all: return dtype;
  }
  __builtin_unreachable();
}

using ReduceKernel = void (*)(const void* x, std::int64_t count, void* accumulator);

/// For dtypes that are computed as themselves. The grouping of the elements depends on nothing but their number.
struct ReduceKernels {
  ReduceKernel row;     ///< joins all elements into one accumulator
  ReduceKernel column;  ///< joins element i into accumulator i
};
ReduceKernels reduce_kernels(ReduceCode code, Dtype dtype);

/// The place of the first NaN, else of the first element that equals `*value`; -1 if there is neither.
using FindKernel = std::int64_t (*)(const void* x, std::int64_t count, const void* value);
FindKernel find_kernel(Dtype dtype);

}  // namespace hearth::cpu
