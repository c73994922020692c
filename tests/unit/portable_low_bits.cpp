// tests/unit/portable_low_bits: Portable's quantisation, by hand and by the tables of the OCP formats.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "hearth/op/storage_format.hpp"
#include "portable_arrays.hpp"

using namespace hearth;
using namespace hearth::test;

namespace {

using Bytes = std::vector<std::uint8_t>;
using Numbers = std::vector<double>;

Handle quantize(const QuantScheme& scheme, const Handle& x, const Handle& scale, const Handle& zero_point = {}) {
  return Portable::run(op::Quantize{scheme}, {x, scale, zero_point})[0];
}
Handle dequantize(const QuantScheme& scheme, const Shape& shape, const Handle& stored, const Handle& scale, const Handle& zero_point = {}) {
  return Portable::run(op::Dequantize{scheme, scale->spec.dtype, shape}, {stored, scale, zero_point})[0];
}
Handle one(double scale, Dtype dtype = Dtype::f32) { return from_doubles(dtype, {}, {scale}); }

TEST(portable_quantize, rounds_half_to_even_and_saturates) {
  const Numbers x = {-1.5, -0.5, 0.5, 1.5, 2.5, 300, -300, INFINITY, -INFINITY, NAN};
  for (Dtype dtype : {Dtype::f64, Dtype::f32, Dtype::f16, Dtype::bf16}) {
    const Handle q = quantize({Storage::i8}, strided(from_doubles(dtype, {10}, x)), one(1, dtype));
    EXPECT_EQ(q->spec, (Spec{Dtype::i8, {10}}));
    EXPECT_EQ(doubles(q), (Numbers{-2, 0, 0, 2, 2, 127, -128, 127, -128, 0}));
    EXPECT_EQ(doubles(dequantize({Storage::i8}, {10}, strided(q), one(0.5, dtype))), (Numbers{-1, 0, 0, 1, 1, 63.5, -64, 63.5, -64, 0}));
  }
}
TEST(portable_quantize, zero_point) {
  const QuantScheme scheme{Storage::u8, false};
  const Handle zero = array<std::int32_t>({}, {10});
  const Handle q = quantize(scheme, array<float>({6}, {-3, -2.5f, 0, 1, 61.25f, 1000}), one(0.25), zero);
  EXPECT_EQ(values<std::uint8_t>(q), (Bytes{0, 0, 10, 14, 255, 255}));
  EXPECT_EQ(doubles(dequantize(scheme, {6}, q, one(0.25), zero)), (Numbers{-2.5, -2.5, 0, 1, 61.25, 61.25}));
}
TEST(portable_quantize, a_scale_per_index_or_per_block) {
  const Handle x = array<float>({2, 4}, {1, 2, 3, 4, 10, 20, 30, 40});
  const QuantScheme rows{Storage::i8, true, 0}, columns{Storage::i8, true, 1}, blocks{Storage::i8, true, 1, 3};
  EXPECT_EQ(doubles(quantize(rows, x, array<float>({2}, {1, 10}))), (Numbers{1, 2, 3, 4, 1, 2, 3, 4}));
  EXPECT_EQ(doubles(quantize(columns, x, array<float>({4}, {1, 2, 1, 4}))), (Numbers{1, 1, 3, 1, 10, 10, 30, 10}));
  const Handle scale = array<float>({2, 2}, {1, 4, 10, 20});
  EXPECT_EQ(doubles(quantize(blocks, x, strided(scale))), (Numbers{1, 2, 3, 1, 1, 2, 3, 2}));
  EXPECT_EQ(doubles(dequantize(blocks, {2, 4}, quantize(blocks, x, scale), scale)), (Numbers{1, 2, 3, 4, 10, 20, 30, 40}));
  const QuantScheme down{Storage::i8, true, 0, 2};  // blocks along the first axis, the last one short
  const Handle tall = array<float>({3, 2}, {2, 3, 4, 6, 5, 7}), steps = array<float>({2, 2}, {2, 3, 5, 7});
  EXPECT_EQ(doubles(quantize(down, tall, steps)), (Numbers{1, 1, 2, 2, 1, 1}));
  const QuantScheme shifted{Storage::u8, false, 0};
  const Handle zero_points = array<std::uint8_t>({2}, {0, 100});
  EXPECT_EQ(doubles(quantize(shifted, x, array<float>({2}, {1, 10}), zero_points)), (Numbers{1, 2, 3, 4, 101, 102, 103, 104}));
}
TEST(portable_quantize, packs_low_bits_first_along_the_last_axis) {
  const Handle x = array<float>({2, 3}, {1, -2, 7, -8, 9, -9});
  const Handle i4 = quantize({Storage::i4}, x, one(1));
  EXPECT_EQ(i4->spec, (Spec{Dtype::u8, {2, 2}}));
  EXPECT_EQ(values<std::uint8_t>(i4), (Bytes{0xe1, 0x07, 0x78, 0x08}));
  EXPECT_EQ(doubles(dequantize({Storage::i4}, {2, 3}, strided(i4), one(2))), (Numbers{2, -4, 14, -16, 14, -16}));

  const QuantScheme u4{Storage::u4, false};
  const Handle zero = array<std::int64_t>({}, {8});
  const Handle packed = quantize(u4, x, one(1), zero);
  EXPECT_EQ(values<std::uint8_t>(packed), (Bytes{0x69, 0x0f, 0xf0, 0x00}));
  EXPECT_EQ(doubles(dequantize(u4, {2, 3}, packed, one(1), zero)), (Numbers{1, -2, 7, -8, 7, -8}));

  const Handle i2 = quantize({Storage::i2}, array<float>({1, 5}, {1, 0, -1, -2, 5}), one(1));
  EXPECT_EQ(i2->spec.shape, (Shape{1, 2}));
  EXPECT_EQ(values<std::uint8_t>(i2), (Bytes{0b10110001, 0b01}));
  EXPECT_EQ(doubles(dequantize({Storage::i2}, {1, 5}, i2, one(1))), (Numbers{1, 0, -1, -2, 1}));
  EXPECT_EQ(quantize({Storage::i4}, array<float>({2, 0}, {}), one(1))->spec.shape, (Shape{2, 0}));
}

// The limits and steps that the OCP 8-bit floating point specification (2023) lists.
TEST(portable_quantize, float8_codes) {
  const Handle e4m3 = quantize({Storage::f8_e4m3}, array<float>({10}, {1, -1, 448, 1e9f, 0x1p-9f, 0x1p-6f, 17, 19, NAN, -INFINITY}), one(1));
  EXPECT_EQ(e4m3->spec, (Spec{Dtype::u8, {10}}));
  EXPECT_EQ(values<std::uint8_t>(e4m3), (Bytes{0x38, 0xb8, 0x7e, 0x7e, 0x01, 0x08, 0x58, 0x5a, 0x7f, 0xfe}));
  expect_near(doubles(dequantize({Storage::f8_e4m3}, {10}, e4m3, one(2))), {2, -2, 896, 896, 0x1p-8, 0x1p-5, 32, 40, NAN, -896}, 0);
  const Handle e5m2 = quantize({Storage::f8_e5m2}, array<float>({9}, {1, -1, 57344, 1e9f, 0x1p-16f, 0x1p-14f, 9, 11, NAN}), one(1));
  EXPECT_EQ(values<std::uint8_t>(e5m2), (Bytes{0x3c, 0xbc, 0x7b, 0x7b, 0x01, 0x04, 0x48, 0x4a, 0x7f}));
  const Handle special = array<std::uint8_t>({3}, {0x7c, 0xfc, 0x7d});
  expect_near(doubles(dequantize({Storage::f8_e5m2}, {3}, special, one(1))), {INFINITY, -INFINITY, NAN}, 0);
}
TEST(portable_quantize, float4_codes) {
  const Numbers table = {0, 0.5, 1, 1.5, 2, 3, 4, 6};  // OCP microscaling formats 1.0, E2M1
  Numbers all = table;
  for (double v : table) all.push_back(-v);
  const Handle codes = array<std::uint8_t>({8}, {0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe});
  EXPECT_EQ(doubles(dequantize({Storage::f4_e2m1}, {16}, codes, one(1))), all);
  EXPECT_EQ(values<std::uint8_t>(quantize({Storage::f4_e2m1}, from_doubles(Dtype::f32, {16}, all), one(1))), values<std::uint8_t>(codes));
  const Handle ties = quantize({Storage::f4_e2m1}, array<float>({8}, {0.25f, 0.75f, 1.25f, 1.75f, 2.5f, 3.5f, 5, 7}), one(1));
  EXPECT_EQ(doubles(dequantize({Storage::f4_e2m1}, {8}, ties, one(1))), (Numbers{0, 1, 1, 2, 2, 4, 4, 6}));
  EXPECT_EQ(values<std::uint8_t>(quantize({Storage::f4_e2m1}, array<float>({2}, {NAN, 1}), one(1))), (Bytes{0x20}));
}
TEST(portable_quantize, small_floats_round_to_the_nearest_code) {
  for (const SmallFloat& format : {float8_e4m3, float8_e5m2, float4_e2m1}) {
    const unsigned count = 2 * format.sign_bit();
    for (unsigned code = 0; code < count; ++code) {
      const double v = format.decode(code);
      if (std::isfinite(v)) {
        EXPECT_EQ(format.encode(v), code);
      }
    }
    for (int i = -2000; i <= 2000; ++i) {
      const double v = i < 0 ? -std::exp2(-i / 100.0 - 12) : std::exp2(i / 100.0 - 12);
      if (std::fabs(v) > format.largest) continue;
      const double error = std::fabs(format.decode(format.encode(v)) - v);
      for (unsigned code = 0; code < count; ++code)
        if (std::isfinite(format.decode(code))) {
          ASSERT_LE(error, std::fabs(format.decode(code) - v));
        }
    }
  }
}

TEST(portable_quantize, wrong_scales_are_errors) {
  const Handle x = array<float>({2, 2}, {1, 2, 3, 4});
  EXPECT_THROW(quantize({Storage::i8, true, 0}, x, array<float>({3}, {1, 1, 1})), Error);
  EXPECT_THROW(quantize({Storage::i8}, x, one(1), array<std::int32_t>({}, {1})), Error);
}

}  // namespace
