// cpu/gemm_integer: tiles of integers, which wrap. Plain loops, small enough for the compiler to keep in vector registers.
// SPDX-License-Identifier: Apache-2.0
#include <type_traits>
#include <utility>

#include "gemm_kernel.hpp"

namespace hearth::cpu {

namespace {

constexpr int integer_rows = 4;

template <class T, int width, int rows>
void tile(std::int64_t depth, const T* a, const T* b, std::int64_t b_stride, const T* from, std::int64_t from_stride, T* to, std::int64_t to_stride) {
  using Wrap = std::conditional_t<(sizeof(T) < 4), std::uint32_t, T>;  // 16-bit factors would overflow int
  T sum[rows][width] = {};
  for (std::int64_t k = 0; k < depth; ++k, a += rows, b += b_stride)
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < width; ++j) sum[i][j] = T(sum[i][j] + T(Wrap(a[i]) * Wrap(b[j])));
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < width; ++j) to[i * to_stride + j] = from ? T(from[i * from_stride + j] + sum[i][j]) : sum[i][j];
}

template <class T, int... I>
GemmKernels<T> make_kernels(std::integer_sequence<int, I...>) {
  constexpr int lanes = 16 / sizeof(T);
  GemmKernels<T> kernels{};
  kernels.rows = integer_rows;
  kernels.lanes = lanes;
  ((kernels.tile[0][I] = tile<T, lanes, I + 1>), ...);
  ((kernels.tile[1][I] = tile<T, 2 * lanes, I + 1>), ...);
  return kernels;
}

}  // namespace

#define HEARTH_INTEGER_KERNELS(T)                                                                                     \
  template <>                                                                                                         \
  const GemmKernels<T>& gemm_kernels<T>() {                                                                           \
    static const GemmKernels<T> kernels = make_kernels<T>(std::make_integer_sequence<int, integer_rows>());           \
    return kernels;                                                                                                   \
  }
HEARTH_INTEGER_KERNELS(std::uint8_t)
HEARTH_INTEGER_KERNELS(std::uint16_t)
HEARTH_INTEGER_KERNELS(std::uint32_t)
HEARTH_INTEGER_KERNELS(std::uint64_t)
#undef HEARTH_INTEGER_KERNELS

}  // namespace hearth::cpu
