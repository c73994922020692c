// cpu/gemm_pack: copying into slivers. Runs of neighbouring elements decide how: along the sliver they are copied, along the
// inner index transposed four by four, and without runs gathered one by one.
// SPDX-License-Identifier: Apache-2.0
#include "gemm_pack.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace hearth::cpu {

void fill_offsets(const GemmAxis& axis, std::int64_t GemmAxis::Part::*stride, std::int64_t begin, std::int64_t count, std::int64_t* out) {
  if (count == 0) return;
  const int rank = axis.parts.size();
  if (rank == 0) {
    std::fill(out, out + count, 0);
    return;
  }
  std::int64_t digit[2 * max_rank] = {}, outer = 0;
  std::int64_t rest = begin;
  for (int p = rank - 1; p >= 0; --p) {
    digit[p] = rest % axis.parts[p].size;
    rest /= axis.parts[p].size;
    if (p < rank - 1) outer += digit[p] * (axis.parts[p].*stride);
  }
  const std::int64_t size = axis.parts[rank - 1].size, step = axis.parts[rank - 1].*stride;
  std::int64_t at = digit[rank - 1];
  while (count > 0) {
    const std::int64_t run = std::min(size - at, count), first = outer + at * step;
    for (std::int64_t i = 0; i < run; ++i) out[i] = first + i * step;
    out += run;
    count -= run;
    at = 0;
    for (int p = rank - 2; p >= 0; --p) {
      outer += axis.parts[p].*stride;
      if (++digit[p] < axis.parts[p].size) break;
      outer -= digit[p] * (axis.parts[p].*stride);
      digit[p] = 0;
    }
  }
}

bool is_regular(const std::int64_t* offsets, std::int64_t count, std::int64_t step) {
  bool regular = true;
  for (std::int64_t i = 1; i < count; ++i) regular &= offsets[i] - offsets[i - 1] == step;
  return regular;
}

namespace {

// Without branches, so that the loops around it become vector code.
inline float widen(Half half) {
  const std::uint32_t magnitude = half.bits & 0x7fffu, sign = std::uint32_t(half.bits & 0x8000u) << 16;
  const float normal = std::bit_cast<float>((magnitude << 13) + (magnitude >= 0x7c00u ? 224u << 23 : 112u << 23));
  const float small = std::bit_cast<float>((magnitude << 13) + (113u << 23)) - 0x1p-14f;
  const float value = magnitude < 0x400u ? small : normal;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | sign);
}
inline float widen(BFloat16 value) { return float(value); }
template <class S>
inline S widen(S value) {
  return value;
}

template <class S, class T>
inline void copy_run(const S* from, T* to, int count) {
  if constexpr (std::is_same_v<S, T>) {
    constexpr int block = 32 / sizeof(T), half = block / 2;
    const bool several = count >= half;
    for (; count >= block; count -= block, from += block, to += block) std::memcpy(to, from, 32);
    if (several) {  // the rest by one or two copies that may overlap what is copied already, instead of element by element
      if (count > half) std::memcpy(to, from, 16);
      if (count > 0) std::memcpy(to + count - half, from + count - half, 16);
      return;
    }
    for (int i = 0; i < count; ++i) to[i] = from[i];
  } else {
    for (int i = 0; i < count; ++i) to[i] = T(widen(from[i]));
  }
}

using Words = std::uint32_t __attribute__((vector_size(16)));
using DoubleWords = std::uint64_t __attribute__((vector_size(16)));

// out[k * width + i] = rows[i][k] for a block of 4 x 4.
template <class T>
inline void transpose_block(const T* const* rows, std::int64_t k, int width, T* out) {
  if constexpr (sizeof(T) == 4) {
    Words row[4];
    for (int i = 0; i < 4; ++i) std::memcpy(&row[i], rows[i] + k, 16);
    const Words low = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5), high = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7);
    const Words low2 = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5), high2 = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
    const Words column[4] = {__builtin_shufflevector(low, low2, 0, 1, 4, 5), __builtin_shufflevector(low, low2, 2, 3, 6, 7),
                             __builtin_shufflevector(high, high2, 0, 1, 4, 5), __builtin_shufflevector(high, high2, 2, 3, 6, 7)};
    for (int i = 0; i < 4; ++i) std::memcpy(out + (k + i) * width, &column[i], 16);
  } else if constexpr (sizeof(T) == 8) {
    for (int i = 0; i < 4; i += 2)
      for (int j = 0; j < 4; j += 2) {
        DoubleWords a, b;
        std::memcpy(&a, rows[i] + k + j, 16);
        std::memcpy(&b, rows[i + 1] + k + j, 16);
        const DoubleWords first = __builtin_shufflevector(a, b, 0, 2), second = __builtin_shufflevector(a, b, 1, 3);
        std::memcpy(out + (k + j) * width + i, &first, 16);
        std::memcpy(out + (k + j + 1) * width + i, &second, 16);
      }
  } else {
    for (int j = 0; j < 4; ++j)
      for (int i = 0; i < 4; ++i) out[(k + j) * width + i] = rows[i][k + j];
  }
}

