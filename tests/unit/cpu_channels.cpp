// tests/unit/cpu_channels: BatchNorm in both modes and its gradient as Cpu runs them, against the decomposition.
// SPDX-License-Identifier: Apache-2.0
#include "unit/cpu_claims.hpp"

namespace hearth::testing {
namespace {

::testing::AssertionResult close(const Both& result, double factor) {
  const Dtype dtype = result.spec().dtype;
  return same(result, ulps_for(dtype) * factor, absolute_for(dtype) * factor);
}

TEST(CpuChannels, AllLayouts) {
  Numbers numbers(1);
  on_each_target([&] {
    for (Dtype dtype : float_dtypes)
      for (Look look : looks)
        for (const Shape& shape : {Shape{3, 5, 11}, Shape{2, 3, 4, 67}, Shape{2, 3, 2, 3, 40}})
          for (bool parameters : {true, false}) {
            const bool claimed = look != Look::empty;  // statistics of nothing are the decomposition's matter
            const Dtype wide = size_of(dtype) == 2 && shape.size() == 3 ? Dtype::f32 : dtype;
            const Both x = laid_out(look, dtype, shape, numbers, 3, 9), g = laid_out(look, dtype, shape, numbers, -1, 1);
            const Shape channels{shape[1]};
            Both scale, bias;
            const auto parameter = [&](double low, double high) { return laid_out(Look::stepped, wide, channels, numbers, low, high); };
            if (parameters) scale = parameter(-2, 2), bias = parameter(-2, 2);
            const Both mean = parameter(4, 7), variance = parameter(1, 3);
            const std::string what = std::string(name_of(look)) + " " + to_string(Spec{dtype, shape});
            EXPECT_TRUE(close(composite(op::BatchNorm{}, {x, scale, bias, mean, variance}, claimed)[0], 2)) << what;
            for (const Both& part : composite(op::BatchNormTraining{}, {x, scale, bias}, claimed)) EXPECT_TRUE(close(part, 2)) << what;
            for (const Both& part : composite(op::BatchNormGrad{}, {g, x, scale, mean, variance}, claimed)) EXPECT_TRUE(close(part, 8)) << what;
          }
  });
}

TEST(CpuChannels, TwoPassesKeepTheDigitsOfALargeMean) {
  std::vector<float> values(2 * 1 * 64);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1e4f + float(i % 2);
  const auto y = hearth::apply<Cpu>(op::BatchNormTraining{0.75}, {array<Cpu>({2, 1, 64}, values), {}, {}});
  EXPECT_EQ((values_of<float, Cpu>(y[1])), (std::vector<float>{10000.5f}));
  EXPECT_EQ((values_of<float, Cpu>(y[2])), (std::vector<float>{0.25f}));
  const auto normed = values_of<float, Cpu>(y[0]);
  for (std::size_t i = 0; i < normed.size(); ++i) EXPECT_EQ(normed[i], i % 2 ? 0.5f : -0.5f);
}

TEST(CpuChannels, NotANumberStaysInItsChannel) {
  std::vector<float> values(2 * 3 * 16, 1);
  values[16 + 5] = std::nanf("");
  const auto y = values_of<float, Cpu>(hearth::apply<Cpu>(op::BatchNormTraining{}, {array<Cpu>({2, 3, 16}, values), {}, {}})[0]);
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(std::isnan(y[i]), i / 16 % 3 == 1);
}

TEST(CpuChannels, ResultsDoNotDependOnThreads) {
  Numbers numbers(2);
  const Both x = laid_out(Look::contiguous, Dtype::f32, {50, 3, 40, 40}, numbers), g = laid_out(Look::contiguous, Dtype::f32, {50, 3, 40, 40}, numbers);
  const auto all = [&] {
    const auto y = hearth::apply<Cpu>(op::BatchNormTraining{}, {x.cpu, {}, {}});
    const auto dx = hearth::apply<Cpu>(op::BatchNormGrad{}, {g.cpu, x.cpu, {}, y[1], y[2]});
    std::vector<std::vector<std::byte>> results;
    for (const Cpu::Handle& handle : y) results.push_back(bytes_of<Cpu>(handle));
    for (const Cpu::Handle& handle : dx) results.push_back(bytes_of<Cpu>(handle));
    return results;
  };
  same_on_threads(all);
}

}  // namespace
}  // namespace hearth::testing
