// tests/unit/cpu_elementwise: every elementwise op of Cpu against Portable, over dtypes and layouts; vector functions against f64.
// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <thread>

#include "hearth/op/formula.hpp"
#include "unit/cpu_claims.hpp"

namespace hearth::testing {
namespace {

constexpr UnaryCode unary_codes[] = {
#define HEARTH_UNARY(name, ...) UnaryCode::name,
#include "hearth/op/unary.def"
#undef HEARTH_UNARY
};
constexpr BinaryCode binary_codes[] = {
#define HEARTH_BINARY(name, ...) BinaryCode::name,
#include "hearth/op/binary.def"
#undef HEARTH_BINARY
};
constexpr CompareCode compare_codes[] = {
#define HEARTH_COMPARE(name, ...) CompareCode::name,
#include "hearth/op/compare.def"
#undef HEARTH_COMPARE
};

/// Rows made of operations that IEEE 754 rounds exactly: equal to the last bit.
bool is_exact(UnaryCode code) {
  using enum UnaryCode;
  const std::set<UnaryCode> exact = {neg, abs, sign, square, reciprocal, sqrt, rsqrt, ceil, floor, round, trunc, frac, relu, softsign, bitwise_not};
  return exact.count(code) > 0;
}
bool is_exact(BinaryCode code) {
  using enum BinaryCode;
  const std::set<BinaryCode> inexact = {pow, atan2, hypot, logaddexp, xlogy, zeta};
  return inexact.count(code) == 0;
}

/// How far Portable's own f32 evaluation of a row may be off, as an absolute error where terms cancel.
double absolute_tolerance(Dtype dtype) { return dtype == Dtype::f64 ? 1e-14 : dtype == Dtype::f32 ? 4e-6 : dtype == Dtype::f16 ? 4e-3 : 4e-2; }

const Shape shapes[] = {{7}, {3, 5}, {2, 3, 67}, {40, 33}, {3, 700}};

TEST(CpuElementwise, UnaryEqualsPortable) {
  Numbers numbers(1);
  for (UnaryCode code : unary_codes)
    for (Dtype dtype : all_dtypes()) {
      if (!(kinds_of(code) & kinds_of(dtype))) continue;
      for (Look look : looks)
        for (const Shape& shape : {shapes[0], shapes[2], shapes[3]}) {
          const Both x = laid_out(look, dtype, shape, numbers, -4, 4, true);
          const Both y = run(op::Unary{code}, x);
          EXPECT_TRUE(is_exact(code) ? same(y) : same(y, 16, absolute_tolerance(dtype))) << name_of(code) << " " << name_of(look);
        }
    }
}

// The vector functions against the same row in f64, within the domain of the table and far beyond it.
TEST(CpuElementwise, UnaryIsAccurate) {
  Numbers numbers(2);
  struct Range {
    UnaryCode code;
    double low, high;
  };
  const Range ranges[] = {
#define HEARTH_UNARY(name, kinds, lo, hi, ...) {UnaryCode::name, lo, hi},
#include "hearth/op/unary.def"
#undef HEARTH_UNARY
  };
  const Shape shape{4096};
  for (const Range& range : ranges) {
    if (!(kinds_of(range.code) & kinds::F)) continue;
    // Rows that subtract nearly equal numbers, or round an argument of exp or sin, lose digits in f32 whoever computes them.
    using enum UnaryCode;
    const std::set<UnaryCode> lossy = {logit, mish, log_sigmoid, softplus, sinc, frac, digamma, lgamma, erfinv, gelu_tanh};
    const double ulps = lossy.count(range.code) ? 60 : 4;
    for (double factor : {1.0, 0.01, 20.0}) {
      const double low = range.low * factor, high = range.high * factor;
      const std::vector<std::byte> single = random_bytes({Dtype::f32, shape}, numbers, low, high, false);
      std::vector<double> exact(4096);
      for (std::size_t i = 0; i < exact.size(); ++i) exact[i] = number(Dtype::f32, &single[i * 4]);
      const auto got = values_of<float, Cpu>(Cpu::run(op::Unary{range.code}, {upload<Cpu>({Dtype::f32, shape}, single)})[0]);
      const auto want = values_of<double, Portable>(Portable::run(op::Unary{range.code}, {array<Portable, double>(shape, exact)})[0]);
      double worst = 0;
      std::size_t at = 0;
      for (std::size_t i = 0; i < got.size(); ++i) {
        if (std::fabs(got[i] - want[i]) < (lossy.count(range.code) ? 2.5e-7 : 1e-38)) continue;  // sigmoid ends where exp(-x) does
        const double d = distance(Dtype::f32, got[i], std::isfinite(float(want[i])) ? want[i] : double(float(want[i])));
        if (d > worst) worst = d, at = i;
      }
      EXPECT_LE(worst, ulps) << name_of(range.code) << "(" << exact[at] << ") = " << got[at] << ", not " << want[at] << " (x " << factor << ")";
    }
  }
}

TEST(CpuElementwise, BinaryEqualsPortable) {
  Numbers numbers(3);
  for (BinaryCode code : binary_codes)
    for (Dtype dtype : all_dtypes()) {
      if (!(kinds_of(code) & kinds_of(dtype))) continue;
      if (code == BinaryCode::zeta && dtype != Dtype::f32) continue;
      for (Look left : looks)
        for (Look right : looks) {
          if ((left == Look::empty) != (right == Look::empty)) continue;
          const Shape& shape = shapes[numbers.below(5)];
          const bool zeta = code == BinaryCode::zeta;
          const Both a = laid_out(left, dtype, shape, numbers, zeta ? 2 : -4, 4, !zeta), b = laid_out(right, dtype, shape, numbers, zeta ? .5 : -4, 4, !zeta);
          const Both y = run(op::Binary{code}, a, b);
          EXPECT_TRUE(is_exact(code) ? same(y) : same(y, 8, absolute_tolerance(dtype)))
              << name_of(code) << " " << name_of(left) << " " << name_of(right) << " " << to_string(shape);
        }
    }
}

TEST(CpuElementwise, BinaryBroadcasts) {
  Numbers numbers(4);
  const std::pair<Shape, Shape> pairs[] = {{{3, 700}, {700}}, {{3, 700}, {3, 1}}, {{1}, {5, 6}}, {{}, {40, 3}}, {{4, 1, 300}, {5, 1}}, {{2, 1, 3}, {4, 1}},
                                           {{64, 1}, {1, 1024}}, {{0, 1}, {1, 3}}, {{2, 3, 4, 5}, {3, 1, 5}}, {{}, {}}};
  for (Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::i8, Dtype::i64})
    for (const auto& [first, second] : pairs)
      for (bool swapped : {false, true}) {
        const Both a = laid_out(Look::contiguous, dtype, swapped ? second : first, numbers), b = laid_out(Look::contiguous, dtype, swapped ? first : second, numbers);
        EXPECT_TRUE(same(run(op::Binary{BinaryCode::sub}, a, b))) << to_string(a.spec()) << to_string(b.spec());
        EXPECT_TRUE(same(run(op::Compare{CompareCode::lt}, a, b))) << to_string(a.spec()) << to_string(b.spec());
      }
}

TEST(CpuElementwise, ScalarsEqualPortable) {
  Numbers numbers(5);
  for (BinaryCode code : binary_codes)
    for (Dtype dtype : all_dtypes()) {
      if (!(kinds_of(code) & kinds_of(dtype)) || code == BinaryCode::zeta) continue;
      for (Side side : {Side::left, Side::right})
        for (Scalar scalar : {Scalar(2), Scalar(-1), Scalar(0), is_float(dtype) ? Scalar(2.5) : Scalar(100), Scalar(3)}) {
          const Look look = looks[numbers.below(7)];
          const Both x = laid_out(look, dtype, shapes[2], numbers, -4, 4, true);
          const Both y = run(op::BinaryScalar{code, scalar, side}, x);
          EXPECT_TRUE(is_exact(code) ? same(y) : same(y, 8, absolute_tolerance(dtype))) << name_of(code) << " " << to_string(scalar) << " " << name_of(look);
        }
    }
}

TEST(CpuElementwise, ComparisonsEqualPortable) {
  Numbers numbers(6);
  for (CompareCode code : compare_codes)
    for (Dtype dtype : all_dtypes())
      for (Look left : looks)
        for (Look right : {Look::contiguous, Look::stepped, Look::stretched}) {
          if (left == Look::empty) continue;
          const Both a = laid_out(left, dtype, shapes[3], numbers, -2, 2, true), b = laid_out(right, dtype, shapes[3], numbers, -2, 2, true);
          EXPECT_TRUE(same(run(op::Compare{code}, a, b))) << name_of(code) << name_of(left) << name_of(right);
          EXPECT_TRUE(same(run(op::CompareScalar{code, Scalar(1)}, a))) << name_of(code) << name_of(left);
        }
}

TEST(CpuElementwise, ChoicesEqualPortable) {
  Numbers numbers(7);
  for (Dtype dtype : all_dtypes())
    for (Look look : looks) {
      const Both mask = laid_out(look, Dtype::boolean, shapes[3], numbers), a = laid_out(looks[numbers.below(6)], dtype, {33}, numbers, -4, 4, true);
      const Both b = laid_out(look, dtype, shapes[3], numbers, -4, 4, true);
      EXPECT_TRUE(same(run(op::Select{}, mask, a, b)));
      EXPECT_TRUE(same(run(op::Select{}, mask, b, a)));
      for (Side side : {Side::left, Side::right}) EXPECT_TRUE(same(run(op::SelectScalar{is_float(dtype) ? Scalar(1.5) : Scalar(7), side}, mask, b)));
    }
}

TEST(CpuElementwise, FloorDivideEqualsPortable) {
  Numbers numbers(81);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<double> a(100), b(100);
    for (std::size_t i = 0; i < a.size(); ++i) {
      b[i] = double(numbers.below(200) - 100) / 10;
      a[i] = double(numbers.below(100)) * b[i];  // quotients that are whole, or are so but for rounding
    }
    const Both x{array<Cpu, double>({100}, a), array<Portable, double>({100}, a)}, y{array<Cpu, double>({100}, b), array<Portable, double>({100}, b)};
    EXPECT_TRUE(same(run(op::Binary{BinaryCode::floor_divide}, x, y)));
    const op::Cast narrow{Dtype::f32};
    EXPECT_TRUE(same(run(op::Binary{BinaryCode::floor_divide}, run(narrow, x), run(narrow, y))));
  }
}

