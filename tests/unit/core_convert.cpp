// unit/core_convert: element conversion: floats to integers saturate, integers wrap, dtypes know their types and names.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "hearth/core/core.hpp"

namespace {

using namespace hearth;

constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();

TEST(Convert, FloatsToIntegersSaturate) {
  const float from[] = {nan, infinity, -infinity, 3e9f, -3e9f, 2.9f, -2.9f};
  const std::int32_t to[] = {0, 2147483647, -2147483647 - 1, 2147483647, -2147483647 - 1, 2, -2};
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(convert<std::int32_t>(from[i]), to[i]) << from[i];
    EXPECT_EQ(convert<std::int32_t>(double(from[i])), to[i]) << from[i];
  }
  EXPECT_EQ(convert<std::uint8_t>(-1.0f), 0);
  EXPECT_EQ(convert<std::uint8_t>(300.0f), 255);
  EXPECT_EQ(convert<std::uint8_t>(nan), 0);
  EXPECT_EQ(convert<std::uint8_t>(-0.9f), 0);
  EXPECT_EQ(convert<std::uint32_t>(-3.0f), 0u);
  EXPECT_EQ(convert<std::int8_t>(-128.5f), -128);
  EXPECT_EQ(convert<std::int8_t>(Half(1000.0f)), 127);
  EXPECT_EQ(convert<std::int64_t>(BFloat16(-infinity)), std::numeric_limits<std::int64_t>::min());
}

TEST(Convert, TheEdgesOfSixtyFourBitsAreExact) {
  EXPECT_EQ(convert<std::int64_t>(0x1p63), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(convert<std::int64_t>(std::nextafter(0x1p63, 0.0)), 0x7ffffffffffffc00);
  EXPECT_EQ(convert<std::int64_t>(-0x1p63), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(convert<std::uint64_t>(0x1p64), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(convert<std::uint64_t>(std::nextafter(0x1p64, 0.0)), 0xfffffffffffff800u);
  EXPECT_EQ(convert<std::int32_t>(2147483647.0), 2147483647);
  EXPECT_EQ(convert<std::int32_t>(2147483520.0f), 2147483520);
}

TEST(Convert, IntegersWrapAndBoolAsksForZero) {
  EXPECT_EQ(convert<std::uint8_t>(std::int32_t(-1)), 255);
  EXPECT_EQ(convert<std::int8_t>(std::int64_t(130)), -126);
  EXPECT_EQ(convert<std::int32_t>(std::uint64_t(0x1ffffffffu)), -1);
  EXPECT_TRUE(convert<bool>(0.5f));
  EXPECT_TRUE(convert<bool>(nan));
  EXPECT_FALSE(convert<bool>(-0.0));
  EXPECT_TRUE(convert<bool>(std::int64_t(256)));
  EXPECT_EQ(convert<float>(true), 1.0f);
  EXPECT_EQ(convert<std::int16_t>(true), 1);
}

TEST(Convert, ToHalfRoundsOnce) {
  EXPECT_EQ(convert<Half>(2049.0).bits, Half(2048.0f).bits);
  EXPECT_EQ(convert<Half>(std::int64_t(2051)).bits, Half(2052.0f).bits);
  EXPECT_EQ(convert<Half>(std::int64_t(1) << 40).bits, 0x7c00);
  EXPECT_EQ(convert<BFloat16>(true).bits, 0x3f80);
  EXPECT_EQ(convert<Half>(BFloat16(1.5f)).bits, Half(1.5f).bits);
  EXPECT_EQ(convert<double>(Half::from_bits(0x0001)), 0x1p-24);
  // A little above the middle of two bf16 (2^62 and 2^62 + 2^55), by less than a double shows.
  const std::int64_t middle = (std::int64_t(1) << 62) + (std::int64_t(1) << 54);
  EXPECT_EQ(convert<BFloat16>(middle).bits, BFloat16(0x1p62f).bits);
  EXPECT_EQ(convert<BFloat16>(middle + 1).bits, BFloat16(0x1p62f + 0x1p55f).bits);
  EXPECT_EQ(convert<BFloat16>(-middle - 1).bits, BFloat16(-0x1p62f - 0x1p55f).bits);
  EXPECT_EQ(convert<BFloat16>(middle - 1).bits, BFloat16(0x1p62f).bits);
  EXPECT_EQ(convert<BFloat16>(std::numeric_limits<std::uint64_t>::max()).bits, BFloat16(0x1p64f).bits);
  EXPECT_EQ(convert<BFloat16>(std::numeric_limits<std::int64_t>::min()).bits, BFloat16(-0x1p63f).bits);
}

TEST(Scalar, SaturatesWhereItIsABound) {
  EXPECT_EQ(Scalar(300).saturated<std::uint8_t>(), 255);
  EXPECT_EQ(Scalar(-5).saturated<std::uint8_t>(), 0);
  EXPECT_EQ(Scalar(-300).saturated<std::int8_t>(), -128);
  EXPECT_EQ(Scalar(-5).saturated<std::int8_t>(), -5);
  EXPECT_EQ(Scalar(~std::uint64_t(0)).saturated<std::int64_t>(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(Scalar(~std::uint64_t(0)).saturated<std::uint64_t>(), ~std::uint64_t(0));
  EXPECT_EQ(Scalar(-1).saturated<std::uint64_t>(), 0u);
  EXPECT_EQ(Scalar(1e9).saturated<std::int16_t>(), 32767);
  EXPECT_EQ(Scalar(0.5).saturated<float>(), 0.5f);
}

TEST(Dtype, KnowsItsNameSizeAndKind) {
  const struct {
    Dtype dtype;
    const char* name;
    std::size_t size;
    DtypeKind kind;
  } rows[] = {{Dtype::f64, "f64", 8, DtypeKind::floating},        {Dtype::f32, "f32", 4, DtypeKind::floating},
              {Dtype::f16, "f16", 2, DtypeKind::floating},        {Dtype::bf16, "bf16", 2, DtypeKind::floating},
              {Dtype::i64, "i64", 8, DtypeKind::signed_integer},  {Dtype::i8, "i8", 1, DtypeKind::signed_integer},
              {Dtype::u32, "u32", 4, DtypeKind::unsigned_integer}, {Dtype::boolean, "bool", 1, DtypeKind::boolean}};
  for (const auto& row : rows) {
    EXPECT_EQ(name_of(row.dtype), row.name);
    EXPECT_EQ(dtype_named(row.name), row.dtype);
    EXPECT_EQ(size_of(row.dtype), row.size);
    EXPECT_EQ(kind_of(row.dtype), row.kind);
  }
  EXPECT_FALSE(dtype_named("F33"));
  EXPECT_FALSE(dtype_named("boolean"));
  EXPECT_EQ(dtype_count, 13);
}

TEST(Dtype, SumsWiden) {
  EXPECT_EQ(widened(Dtype::u8), Dtype::i64);
  EXPECT_EQ(widened(Dtype::boolean), Dtype::i64);
  EXPECT_EQ(widened(Dtype::u64), Dtype::u64);
  EXPECT_EQ(widened(Dtype::f16), Dtype::f16);
}

}  // namespace
