// Generators: what is drawn depends on seed and counter alone. The words themselves are those of op/philox.hpp.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "hearth/op/philox.hpp"
#include "tensor_stacks.hpp"

namespace hearth::test {
namespace {

using Floats = std::vector<float>;
using Ints = std::vector<std::int64_t>;

template <class B>
struct Random : testing::Test {};
TYPED_TEST_SUITE(Random, Stacks);

TYPED_TEST(Random, SeedAndCounterDecide) {
  using B = TypeParam;
  Generator g{42};
  const auto a = rand<B>({2, 3}, {}, g);
  EXPECT_EQ(g.counter, 6u);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(a.to_vector()[std::size_t(i)], uniform_float(philox(42, std::uint64_t(i))[0]));
  const Generator saved = g;
  const auto b = rand<B>({4}, {}, g);
  EXPECT_EQ(b.to_vector()[0], uniform_float(philox(42, 6)[0])) << "the next call goes on behind the range of the one before";
  g = saved;
  EXPECT_EQ(rand<B>({4}, {}, g).to_vector(), b.to_vector());
}

TYPED_TEST(Random, DefaultGenerator) {
  using B = TypeParam;
  manual_seed<B>(7);
  const auto a = randn<B>({5}).to_vector();
  const Generator later = default_generator<B>();
  EXPECT_EQ(later.seed, 7u);
  EXPECT_EQ(later.counter, 5u);
  const auto b = randn<B>({5}).to_vector();
  EXPECT_NE(a, b);
  manual_seed<B>(7);
  EXPECT_EQ(randn<B>({5}).to_vector(), a);
  set_default_generator<B>(later);
  EXPECT_EQ(randn<B>({5}).to_vector(), b);
  // Each device has its own; stacks over one backend share it.
  manual_seed<B>(7);
  if constexpr (SeveralDevices<B>) {
    const DeviceOf<B> other{1};
    manual_seed<B>(7, other);
    EXPECT_EQ(randn<B>({5}, other).to_vector(), a);
  }
  EXPECT_EQ(default_generator<B>().counter, 0u);
  EXPECT_EQ(randn<Inner<B>>({5}).to_vector(), a);
  EXPECT_EQ(default_generator<B>().counter, 5u);
}

TYPED_TEST(Random, Distributions) {
  using B = TypeParam;
  Generator g{1};
  const auto moments = [](const auto& x) {
    double mean = 0, square = 0;
    for (double v : x) mean += v;
    mean /= double(x.size());
    for (double v : x) square += (v - mean) * (v - mean);
    return std::array<double, 2>{mean, std::sqrt(square / double(x.size()))};
  };
  const auto u = uniform<B>({20000}, -1, 3, {}, g).to_vector();
  for (float v : u) EXPECT_TRUE(v >= -1 && v < 3);
  EXPECT_NEAR(moments(u)[0], 1, .03);
  EXPECT_NEAR(moments(u)[1], 4 / std::sqrt(12.), .03);
  const auto n = normal<B>({20000}, 5, 2, {}, g).to_vector();
  EXPECT_NEAR(moments(n)[0], 5, .06);
  EXPECT_NEAR(moments(n)[1], 2, .05);
  const auto i = randint<B>({20000}, -3, 4, {}, g).to_vector();
  for (auto v : i) EXPECT_TRUE(v >= -3 && v < 4);
  EXPECT_NEAR(moments(i)[0], 0, .06);
  EXPECT_EQ((randint<B>({3}, 0, 9, {}, g, Dtype::u8).dtype()), Dtype::u8);
  const auto b = bernoulli<B>({20000}, .3, {}, g).to_vector();
  for (float v : b) EXPECT_TRUE(v == 0 || v == 1);
  EXPECT_NEAR(moments(b)[0], .3, .02);
  EXPECT_EQ((bernoulli<B, Bool>({3}, 1, {}, g).to_vector()), (std::vector<bool>{true, true, true}));
  EXPECT_EQ((bernoulli<B, Int>({3}, 0, {}, g).to_vector()), (Ints{0, 0, 0}));
  expect_error([&] { (void)bernoulli<B>({3}, 1.5, {}, g); }, "bernoulli: the probability 1.5 is not in [0, 1]");
  auto order = randperm<B>(1000, {}, g).to_vector();
  EXPECT_NE(order, (arange<B>(1000).to_vector()));
  EXPECT_EQ(tensor<B>(order).sort().values.to_vector(), arange<B>(1000).to_vector());
  EXPECT_EQ((rand<B>({3}, {}, g, Dtype::f64).dtype()), Dtype::f64);
  EXPECT_EQ((rand<B, 2>(Shape{2, 1}, {}, g).shape()), (Shape{2, 1}));
  EXPECT_EQ(rand_like(zeros<B>({2, 2}, {}, Dtype::f16), g).dtype(), Dtype::f16);
  EXPECT_EQ(randn_like(zeros<B>({2, 2}), g).shape(), (Shape{2, 2}));
  const auto counter = g.counter;
  expect_error([&] { (void)rand<B>({-1}, {}, g); }, "");
  EXPECT_EQ(g.counter, counter) << "a call that fails takes no numbers";
}

}  // namespace
}  // namespace hearth::test
