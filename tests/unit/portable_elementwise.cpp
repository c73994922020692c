// tests/unit/portable_elementwise: the elementwise ops on Portable: every row against PyTorch's values, and the numerics contract's edges.
// SPDX-License-Identifier: Apache-2.0
#include "fixtures/elementwise.hpp"
#include "hearth/op/formula.hpp"
#include "portable.hpp"

namespace hearth::test {
namespace {

Array unary(UnaryCode code, const Array& x) { return run(op::Unary{code}, x); }
Array binary(BinaryCode code, const Array& a, const Array& b) { return run(op::Binary{code}, a, b); }
Array compare(CompareCode code, const Array& a, const Array& b) { return run(op::Compare{code}, a, b); }
Array cast(const Array& x, Dtype dtype) { return run(op::Cast{dtype}, x); }

constexpr Dtype floats[] = {Dtype::f64, Dtype::f32, Dtype::f16, Dtype::bf16};
constexpr Dtype integers[] = {Dtype::i64, Dtype::i32, Dtype::i16, Dtype::i8, Dtype::u64, Dtype::u32, Dtype::u16, Dtype::u8};

double rounded(double x, Dtype dtype) {
  return with_type(dtype, [&](auto tag) { return double(Compute<typename decltype(tag)::type>(convert<typename decltype(tag)::type>(x))); });
}
// What a few roundings in the computing type, and one to the dtype, may cost.
void expect_row_value(double is, double should, Dtype dtype, const std::string& where) {
  if (!std::isfinite(should) || !std::isfinite(rounded(should, dtype))) return expect_near(is, rounded(should, dtype), 0, where);
  const double relative = dtype == Dtype::f64 ? 4e-13 : dtype == Dtype::f32 ? 2e-6 : dtype == Dtype::f16 ? 0x1.1p-11 : 0x1.1p-8;
  const double absolute = dtype == Dtype::f64 ? 1e-15 : 3e-7;
  EXPECT_LE(std::fabs(is - should), relative * std::fabs(should) + absolute) << where << ": " << is << ", not " << should;
}

TEST(PortableElementwise, UnaryRowsHaveTheirValues) {
  int codes = 0;
  for (std::size_t i = 0; i < std::size(fixture::unary); ++i) {
    const auto& [code, x, y] = fixture::unary[i];
    codes += i == 0 || code != fixture::unary[i - 1].code;
    for (Dtype dtype : floats) {
      if (x == x && rounded(x, dtype) != x) continue;  // another point in this dtype
      expect_row_value(values(unary(code, array(dtype, {}, {x})))[0], y, dtype,
                       std::string(name_of(code)) + "(" + std::to_string(x) + ") in " + std::string(name_of(dtype)));
    }
  }
  EXPECT_EQ(codes, int(UnaryCode::bitwise_not)) << "every float row has values";
}

TEST(PortableElementwise, BinaryRowsHaveTheirValuesOnEitherSide) {
  for (const auto& [code, a, b, y] : fixture::binary)
    for (Dtype dtype : floats) {
      if ((a == a && rounded(a, dtype) != a) || (b == b && rounded(b, dtype) != b)) continue;
      const std::string where = std::string(name_of(code)) + "(" + std::to_string(a) + ", " + std::to_string(b) + ") in " + std::string(name_of(dtype));
      const Array left = array(dtype, {}, {a}), right = array(dtype, {}, {b});
      expect_row_value(values(binary(code, left, right))[0], y, dtype, where);
      expect_row_value(values(run(op::BinaryScalar{code, b, Side::right}, left))[0], y, dtype, where + " scalar right");
      expect_row_value(values(run(op::BinaryScalar{code, a, Side::left}, right))[0], y, dtype, where + " scalar left");
    }
}

TEST(PortableElementwise, SignedZerosStay) {
  for (UnaryCode code : {UnaryCode::neg, UnaryCode::ceil, UnaryCode::sqrt})
    EXPECT_EQ(std::signbit(values(unary(code, array({1}, {-0.0})))[0]), code != UnaryCode::neg);
  EXPECT_TRUE(std::signbit(values(unary(UnaryCode::neg, array({1}, {0.0})))[0]));
}

TEST(PortableElementwise, IntegersWrap) {
  for (Dtype dtype : integers)
    with_type(dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
        constexpr T low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
        using Bits = std::make_unsigned_t<T>;
        const Array x = exact<T>({3}, {low, high, 3}), y = exact<T>({3}, {high, high, 5});
        EXPECT_EQ(exact_values<T>(binary(BinaryCode::add, x, y)), (std::vector<T>{T(Bits(low) + Bits(high)), T(Bits(high) + Bits(high)), 8}));
        EXPECT_EQ(exact_values<T>(binary(BinaryCode::sub, y, x)), (std::vector<T>{T(Bits(high) - Bits(low)), 0, 2}));
        EXPECT_EQ(exact_values<T>(binary(BinaryCode::mul, y, exact<T>({3}, {2, high, 3}))), (std::vector<T>{T(-2), 1, 15}));
        EXPECT_EQ(exact_values<T>(unary(UnaryCode::neg, x)), (std::vector<T>{T(Bits(0) - Bits(low)), T(-high), T(-3)}));
        EXPECT_EQ(exact_values<T>(unary(UnaryCode::square, x))[2], 9);
        EXPECT_EQ(exact_values<T>(unary(UnaryCode::bitwise_not, x)), (std::vector<T>{high, low, T(~T(3))}));
        EXPECT_EQ(exact_values<T>(unary(UnaryCode::abs, x))[0], low);  // of a signed minimum there is no other
      }
    });
}

