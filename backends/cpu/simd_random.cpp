// cpu/simd_random: random numbers, for each target. A lane of 64 bits holds one word of one counter in its low half; the high half is
// whatever is left of products, which no product reads.
// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd_random.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "hearth/op/philox.hpp"
#include "random_kernels.hpp"
#include "targets.hpp"
#include "span-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace hearth::cpu::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR
template <int Words>
void draw_words(std::uint64_t key, std::uint64_t counter, std::int64_t count, RandomWords& result) {
  for (std::int64_t i = 0; i < count; ++i) {
    const auto words = philox(key, counter + std::uint64_t(i));
    for (int k = 0; k < Words; ++k) result.word[k][i] = words[std::size_t(k)];
  }
}
#else
using Wide = hn::ScalableTag<std::uint64_t>;
using Lanes = hn::VFromD<Wide>;

struct Philox {
  Lanes c[4];
  HWY_INLINE Philox(Lanes counter) {
    c[0] = counter, c[1] = hn::ShiftRight<32>(counter);
    c[2] = c[3] = hn::Zero(Wide());
  }
  static HWY_INLINE Lanes product(Lanes a, std::uint32_t b) {
    const hn::Repartition<std::uint32_t, Wide> narrow;
    return hn::MulEven(hn::BitCast(narrow, a), hn::Set(narrow, b));
  }
  HWY_INLINE void round(std::uint32_t k0, std::uint32_t k1) {
    const Wide d;
    const Lanes a = product(c[0], 0xD2511F53u), b = product(c[2], 0xCD9E8D57u);
    c[0] = hn::Xor(hn::Xor(hn::ShiftRight<32>(b), c[1]), hn::Set(d, std::uint64_t(k0)));
    c[2] = hn::Xor(hn::Xor(hn::ShiftRight<32>(a), c[3]), hn::Set(d, std::uint64_t(k1)));
    c[1] = b, c[3] = a;
  }
};

template <int Words>
void draw_words(std::uint64_t key, std::uint64_t counter, std::int64_t count, RandomWords& result) {
  const Wide d;
  const hn::Repartition<std::uint32_t, Wide> narrow;
  const std::int64_t lanes = std::int64_t(hn::Lanes(d));
  for (std::int64_t i = 0; i < count; i += 2 * lanes) {
    Philox low(hn::Iota(d, counter + std::uint64_t(i))), high(hn::Iota(d, counter + std::uint64_t(i + lanes)));
    std::uint32_t k0 = std::uint32_t(key), k1 = std::uint32_t(key >> 32);
    for (int round = 0; round < 10; ++round) {
      low.round(k0, k1);
      high.round(k0, k1);
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    for (int k = 0; k < Words; ++k)
      hn::StoreU(hn::ConcatEven(narrow, hn::BitCast(narrow, high.c[k]), hn::BitCast(narrow, low.c[k])), narrow, result.word[k] + i);
  }
}
#endif

void words(int number, std::uint64_t key, std::uint64_t counter, std::int64_t count, RandomWords& result) {
  if (number == 1) draw_words<1>(key, counter, count, result);
  else if (number == 2) draw_words<2>(key, counter, count, result);
  else draw_words<4>(key, counter, count, result);
}

/// uniform_float of some words; those past `count` are whatever the buffer holds.
HWY_INLINE Vec<float> uniform_at(const std::uint32_t* words, std::int64_t i) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> integers;
  const auto bits = hn::ShiftRight<8>(hn::LoadU(hn::RebindToUnsigned<decltype(d)>(), words + i));
  return Vec<float>(hn::ConvertTo(d, hn::BitCast(integers, bits))) * 0x1p-24f;
}

void uniform(const RandomWords& words, std::int64_t count, float low, float range, float high, float below, float* y) {
  const Vec<float> from(low), width(range), end(high), last(below);
  for_span<float>(count, [&](const auto& at) HWY_ATTR {
    const Vec<float> x = from + width * uniform_at(words.word[0], at.i);
    at.store(when(x >= end, last, x), y);
  });
}

/// cos(2 pi v) for v in [0, 1): no argument is too large for the vector form.
template <class T>
HWY_INLINE Vec<T> box_muller(Vec<T> u, Vec<T> v) {
  const Vec<T> angle = Vec<T>(6.283185307179586476925) * v;
  return sqrt(Vec<T>(-2) * log(1 - u)) * Vec<T>(hn::Cos(hn::ScalableTag<T>(), angle.v));
}

void normal_single(const RandomWords& words, std::int64_t count, float mean, float deviation, float* y) {
  const Vec<float> a(mean), b(deviation);
  for_span<float>(count, [&](const auto& at) HWY_ATTR {
    at.store(a + b * box_muller(uniform_at(words.word[0], at.i), uniform_at(words.word[1], at.i)), y);
  });
}

void normal_double(const RandomWords& words, std::int64_t count, double mean, double deviation, double* y) {
  double u[random_block], v[random_block];
  for (std::int64_t i = 0; i < count; ++i) {
    u[i] = uniform_double(words.word[0][i], words.word[1][i]);
    v[i] = uniform_double(words.word[2][i], words.word[3][i]);
  }
  const Vec<double> a(mean), b(deviation);
  for_span<double>(count, [&](const auto& at) HWY_ATTR { at.store(a + b * box_muller(at.load(u), at.load(v)), y); });
}

void drop_single(const RandomWords& words, std::int64_t count, float p, const float* x, float divisor, float* y) {
  const Vec<float> least(p), by(divisor), zero(0);
  for_span<float>(count, [&](const auto& at) HWY_ATTR { at.store(when(uniform_at(words.word[0], at.i) >= least, at.load(x) / by, zero), y); });
}
void drop_double(const RandomWords& words, std::int64_t count, float p, const double* x, double divisor, double* y) {
  for (std::int64_t i = 0; i < count; ++i) y[i] = uniform_float(words.word[0][i]) >= p ? x[i] / divisor : 0;
}

RandomKernels find_random() { return {&words, &uniform, &normal_single, &normal_double, &drop_single, &drop_double}; }

}  // namespace
}  // namespace hearth::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hearth::cpu {

HWY_EXPORT(find_random);
RandomKernels random_kernels() { return HEARTH_DISPATCH(find_random)(); }

}  // namespace hearth::cpu
#endif
