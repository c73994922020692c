// cpu/gemm_kernel: register-blocked tiles and dot products, compiled once per instruction set.
// SPDX-License-Identifier: Apache-2.0
#include "gemm_kernel.hpp"

#include <utility>

// Two arrays of vectors stand for the registers of a tile, so targets without a fixed vector size are left out.
#include <hwy/detect_targets.h>
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gemm_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "targets.hpp"

HWY_BEFORE_NAMESPACE();
namespace hearth::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// 32 registers hold 12 rows of two vectors, 16 hold 6.
constexpr int tile_rows = HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64 ? 12 : 6;

template <class T, int vectors, int rows>
void tile(std::int64_t depth, const T* HWY_RESTRICT a, const T* HWY_RESTRICT b, std::int64_t b_stride, const T* from, std::int64_t from_stride, T* to,
          std::int64_t to_stride) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const std::int64_t lanes = std::int64_t(hn::Lanes(d));
  V sum[rows][vectors];
  HWY_UNROLL(12)
  for (int i = 0; i < rows; ++i) {
    HWY_UNROLL(2)
    for (int j = 0; j < vectors; ++j) {
      sum[i][j] = hn::Zero(d);
      // The rows of a result lie far apart: ask for them while the sums form.
      if (from) __builtin_prefetch(from + i * from_stride + j * lanes);
    }
  }
  HWY_UNROLL(1)
  for (std::int64_t k = 0; k < depth; ++k) {
    V right[vectors];
    HWY_UNROLL(2)
    for (int j = 0; j < vectors; ++j) right[j] = hn::LoadU(d, b + j * lanes);
    HWY_UNROLL(12)
    for (int i = 0; i < rows; ++i) {
      const V left = hn::Set(d, a[i]);
      HWY_UNROLL(2)
      for (int j = 0; j < vectors; ++j) sum[i][j] = hn::MulAdd(left, right[j], sum[i][j]);
    }
    a += rows;
    b += b_stride;
  }
  HWY_UNROLL(12)
  for (int i = 0; i < rows; ++i) {
    HWY_UNROLL(2)
    for (int j = 0; j < vectors; ++j) {
      if (from) sum[i][j] = hn::Add(hn::LoadU(d, from + i * from_stride + j * lanes), sum[i][j]);
      hn::StoreU(sum[i][j], d, to + i * to_stride + j * lanes);
    }
  }
}

template <class T, int rows, int columns>
void dot_block(std::int64_t depth, const T* a, std::int64_t a_stride, const T* b, std::int64_t b_stride, const T* from, T* to, std::int64_t to_stride) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const std::int64_t lanes = std::int64_t(hn::Lanes(d));
  V sum[rows][columns];
  HWY_UNROLL(4)
  for (int i = 0; i < rows; ++i) {
    HWY_UNROLL(4)
    for (int j = 0; j < columns; ++j) sum[i][j] = hn::Zero(d);
  }
  std::int64_t k = 0;
  for (; k + lanes <= depth; k += lanes) {
    V right[columns];
    HWY_UNROLL(4)
    for (int j = 0; j < columns; ++j) right[j] = hn::LoadU(d, b + j * b_stride + k);
    HWY_UNROLL(4)
    for (int i = 0; i < rows; ++i) {
      const V left = hn::LoadU(d, a + i * a_stride + k);
      HWY_UNROLL(4)
      for (int j = 0; j < columns; ++j) sum[i][j] = hn::MulAdd(left, right[j], sum[i][j]);
    }
  }
  HWY_UNROLL(4)
  for (int i = 0; i < rows; ++i) {
    HWY_UNROLL(4)
    for (int j = 0; j < columns; ++j) {
      T total = hn::GetLane(hn::SumOfLanes(d, sum[i][j]));
      for (std::int64_t rest = k; rest < depth; ++rest) total += a[i * a_stride + rest] * b[j * b_stride + rest];
      to[i * to_stride + j] = (from ? from[i * to_stride + j] : T(0)) + total;
    }
  }
}

template <class T, int rows>
void dot(std::int64_t depth, const T* a, std::int64_t a_stride, const T* b, std::int64_t b_stride, std::int64_t columns, const T* from, T* to,
         std::int64_t to_stride) {
  // Every column is summed in the same order, wherever it stands: blocks of four and of one add up alike.
  std::int64_t j = 0;
  for (; j + 4 <= columns; j += 4) dot_block<T, rows, 4>(depth, a, a_stride, b + j * b_stride, b_stride, from ? from + j : nullptr, to + j, to_stride);
  for (; j < columns; ++j) dot_block<T, rows, 1>(depth, a, a_stride, b + j * b_stride, b_stride, from ? from + j : nullptr, to + j, to_stride);
}

template <class T, int vectors, int... I>
void fill_tiles(TileFunction<T>* to, std::integer_sequence<int, I...>) {
  ((to[I] = tile<T, vectors, I + 1>), ...);
}

template <class T>
GemmKernels<T> make_kernels() {
  GemmKernels<T> kernels{};
  kernels.rows = tile_rows;
  kernels.lanes = int(hn::Lanes(hn::ScalableTag<T>()));
  fill_tiles<T, 1>(kernels.tile[0], std::make_integer_sequence<int, tile_rows>());
  fill_tiles<T, 2>(kernels.tile[1], std::make_integer_sequence<int, tile_rows>());
  kernels.dot[0] = dot<T, 1>;
  kernels.dot[1] = dot<T, 2>;
  kernels.dot[2] = dot<T, 3>;
  kernels.dot[3] = dot<T, 4>;
  return kernels;
}

BothFloats<GemmKernels> find_gemm() { return {make_kernels<float>(), make_kernels<double>()}; }

}  // namespace hearth::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hearth::cpu {

HWY_EXPORT(find_gemm);

static const BothFloats<GemmKernels>& found_once() {
  static const BothFloats<GemmKernels> kernels = HEARTH_DISPATCH(find_gemm)();
  return kernels;
}
template <>
const GemmKernels<float>& gemm_kernels<float>() {
  return found_once().f32;
}
template <>
const GemmKernels<double>& gemm_kernels<double>() {
  return found_once().f64;
}

}  // namespace hearth::cpu
#endif