TEST(PortableElementwise, IntegerDivision) {
  const Numbers a{7, -7, 7, -7, 7, 0}, b{2, 2, -2, -2, 0, 0};
  for (Dtype dtype : {Dtype::i64, Dtype::i32, Dtype::i16, Dtype::i8}) {
    const Array x = array(dtype, {6}, a), y = array(dtype, {6}, b);
    expect(binary(BinaryCode::div, x, y), {dtype, {6}}, {3, -3, -3, 3, 0, 0});
    expect(binary(BinaryCode::floor_divide, x, y), {dtype, {6}}, {3, -4, -4, 3, 0, 0});
    expect(binary(BinaryCode::remainder, x, y), {dtype, {6}}, {1, 1, -1, -1, 0, 0});
    expect(binary(BinaryCode::fmod, x, y), {dtype, {6}}, {1, -1, 1, -1, 0, 0});
    with_type(dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
        const T low = std::numeric_limits<T>::min();
        const Array edge = exact<T>({1}, {low}), minus_one = exact<T>({1}, {T(-1)});
        EXPECT_EQ(exact_values<T>(binary(BinaryCode::div, edge, minus_one))[0], low);
        EXPECT_EQ(exact_values<T>(binary(BinaryCode::fmod, edge, minus_one))[0], 0);
        EXPECT_EQ(exact_values<T>(binary(BinaryCode::remainder, edge, minus_one))[0], 0);
      }
    });
  }
  for (Dtype dtype : {Dtype::u64, Dtype::u32, Dtype::u16, Dtype::u8}) {
    const Array x = array(dtype, {3}, {7, 200, 7}), y = array(dtype, {3}, {2, 7, 0});
    for (BinaryCode code : {BinaryCode::div, BinaryCode::floor_divide}) expect(binary(code, x, y), {dtype, {3}}, {3, 28, 0});
    for (BinaryCode code : {BinaryCode::fmod, BinaryCode::remainder}) expect(binary(code, x, y), {dtype, {3}}, {1, 4, 0});
  }
}