TEST(CpuElementwise, ClampEqualsPortable) {
  Numbers numbers(8);
  for (Dtype dtype : all_dtypes())
    for (Look look : looks) {
      if (is_bool(dtype)) continue;
      const Both x = laid_out(look, dtype, shapes[2], numbers, -4, 4, true);
      const std::pair<Scalar, Scalar> bounds[] = {{Scalar(-1), Scalar(2)}, {Scalar(1), Scalar()}, {Scalar(), Scalar(1)}, {Scalar(), Scalar()},
                                                  {Scalar(2), Scalar(1)}, {Scalar(-300), Scalar(300)}, {Scalar(-0.0), Scalar(is_float(dtype) ? std::nan("") : 1.0)}};
      for (const auto& [low, high] : bounds) EXPECT_TRUE(same(run(op::Clamp{low, high}, x))) << to_string(low) << to_string(high);
    }
}

TEST(CpuElementwise, CastsEqualPortable) {
  Numbers numbers(9);
  for (Dtype from : all_dtypes())
    for (Dtype to : all_dtypes())
      for (Look look : looks)
        for (double range : {3.0, 300.0, 4e9, 1e20}) {
          const Both x = laid_out(look, from, shapes[2], numbers, -range, range, true);
          EXPECT_TRUE(same(run(op::Cast{to}, x))) << name_of(from) << " to " << name_of(to) << " " << name_of(look) << " " << range;
        }
}

