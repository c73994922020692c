// unit/op_special: special functions against values with 20 digits, their poles, and the random numbers' known answers.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "fixtures/op_special.hpp"
#include "hearth/op/philox.hpp"
#include "hearth/op/scalar_math.hpp"

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

/// `tolerance` relative to y, or to `least` where that is more: near a zero between poles, digits are those of the terms that cancel.
void expect_near(double got, double y, double tolerance, double least = 0) {
  EXPECT_NEAR(got, y, tolerance * std::fmax(std::fabs(y), least));
}

TEST(Special, Digamma) {
  for (const auto& [x, y] : fixtures::digamma) {
    SCOPED_TRACE(x);
    expect_near(hearth::digamma(x), y, 1e-14, x < 0 ? 1 : 0);
  }
  EXPECT_EQ(hearth::digamma(0.0), -infinity);
  EXPECT_EQ(hearth::digamma(-0.0), infinity);
  EXPECT_TRUE(std::isnan(hearth::digamma(-1.0)));
  EXPECT_TRUE(std::isnan(hearth::digamma(-3.0)));
  EXPECT_TRUE(std::isnan(hearth::digamma(-1e300)));
  EXPECT_TRUE(std::isnan(hearth::digamma(-infinity)));
  EXPECT_TRUE(std::isnan(hearth::digamma(nan)));
  EXPECT_EQ(hearth::digamma(infinity), infinity);
}

TEST(Special, InverseErrorFunction) {
  for (const auto& [x, y] : fixtures::erfinv) {
    SCOPED_TRACE(x);
    expect_near(hearth::erfinv(x), y, 1e-14);
  }
  EXPECT_EQ(hearth::erfinv(1.0), infinity);
  EXPECT_EQ(hearth::erfinv(-1.0), -infinity);
  EXPECT_EQ(hearth::erfinv(0.0), 0.0);
  EXPECT_TRUE(std::signbit(hearth::erfinv(-0.0)));
  EXPECT_TRUE(std::isnan(hearth::erfinv(1.0000000000000002)));
  EXPECT_TRUE(std::isnan(hearth::erfinv(-infinity)));
  EXPECT_TRUE(std::isnan(hearth::erfinv(nan)));
}

TEST(Special, HurwitzZeta) {
  for (const auto& [s, q, y] : fixtures::hurwitz_zeta) {
    SCOPED_TRACE(testing::Message() << s << ", " << q);
    expect_near(hearth::hurwitz_zeta(s, q), y, 1e-14, q < 0 ? std::pow(std::fabs(q - std::nearbyint(q)), -s) : 0);
  }
  EXPECT_NEAR(hearth::hurwitz_zeta(2, 1), 1.6449340668482264365, 1e-15);  // pi^2 / 6
  EXPECT_EQ(hearth::hurwitz_zeta(1, 2), infinity);
  EXPECT_TRUE(std::isnan(hearth::hurwitz_zeta(0.5, 2)));
  EXPECT_EQ(hearth::hurwitz_zeta(2, 0), infinity);
  EXPECT_EQ(hearth::hurwitz_zeta(3, -2), infinity);
  EXPECT_TRUE(std::isnan(hearth::hurwitz_zeta(2.5, -0.5)));
  EXPECT_TRUE(std::isnan(hearth::hurwitz_zeta(nan, 1)));
  EXPECT_TRUE(std::isnan(hearth::hurwitz_zeta(2, nan)));
  EXPECT_EQ(hearth::hurwitz_zeta(2, infinity), 0);
  EXPECT_EQ(hearth::hurwitz_zeta(infinity, 2), 0);
  EXPECT_EQ(hearth::hurwitz_zeta(2, -1e300), infinity);         // every double so far out is an integer
  EXPECT_NEAR(hearth::hurwitz_zeta(2, -1e6 - 0.5), 9.8696034010903586, 1e-13);  // at once, not in a million steps
  EXPECT_NEAR(hearth::hurwitz_zeta(1.5, 1e300) / 2e-150, 1, 1e-14);
}

TEST(Philox, GivesTheKnownAnswers) {
  // Random123's kat_vectors for philox4x32 with 10 rounds: counter, key, result.
  using Words = std::array<std::uint32_t, 4>;
  EXPECT_EQ(hearth::philox(0, 0, 0), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(hearth::philox(~0ull, ~0ull, ~0ull), (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(hearth::philox(0x299f31d0a4093822, 0x85a308d3243f6a88, 0x0370734413198a2e), (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
  static_assert(hearth::philox(0, 0)[0] == 0x6627e8d5);
}

TEST(Philox, WordsBecomeNumbers) {
  EXPECT_EQ(hearth::uniform_float(0), 0.0f);
  EXPECT_EQ(hearth::uniform_float(0xffffffff), 1 - 0x1p-24f);
  EXPECT_EQ(hearth::uniform_float(0x80000000), 0.5f);
  EXPECT_EQ(hearth::uniform_double(0xffffffff, 0xffffffff), 1 - 0x1p-53);
  EXPECT_EQ(hearth::uniform_double(0x40000000, 0), 0.25);
  EXPECT_EQ(hearth::uniform_integer(0xffffffff, 0xffffffff, 10), 9u);
  EXPECT_EQ(hearth::uniform_integer(0, 0, 10), 0u);
  EXPECT_EQ(hearth::uniform_integer(0x80000000, 0, 10), 5u);
  EXPECT_EQ(hearth::uniform_integer(0x12345678, 0x9abcdef0, 0), 0x123456789abcdef0u);
}

}  // namespace