TEST(PortableElementwise, IntegerPowersShiftsAndBits) {
  const Array x = array(Dtype::i32, {6}, {2, -3, 2, 1, -1, 0}), e = array(Dtype::i32, {6}, {10, 3, -1, -5, -3, 0});
  expect(binary(BinaryCode::pow, x, e), {Dtype::i32, {6}}, {1024, -27, 0, 1, -1, 1});
  expect(binary(BinaryCode::pow, array(Dtype::u8, {1}, {3}), array(Dtype::u8, {1}, {6})), {Dtype::u8, {1}}, {729 % 256});
  const Array by = array(Dtype::i8, {5}, {1, 7, 8, -1, 0});
  expect(binary(BinaryCode::shift_left, array(Dtype::i8, {5}, {-3, 1, 1, 1, 5}), by), {Dtype::i8, {5}}, {-6, -128, 0, 0, 5});
  expect(binary(BinaryCode::shift_right, array(Dtype::i8, {5}, {-3, -128, -1, -1, 5}), by), {Dtype::i8, {5}}, {-2, -1, -1, -1, 5});
  for (Dtype dtype : integers) {
    const Array a = array(dtype, {2}, {12, 5}), b = array(dtype, {2}, {10, 5});
    expect(binary(BinaryCode::bitwise_and, a, b), {dtype, {2}}, {8, 5});
    expect(binary(BinaryCode::bitwise_or, a, b), {dtype, {2}}, {14, 5});
    expect(binary(BinaryCode::bitwise_xor, a, b), {dtype, {2}}, {6, 0});
    expect(binary(BinaryCode::maximum, a, b), {dtype, {2}}, {12, 5});
    expect(binary(BinaryCode::minimum, a, b), {dtype, {2}}, {10, 5});
    expect(unary(UnaryCode::relu, a), {dtype, {2}}, {12, 5});
    expect(unary(UnaryCode::sign, a), {dtype, {2}}, {1, 1});
  }
  expect(unary(UnaryCode::relu, array(Dtype::i16, {2}, {-4, 4})), {Dtype::i16, {2}}, {0, 4});
  expect(unary(UnaryCode::sign, array(Dtype::i64, {3}, {-4, 0, 4})), {Dtype::i64, {3}}, {-1, 0, 1});
}

TEST(PortableElementwise, BoolIsLogic) {
  const Array a = mask({4}, {0, 0, 1, 1}), b = mask({4}, {0, 1, 0, 1});
  const Spec spec{Dtype::boolean, {4}};
  expect(unary(UnaryCode::bitwise_not, a), spec, {1, 1, 0, 0});
  expect(binary(BinaryCode::bitwise_and, a, b), spec, {0, 0, 0, 1});
  expect(binary(BinaryCode::bitwise_or, a, b), spec, {0, 1, 1, 1});
  expect(binary(BinaryCode::bitwise_xor, a, b), spec, {0, 1, 1, 0});
  expect(binary(BinaryCode::maximum, a, b), spec, {0, 1, 1, 1});
  expect(binary(BinaryCode::minimum, a, b), spec, {0, 0, 0, 1});
  expect(run(op::BinaryScalar{BinaryCode::bitwise_xor, true, Side::left}, a), spec, {1, 1, 0, 0});
}

// cases.md A 3
TEST(PortableElementwise, MaximumPropagatesNanFromEitherSide) {
  for (Dtype dtype : floats) {
    const Array a = array(dtype, {2}, {1, nan}), b = array(dtype, {2}, {nan, 2});
    expect(binary(BinaryCode::maximum, a, b), {dtype, {2}}, {nan, nan});
    expect(binary(BinaryCode::minimum, a, b), {dtype, {2}}, {nan, nan});
    expect(unary(UnaryCode::relu, b), {dtype, {2}}, {nan, 2});
  }
}