// All 65,536 halves and bfloat16s, and their neighbours' midpoints on the way back.
TEST(CpuElementwise, SixteenBitConversionsAreExact) {
  for (Dtype dtype : {Dtype::f16, Dtype::bf16}) {
    std::vector<std::uint16_t> bits(65536);
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = std::uint16_t(i);
    const Cpu::Handle wide = Cpu::run(op::Cast{Dtype::f32}, {Cpu::upload({}, {dtype, {65536}}, bits.data())})[0];
    const std::vector<float> floats = values_of<float, Cpu>(wide);
    std::vector<float> inputs;
    for (std::size_t i = 0; i < floats.size(); ++i) {
      const float want = dtype == Dtype::f16 ? float(Half::from_bits(std::uint16_t(i))) : float(BFloat16::from_bits(std::uint16_t(i)));
      ASSERT_TRUE(std::isnan(want) ? std::isnan(floats[i]) : floats[i] == want && std::signbit(floats[i]) == std::signbit(want)) << i;
      for (std::int32_t offset : {0, 1, -1, 0x1000, 0x1001, 0xfff, 0x8000, 0x8001, 0x7fff})
        inputs.push_back(std::bit_cast<float>(std::bit_cast<std::uint32_t>(floats[i]) + std::uint32_t(offset)));
    }
    const Shape shape{std::int64_t(inputs.size())};
    const std::vector<std::byte> back = bytes_of<Cpu>(Cpu::run(op::Cast{dtype}, {array<Cpu, float>(shape, inputs)})[0]);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      std::uint16_t got = 0;
      std::memcpy(&got, &back[i * 2], 2);
      const std::uint16_t want = dtype == Dtype::f16 ? Half(inputs[i]).bits : BFloat16(inputs[i]).bits;
      ASSERT_EQ(got, want) << inputs[i];
    }
  }
}

