// cpu/simd_unary: the unary rows on Vec, stamped from the table for each target.
// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd_unary.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels.hpp"
#include "targets.hpp"
#include "vector-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace hearth::cpu::HWY_NAMESPACE {

template <class T, class Row>
void unary_loop(const void* x, void* y, std::int64_t count) {
  const T* from = static_cast<const T*>(x);
  T* to = static_cast<T*>(y);
  const std::int64_t lanes = Vec<T>::lanes();
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) Row::of(Vec<T>::load(from + i)).store(to + i);
  if (i == count) return;
  T tail[HWY_MAX_BYTES / sizeof(T)] = {};
  for (std::int64_t j = i; j < count; ++j) tail[j - i] = from[j];
  Row::of(Vec<T>::load(tail)).store(tail);
  for (std::int64_t j = i; j < count; ++j) to[j] = tail[j - i];
}

// The rows, each a struct with `of`.
#define HEARTH_UNARY(name, kinds, lo, hi, value, ...) \
  struct row_##name {                                 \
    template <class T>                                \
    static HWY_INLINE Vec<T> of(Vec<T> x) {           \
      using namespace hearth::detail;                 \
      return Vec<T>(value);                           \
    }                                                 \
  };
#include "hearth/op/unary.def"
#undef HEARTH_UNARY

// The normal distribution function of large negative x is lost if x / sqrt(2) is rounded to f32 first: all of gelu runs in f64.
struct DoubleGelu {
  static HWY_INLINE Vec<double> of(Vec<double> x) { return 0.5 * x * narrow_erfc(-(x * 0.707106781186547524401)); }
};
struct FloatGelu {
  static HWY_INLINE Vec<float> of(Vec<float> x) { return in_double<DoubleGelu>(x); }
};
// 0.5 (1 + tanh u) is 1 / (1 + exp(-2 u)), without the cancellation.
struct GeluTanh {
  template <class T>
  static HWY_INLINE Vec<T> of(Vec<T> x) {
    return x / (1 + exp(-1.595769121605730711760 * (x + 0.044715 * (x * x * x))));
  }
};

template <class T, class Row, Kinds row_kinds>
constexpr UnaryKernel kernel_of() {
  if constexpr ((row_kinds & kinds::F) != 0) return &unary_loop<T, Row>;
  else return nullptr;
}

UnaryKernel find_unary(UnaryCode code, bool f64) {
  using namespace kinds;
  if (code == UnaryCode::gelu && !f64) return &unary_loop<float, FloatGelu>;
  if (code == UnaryCode::gelu_tanh) return f64 ? &unary_loop<double, GeluTanh> : &unary_loop<float, GeluTanh>;
  switch (code) {
#define HEARTH_UNARY(name, kinds, ...) \
  case UnaryCode::name: return f64 ? kernel_of<double, row_##name, kinds>() : kernel_of<float, row_##name, kinds>();
#include "hearth/op/unary.def"
#undef HEARTH_UNARY
  }
  return nullptr;
}

}  // namespace hearth::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hearth::cpu {

HWY_EXPORT(find_unary);
UnaryKernel vector_unary(UnaryCode code, bool f64) { return HEARTH_DISPATCH(find_unary)(code, f64); }

}  // namespace hearth::cpu
#endif
