// cpu/simd_convert: f32 to and from every dtype, for each target. The 16-bit floats by instruction where the target has one that
// rounds as core/half.hpp does; the rest as loops for the compiler.
// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd_convert.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels.hpp"
#include "targets.hpp"

HWY_BEFORE_NAMESPACE();
namespace hearth::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class From, class To>
void convert_loop(const void* x, void* y, std::int64_t count) {
  const From* from = static_cast<const From*>(x);
  To* to = static_cast<To*>(y);
  HEARTH_INDEPENDENT for (std::int64_t i = 0; i < count; ++i) to[i] = convert<To>(from[i]);
}

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
void half_to_float(const void* x, void* y, std::int64_t count) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> narrow;
  const hwy::float16_t* from = static_cast<const hwy::float16_t*>(x);
  float* to = static_cast<float*>(y);
  const std::int64_t lanes = std::int64_t(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(hn::PromoteTo(d, hn::LoadU(narrow, from + i)), d, to + i);
  if (i < count) convert_loop<Half, float>(static_cast<const Half*>(x) + i, to + i, count - i);
}
void float_to_half(const void* x, void* y, std::int64_t count) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> narrow;
  const float* from = static_cast<const float*>(x);
  hwy::float16_t* to = static_cast<hwy::float16_t*>(y);
  const std::int64_t lanes = std::int64_t(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(hn::DemoteTo(narrow, hn::LoadU(d, from + i)), narrow, to + i);
  if (i < count) convert_loop<float, Half>(from + i, static_cast<Half*>(y) + i, count - i);
}
#else
void half_to_float(const void* x, void* y, std::int64_t count) { convert_loop<Half, float>(x, y, count); }
void float_to_half(const void* x, void* y, std::int64_t count) { convert_loop<float, Half>(x, y, count); }
#endif

void bfloat16_to_float(const void* x, void* y, std::int64_t count) {
  const std::uint16_t* from = static_cast<const std::uint16_t*>(x);
  std::uint32_t* to = static_cast<std::uint32_t*>(y);
  HEARTH_INDEPENDENT for (std::int64_t i = 0; i < count; ++i) to[i] = std::uint32_t(from[i]) << 16;
}
void float_to_bfloat16(const void* x, void* y, std::int64_t count) {
  const std::uint32_t* from = static_cast<const std::uint32_t*>(x);
  std::uint16_t* to = static_cast<std::uint16_t*>(y);
  HEARTH_INDEPENDENT for (std::int64_t i = 0; i < count; ++i) {  // as core/half.hpp, without its branch
    const std::uint32_t bits = from[i], rounded = bits + 0x7fffu + (bits >> 16 & 1u), quiet = bits | 0x400000u;
    to[i] = std::uint16_t(((bits & 0x7fffffffu) > 0x7f800000u ? quiet : rounded) >> 16);
  }
}

/// From f32, or to f32 where `from_float` is false.
UnaryKernel find_convert(Dtype other, bool from_float) {
  if (other == Dtype::f16) return from_float ? &float_to_half : &half_to_float;
  if (other == Dtype::bf16) return from_float ? &float_to_bfloat16 : &bfloat16_to_float;
  return with_type(other, [&](auto tag) -> UnaryKernel {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) return nullptr;
    else return from_float ? &convert_loop<float, T> : &convert_loop<T, float>;
  });
}

}  // namespace hearth::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hearth::cpu {

namespace {
HWY_EXPORT(find_convert);

template <class From, class To>
void convert_loop(const void* x, void* y, std::int64_t count) {
  const From* from = static_cast<const From*>(x);
  To* to = static_cast<To*>(y);
  HEARTH_INDEPENDENT for (std::int64_t i = 0; i < count; ++i) to[i] = convert<To>(from[i]);
}
}  // namespace

UnaryKernel convert_kernel(Dtype from, Dtype to) {
  if (from == Dtype::f32) return HEARTH_DISPATCH(find_convert)(to, true);
  if (to == Dtype::f32) return HEARTH_DISPATCH(find_convert)(from, false);
  return with_type(from, [&](auto source) {
    return with_type(to, [&](auto target) -> UnaryKernel {
      return &convert_loop<typename decltype(source)::type, typename decltype(target)::type>;
    });
  });
}

}  // namespace hearth::cpu
#endif