TEST(CpuElementwise, FloatToIntegerSaturates) {  // cases.md A8
  const float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  const auto cast = [](std::vector<float> values, Dtype to) {
    return Cpu::run(op::Cast{to}, {array<Cpu, float>({std::int64_t(values.size())}, values)})[0];
  };
  EXPECT_EQ((values_of<std::int32_t, Cpu>(cast({nan, inf, -inf, 3e9f, -3e9f, 2.9f, -2.9f}, Dtype::i32))),
            (std::vector<std::int32_t>{0, 2147483647, -2147483647 - 1, 2147483647, -2147483647 - 1, 2, -2}));
  EXPECT_EQ((values_of<std::uint8_t, Cpu>(cast({-1, 300, nan}, Dtype::u8))), (std::vector<std::uint8_t>{0, 255, 0}));
  EXPECT_EQ((values_of<std::uint32_t, Cpu>(cast({-3}, Dtype::u32))), (std::vector<std::uint32_t>{0}));
}

TEST(CpuElementwise, MaximumPropagatesNan) {  // cases.md A3
  const float nan = std::nanf("");
  const auto y = values_of<float, Cpu>(Cpu::run(op::Binary{BinaryCode::maximum}, {array<Cpu, float>({2}, {1, nan}), array<Cpu, float>({2}, {nan, 2})})[0]);
  EXPECT_TRUE(std::isnan(y[0]) && std::isnan(y[1]));
}

TEST(CpuElementwise, SaturatedActivationsStayFinite) {  // cases.md C24
  const auto of = [](UnaryCode code, float x) { return values_of<float, Cpu>(Cpu::run(op::Unary{code}, {array<Cpu, float>({1}, {x})})[0])[0]; };
  using enum UnaryCode;
  EXPECT_EQ(of(softplus, 1000), 1000);
  EXPECT_EQ(of(log_sigmoid, -1000), -1000);
  for (UnaryCode code : {silu, softplus, log_sigmoid, mish, gelu, gelu_tanh, tanh, sigmoid})
    for (float x : {1000.f, -1000.f, 1e4f, -1e4f}) EXPECT_TRUE(std::isfinite(of(code, x))) << name_of(code) << x;
}

