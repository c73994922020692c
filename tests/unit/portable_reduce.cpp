// tests/unit/portable_reduce: Reduce, ArgReduce, Scan, ArgScan, Sort and TopK on Portable.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "hearth/op/formula.hpp"
#include "portable.hpp"

namespace hearth::test {
namespace {

Array reduce(ReduceCode code, const Array& x, const Axes& axes) { return run(op::Reduce{code, axes}, x); }
Array arg(ArgCode code, const Array& x, int axis) { return run(op::ArgReduce{code, axis}, x); }
Array scan(ScanCode code, const Array& x, int axis = 0, bool reverse = false) { return run(op::Scan{code, axis, reverse}, x); }
Array arg_scan(ArgCode code, const Array& x, int axis = 0, bool reverse = false) { return run(op::ArgScan{code, axis, reverse}, x); }

/// One element of `dtype`, stretched.
Array repeated(Dtype dtype, double value, std::int64_t times) { return run(op::Expand{{times}}, array(dtype, {1}, {value})); }

void expect_sorted(const Array& x, int axis, bool descending, const Numbers& values_, const Numbers& indices_) {
  const auto out = Portable::run(op::Sort{axis, descending}, {x});
  const Spec& spec = Portable::spec(x);
  expect(out[0], spec, values_);
  expect(out[1], {Dtype::i64, spec.shape}, indices_);
}
void expect_top(const Array& x, std::int64_t k, bool largest, const Shape& shape, const Numbers& values_, const Numbers& indices_, int axis = 0) {
  const auto out = Portable::run(op::TopK{axis, k, largest}, {x});
  expect(out[0], {Portable::spec(x).dtype, shape}, values_);
  expect(out[1], {Dtype::i64, shape}, indices_);
}

constexpr Dtype floats[] = {Dtype::f64, Dtype::f32, Dtype::f16, Dtype::bf16};

// cases.md A 1
TEST(PortableReduce, SumsOfIntegersWiden) {
  expect(reduce(ReduceCode::sum, repeated(Dtype::u8, 1, 5000), {0}), {Dtype::i64, {1}}, {5000});
  expect(reduce(ReduceCode::sum, repeated(Dtype::i32, 1 << 30, 4), {0}), {Dtype::i64, {1}}, {4294967296});
  expect(reduce(ReduceCode::sum, Portable::make({}, op::Iota{{Dtype::i32, {100000}}}), {0}), {Dtype::i64, {1}}, {4999950000});
  expect(scan(ScanCode::sum, repeated(Dtype::u8, 100, 5)), {Dtype::i64, {5}}, {100, 200, 300, 400, 500});
  expect(reduce(ReduceCode::sum, mask({3}, {1, 0, 1}), {0}), {Dtype::i64, {1}}, {2});
  expect(scan(ScanCode::sum, mask({3}, {1, 0, 1})), {Dtype::i64, {3}}, {1, 1, 2});
  expect(reduce(ReduceCode::prod, repeated(Dtype::i8, 100, 4), {0}), {Dtype::i64, {1}}, {1e8});
  const std::uint64_t high = std::uint64_t(1) << 63;
  EXPECT_EQ(exact_values<std::uint64_t>(reduce(ReduceCode::sum, exact<std::uint64_t>({3}, {high, 5, high}), {0}))[0], 5u) << "64 bits wrap";
  EXPECT_EQ(exact_values<std::uint64_t>(reduce(ReduceCode::max, exact<std::uint64_t>({3}, {high, 5, high + 1}), {0}))[0], high + 1);
  EXPECT_EQ(exact_values<std::int64_t>(reduce(ReduceCode::sum, exact<std::int64_t>({2}, {std::numeric_limits<std::int64_t>::max(), 1}), {0}))[0],
            std::numeric_limits<std::int64_t>::min());
}

TEST(PortableReduce, AllCodesOnAllDtypesAndLayouts) {
  const Numbers x{3, 1, 2, 2, 5, 4};
  for (Dtype dtype : all_dtypes) {
    if (is_bool(dtype)) continue;
    const Dtype wide = widened(dtype);
    for (const Array& a : layouts(dtype, {2, 3}, x)) {
      expect(reduce(ReduceCode::sum, a, {1}), {wide, {2, 1}}, {6, 11});
      expect(reduce(ReduceCode::sum, a, {-2}), {wide, {1, 3}}, {5, 6, 6});
      expect(reduce(ReduceCode::sum, a, {0, 1}), {wide, {1, 1}}, {17});
      expect(reduce(ReduceCode::sum, a, {}), {wide, {2, 3}}, x);
      expect(reduce(ReduceCode::prod, a, {1}), {wide, {2, 1}}, {6, 40});
      expect(reduce(ReduceCode::max, a, {0}), {dtype, {1, 3}}, {3, 5, 4});
      expect(reduce(ReduceCode::min, a, {-1}), {dtype, {2, 1}}, {1, 2});
      if (is_float(dtype)) expect(reduce(ReduceCode::mean, a, {1, 0}), {dtype, {1, 1}}, {17. / 6}, 5e-3);
      expect(arg(ArgCode::max, a, 1), {Dtype::i64, {2, 1}}, {0, 1});
      expect(arg(ArgCode::min, a, -2), {Dtype::i64, {1, 3}}, {1, 0, 0});
      expect(scan(ScanCode::sum, a, 1), {wide, {2, 3}}, {3, 4, 6, 2, 7, 11});
      expect(scan(ScanCode::sum, a, 0, true), {wide, {2, 3}}, {5, 6, 6, 2, 5, 4});
      expect(scan(ScanCode::prod, a, -1), {wide, {2, 3}}, {3, 3, 6, 2, 10, 40});
      expect(scan(ScanCode::max, a, 1), {dtype, {2, 3}}, {3, 3, 3, 2, 5, 5});
      expect(scan(ScanCode::min, a, 1, true), {dtype, {2, 3}}, {1, 1, 2, 2, 4, 4});
      expect(arg_scan(ArgCode::max, a, 1), {Dtype::i64, {2, 3}}, {0, 0, 0, 0, 1, 1});
      expect(arg_scan(ArgCode::min, a, 1, true), {Dtype::i64, {2, 3}}, {1, 1, 2, 0, 2, 2});
      expect_sorted(a, 1, false, {1, 2, 3, 2, 4, 5}, {1, 2, 0, 0, 2, 1});
      expect_sorted(a, -2, true, {3, 5, 4, 2, 1, 2}, {0, 1, 1, 1, 0, 0});
      expect_top(a, 2, true, {2, 2}, {3, 2, 5, 4}, {0, 2, 1, 2}, 1);
      expect_top(a, 1, false, {1, 3}, {2, 1, 2}, {1, 0, 0}, 0);
    }
  }
}

TEST(PortableReduce, BoolReductions) {
  for (const Array& a : layouts(Dtype::boolean, {2, 3}, {1, 0, 1, 0, 0, 0})) {
    expect(reduce(ReduceCode::any, a, {1}), {Dtype::boolean, {2, 1}}, {1, 0});
    expect(reduce(ReduceCode::all, a, {0}), {Dtype::boolean, {1, 3}}, {0, 0, 0});
    expect(reduce(ReduceCode::max, a, {0}), {Dtype::boolean, {1, 3}}, {1, 0, 1});
    expect(reduce(ReduceCode::min, a, {1}), {Dtype::boolean, {2, 1}}, {0, 0});
    expect(reduce(ReduceCode::prod, a, {1}), {Dtype::i64, {2, 1}}, {0, 0});
    expect(arg(ArgCode::max, a, 1), {Dtype::i64, {2, 1}}, {0, 0});
    expect(arg(ArgCode::min, a, 1), {Dtype::i64, {2, 1}}, {1, 0});
    expect(scan(ScanCode::max, a, 1), {Dtype::boolean, {2, 3}}, {1, 1, 1, 0, 0, 0});
    expect(arg_scan(ArgCode::min, a, 1), {Dtype::i64, {2, 3}}, {0, 1, 1, 0, 0, 0});
    expect_sorted(a, 1, false, {0, 1, 1, 0, 0, 0}, {1, 0, 2, 0, 1, 2});
    expect_top(a, 1, true, {2, 1}, {1, 0}, {0, 0}, 1);
  }
  expect(reduce(ReduceCode::all, mask({2}, {1, 1}), {0}), {Dtype::boolean, {1}}, {1});
}

// cases.md A 2
TEST(PortableReduce, ExtremesBeyondSixteenBits) {
  const Array low = array({2}, {32768, 32767}), high = array({2}, {-32768, -32767}), infinite = array({2}, {-inf, -inf});
  expect(reduce(ReduceCode::min, low, {0}), {Dtype::f32, {1}}, {32767});
  expect(arg(ArgCode::min, low, 0), {Dtype::i64, {1}}, {1});
  expect(reduce(ReduceCode::max, high, {0}), {Dtype::f32, {1}}, {-32767});
  expect(arg(ArgCode::max, high, 0), {Dtype::i64, {1}}, {1});
  expect(reduce(ReduceCode::max, infinite, {0}), {Dtype::f32, {1}}, {-inf});
  expect(arg(ArgCode::max, infinite, 0), {Dtype::i64, {1}}, {0});
  expect(reduce(ReduceCode::max, array(Dtype::i64, {1}, {-std::ldexp(1, 40)}), {0}), {Dtype::i64, {1}}, {-std::ldexp(1, 40)});
  for (Dtype dtype : {Dtype::i64, Dtype::i32, Dtype::i16, Dtype::i8}) {
    expect(reduce(ReduceCode::max, array(dtype, {2}, {-128, -127}), {0}), {dtype, {1}}, {-127});
    expect(reduce(ReduceCode::min, array(dtype, {2}, {127, 126}), {0}), {dtype, {1}}, {126});
  }
}

// cases.md A 3
TEST(PortableReduce, NanWinsExtremes) {
  for (Dtype dtype : floats) {
    const Array x = array(dtype, {3}, {1, nan, 3});
    for (ReduceCode code : {ReduceCode::max, ReduceCode::min, ReduceCode::sum, ReduceCode::mean, ReduceCode::prod}) expect(reduce(code, x, {0}), {dtype, {1}}, {nan});
    for (ArgCode code : {ArgCode::max, ArgCode::min}) {
      expect(arg(code, x, 0), {Dtype::i64, {1}}, {1});
      expect(arg(code, array(dtype, {3}, {nan, 1, nan}), 0), {Dtype::i64, {1}}, {0});
      expect(arg_scan(code, array(dtype, {4}, {1, nan, 5, nan})), {Dtype::i64, {4}}, {0, 1, 1, 1});
      expect(arg_scan(code, array(dtype, {3}, {nan, nan, 5}), 0, true), {Dtype::i64, {3}}, {1, 1, 2});
    }
    expect(scan(ScanCode::max, array(dtype, {3}, {1, nan, 5})), {dtype, {3}}, {1, nan, nan});
    expect(scan(ScanCode::min, array(dtype, {3}, {1, nan, -5})), {dtype, {3}}, {1, nan, nan});
    expect(scan(ScanCode::sum, array(dtype, {3}, {1, nan, 2})), {dtype, {3}}, {1, nan, nan});
    for (std::size_t length : {4u, 600u}) {
      Numbers row(length, 1);
      row[length - 2] = nan;
      row[length - 1] = 9;
      expect(arg(ArgCode::max, array(dtype, {std::int64_t(length)}, row), 0), {Dtype::i64, {1}}, {double(length - 2)});
    }
    expect(arg(ArgCode::max, array(dtype, {3}, {2, 1, 2}), 0), {Dtype::i64, {1}}, {0});
    expect(arg(ArgCode::min, array(dtype, {3}, {2, 1, 1}), 0), {Dtype::i64, {1}}, {1});
  }
}

// cases.md A 4
TEST(PortableReduce, SortPutsNanLastAndIsStable) {
  for (Dtype dtype : floats) {
    const Array x = array(dtype, {4}, {nan, 1, -inf, 2});
    expect_sorted(x, 0, false, {-inf, 1, 2, nan}, {2, 1, 3, 0});
    expect_sorted(x, 0, true, {nan, 2, 1, -inf}, {0, 3, 1, 2});
    expect_top(array(dtype, {4}, {-1, nan, 2, 1}), 1, true, {1}, {nan}, {1});
    expect_top(array(dtype, {4}, {-1, nan, 2, 1}), 2, false, {2}, {-1, 1}, {0, 3});
    const Array ties = array(dtype, {4}, {2, 1, 2, 1});
    expect_sorted(ties, 0, false, {1, 1, 2, 2}, {1, 3, 0, 2});
    expect_sorted(ties, 0, true, {2, 2, 1, 1}, {0, 2, 1, 3});
    expect_top(ties, 3, true, {3}, {2, 2, 1}, {0, 2, 1});
    expect_top(ties, 3, false, {3}, {1, 1, 2}, {1, 3, 0});
    expect_sorted(array(dtype, {3}, {nan, inf, nan}), 0, false, {inf, nan, nan}, {1, 0, 2});
  }
  const Array negative = exact<float>({3}, {1, std::bit_cast<float>(0xffc00000u), float(inf)});
  expect_sorted(negative, 0, false, {1, inf, nan}, {0, 2, 1});
  // zeros of either sign are equal, and keep their places and bits
  const auto zeros = values(Portable::run(op::Sort{0, false}, {array({3}, {0.0, -0.0, -1})})[0]);
  EXPECT_FALSE(std::signbit(zeros[1]));
  EXPECT_TRUE(std::signbit(zeros[2]));
}

TEST(PortableReduce, SortsLongLanes) {
  // 0, 7, 14, ... modulo 1000 is a permutation; each value stands at place value * 143 mod 1000 (7 * 143 = 1001).
  Numbers x, sorted, places;
  for (int i = 0; i < 1000; ++i) x.push_back(i * 7 % 1000), sorted.push_back(i), places.push_back(i * 143 % 1000);
  expect_sorted(array(Dtype::i16, {1000}, x), 0, false, sorted, places);
  std::reverse(sorted.begin(), sorted.end());
  std::reverse(places.begin(), places.end());
  expect_sorted(array(Dtype::f64, {1000}, x), 0, true, sorted, places);
}

// cases.md A 5
TEST(PortableReduce, EmptyReductions) {
  const Array x = array({2, 0, 4}, {}), y = array({0, 4}, {});
  expect(reduce(ReduceCode::sum, x, {0, 1, 2}), {Dtype::f32, {1, 1, 1}}, {0});
  expect(reduce(ReduceCode::prod, x, {0, 1, 2}), {Dtype::f32, {1, 1, 1}}, {1});
  expect(reduce(ReduceCode::mean, x, {0, 1, 2}), {Dtype::f32, {1, 1, 1}}, {nan});
  expect(reduce(ReduceCode::sum, x, {1}), {Dtype::f32, {2, 1, 4}}, Numbers(8, 0));
  expect(reduce(ReduceCode::mean, x, {1}), {Dtype::f32, {2, 1, 4}}, Numbers(8, nan));
  expect(reduce(ReduceCode::any, mask({0}, {}), {0}), {Dtype::boolean, {1}}, {0});
  expect(reduce(ReduceCode::all, mask({0}, {}), {0}), {Dtype::boolean, {1}}, {1});
  expect(reduce(ReduceCode::sum, array(Dtype::u8, {0}, {}), {0}), {Dtype::i64, {1}}, {0});
  expect(reduce(ReduceCode::max, y, {1}), {Dtype::f32, {0, 1}}, {});
  expect(arg(ArgCode::max, y, 1), {Dtype::i64, {0, 1}}, {});
  for (const Axes& axes : {Axes{0}, Axes{0, 1}}) {
    const Error error = error_of([&] { reduce(ReduceCode::max, y, axes); });
    EXPECT_EQ(error.kind, ErrorKind::user);
    EXPECT_TRUE(contains(error.message, "axis 0")) << error.what();
  }
  EXPECT_TRUE(contains(error_of([&] { arg(ArgCode::min, y, 0); }).message, "axis 0"));
  expect(scan(ScanCode::sum, y, 0), {Dtype::f32, {0, 4}}, {});
  expect(arg_scan(ArgCode::max, y, 0), {Dtype::i64, {0, 4}}, {});
  expect_sorted(y, 0, false, {}, {});
  expect_top(y, 0, true, {0, 4}, {}, {});
  expect_top(array({3}, {1, 2, 3}), 0, true, {0}, {}, {});
}

// cases.md A 10
TEST(PortableReduce, SixteenBitFloatsAccumulateWide) {
  for (Dtype dtype : {Dtype::f16, Dtype::bf16}) {
    expect(reduce(ReduceCode::sum, repeated(dtype, 1, 4096), {0}), {dtype, {1}}, {4096});
    expect(reduce(ReduceCode::mean, repeated(dtype, 1, 70000), {0}), {dtype, {1}}, {1});
  }
  expect(reduce(ReduceCode::mean, repeated(Dtype::f16, 60000, 8), {0}), {Dtype::f16, {1}}, {60000});
  expect(reduce(ReduceCode::sum, repeated(Dtype::f16, 60000, 8), {0}), {Dtype::f16, {1}}, {inf});
  expect(reduce(ReduceCode::prod, array(Dtype::f16, {3}, {60000, 60000, 0x1p-20}), {0}), {Dtype::f16, {1}}, {3434});  // 3433.23, between 3432 and 3434
  const Numbers sums = values(scan(ScanCode::sum, repeated(Dtype::f16, 1, 4096)));
  EXPECT_EQ(sums[4095], 4096);
  EXPECT_EQ(sums[2049], 2050);
}

TEST(PortableReduce, SumsAreAccurate) {
  expect(reduce(ReduceCode::sum, repeated(Dtype::f32, 1, (1 << 24) + 2), {0}), {Dtype::f32, {1}}, {16777218});
  expect(reduce(ReduceCode::sum, array(Dtype::f64, {4}, {1, 1e100, 1, -1e100}), {0}), {Dtype::f64, {1}}, {2});
  expect(reduce(ReduceCode::sum, array(Dtype::f32, {4}, {1, std::ldexp(1, 100), 1, -std::ldexp(1, 100)}), {0}), {Dtype::f32, {1}}, {2});
  // 0.1 is 3602879701896397 / 2^55, and ten of them sum to 1 + 5 / 2^55..., nearest 1.
  expect(reduce(ReduceCode::sum, repeated(Dtype::f64, 0.1, 10), {0}), {Dtype::f64, {1}}, {1});
  expect(scan(ScanCode::sum, array(Dtype::f64, {4}, {1, 1e100, 1, -1e100})), {Dtype::f64, {4}}, {1, 1e100, 1e100, 2});
  for (Dtype dtype : {Dtype::f64, Dtype::f32}) {
    expect(reduce(ReduceCode::sum, array(dtype, {3}, {inf, 1, 2}), {0}), {dtype, {1}}, {inf});
    expect(reduce(ReduceCode::sum, array(dtype, {3}, {inf, 1, -inf}), {0}), {dtype, {1}}, {nan});
    expect(scan(ScanCode::sum, array(dtype, {3}, {1, -inf, 2})), {dtype, {3}}, {1, -inf, -inf});
  }
}

TEST(PortableReduce, LogCumulativeSums) {
  for (const Array& x : layouts(Dtype::f64, {4}, {0, 1, 2, 3}))
    expect(scan(ScanCode::logsumexp, x), {Dtype::f64, {4}},
           {0, std::log(1 + std::exp(1)), std::log(1 + std::exp(1) + std::exp(2)), std::log(1 + std::exp(1) + std::exp(2) + std::exp(3))}, 1e-14);
  for (Dtype dtype : {Dtype::f64, Dtype::f32}) {
    expect(scan(ScanCode::logsumexp, array(dtype, {3}, {1000, 1000, -1000})), {dtype, {3}}, {1000, 1000 + std::log(2), 1000 + std::log(2)}, 1e-7);
    expect(scan(ScanCode::logsumexp, array(dtype, {4}, {-inf, -inf, 1, nan})), {dtype, {4}}, {-inf, -inf, 1, nan});
    expect(scan(ScanCode::logsumexp, array(dtype, {2}, {inf, inf})), {dtype, {2}}, {inf, inf});
  }
}

TEST(PortableReduce, ReducesSeveralAxesAtOnce) {
  // numpy: arange(24).reshape(2, 3, 4).sum((0, 2)) = [60, 92, 124]
  for (const Array& x : layouts(Dtype::f32, {2, 3, 4}, counting({24}))) {
    expect(reduce(ReduceCode::sum, x, {2, 0}), {Dtype::f32, {1, 3, 1}}, {60, 92, 124});
    expect(reduce(ReduceCode::max, x, {-3, -1}), {Dtype::f32, {1, 3, 1}}, {15, 19, 23});
    expect(reduce(ReduceCode::mean, x, {0, 1, 2}), {Dtype::f32, {1, 1, 1}}, {11.5});
  }
  const Array stretched = run(op::Expand{{3, 2}}, array({3, 1}, {1, 2, 3}));
  expect(reduce(ReduceCode::sum, stretched, {1}), {Dtype::f32, {3, 1}}, {2, 4, 6});
  expect(reduce(ReduceCode::sum, array({}, {5}), {}), {Dtype::f32, {}}, {5});
}

TEST(PortableReduce, ScanOfEqualsKeepsTheEarliest) {
  expect(arg_scan(ArgCode::max, array({5}, {1, 3, 3, 2, 4})), {Dtype::i64, {5}}, {0, 1, 1, 1, 4});
  expect(arg_scan(ArgCode::min, array({4}, {2, 2, 1, 1})), {Dtype::i64, {4}}, {0, 0, 2, 2});
  // from the end the earliest met is the one with the higher index
  expect(arg_scan(ArgCode::max, array({4}, {3, 1, 3, 2}), 0, true), {Dtype::i64, {4}}, {2, 2, 2, 3});
}

}  // namespace
}  // namespace hearth::test
