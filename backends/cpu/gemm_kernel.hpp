// cpu/gemm_kernel: the innermost loops of products, chosen for the processor at run time.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace hearth::cpu {

/// to[i][j] = (from ? from[i][j] : 0) + the sum over k of a[k * rows + i] * b[k * b_stride + j], for as many rows and vectors as
/// the function is made for. `from` and `to` may be one. All strides in elements.
template <class T>
using TileFunction = void (*)(std::int64_t depth, const T* a, const T* b, std::int64_t b_stride, const T* from, std::int64_t from_stride, T* to,
                              std::int64_t to_stride);

/// to[i * to_stride + j] = (from ? from[...] : 0) + the sum over k of a[i * a_stride + k] * b[j * b_stride + k], for a few rows i.
template <class T>
using DotFunction = void (*)(std::int64_t depth, const T* a, std::int64_t a_stride, const T* b, std::int64_t b_stride, std::int64_t columns,
                             const T* from, T* to, std::int64_t to_stride);

inline constexpr int max_tile_rows = 12, tile_vectors = 2, max_dot_rows = 4;

template <class T>
struct GemmKernels {
  int rows;   ///< the most rows of a tile
  int lanes;  ///< elements of a vector; a tile is one or two wide
  TileFunction<T> tile[tile_vectors][max_tile_rows];  ///< [vectors - 1][rows - 1]
  DotFunction<T> dot[max_dot_rows];                   ///< [rows - 1]
};

/// For float and double.
template <class T>
const GemmKernels<T>& gemm_kernels();

}  // namespace hearth::cpu