TEST(PortableElementwise, SixteenBitFloatsComputeInF32) {
  // 300 * 300 / 300: the product passes f16's range, so two ops give infinity, and 0.1 + 0.2 rounds once per op.
  const Array x = array(Dtype::f16, {1}, {300});
  expect(binary(BinaryCode::mul, x, x), {Dtype::f16, {1}}, {inf});
  expect(unary(UnaryCode::square, x), {Dtype::f16, {1}}, {inf});
  expect(binary(BinaryCode::hypot, x, x), {Dtype::f16, {1}}, {424.25});  // 424.2641 to the nearest of 424.25 and 424.5
  expect(unary(UnaryCode::gelu_tanh, array(Dtype::f16, {1}, {100})), {Dtype::f16, {1}}, {100});  // 100^3 does not fit f16
}

TEST(PortableElementwise, ScalarsTakeTheTensorsDtype) {
  expect(run(op::BinaryScalar{BinaryCode::add, 0.1, Side::right}, array(Dtype::f32, {1}, {0})), {Dtype::f32, {1}}, {double(0.1f)});
  expect(run(op::BinaryScalar{BinaryCode::sub, 10, Side::left}, array(Dtype::i8, {2}, {3, -3})), {Dtype::i8, {2}}, {7, 13});
  expect(run(op::BinaryScalar{BinaryCode::sub, 10, Side::right}, array(Dtype::u8, {1}, {3})), {Dtype::u8, {1}}, {249});
  expect(run(op::BinaryScalar{BinaryCode::add, 300, Side::right}, array(Dtype::u8, {1}, {1})), {Dtype::u8, {1}}, {45});
  const auto wide = exact_values<std::int64_t>(run(op::BinaryScalar{BinaryCode::add, std::int64_t(1), Side::right}, exact<std::int64_t>({1}, {9007199254740992})));
  EXPECT_EQ(wide[0], 9007199254740993);
}

TEST(PortableElementwise, ComparesAllDtypes) {
  const Spec spec{Dtype::boolean, {3}};
  for (Dtype dtype : all_dtypes) {
    const Array a = array(dtype, {3}, {0, 1, 1}), b = array(dtype, {3}, {1, 1, 0});
    expect(compare(CompareCode::eq, a, b), spec, {0, 1, 0});
    expect(compare(CompareCode::ne, a, b), spec, {1, 0, 1});
    expect(compare(CompareCode::lt, a, b), spec, {1, 0, 0});
    expect(compare(CompareCode::le, a, b), spec, {1, 1, 0});
    expect(compare(CompareCode::gt, a, b), spec, {0, 0, 1});
    expect(compare(CompareCode::ge, a, b), spec, {0, 1, 1});
    expect(run(op::CompareScalar{CompareCode::lt, 1}, a), spec, {1, 0, 0});
    expect(run(op::CompareScalar{CompareCode::ge, 1}, a), spec, {0, 1, 1});
  }
  for (Dtype dtype : floats) {
    const Array a = array(dtype, {3}, {nan, nan, 0.0}), b = array(dtype, {3}, {nan, 1, -0.0});
    expect(compare(CompareCode::eq, a, b), spec, {0, 0, 1});
    expect(compare(CompareCode::ne, a, b), spec, {1, 1, 0});
    for (CompareCode code : {CompareCode::lt, CompareCode::gt}) expect(compare(code, a, b), spec, {0, 0, 0});
    for (CompareCode code : {CompareCode::le, CompareCode::ge}) expect(compare(code, a, b), spec, {0, 0, 1});
  }
  // Beyond 2^53 and 2^63, where doubles cannot tell.
  EXPECT_EQ(values(compare(CompareCode::lt, exact<std::int64_t>({1}, {9007199254740992}), exact<std::int64_t>({1}, {9007199254740993})))[0], 1);
  EXPECT_EQ(values(compare(CompareCode::gt, exact<std::uint64_t>({1}, {~0ull}), exact<std::uint64_t>({1}, {1})))[0], 1);
}