// An operand that nobody else holds gives its memory to the result; one that somebody holds keeps its values.
TEST(CpuElementwise, WorksInPlaceOnlyWhereNobodySees) {
  const std::vector<float> values{1, 2, 3, 4};
  const auto live = [] { return Cpu::memory_stats({}).live; };
  Cpu::Handle x = array<Cpu, float>({4}, values);
  const std::size_t before = live();
  Cpu::Handle y = Cpu::run(op::Unary{UnaryCode::neg}, {std::move(x)})[0];
  EXPECT_EQ(live(), before);
  Cpu::Handle z = Cpu::run(op::Unary{UnaryCode::neg}, {y})[0];
  EXPECT_EQ(live(), before + 16);
  EXPECT_EQ((values_of<float, Cpu>(y)), (std::vector<float>{-1, -2, -3, -4}));
  EXPECT_EQ((values_of<float, Cpu>(z)), values);
  // A view of the buffer is somebody.
  Cpu::Handle front = Cpu::run(op::Slice{{0}, {2}, {1}}, {z})[0];
  Cpu::Handle w = Cpu::run(op::Binary{BinaryCode::add}, {std::move(z), Cpu::Handle(y)})[0];
  EXPECT_EQ((values_of<float, Cpu>(front)), (std::vector<float>{1, 2}));
  EXPECT_EQ((values_of<float, Cpu>(w)), (std::vector<float>{0, 0, 0, 0}));
  // The same handle twice is two owners; the result may not be read while it is written.
  Cpu::Handle own = array<Cpu, float>({4}, values);
  Operands<op::Binary, Cpu::Handle> twice{own, own};
  own = {};
  EXPECT_EQ((values_of<float, Cpu>(Cpu::run(op::Binary{BinaryCode::mul}, std::move(twice))[0])), (std::vector<float>{1, 4, 9, 16}));
  // A contiguous part of a larger buffer that has one owner: its place in the buffer is kept.
  Cpu::Handle part = Cpu::run(op::Slice{{2}, {2}, {1}}, {array<Cpu, float>({4}, values)})[0];
  Cpu::Handle negative = Cpu::run(op::Unary{UnaryCode::neg}, {std::move(part)})[0];
  EXPECT_EQ((values_of<float, Cpu>(negative)), (std::vector<float>{-3, -4}));
  // A cast to a dtype of the same size writes over its operand.
  const std::size_t start = live();
  Cpu::Handle integers = Cpu::run(op::Cast{Dtype::i32}, {array<Cpu, float>({4}, {1.5f, -2.5f, 3e9f, 0})})[0];
  EXPECT_EQ(live(), start + 16);
  EXPECT_EQ((values_of<std::int32_t, Cpu>(integers)), (std::vector<std::int32_t>{1, -2, 2147483647, 0}));
}

