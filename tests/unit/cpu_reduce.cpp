// tests/unit/cpu_reduce: reductions, scans and orders of Cpu: hand values, and Portable over codes, dtypes and layouts.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/op/formula.hpp"
#include "unit/cpu_support.hpp"

namespace hearth::testing {
namespace {

constexpr ReduceCode reduce_codes[] = {ReduceCode::sum, ReduceCode::mean, ReduceCode::prod, ReduceCode::max, ReduceCode::min, ReduceCode::any, ReduceCode::all};
constexpr ScanCode scan_codes[] = {ScanCode::sum, ScanCode::prod, ScanCode::max, ScanCode::min, ScanCode::logsumexp};
const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();

template <class T>
Cpu::Handle list(std::vector<T> values) {
  return array<Cpu, T>({std::int64_t(values.size())}, values);
}
Cpu::Handle reduce(ReduceCode code, const Cpu::Handle& x, const Axes& axes) { return Cpu::run(op::Reduce{code, axes}, {x})[0]; }

/// Sums and products of floats are joined in another order than Portable's, and f32 in trees of 16 before f64 takes over.
double ulps(ReduceCode code, Dtype dtype) {
  if (code == ReduceCode::prod) return dtype == Dtype::f64 ? 100 : 1;
  return code == ReduceCode::sum || code == ReduceCode::mean ? 1 : 0;
}
/// What `count` elements of size 4 may cancel down to.
double slack(ReduceCode code, Dtype dtype, std::int64_t count) {
  if (code != ReduceCode::sum && code != ReduceCode::mean) return 0;
  return std::sqrt(double(count)) * (dtype == Dtype::f64 ? 100 * 0x1p-53 : 8 * 0x1p-24);
}

TEST(CpuReduce, IntegerSumsWiden) {  // cases.md A1
  EXPECT_EQ((values_of<std::int64_t, Cpu>(reduce(ReduceCode::sum, list(std::vector<std::uint8_t>(5000, 1)), {0}))[0]), 5000);
  EXPECT_EQ((values_of<std::int64_t, Cpu>(reduce(ReduceCode::sum, list(std::vector<std::int32_t>(4, 1 << 30)), {0}))[0]), 4294967296);
  const Cpu::Handle counted = Cpu::make({}, op::Iota{{Dtype::i32, {100000}}, 0, 0, 1});
  EXPECT_EQ((values_of<std::int64_t, Cpu>(reduce(ReduceCode::sum, counted, {0}))[0]), 4999950000);
  EXPECT_EQ((values_of<std::int64_t, Cpu>(Cpu::run(op::Scan{ScanCode::sum, 0, false}, {list(std::vector<std::uint8_t>(5, 100))})[0])),
            (std::vector<std::int64_t>{100, 200, 300, 400, 500}));
}

TEST(CpuReduce, ExtremesStartFromTheFirstElement) {  // cases.md A2
  const auto place = [](ArgCode code, const Cpu::Handle& x) { return values_of<std::int64_t, Cpu>(Cpu::run(op::ArgReduce{code, 0}, {x})[0])[0]; };
  EXPECT_EQ((values_of<float, Cpu>(reduce(ReduceCode::min, list<float>({32768, 32767}), {0}))[0]), 32767);
  EXPECT_EQ(place(ArgCode::min, list<float>({32768, 32767})), 1);
  EXPECT_EQ((values_of<float, Cpu>(reduce(ReduceCode::max, list<float>({-32768, -32767}), {0}))[0]), -32767);
  EXPECT_EQ(place(ArgCode::max, list<float>({-32768, -32767})), 1);
  EXPECT_EQ((values_of<float, Cpu>(reduce(ReduceCode::max, list<float>({-inf, -inf}), {0}))[0]), -inf);
  EXPECT_EQ(place(ArgCode::max, list<float>({-inf, -inf})), 0);
  EXPECT_EQ((values_of<std::int64_t, Cpu>(reduce(ReduceCode::max, list<std::int64_t>({-(std::int64_t(1) << 40)}), {0}))[0]), -(std::int64_t(1) << 40));
}

TEST(CpuReduce, NanWins) {  // cases.md A3
  const auto place = [](ArgCode code, const Cpu::Handle& x) { return values_of<std::int64_t, Cpu>(Cpu::run(op::ArgReduce{code, 0}, {x})[0])[0]; };
  EXPECT_TRUE(std::isnan(values_of<float, Cpu>(reduce(ReduceCode::max, list<float>({1, nan, 3}), {0}))[0]));
  EXPECT_EQ(place(ArgCode::max, list<float>({1, nan, 3})), 1);
  EXPECT_EQ(place(ArgCode::max, list<float>({nan, 1, nan})), 0);
  for (std::size_t length : {4u, 600u, 5000u})
    for (std::size_t at : {0u, 1u, 3u}) {
      std::vector<float> values(length, 2);
      values[at] = nan;
      values[length - 1] = nan;
      EXPECT_TRUE(std::isnan(values_of<float, Cpu>(reduce(ReduceCode::min, list(values), {0}))[0]));
      EXPECT_EQ(place(ArgCode::min, list(values)), std::int64_t(at));
    }
  const auto running = values_of<float, Cpu>(Cpu::run(op::Scan{ScanCode::max, 0, false}, {list<float>({1, nan, 5})})[0]);
  EXPECT_TRUE(running[0] == 1 && std::isnan(running[1]) && std::isnan(running[2]));
  EXPECT_EQ((values_of<std::int64_t, Cpu>(Cpu::run(op::ArgScan{ArgCode::max, 0, false}, {list<float>({1, nan, 5})})[0])), (std::vector<std::int64_t>{0, 1, 1}));
  const auto sums = values_of<float, Cpu>(Cpu::run(op::Scan{ScanCode::sum, 0, false}, {list<float>({1, nan, 2})})[0]);
  EXPECT_TRUE(sums[0] == 1 && std::isnan(sums[1]) && std::isnan(sums[2]));
  EXPECT_EQ(place(ArgCode::max, list<float>({2, 1, 2})), 0);
  EXPECT_EQ(place(ArgCode::min, list<float>({2, 1, 1})), 1);
}

TEST(CpuReduce, SortPutsNanLast) {  // cases.md A4
  const float negative_nan = std::bit_cast<float>(0xffc00000u);
  const auto sorted = Cpu::run(op::Sort{0, false}, {list<float>({negative_nan, 1, -inf, 2})});
  const auto values = values_of<float, Cpu>(sorted[0]);
  EXPECT_TRUE(values[0] == -inf && values[1] == 1 && values[2] == 2 && std::isnan(values[3]));
  EXPECT_EQ((values_of<std::int64_t, Cpu>(sorted[1])), (std::vector<std::int64_t>{2, 1, 3, 0}));
  const auto top = Cpu::run(op::TopK{0, 1, true}, {list<float>({-1, nan, 2, 1})});
  EXPECT_TRUE(std::isnan(values_of<float, Cpu>(top[0])[0]));
  EXPECT_EQ((values_of<std::int64_t, Cpu>(top[1])[0]), 1);
  const auto low = Cpu::run(op::TopK{0, 2, false}, {list<float>({-1, nan, 2, 1})});
  EXPECT_EQ((values_of<float, Cpu>(low[0])), (std::vector<float>{-1, 1}));
  EXPECT_EQ((values_of<std::int64_t, Cpu>(low[1])), (std::vector<std::int64_t>{0, 3}));
  EXPECT_EQ((values_of<std::int64_t, Cpu>(Cpu::run(op::Sort{0, false}, {list<float>({2, 1, 2, 1})})[1])), (std::vector<std::int64_t>{1, 3, 0, 2}));
  EXPECT_EQ((values_of<std::int64_t, Cpu>(Cpu::run(op::Sort{0, true}, {list<float>({2, 1, 2, 1})})[1])), (std::vector<std::int64_t>{0, 2, 1, 3}));
  // -0 and 0 are equal: their order and their signs stay.
  const auto zeros = values_of<float, Cpu>(Cpu::run(op::Sort{0, false}, {list<float>({0.f, -0.f, 0.f})})[0]);
  EXPECT_TRUE(!std::signbit(zeros[0]) && std::signbit(zeros[1]) && !std::signbit(zeros[2]));
}

TEST(CpuReduce, EmptyReductions) {  // cases.md A5
  const Cpu::Handle x = array<Cpu, float>({2, 0, 4}, {});
  EXPECT_EQ((values_of<float, Cpu>(reduce(ReduceCode::sum, x, {0, 1, 2}))), (std::vector<float>{0}));
  EXPECT_EQ((values_of<float, Cpu>(reduce(ReduceCode::prod, x, {0, 1, 2}))), (std::vector<float>{1}));
  EXPECT_TRUE(std::isnan(values_of<float, Cpu>(reduce(ReduceCode::mean, x, {0, 1, 2}))[0]));
  EXPECT_EQ((values_of<float, Cpu>(reduce(ReduceCode::sum, x, {1}))), std::vector<float>(8, 0));
  for (float v : values_of<float, Cpu>(reduce(ReduceCode::mean, x, {1}))) EXPECT_TRUE(std::isnan(v));
  const Cpu::Handle y = array<Cpu, float>({0, 4}, {});
  EXPECT_EQ(Cpu::spec(reduce(ReduceCode::max, y, {1})).shape, (Shape{0, 1}));
  EXPECT_EQ(error_of([&] { reduce(ReduceCode::max, y, {0}); }).kind, ErrorKind::user);
}

TEST(CpuReduce, SixteenBitFloatsAccumulateWide) {  // cases.md A10
  const auto half = [](std::int64_t count, double value) { return Cpu::make({}, op::Full{{Dtype::f16, {count}}, value}); };
  EXPECT_EQ(float(values_of<Half, Cpu>(reduce(ReduceCode::sum, half(4096, 1), {0}))[0]), 4096);
  EXPECT_EQ(float(values_of<Half, Cpu>(reduce(ReduceCode::mean, half(70000, 1), {0}))[0]), 1);
  EXPECT_EQ(float(values_of<Half, Cpu>(reduce(ReduceCode::mean, half(8, 60000), {0}))[0]), 60000);
}

TEST(CpuReduce, SumsOfFloatsAreAccurate) {
  // 0.1f a million times: naive f32 summation is off by 1%.
  const Cpu::Handle x = Cpu::make({}, op::Full{{Dtype::f32, {1000, 1000}}, 0.1f});
  const float want = float(double(0.1f) * 1e6);
  EXPECT_EQ((values_of<float, Cpu>(reduce(ReduceCode::sum, x, {0, 1}))[0]), want);
  for (const Axes& axes : {Axes{0}, Axes{1}})
    for (float v : values_of<float, Cpu>(reduce(ReduceCode::sum, x, axes))) EXPECT_EQ(v, float(double(0.1f) * 1000));
}

TEST(CpuReduce, EqualsPortableOverLayouts) {
  Numbers numbers(21);
  const Axes axes[] = {{0}, {1}, {2}, {0, 1}, {1, 2}, {0, 2}, {0, 1, 2}, {}, {-1}};
  for (ReduceCode code : reduce_codes)
    for (Dtype dtype : all_dtypes()) {
      if (!(kinds_of(code) & kinds_of(dtype))) continue;
      for (Look look : looks)
        for (const Axes& over : axes) {
          const bool first = look == Look::empty && (code == ReduceCode::max || code == ReduceCode::min);
          bool zero = false;
          for (int axis : over) zero |= axis == 0;
          if (first && zero) continue;
          const bool product = code == ReduceCode::prod;
          const Both x = laid_out(look, dtype, {5, 3, 37}, numbers, product ? 0.8 : -4, product ? 1.3 : 4, ulps(code, dtype) == 0);
          EXPECT_TRUE(same(run(op::Reduce{code, over}, x), ulps(code, dtype), slack(code, dtype, 555))) << int(code) << " " << name_of(look) << to_string(over);
        }
    }
}

TEST(CpuReduce, EqualsPortableOnLargeArrays) {
  Numbers numbers(22);
  const std::pair<Shape, Axes> cases[] = {{{300000}, {0}}, {{3, 100000}, {1}}, {{100000, 3}, {0}}, {{100000, 3}, {1}}, {{70, 2000}, {0}}, {{2000, 70}, {0}},
                                          {{4, 6, 5000}, {0, 2}}, {{4, 5000, 6}, {0, 2}}, {{2000, 65}, {1}}, {{200000, 1}, {0}}, {{9, 2, 9, 700}, {1, 3}}};
  for (const auto& [shape, axes] : cases)
    for (Dtype dtype : {Dtype::f32, Dtype::f64, Dtype::bf16, Dtype::i8, Dtype::u64})
      for (ReduceCode code : {ReduceCode::sum, ReduceCode::max}) {
        for (Look look : {Look::contiguous, Look::permuted, Look::reversed}) {
          const Both x = laid_out(look, dtype, shape, numbers, -4, 4);
          EXPECT_TRUE(same(run(op::Reduce{code, axes}, x), ulps(code, dtype), slack(code, dtype, element_count(shape))))
              << int(code) << to_string(x.spec()) << to_string(axes) << name_of(look);
        }
      }
}

TEST(CpuReduce, DoesNotDependOnThreads) {
  Numbers numbers(23);
  const int before = Cpu::threads();
  for (const auto& [shape, axes] : std::vector<std::pair<Shape, Axes>>{{{1000003}, {0}}, {{5000, 300}, {0}}, {{300, 5000}, {1}}}) {
    const Spec spec{Dtype::f32, shape};
    const Cpu::Handle x = upload<Cpu>(spec, random_bytes(spec, numbers, -1, 1, false));
    Cpu::set_threads(1);
    const auto one = bytes_of<Cpu>(reduce(ReduceCode::sum, x, axes));
    Cpu::set_threads(4);
    EXPECT_EQ(one, bytes_of<Cpu>(reduce(ReduceCode::sum, x, axes)));
  }
  Cpu::set_threads(before);
}

TEST(CpuReduce, ScansEqualPortable) {
  Numbers numbers(24);
  for (ScanCode code : scan_codes)
    for (Dtype dtype : all_dtypes()) {
      if (!(kinds_of(code) & kinds_of(dtype))) continue;
      for (Look look : looks)
        for (int axis : {0, 1, -1})
          for (bool reverse : {false, true}) {
            const bool product = code == ScanCode::prod;
            const Both x = laid_out(look, dtype, {4, 150, 7}, numbers, product ? 0.9 : -4, product ? 1.1 : 4, code == ScanCode::max || code == ScanCode::min);
            EXPECT_TRUE(same(run(op::Scan{code, axis, reverse}, x), product ? 2 : 1, dtype == Dtype::f64 ? 1e-12 : 1e-7)) << int(code) << name_of(look) << axis;
          }
    }
}

TEST(CpuReduce, PlacesOfExtremesEqualPortable) {
  Numbers numbers(25);
  for (Dtype dtype : all_dtypes())
    for (Look look : looks)
      for (int axis : {1, 2})
        for (ArgCode code : {ArgCode::max, ArgCode::min}) {
          const Both x = laid_out(look, dtype, {4, 9, 1500}, numbers, -60, 60, numbers.below(2) == 0);
          EXPECT_TRUE(same(run(op::ArgReduce{code, axis}, x))) << name_of(look) << axis;
          EXPECT_TRUE(same(run(op::ArgScan{code, axis, axis == 1}, x))) << name_of(look) << axis;
        }
}

TEST(CpuReduce, OrdersEqualPortable) {
  Numbers numbers(26);
  for (Dtype dtype : all_dtypes())
    for (Look look : looks)
      for (int axis : {0, 1, -1})
        for (bool flag : {false, true}) {
          const Both x = laid_out(look, dtype, {6, 5, 40}, numbers, -9, 9, numbers.below(2) == 0);
          for (const Both& result : run(op::Sort{axis, flag}, x)) EXPECT_TRUE(same(result)) << name_of(look) << axis;
          const std::int64_t k = std::min<std::int64_t>(3, x.spec().shape[axis]);
          for (const Both& result : run(op::TopK{axis, k, flag}, x)) EXPECT_TRUE(same(result)) << name_of(look) << axis;
        }
}

TEST(CpuReduce, LongSortsEqualPortable) {
  Numbers numbers(27);
  for (Dtype dtype : {Dtype::f32, Dtype::f64, Dtype::f16, Dtype::i64, Dtype::i32, Dtype::u8})
    for (bool descending : {false, true}) {
      const Both x = laid_out(Look::contiguous, dtype, {2, 5000}, numbers, -1e9, 1e9, true);
      for (const Both& result : run(op::Sort{1, descending}, x)) EXPECT_TRUE(same(result));
      for (const Both& result : run(op::TopK{1, 1200, descending}, x)) EXPECT_TRUE(same(result));
    }
}

}  // namespace
}  // namespace hearth::testing