TEST(PortableElementwise, SelectPicks) {
  const Array m = mask({2, 1}, {1, 0});
  for (Dtype dtype : all_dtypes) {
    const Array a = array(dtype, {2}, {1, 0}), b = array(dtype, {2, 2}, {0, 1, 1, 1});
    expect(run(op::Select{}, m, a, b), {dtype, {2, 2}}, {1, 0, 1, 1});
    expect(run(op::SelectScalar{1, Side::left}, m, a), {dtype, {2, 2}}, {1, 1, 1, 0});
    expect(run(op::SelectScalar{1, Side::right}, m, a), {dtype, {2, 2}}, {1, 0, 1, 1});
  }
  // What is not picked does not shine through.
  expect(run(op::Select{}, mask({2}, {1, 0}), array({2}, {1, nan}), array({2}, {nan, 2})), {Dtype::f32, {2}}, {1, 2});
}

// The quotient of 1 and the double next to 0.1, which is a little more, is below 10; its nearest double is 10. NumPy and PyTorch say 9.
TEST(PortableElementwise, FloorDivideDoesNotRoundUp) {
  for (Dtype dtype : {Dtype::f32, Dtype::f64}) {
    const double tenth = dtype == Dtype::f32 ? double(0.1f) : 0.1;
    const Array a = array(dtype, {6}, {1, -1, 1, -1, 6, 1}), b = array(dtype, {6}, {tenth, tenth, -tenth, -tenth, 2, 0});
    expect(binary(BinaryCode::floor_divide, a, b), {dtype, {6}}, {9, -10, -10, 9, 3, inf});
    expect(binary(BinaryCode::floor_divide, array(dtype, {2}, {-0x1p-120, 0x1p-120}), array(dtype, {2}, {0x1p120, 0x1p120})), {dtype, {2}}, {-1, 0});
    expect(binary(BinaryCode::floor_divide, array(dtype, {2}, {inf, nan}), array(dtype, {2}, {2, 2})), {dtype, {2}}, {inf, nan});
  }
  const Array deep = binary(BinaryCode::floor_divide, array(Dtype::f64, {1}, {-0x1p-1000}), array(Dtype::f64, {1}, {0x1p1000}));
  expect(deep, {Dtype::f64, {1}}, {-1});
}

TEST(PortableElementwise, ClampBounds) {
  const Numbers x{-5, 0, 5};
  for (Dtype dtype : all_dtypes) {
    if (kind_of(dtype) == DtypeKind::unsigned_integer || is_bool(dtype)) continue;
    expect(run(op::Clamp{-1, 2}, array(dtype, {3}, x)), {dtype, {3}}, {-1, 0, 2});
    expect(run(op::Clamp{{}, 2}, array(dtype, {3}, x)), {dtype, {3}}, {-5, 0, 2});
    expect(run(op::Clamp{-1, {}}, array(dtype, {3}, x)), {dtype, {3}}, {-1, 0, 5});
    expect(run(op::Clamp{}, array(dtype, {3}, x)), {dtype, {3}}, x);
    expect(run(op::Clamp{3, 1}, array(dtype, {3}, x)), {dtype, {3}}, {1, 1, 1});
  }
  expect(run(op::Clamp{1, 200}, array(Dtype::u8, {3}, {0, 100, 255})), {Dtype::u8, {3}}, {1, 100, 200});
  expect(run(op::Clamp{-1.0, 1.0}, array({3}, {nan, inf, -inf})), {Dtype::f32, {3}}, {nan, 1, -1});
  // A bound that the dtype does not have does not wrap around.
  expect(run(op::Clamp{-1, 300}, array(Dtype::u8, {3}, {0, 100, 255})), {Dtype::u8, {3}}, {0, 100, 255});
  expect(run(op::Clamp{-200, 3}, array(Dtype::i8, {3}, {-128, 100, 3})), {Dtype::i8, {3}}, {-128, 3, 3});
}

