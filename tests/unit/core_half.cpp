// unit/core_half: conversions to and from the 16-bit floats: every value, every midpoint between neighbours, and reported faults.
// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "hearth/core/half.hpp"

namespace {

using hearth::BFloat16;
using hearth::Half;

float from_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }

/// What the standard says f16 bits mean, by ldexp.
double half_meaning(int bits) {
  const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  const double size = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return bits & 0x8000 ? -size : size;
}

TEST(Half, HasTheReportedBits) {
  EXPECT_EQ(Half(65519.99f).bits, 0x7bff);
  EXPECT_EQ(Half(65520.0f).bits, 0x7c00);
  EXPECT_EQ(Half(0x1p-24f).bits, 0x0001);
  EXPECT_EQ(Half(0x1p-25f).bits, 0x0000);  // a tie, to even
  EXPECT_EQ(Half(std::nextafter(0x1p-25f, 1.0f)).bits, 0x0001);
  EXPECT_EQ(Half(3 * 0x1p-25f).bits, 0x0002);
  EXPECT_EQ(float(Half(2049.0f)), 2048.0f);
  EXPECT_EQ(float(Half(2051.0f)), 2052.0f);
}

TEST(Half, BFloat16HasTheReportedBits) {
  const std::uint32_t pairs[][2] = {{0x007fffff, 0x0080}, {0x00008000, 0x0000}, {0x00008001, 0x0001}, {0x00018000, 0x0002}, {0x3f808000, 0x3f80},
                                    {0x3f818000, 0x3f82}, {0x3f808001, 0x3f81}, {0x7f7f7fff, 0x7f7f}, {0x7f7f8000, 0x7f80}};
  for (const auto& [from, to] : pairs) EXPECT_EQ(BFloat16(from_bits(from)).bits, to) << std::hex << from;
  EXPECT_TRUE(std::isnan(float(BFloat16(from_bits(0x7f800001)))));
  EXPECT_TRUE(std::isnan(float(BFloat16(from_bits(0xff800001)))));
}

TEST(Half, EveryValueMeansWhatTheStandardSaysAndComesBack) {
  for (int bits = 0; bits < 0x10000; ++bits) {
    const float value = Half::from_bits(std::uint16_t(bits));
    if ((bits & 0x7fff) > 0x7c00) {
      EXPECT_TRUE(std::isnan(value)) << bits;
      EXPECT_TRUE(std::isnan(float(Half(value)))) << bits;
      continue;
    }
    const double meaning = (bits & 0x7fff) == 0x7c00 ? (bits & 0x8000 ? -INFINITY : INFINITY) : half_meaning(bits);
    EXPECT_EQ(double(value), meaning) << bits;
    EXPECT_EQ(Half(value).bits, bits);
    EXPECT_EQ(Half(double(value)).bits, bits);
  }
}

TEST(Half, RoundsToTheNearestAndTiesToEven) {
  for (int bits = 0; bits < 0x7bff; ++bits) {  // between each value and the next
    const double low = half_meaning(bits), high = half_meaning(bits + 1);
    const float middle = float((low + high) / 2);  // exact: both have 11 bits
    const int even = bits % 2 ? bits + 1 : bits;
    ASSERT_EQ(Half(middle).bits, even) << bits;
    ASSERT_EQ(Half(-middle).bits, even | 0x8000) << bits;
    ASSERT_EQ(Half(std::nextafter(middle, 0.0f)).bits, bits) << bits;
    ASSERT_EQ(Half(std::nextafter(middle, 1e9f)).bits, bits + 1) << bits;
    // Doubles that a float would round to the tie first.
    ASSERT_EQ(Half(std::nextafter(double(middle), 0.0)).bits, bits) << bits;
    ASSERT_EQ(Half(std::nextafter(double(middle), 1e9)).bits, bits + 1) << bits;
  }
}

TEST(Half, BFloat16RoundsToTheNearestAndTiesToEven) {
  for (std::uint32_t bits = 0; bits < 0x7f7f; ++bits) {
    const std::uint32_t low = bits << 16, middle = low + 0x8000, even = bits % 2 ? bits + 1 : bits;
    ASSERT_EQ(BFloat16(from_bits(low)).bits, bits);
    ASSERT_EQ(BFloat16(from_bits(middle)).bits, even) << bits;
    ASSERT_EQ(BFloat16(from_bits(middle - 1)).bits, bits) << bits;
    ASSERT_EQ(BFloat16(from_bits(middle + 1)).bits, bits + 1) << bits;
    ASSERT_EQ(BFloat16(from_bits(middle | 0x80000000u)).bits, even | 0x8000u) << bits;
    const double tie = from_bits(middle);
    ASSERT_EQ(BFloat16(std::nextafter(tie, 0.0)).bits, bits) << bits;
    ASSERT_EQ(BFloat16(std::nextafter(tie, 1e300)).bits, bits + 1) << bits;
  }
  EXPECT_EQ(BFloat16(INFINITY).bits, 0x7f80);
  EXPECT_EQ(BFloat16(-INFINITY).bits, 0xff80);
}

TEST(Half, LargeDoublesBecomeInfinite) {
  EXPECT_EQ(Half(1e300).bits, 0x7c00);
  EXPECT_EQ(Half(-1e300).bits, 0xfc00);
  EXPECT_EQ(BFloat16(1e300).bits, 0x7f80);
  EXPECT_EQ(BFloat16(-std::numeric_limits<double>::infinity()).bits, 0xff80);
  EXPECT_EQ(Half(1e-300).bits, 0x0000);
  EXPECT_EQ(Half(-1e-300).bits, 0x8000);
  EXPECT_TRUE(std::isnan(float(Half(std::nan("")))));
}

}  // namespace
