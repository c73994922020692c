// cpu/gemm_pack: operands of a contraction laid out as the tiles read them, whatever their strides and dtype.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gemm.hpp"

namespace hearth::cpu {

/// out[i] = the offset of index begin + i of the axis, for the operand whose strides are `stride`.
void fill_offsets(const GemmAxis& axis, std::int64_t GemmAxis::Part::*stride, std::int64_t begin, std::int64_t count, std::int64_t* out);

/// Is offsets[i] == offsets[0] + i * step for all i?
bool is_regular(const std::int64_t* offsets, std::int64_t count, std::int64_t step);

/// One sliver: out[k * width + i] = source[free[i] + inner[k]] for i < count, and 0 from there to width.
template <class T>
using PackFunction = void (*)(const void* source, const std::int64_t* free, int count, const std::int64_t* inner, std::int64_t depth, int width, T* out);

/// The packing of elements of `source` as T: of any floats for float and double, of integers of its own size for an unsigned T.
template <class T>
PackFunction<T> pack_function(Dtype source);

/// out[i] = source[i * step], floats of any kind widened.
template <class T>
using WidenFunction = void (*)(const void* source, std::int64_t offset, std::int64_t step, std::int64_t count, T* out);
template <class T>
WidenFunction<T> widen_function(Dtype source);

}  // namespace hearth::cpu
