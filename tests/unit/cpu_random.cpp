// tests/unit/cpu_random: Philox by vectors draws what the scalar formulas draw, on each instruction set; dropout equals its decomposition.
// SPDX-License-Identifier: Apache-2.0
#include "unit/cpu_claims.hpp"

namespace hearth::testing {
namespace {

Both drawn(const op::Random& op) { return {Cpu::make({}, op), Portable::make({}, op)}; }

/// Counters that pass 2^32 and 2^64 on the way.
constexpr std::uint64_t offsets[] = {0, 5, 0xffffff00u, 0xffffffffffffff00u};
constexpr std::uint64_t keys[] = {0, 0x123456789abcdefu, ~std::uint64_t(0)};

TEST(CpuRandom, IntegersAndUniformsAreTheSame) {
  on_each_target([&] {
    for (std::uint64_t offset : offsets)
      for (std::uint64_t key : keys)
        for (std::int64_t count : {0, 1, 15, 33, 1024, 3001})
          for (Dtype dtype : all_dtypes()) {
            const Spec spec{dtype, {count}};
            if (is_float(dtype)) {
              EXPECT_TRUE(same(drawn({spec, Distribution::uniform, 0.0, 1.0, key, offset})));
              EXPECT_TRUE(same(drawn({spec, Distribution::uniform, -1.0, 3.0, key, offset})));
              EXPECT_TRUE(same(drawn({spec, Distribution::uniform, 2.0, 2.0, key, offset})));
              // Few numbers lie between these: many draws round up to the end, which is outside.
              EXPECT_TRUE(same(drawn({spec, Distribution::uniform, 1.0, 1.0 + 0x1p-22, key, offset})));
            } else {
              EXPECT_TRUE(same(drawn({spec, Distribution::bits, 0, 1, key, offset})));
              if (is_integer(dtype)) {
                EXPECT_TRUE(same(drawn({spec, Distribution::integer, 3, 100, key, offset})));
              }
            }
          }
  });
}

TEST(CpuRandom, NormalsAgreeToTheLastPlaces) {
  on_each_target([&] {
    for (std::uint64_t offset : offsets)
      for (Dtype dtype : float_dtypes)
        for (std::int64_t count : {0, 1, 17, 5000}) {
          const double absolute = dtype == Dtype::f64 ? 1e-14 : 2e-6;
          EXPECT_TRUE(same(drawn({{dtype, {count}}, Distribution::normal, 0.0, 1.0, 7, offset}), dtype == Dtype::f16 || dtype == Dtype::bf16 ? 1 : 8, absolute));
          EXPECT_TRUE(same(drawn({{dtype, {count}}, Distribution::normal, 1.0, 2.0, 7, offset}), dtype == Dtype::f16 || dtype == Dtype::bf16 ? 1 : 8, 2 * absolute));
        }
  });
}

TEST(CpuRandom, NormalsHaveTheirMoments) {
  const auto x = values_of<float, Cpu>(Cpu::make({}, op::Random{{Dtype::f32, {1000000}}, Distribution::normal, 0.0, 1.0, 3, 0}));
  double sum = 0, squares = 0, fourths = 0;
  for (double v : x) sum += v, squares += v * v, fourths += v * v * v * v;
  EXPECT_NEAR(sum / 1e6, 0, 5e-3);
  EXPECT_NEAR(squares / 1e6, 1, 7e-3);
  EXPECT_NEAR(fourths / 1e6, 3, 5e-2);
}

TEST(CpuRandom, DropoutEqualsTheDecomposition) {
  Numbers numbers(1);
  on_each_target([&] {
    for (Dtype dtype : float_dtypes)
      for (Look look : looks)
        for (double p : {0.0, 0.2, 0.5, 1.0}) {
          const Both x = laid_out(look, dtype, {3, 700}, numbers, -4, 4, true);
          EXPECT_TRUE(same(composite(op::Dropout{p, 11, 0xfffffff0u}, {x})[0])) << name_of(look) << " " << p;
        }
  });
}

TEST(CpuRandom, AnElementDependsOnItsCounterAlone) {
  const auto draw = [](std::int64_t count, std::uint64_t offset) {
    return values_of<float, Cpu>(Cpu::make({}, op::Random{{Dtype::f32, {count}}, Distribution::normal, 0.0, 1.0, 9, offset}));
  };
  const auto one = same_on_threads([&] { return draw(100000, 0); });
  const auto part = draw(1000, 777);
  for (std::size_t i = 0; i < part.size(); ++i) EXPECT_EQ(part[i], one[i + 777]);
}

}  // namespace
}  // namespace hearth::testing
