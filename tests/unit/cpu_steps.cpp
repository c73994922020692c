// tests/unit/cpu_steps: SgdStep and AdamStep as Cpu runs them: the decomposition's numbers to the last bit, in place where it may be.
// SPDX-License-Identifier: Apache-2.0
#include "unit/cpu_claims.hpp"

namespace hearth::testing {
namespace {

/// `lists` lists of parameters of several shapes and layouts; lists from 3 on are squares, so not negative.
std::vector<Both> operands(int lists, Dtype dtype, Dtype moments, Look look, Numbers& numbers) {
  const Shape shapes[] = {{5}, {3, 700}, {}, {2, 3, 67}, {0, 3}, {40, 1500}};
  std::vector<Both> in;
  for (int list = 0; list < lists; ++list)
    for (const Shape& shape : shapes) {
      const bool plain = shape.empty() || shape[0] == 0;
      in.push_back(laid_out(plain ? Look::contiguous : look, list < 2 ? dtype : moments, shape, numbers, list < 3 ? -2 : 0, 2));
    }
  return in;
}
constexpr std::int64_t count = 6;

/// 16-bit parameters with f32 moments beside them too.
constexpr std::pair<Dtype, Dtype> dtypes[] = {{Dtype::f32, Dtype::f32}, {Dtype::f64, Dtype::f64}, {Dtype::f16, Dtype::f16}, {Dtype::bf16, Dtype::f32}};

template <class Op>
void expect_equal(const Op& op, const std::vector<Both>& in) {
  const auto out = composite(op, in);
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_TRUE(same(out[i])) << to_string(op) << ", result " << i;
}

TEST(CpuSteps, SgdEqualsTheDecomposition) {
  Numbers numbers(1);
  on_each_target([&] {
    for (const auto& [dtype, moments] : dtypes)
      for (Look look : {Look::contiguous, Look::permuted, Look::reversed})
        for (const op::SgdStep& op : {op::SgdStep{.count = count, .rate = 0.1}, op::SgdStep{.count = count, .rate = 0.1, .weight_decay = 0.01},
                                      op::SgdStep{.count = count, .rate = 0.1, .momentum = 0.9, .first = true},
                                      op::SgdStep{.count = count, .rate = 0.1, .momentum = 0.9, .dampening = 0.3, .weight_decay = 0.01},
                                      op::SgdStep{.count = count, .rate = 0.1, .momentum = 0.9, .weight_decay = 0.01, .nesterov = true}})
          expect_equal(op, operands(op.momentum != 0 ? 3 : 2, dtype, moments, look, numbers));
  });
}

TEST(CpuSteps, AdamEqualsTheDecomposition) {
  Numbers numbers(2);
  on_each_target([&] {
    for (const auto& [dtype, moments] : dtypes)
      for (Look look : {Look::contiguous, Look::permuted, Look::reversed})
        for (const op::AdamStep& op : {op::AdamStep{.count = count, .step = 1, .rate = 1e-3}, op::AdamStep{.count = count, .step = 7, .rate = 1e-3, .weight_decay = 0.1},
                                       op::AdamStep{.count = count, .step = 900, .rate = 1e-3, .beta1 = 0.8, .beta2 = 0.99, .epsilon = 1e-4, .weight_decay = 0.1, .decoupled = true}})
          expect_equal(op, operands(4, dtype, moments, look, numbers));
  });
}

// By hand, step 1: moments 0.1 g and 0.001 g g; corrected they are g and g g, so each parameter moves by the rate against g's sign.
TEST(CpuSteps, AdamByHand) {
  const auto values = [](std::vector<double> v) { return array<Cpu>({2}, v); };
  const auto out = hearth::apply<Cpu>(op::AdamStep{.count = 1, .step = 1, .rate = 0.5, .epsilon = 0}, {values({1, 2}), values({4, -2}), values({0, 0}), values({0, 0})});
  const auto p = values_of<double, Cpu>(out[0]), m = values_of<double, Cpu>(out[1]), v = values_of<double, Cpu>(out[2]);
  EXPECT_NEAR(p[0], 0.5, 1e-12);
  EXPECT_NEAR(p[1], 2.5, 1e-12);
  EXPECT_NEAR(m[0], 0.4, 1e-15);
  EXPECT_NEAR(v[1], 0.004, 1e-15);
}

TEST(CpuSteps, WriteOverWhatTheyOwnAndNothingElse) {
  const auto fresh = [](float value) { return array<Cpu, float>({3}, {value, value + 1, value + 2}); };
  std::vector<Cpu::Handle> in = {fresh(1), fresh(2), fresh(3), fresh(4)};
  const Cpu::Handle kept = in[2];
  const void *const parameter = in[0].get(), *const second = in[3].get();
  const auto before = bytes_of<Cpu>(kept);
  const auto out = hearth::apply<Cpu>(op::AdamStep{.count = 1, .rate = 0.1}, std::move(in));
  EXPECT_EQ(out[0].get(), parameter);
  EXPECT_EQ(out[2].get(), second);
  EXPECT_NE(out[1].get(), kept.get());
  EXPECT_EQ(bytes_of<Cpu>(kept), before);
  // One parameter in two places is written over in neither.
  const Cpu::Handle twice = fresh(5);
  const auto old = bytes_of<Cpu>(twice);
  const auto results = hearth::apply<Cpu>(op::SgdStep{.count = 2, .rate = 0.1}, {twice, twice, fresh(1), fresh(2)});
  EXPECT_EQ(bytes_of<Cpu>(twice), old);
  EXPECT_NE(bytes_of<Cpu>(results[0]), bytes_of<Cpu>(results[1]));
}

TEST(CpuSteps, ResultsDoNotDependOnThreads) {
  Numbers numbers(3);
  const std::vector<Both> in = operands(4, Dtype::f32, Dtype::f32, Look::contiguous, numbers);
  const auto step = [&] {
    std::vector<std::vector<std::byte>> results;
    for (const Cpu::Handle& handle : hearth::apply<Cpu>(op::AdamStep{.count = count, .rate = 0.01}, map_list(in, [](const Both& b) { return b.cpu; })))
      results.push_back(bytes_of<Cpu>(handle));
    return results;
  };
  same_on_threads(step);
}

TEST(CpuSteps, NoParameters) {
  EXPECT_TRUE(hearth::apply<Cpu>(op::SgdStep{.count = 0, .rate = 1}, {}).empty());
  EXPECT_TRUE(hearth::apply<Cpu>(op::AdamStep{.count = 0, .rate = 1}, {}).empty());
}

}  // namespace
}  // namespace hearth::testing