// cases.md A 8
TEST(PortableElementwise, CastSaturatesFloatsToIntegers) {
  for (Dtype from : {Dtype::f64, Dtype::f32}) {
    expect(cast(array(from, {7}, {nan, inf, -inf, 3e9, -3e9, 2.9, -2.9}), Dtype::i32), {Dtype::i32, {7}},
           {0, 2147483647, -2147483648., 2147483647, -2147483648., 2, -2});
    expect(cast(array(from, {3}, {-1, 300, nan}), Dtype::u8), {Dtype::u8, {3}}, {0, 255, 0});
    expect(cast(array(from, {1}, {-3}), Dtype::u32), {Dtype::u32, {1}}, {0});
    const auto signed_wide = exact_values<std::int64_t>(cast(array(from, {3}, {1e19, -1e19, nan}), Dtype::i64));
    EXPECT_EQ(signed_wide, (std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min(), 0}));
    const auto unsigned_wide = exact_values<std::uint64_t>(cast(array(from, {3}, {1e20, -1, 1e19}), Dtype::u64));
    EXPECT_EQ(unsigned_wide, (std::vector<std::uint64_t>{~std::uint64_t(0), 0, from == Dtype::f64 ? 10000000000000000000u : 9999999980506447872u}));
  }
  expect(cast(array(Dtype::f16, {3}, {inf, 60000, nan}), Dtype::i16), {Dtype::i16, {3}}, {32767, 32767, 0});
  expect(cast(array(Dtype::bf16, {2}, {-inf, 300}), Dtype::i8), {Dtype::i8, {2}}, {-128, 127});
}

TEST(PortableElementwise, CastBetweenAllDtypes) {
  for (Dtype from : all_dtypes)
    for (Dtype to : all_dtypes) expect(cast(array(from, {3}, {0, 1, 1}), to), {to, {3}}, {0, 1, 1});
  expect(cast(array(Dtype::i32, {2}, {-1, 257}), Dtype::u8), {Dtype::u8, {2}}, {255, 1});
  expect(cast(array(Dtype::u8, {1}, {200}), Dtype::i8), {Dtype::i8, {1}}, {-56});
  expect(cast(array({4}, {0, -0.0, nan, 0.25}), Dtype::boolean), {Dtype::boolean, {4}}, {0, 0, 1, 1});
  expect(cast(array(Dtype::i32, {2}, {256, 0}), Dtype::boolean), {Dtype::boolean, {2}}, {1, 0});
}

// cases.md A 10
TEST(PortableElementwise, CastToF16RoundsToNearestEven) {
  const float below = std::nextafterf(65520.f, 0), above = std::nextafterf(0x1p-25f, 1);
  std::vector<std::uint16_t> bits;
  const Array x = exact<float>({10}, {below, 65520.f, 0x1p-24f, 0x1p-25f, above, 3 * 0x1p-25f, 2049.f, 2051.f, -65520.f, float(nan)});
  for (Half h : exact_values<Half>(cast(x, Dtype::f16))) bits.push_back(h.bits);
  EXPECT_EQ(bits[9] & 0x7c00, 0x7c00);
  EXPECT_NE(bits[9] & 0x03ff, 0);
  bits.pop_back();
  EXPECT_EQ(bits, (std::vector<std::uint16_t>{0x7bff, 0x7c00, 0x0001, 0x0000, 0x0001, 0x0002, 0x6800, 0x6802, 0xfc00}));
  // f64 to f16 rounds once: 2049 + 2^-40 is above the tie, though it is the tie in f32.
  expect(cast(array(Dtype::f64, {2}, {2049 + 0x1p-40, 2051 - 0x1p-40}), Dtype::f16), {Dtype::f16, {2}}, {2050, 2050});
}
TEST(PortableElementwise, CastToBf16RoundsToNearestEven) {
  std::vector<float> x;
  for (std::uint32_t bits : {0x007fffffu, 0x00008000u, 0x00008001u, 0x00018000u, 0x3f808000u, 0x3f818000u, 0x3f808001u, 0x7f7f7fffu, 0x7f7f8000u})
    x.push_back(std::bit_cast<float>(bits));
  std::vector<std::uint16_t> bits;
  for (BFloat16 b : exact_values<BFloat16>(cast(exact<float>({9}, x), Dtype::bf16))) bits.push_back(b.bits);
  EXPECT_EQ(bits, (std::vector<std::uint16_t>{0x0080, 0x0000, 0x0001, 0x0002, 0x3f80, 0x3f82, 0x3f81, 0x7f7f, 0x7f80}));
  expect(cast(exact<float>({2}, {std::bit_cast<float>(0x7f800001u), std::bit_cast<float>(0xff800001u)}), Dtype::bf16), {Dtype::bf16, {2}}, {nan, nan});
}

