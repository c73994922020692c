// cpu/simd_binary: the binary rows on Vec, and comparisons, choices and clamps as loops that the compiler turns into vector code
// for each target.
// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd_binary.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels.hpp"
#include "targets.hpp"
#include "vector-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace hearth::cpu::HWY_NAMESPACE {

template <class T, class Row>
void binary_loop(const void* a, const void* b, void* y, std::int64_t count) {
  const T *left = static_cast<const T*>(a), *right = static_cast<const T*>(b);
  T* to = static_cast<T*>(y);
  const std::int64_t lanes = Vec<T>::lanes();
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) Row::of(Vec<T>::load(left + i), Vec<T>::load(right + i)).store(to + i);
  if (i == count) return;
  T x[HWY_MAX_BYTES / sizeof(T)] = {}, z[HWY_MAX_BYTES / sizeof(T)] = {};
  for (std::int64_t j = i; j < count; ++j) x[j - i] = left[j], z[j - i] = right[j];
  Row::of(Vec<T>::load(x), Vec<T>::load(z)).store(x);
  for (std::int64_t j = i; j < count; ++j) to[j] = x[j - i];
}

#define HEARTH_BINARY(name, kinds, alo, ahi, blo, bhi, value, ...) \
  struct row_##name {                                              \
    template <class T>                                             \
    static HWY_INLINE Vec<T> of(Vec<T> a, Vec<T> b) {              \
      return Vec<T>(value);                                        \
    }                                                              \
  };
#include "hearth/op/binary.def"
#undef HEARTH_BINARY

template <class T, class Row, Kinds row_kinds>
constexpr BinaryKernel kernel_of() {
  if constexpr ((row_kinds & kinds::F) != 0) return &binary_loop<T, Row>;
  else return nullptr;
}

BinaryKernel find_binary(BinaryCode code, bool f64) {
  using namespace kinds;
  switch (code) {
#define HEARTH_BINARY(name, kinds, ...) \
  case BinaryCode::name: return f64 ? kernel_of<double, row_##name, kinds>() : kernel_of<float, row_##name, kinds>();
#include "hearth/op/binary.def"
#undef HEARTH_BINARY
  }
  return nullptr;
}

#define HEARTH_COMPARE(name, value, ...)                                              \
  template <class T>                                                                  \
  void compare_##name(const void* left, const void* right, void* y, std::int64_t n) { \
    const T *first = static_cast<const T*>(left), *second = static_cast<const T*>(right); \
    bool* to = static_cast<bool*>(y);                                                 \
    HEARTH_INDEPENDENT for (std::int64_t i = 0; i < n; ++i) {                         \
      const T a = first[i], b = second[i];                                            \
      to[i] = value;                                                                  \
    }                                                                                 \
  }
#include "hearth/op/compare.def"
#undef HEARTH_COMPARE

BinaryKernel find_compare(CompareCode code, Dtype dtype) {
  return with_type(dtype, [&](auto tag) -> BinaryKernel {
    using T = typename decltype(tag)::type;
    if constexpr (!std::is_same_v<T, Compute<T>>) {
      return nullptr;
    } else {
      switch (code) {
#define HEARTH_COMPARE(name, ...) \
  case CompareCode::name: return &compare_##name<T>;
#include "hearth/op/compare.def"
#undef HEARTH_COMPARE
      }
      return nullptr;
    }
  });
}

template <class T>
void select_loop(const void* mask, const void* then, const void* otherwise, void* y, std::int64_t count) {
  const unsigned char* m = static_cast<const unsigned char*>(mask);
  const T *a = static_cast<const T*>(then), *b = static_cast<const T*>(otherwise);
  T* to = static_cast<T*>(y);
  HEARTH_INDEPENDENT for (std::int64_t i = 0; i < count; ++i) {
    const T x = a[i], z = b[i];
    to[i] = m[i] ? x : z;
  }
}
TernaryKernel find_select(std::size_t size) {
  switch (size) {
    case 1: return &select_loop<std::uint8_t>;
    case 2: return &select_loop<std::uint16_t>;
    case 4: return &select_loop<std::uint32_t>;
    default: return &select_loop<std::uint64_t>;
  }
}

/// min(max(x, low), high); NaN in x, low or high wins.
template <class T>
void clamp_loop(const void* x, const void* low, const void* high, void* y, std::int64_t count) {
  const T *from = static_cast<const T*>(x), *below = static_cast<const T*>(low), *above = static_cast<const T*>(high);
  T* to = static_cast<T*>(y);
  HEARTH_INDEPENDENT for (std::int64_t i = 0; i < count; ++i) {
    const T v = from[i], l = below[i], h = above[i];
    const T raised = ((v != v) | (v > l)) ? v : l;
    to[i] = ((raised != raised) | (raised < h)) ? raised : h;
  }
}
TernaryKernel find_clamp(Dtype dtype) {
  return with_type(dtype, [&](auto tag) -> TernaryKernel { return &clamp_loop<Compute<typename decltype(tag)::type>>; });
}

}  // namespace hearth::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hearth::cpu {

HWY_EXPORT(find_binary);
HWY_EXPORT(find_compare);
HWY_EXPORT(find_select);
HWY_EXPORT(find_clamp);

BinaryKernel vector_binary(BinaryCode code, bool f64) { return HEARTH_DISPATCH(find_binary)(code, f64); }
BinaryKernel compare_kernel(CompareCode code, Dtype dtype) { return HEARTH_DISPATCH(find_compare)(code, dtype); }
TernaryKernel select_kernel(std::size_t size) { return HEARTH_DISPATCH(find_select)(size); }
TernaryKernel clamp_kernel(Dtype dtype) { return HEARTH_DISPATCH(find_clamp)(dtype); }

}  // namespace hearth::cpu
#endif
