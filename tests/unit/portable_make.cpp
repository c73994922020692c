// tests/unit/portable_make: Full, Iota and Random on Portable.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/op/philox.hpp"
#include "portable.hpp"

namespace hearth::test {
namespace {

Array full(Dtype dtype, const Shape& shape, Scalar value) { return Portable::make({}, op::Full{{dtype, shape}, value}); }
Array iota(Dtype dtype, const Shape& shape, int axis, Scalar start, Scalar step) {
  return Portable::make({}, op::Iota{{dtype, shape}, axis, start, step});
}
Array random(Dtype dtype, const Shape& shape, Distribution distribution, Scalar a, Scalar b, std::uint64_t key, std::uint64_t offset) {
  return Portable::make({}, op::Random{{dtype, shape}, distribution, a, b, key, offset});
}

TEST(PortableMake, FullFillsAllDtypes) {
  for (Dtype dtype : all_dtypes) {
    expect(full(dtype, {2, 2}, 1), {dtype, {2, 2}}, {1, 1, 1, 1});
    expect(full(dtype, {}, 0), {dtype, {}}, {0});
    expect(full(dtype, {0, 3}, 1), {dtype, {0, 3}}, {});
  }
}

TEST(PortableMake, FullConvertsTheScalarAsAnElement) {
  expect(full(Dtype::u8, {1}, -1.5), {Dtype::u8, {1}}, {0});
  expect(full(Dtype::u8, {1}, 300.0), {Dtype::u8, {1}}, {255});
  expect(full(Dtype::i32, {1}, nan), {Dtype::i32, {1}}, {0});
  expect(full(Dtype::boolean, {1}, 0.5), {Dtype::boolean, {1}}, {1});
  expect(full(Dtype::f16, {1}, 65520.0), {Dtype::f16, {1}}, {inf});
  expect(full(Dtype::f16, {1}, 2049), {Dtype::f16, {1}}, {2048});
  EXPECT_EQ(exact_values<std::uint64_t>(full(Dtype::u64, {1}, std::uint64_t(0xfedcba9876543210)))[0], 0xfedcba9876543210u);
  EXPECT_EQ(exact_values<std::int64_t>(full(Dtype::i64, {1}, std::int64_t(9007199254740993)))[0], 9007199254740993);
}

TEST(PortableMake, IotaCountsAlongItsAxis) {
  for (Dtype dtype : all_dtypes)
    if (dtype != Dtype::boolean) {
      expect(iota(dtype, {4}, 0, 3, 2), {dtype, {4}}, {3, 5, 7, 9});
      expect(iota(dtype, {2, 3}, 0, 0, 1), {dtype, {2, 3}}, {0, 0, 0, 1, 1, 1});
      expect(iota(dtype, {2, 3}, -1, 0, 1), {dtype, {2, 3}}, {0, 1, 2, 0, 1, 2});
      expect(iota(dtype, {}, 0, 5, 1), {dtype, {}}, {5});
      expect(iota(dtype, {0}, 0, 5, 1), {dtype, {0}}, {});
    }
  expect(iota(Dtype::f64, {3}, 0, 1, -0.25), {Dtype::f64, {3}}, {1, 0.75, 0.5});
}

TEST(PortableMake, IotaOfIntegersWraps) {
  expect(iota(Dtype::u8, {4}, 0, 254, 1), {Dtype::u8, {4}}, {254, 255, 0, 1});
  expect(iota(Dtype::i8, {3}, 0, 127, 1), {Dtype::i8, {3}}, {127, -128, -127});
  const auto wide = exact_values<std::int64_t>(iota(Dtype::i64, {2}, 0, std::numeric_limits<std::int64_t>::max(), 2));
  EXPECT_EQ(wide[1], std::numeric_limits<std::int64_t>::min() + 1);
}

TEST(PortableMake, IotaOfSixteenBitFloatsIsRoundedOnce) {
  // 2049 has no f16; adding 1 again and again would stay at 2048.
  expect(iota(Dtype::f16, {4}, 0, 2047, 1), {Dtype::f16, {4}}, {2047, 2048, 2048, 2050});
  expect(iota(Dtype::bf16, {4}, 0, 255, 1), {Dtype::bf16, {4}}, {255, 256, 256, 258});
}

// The known answers that come with the authors' Random123 library.
TEST(PortableMake, PhiloxKnownAnswers) {
  using Words = std::array<std::uint32_t, 4>;
  EXPECT_EQ(philox(0, 0, 0), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const std::uint64_t ones = ~std::uint64_t(0);
  EXPECT_EQ(philox(ones, ones, ones), (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox(0x299f31d0a4093822, 0x85a308d3243f6a88, 0x0370734413198a2e), (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// From the words of key 0, counter 0 above, in 64-bit and exact integer arithmetic:
//   0x6627e8 / 2^24 and (0x6627e8d5e169c58d >> 11) / 2^53; u v of Box and Muller likewise.
TEST(PortableMake, RandomDrawsFromTheWords) {
  const double u32 = 0x6627e8 * 0x1p-24, v32 = 0xe169c5 * 0x1p-24;
  const double u64 = double(0x6627e8d5e169c58dull >> 11) * 0x1p-53, v64 = double(0xbc57ac4c9b00dbd8ull >> 11) * 0x1p-53;
  expect(random(Dtype::f32, {1}, Distribution::uniform, 0, 1, 0, 0), {Dtype::f32, {1}}, {u32});
  expect(random(Dtype::f64, {1}, Distribution::uniform, 0, 1, 0, 0), {Dtype::f64, {1}}, {u64});
  expect(random(Dtype::f64, {1}, Distribution::uniform, -3, 5, 0, 0), {Dtype::f64, {1}}, {8 * u64 - 3}, 1e-15);
  const double tau = 6.283185307179586476925;
  expect(random(Dtype::f64, {1}, Distribution::normal, 10, 2, 0, 0), {Dtype::f64, {1}}, {10 + 2 * std::sqrt(-2 * std::log(1 - u64)) * std::cos(tau * v64)}, 1e-14);
  expect(random(Dtype::f32, {1}, Distribution::normal, 0, 1, 0, 0), {Dtype::f32, {1}}, {std::sqrt(-2 * std::log(1 - u32)) * std::cos(tau * v32)}, 1e-6);
  // 0x6627e8d5e169c58d = 7361108121267848589; times 1000 over 2^64 is 399.05...
  expect(random(Dtype::i32, {1}, Distribution::integer, 0, 1000, 0, 0), {Dtype::i32, {1}}, {399});
  expect(random(Dtype::i8, {1}, Distribution::integer, -100, 100, 0, 0), {Dtype::i8, {1}}, {-100 + 79});
  expect(random(Dtype::u8, {1}, Distribution::bits, 0, 0, 0, 0), {Dtype::u8, {1}}, {0x8d});
  expect(random(Dtype::u32, {1}, Distribution::bits, 0, 0, 0, 0), {Dtype::u32, {1}}, {0xe169c58d});
  EXPECT_EQ(exact_values<std::uint64_t>(random(Dtype::u64, {1}, Distribution::bits, 0, 0, 0, 0))[0], 0x6627e8d5e169c58du);
  expect(random(Dtype::boolean, {1}, Distribution::bits, 0, 0, 0, 0), {Dtype::boolean, {1}}, {1});
}

// Of [1, 1.001) bf16 has the 1 alone, and rounds 1.001 to it: the number below that is no longer in the range.
TEST(PortableMake, UniformsOfANarrowRangeStayInIt) {
  for (double v : values(random(Dtype::bf16, {100}, Distribution::uniform, 1, 1.001, 3, 0))) EXPECT_EQ(v, 1);
  bool seen[2] = {};
  for (double v : values(random(Dtype::bf16, {100}, Distribution::uniform, 1, 1.015625, 3, 0))) {
    ASSERT_TRUE(v == 1 || v == 1.0078125) << v;
    seen[v > 1] = true;
  }
  EXPECT_TRUE(seen[0] && seen[1]);
}

TEST(PortableMake, RandomIntegersReachTheWholeRange) {
  const auto low = std::numeric_limits<std::int64_t>::min(), high = std::numeric_limits<std::int64_t>::max();
  bool negative = false, positive = false;
  for (std::int64_t v : exact_values<std::int64_t>(random(Dtype::i64, {64}, Distribution::integer, low, high, 3, 0))) {
    negative |= v < 0;
    positive |= v > 0;
  }
  EXPECT_TRUE(negative && positive);
  bool seen[5] = {};
  for (double v : values(random(Dtype::u8, {200}, Distribution::integer, 3, 8, 3, 0))) {
    ASSERT_TRUE(v >= 3 && v < 8);
    seen[int(v) - 3] = true;
  }
  for (bool s : seen) EXPECT_TRUE(s);
}

TEST(PortableMake, AnyPartCanBeDrawnAlone) {
  for (Distribution distribution : {Distribution::uniform, Distribution::normal}) {
    const Numbers all = values(random(Dtype::f32, {4, 25}, distribution, 0, 1, 7, 1000));
    const Numbers part = values(random(Dtype::f32, {30}, distribution, 0, 1, 7, 1060));
    for (std::size_t i = 0; i < part.size(); ++i) EXPECT_EQ(part[i], all[60 + i]);
  }
  EXPECT_NE(values(random(Dtype::f32, {4}, Distribution::uniform, 0, 1, 7, 0)), values(random(Dtype::f32, {4}, Distribution::uniform, 0, 1, 8, 0)));
}

TEST(PortableMake, UniformStaysBelowItsEnd) {
  for (Dtype dtype : {Dtype::f64, Dtype::f32, Dtype::f16, Dtype::bf16})
    for (const auto& [a, b] : {std::pair(0., 1.), std::pair(1., 2.), std::pair(-2., 0.), std::pair(-2., -1.)})
      for (double v : values(random(dtype, {20000}, Distribution::uniform, a, b, 5, 0))) ASSERT_TRUE(v >= a && v < b) << name_of(dtype) << " " << v;
  expect(random(Dtype::f32, {2}, Distribution::uniform, 3, 3, 5, 0), {Dtype::f32, {2}}, {3, 3});
}

// 100,000 draws: the standard errors are 0.001 and 0.0032.
TEST(PortableMake, MomentsAreRight) {
  for (Dtype dtype : {Dtype::f64, Dtype::f32, Dtype::f16}) {
    double mean = 0, square = 0;
    for (double v : values(random(dtype, {100000}, Distribution::uniform, 0, 1, 1, 0))) mean += v / 100000;
    EXPECT_NEAR(mean, 0.5, 0.005) << name_of(dtype);
    mean = 0;
    for (double v : values(random(dtype, {100000}, Distribution::normal, 1, 2, 1, 0))) mean += v / 100000, square += (v - 1) * (v - 1) / 100000;
    EXPECT_NEAR(mean, 1, 0.03) << name_of(dtype);
    EXPECT_NEAR(square, 4, 0.1) << name_of(dtype);
  }
}

}  // namespace
}  // namespace hearth::test