TEST(PortableElementwise, BroadcastsBothWays) {
  const Array column = array({2, 1}, {10, 20}), row = array({3}, {1, 2, 3});
  expect(binary(BinaryCode::sub, column, row), {Dtype::f32, {2, 3}}, {9, 8, 7, 19, 18, 17});
  expect(binary(BinaryCode::sub, row, column), {Dtype::f32, {2, 3}}, {-9, -8, -7, -19, -18, -17});
  expect(binary(BinaryCode::add, array({}, {1}), row), {Dtype::f32, {3}}, {2, 3, 4});
  expect(binary(BinaryCode::add, array({1, 3}, {1, 2, 3}), array({0, 1}, {})), {Dtype::f32, {0, 3}}, {});
  expect(compare(CompareCode::lt, column, array({1, 2}, {15, 25})), {Dtype::boolean, {2, 2}}, {1, 1, 0, 1});
}

TEST(PortableElementwise, AnyLayoutGivesTheSame) {
  const Numbers a{1, 2, 3, 4, 5, 6}, b{6, 5, 4, 3, 2, 1};
  const Spec f32{Dtype::f32, {2, 3}}, boolean{Dtype::boolean, {2, 3}};
  const Array row = array({3}, {1, 2, 3});
  for (const Array& x : layouts(Dtype::f32, {2, 3}, a)) {
    expect(unary(UnaryCode::neg, x), f32, {-1, -2, -3, -4, -5, -6});
    expect(run(op::BinaryScalar{BinaryCode::mul, 2, Side::left}, x), f32, {2, 4, 6, 8, 10, 12});
    expect(run(op::CompareScalar{CompareCode::gt, 3}, x), boolean, {0, 0, 0, 1, 1, 1});
    expect(run(op::Clamp{2, 5}, x), f32, {2, 2, 3, 4, 5, 5});
    expect(cast(x, Dtype::i8), {Dtype::i8, {2, 3}}, a);
    expect(binary(BinaryCode::add, x, run(op::Expand{{2, 3}}, row)), f32, {2, 4, 6, 5, 7, 9});
    for (const Array& y : layouts(Dtype::f32, {2, 3}, b)) {
      expect(binary(BinaryCode::add, x, y), f32, {7, 7, 7, 7, 7, 7});
      expect(compare(CompareCode::lt, x, y), boolean, {1, 1, 1, 0, 0, 0});
      for (const Array& m : layouts(Dtype::boolean, {2, 3}, {1, 0, 1, 0, 1, 0})) {
        expect(run(op::Select{}, m, x, y), f32, {1, 5, 3, 3, 5, 1});
        expect(run(op::SelectScalar{9, Side::left}, m, x), f32, {9, 2, 9, 4, 9, 6});
      }
    }
  }
}

TEST(PortableElementwise, EmptyArraysGiveEmptyArrays) {
  for (Dtype dtype : all_dtypes) {
    const Array x = array(dtype, {0, 2}, {});
    if (!is_bool(dtype)) expect(unary(UnaryCode::neg, x), {dtype, {0, 2}}, {});
    expect(binary(BinaryCode::maximum, x, x), {dtype, {0, 2}}, {});
    expect(compare(CompareCode::eq, x, x), {Dtype::boolean, {0, 2}}, {});
    expect(cast(x, Dtype::f16), {Dtype::f16, {0, 2}}, {});
  }
}

}  // namespace
}  // namespace hearth::test