// Rows whose elements lie side by side along the inner index, `depth` of them from inner[0] on.
template <class S, class T>
void pack_transposed(const S* source, const std::int64_t* free, int count, std::int64_t depth, int width, T* out) {
  constexpr std::int64_t block = 64;
  int i = 0;
  for (; i + 4 <= count; i += 4) {
    if constexpr (std::is_same_v<S, T>) {
      const T* rows[4] = {source + free[i], source + free[i + 1], source + free[i + 2], source + free[i + 3]};
      std::int64_t k = 0;
      for (; k + 4 <= depth; k += 4) transpose_block(rows, k, width, out + i);
      for (; k < depth; ++k)
        for (int r = 0; r < 4; ++r) out[k * width + i + r] = rows[r][k];
    } else {
      for (std::int64_t start = 0; start < depth; start += block) {
        const int length = int(std::min(block, depth - start));
        T wide[4][block];
        for (int r = 0; r < 4; ++r) copy_run(source + free[i + r] + start, wide[r], length);
        const T* rows[4] = {wide[0], wide[1], wide[2], wide[3]};
        T* to = out + start * width + i;
        std::int64_t k = 0;
        for (; k + 4 <= length; k += 4) transpose_block(rows, k, width, to);
        for (; k < length; ++k)
          for (int r = 0; r < 4; ++r) to[k * width + r] = rows[r][k];
      }
    }
  }
  for (; i < count; ++i)
    for (std::int64_t k = 0; k < depth; ++k) out[k * width + i] = T(widen(source[free[i] + k]));
}

template <class S, class T>
void pack_sliver(const void* data, const std::int64_t* free, int count, const std::int64_t* inner, std::int64_t depth, int width, T* out) {
  const S* source = static_cast<const S*>(data);
  if (count < width)
    for (std::int64_t k = 0; k < depth; ++k) std::fill(out + k * width + count, out + (k + 1) * width, T(0));

  struct Run {
    int start, length;
  } runs[64];
  int run_count = 0;
  for (int i = 0; i < count; ++i) {
    if (i && free[i] == free[i - 1] + 1) ++runs[run_count - 1].length;
    else runs[run_count++] = {i, 1};
  }
  if (run_count == 1 && count == 32) {  // the common full sliver: a copy of fixed length
    for (std::int64_t k = 0; k < depth; ++k) copy_run(source + inner[k] + free[0], out + k * width, 32);
    return;
  }
  if (run_count * 4 <= count || (run_count == 1 && count > 1)) {
    for (std::int64_t k = 0; k < depth; ++k)
      for (int r = 0; r < run_count; ++r) copy_run(source + inner[k] + free[runs[r].start], out + k * width + runs[r].start, runs[r].length);
    return;
  }
  for (std::int64_t k = 0; k < depth;) {
    std::int64_t run = 1;
    while (k + run < depth && inner[k + run] == inner[k] + run) ++run;
    if (run >= 4) {
      pack_transposed(source + inner[k], free, count, run, width, out + k * width);
    } else {
      for (std::int64_t r = k; r < k + run; ++r)
        for (int i = 0; i < count; ++i) out[r * width + i] = T(widen(source[inner[r] + free[i]]));
    }
    k += run;
  }
}

template <class S, class T>
void widen_run(const void* data, std::int64_t offset, std::int64_t step, std::int64_t count, T* out) {
  const S* source = static_cast<const S*>(data) + offset;
  if (step == 1)
    for (std::int64_t i = 0; i < count; ++i) out[i] = T(widen(source[i]));
  else
    for (std::int64_t i = 0; i < count; ++i) out[i] = T(widen(source[i * step]));
}

}  // namespace

template <class T>
PackFunction<T> pack_function(Dtype source) {
  return with_type(source, [](auto tag) -> PackFunction<T> {
    using S = typename decltype(tag)::type;
    if constexpr (std::is_floating_point_v<T>) {
      if constexpr (is_float(dtype_of<S>)) return pack_sliver<S, T>;
    } else if constexpr (!is_float(dtype_of<S>) && sizeof(S) == sizeof(T)) {
      return pack_sliver<T, T>;
    }
    return nullptr;
  });
}
template <class T>
WidenFunction<T> widen_function(Dtype source) {
  return with_type(source, [](auto tag) -> WidenFunction<T> {
    using S = typename decltype(tag)::type;
    if constexpr (std::is_floating_point_v<T>) {
      if constexpr (is_float(dtype_of<S>)) return widen_run<S, T>;
    } else if constexpr (!is_float(dtype_of<S>) && sizeof(S) == sizeof(T)) {
      return widen_run<T, T>;
    }
    return nullptr;
  });
}

#define HEARTH_PACK(T)                                     \
  template PackFunction<T> pack_function<T>(Dtype source); \
  template WidenFunction<T> widen_function<T>(Dtype source);
HEARTH_PACK(float)
HEARTH_PACK(double)
HEARTH_PACK(std::uint8_t)
HEARTH_PACK(std::uint16_t)
HEARTH_PACK(std::uint32_t)
HEARTH_PACK(std::uint64_t)
#undef HEARTH_PACK

}  // namespace hearth::cpu