// By hand. Repeated, so that whole vectors and the rest after them are met.
TEST(CpuElementwise, WhatIsTooLargeIsInfinite) {
  constexpr float inf = std::numeric_limits<float>::infinity(), largest = std::numeric_limits<float>::max();
  constexpr std::int64_t times = 5;
  const auto repeated = [](auto values) {
    const auto once = values;
    for (std::int64_t i = 1; i < times; ++i) values.insert(values.end(), once.begin(), once.end());
    return array<Cpu>({std::int64_t(values.size())}, values);
  };
  const auto expect = [](const Cpu::Handle& result, const auto& want) {
    using T = typename std::remove_cvref_t<decltype(want)>::value_type;
    const auto got = values_of<T, Cpu>(result);
    ASSERT_EQ(got.size(), std::size_t(times) * want.size());
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(float(got[i]), float(want[i % want.size()])) << i;
  };
  const auto unary = [&](UnaryCode code, const std::vector<float>& x, const std::vector<float>& want) { expect(Cpu::run(op::Unary{code}, {repeated(x)})[0], want); };
  on_each_target([&] {
    unary(UnaryCode::exp2, {127, 128, 129, 1e30f, inf, -200, -inf}, {0x1p127f, inf, inf, inf, inf, 0, 0});
    unary(UnaryCode::exp, {89, 1e30f, inf, -200}, {inf, inf, inf, 0});
    unary(UnaryCode::expm1, {89, 1e30f, inf, -200}, {inf, inf, inf, -1});
    unary(UnaryCode::sinh, {90, -90, inf, -inf}, {inf, -inf, inf, -inf});
    unary(UnaryCode::cosh, {90, -90, inf, -inf}, {inf, inf, inf, inf});
    expect(Cpu::run(op::Binary{BinaryCode::pow}, {repeated(std::vector<float>{2, 2, 10, 0.1f, 1e20f, 2, -10, 1e30f}), repeated(std::vector<float>{127, 128, 39, -39, 2, -200, 39, 1e30f})})[0],
           std::vector<float>{0x1p127f, inf, inf, inf, inf, 0, -inf, inf});
    const auto cast = [&](const auto& x, Dtype dtype) { return Cpu::run(op::Cast{dtype}, {repeated(x)})[0]; };
    // Halfway to what would be the next number, ties go to infinity.
    expect(cast(std::vector<double>{largest, 0x1.fffffefffffffp127, 0x1.ffffffp127, 1e300, -1e300}, Dtype::f32), std::vector<float>{largest, largest, inf, inf, -inf});
    expect(cast(std::vector<float>{65504, 65519.99f, 65520, 1e30f, -65520, inf}, Dtype::f16),
           std::vector<Half>{Half(65504.f), Half(65504.f), Half::from_bits(0x7c00), Half::from_bits(0x7c00), Half::from_bits(0xfc00), Half::from_bits(0x7c00)});
    expect(cast(std::vector<float>{0x1.fep127f, 0x1.fefffep127f, 0x1.ffp127f, -largest, inf}, Dtype::bf16),
           std::vector<BFloat16>{BFloat16(0x1.fep127f), BFloat16(0x1.fep127f), BFloat16(inf), BFloat16(-inf), BFloat16(inf)});
    expect(Cpu::run(op::Unary{UnaryCode::exp2}, {cast(std::vector<float>{15, 16, 200}, Dtype::f16)})[0],
           std::vector<Half>{Half(32768.f), Half::from_bits(0x7c00), Half::from_bits(0x7c00)});
  });
}

TEST(CpuElementwise, LargeArraysAndTransposesAreRight) {
  Numbers numbers(11);
  for (Look look : {Look::contiguous, Look::permuted, Look::sliced, Look::stepped})
    for (Dtype dtype : {Dtype::f32, Dtype::bf16, Dtype::u8}) {
      const Both a = laid_out(look, dtype, {300, 517}, numbers), b = laid_out(Look::permuted, dtype, {300, 517}, numbers);
      EXPECT_TRUE(same(run(op::Binary{BinaryCode::add}, a, b)));
      EXPECT_TRUE(same(run(op::Unary{UnaryCode::relu}, b)));
    }
  const Both c = laid_out(Look::permuted, Dtype::f32, {20, 30, 40, 9}, numbers);
  EXPECT_TRUE(same(run(op::Unary{UnaryCode::neg}, run(op::Permute{{1, 3, 0, 2}}, c))));
}

TEST(CpuElementwise, ResultsDoNotDependOnThreads) {
  Numbers numbers(12);
  const Spec spec{Dtype::f32, {300001}};
  const std::vector<std::byte> bytes = random_bytes(spec, numbers, -4, 4, true);
  const int before = Cpu::threads();
  std::vector<std::byte> first;
  for (int threads : {1, 2, 3, 8}) {
    Cpu::set_threads(threads);
    const auto y = bytes_of<Cpu>(Cpu::run(op::Unary{UnaryCode::gelu}, {upload<Cpu>(spec, bytes)})[0]);
    if (first.empty()) first = y;
    EXPECT_EQ(std::memcmp(first.data(), y.data(), y.size()), 0) << threads;
  }
  Cpu::set_threads(before);
}

}  // namespace
}  // namespace hearth::testing
