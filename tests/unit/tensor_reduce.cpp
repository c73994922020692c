// Reductions, running reductions and order through the typed front. Values by hand, from NumPy, or from the reported cases.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "tensor_stacks.hpp"

namespace hearth::test {
namespace {

using Floats = std::vector<float>;
using Ints = std::vector<std::int64_t>;
using Bools = std::vector<bool>;
constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();

template <class B>
struct Reduce : testing::Test {};
TYPED_TEST_SUITE(Reduce, Stacks);

TYPED_TEST(Reduce, Forms) {
  using B = TypeParam;
  for (const auto& x : layouts(arange<B, Float>(24).reshape({2, 3, 4}))) {
    auto all = x.sum();
    static_assert(std::is_same_v<decltype(all), Tensor<B, 0>>);
    EXPECT_EQ(all.item(), 276);
    auto one = x.sum(1);
    static_assert(std::is_same_v<decltype(one), Tensor<B, 2>>);
    EXPECT_EQ(one.to_vector(), (Floats{12, 15, 18, 21, 48, 51, 54, 57}));
    auto two = x.sum({0, -1});
    static_assert(std::is_same_v<decltype(two), Tensor<B, 1>>);
    EXPECT_EQ(two.to_vector(), (Floats{60, 92, 124}));
    EXPECT_EQ(x.sum(1, keep).shape(), (Shape{2, 1, 4}));
    EXPECT_EQ(x.sum({0, 2}, keep).shape(), (Shape{1, 3, 1}));
    EXPECT_EQ(x.sum(Axes{0, 2}, keep).to_vector(), (Floats{60, 92, 124}));
    EXPECT_EQ(x.sum(keep).shape(), (Shape{1, 1, 1}));
    EXPECT_EQ(x.sum({0, 1, 2}).item(), 276);
    EXPECT_EQ(x.mean().item(), 11.5f);
    EXPECT_EQ(x.mean(-1).to_vector(), (Floats{1.5f, 5.5f, 9.5f, 13.5f, 17.5f, 21.5f}));
    EXPECT_EQ(x.max(0).to_vector(), (Floats{12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}));
    EXPECT_EQ(x.min({1, 2}).to_vector(), (Floats{0, 12}));
    EXPECT_EQ(x[0].prod(0).to_vector(), (Floats{0, 45, 120, 231}));
    expect_error([&] { (void)x.sum(3); }, "sum");
    expect_error([&] { (void)x.sum({1, 1}); }, "sum");
    expect_error([&] { (void)x.sum({1, -2}); }, "sum");
  }
  EXPECT_EQ(tensor<B>(3.).sum().item(), 3);
  EXPECT_EQ(tensor<B>(3.).sum(keep).item(), 3);
  EXPECT_EQ(tensor<B>(3.).max().item(), 3);
}

TYPED_TEST(Reduce, Kinds) {
  using B = TypeParam;
  const auto bytes = full<B, Int>({5000}, 1, {}, Dtype::u8);
  EXPECT_EQ(bytes.sum().dtype(), Dtype::i64);
  EXPECT_EQ(bytes.sum().item(), 5000);
  EXPECT_EQ((full<B, Int>({4}, 1 << 30, {}, Dtype::i32).sum().item()), 4294967296);
  EXPECT_EQ((arange<B>(100000, {}, Dtype::i32).sum().item()), 4999950000);
  EXPECT_EQ((full<B, Int>({5}, 100, {}, Dtype::u8).cumsum(0).to_vector()), (Ints{100, 200, 300, 400, 500}));
  EXPECT_EQ((full<B, Int>({2}, 1, {}, Dtype::u64).sum().dtype()), Dtype::u64);
  auto mean = tensor<B>({1, 2, 4}).mean();
  static_assert(std::is_same_v<decltype(mean), Tensor<B, 0, Float>>);
  EXPECT_FLOAT_EQ(mean.item(), 7.f / 3);
  EXPECT_EQ((full<B, Int>({1000}, 1000000007, {}, Dtype::i32).mean().item()), 1000000007.f);
  EXPECT_EQ(tensor<B>({{1, 2}, {3, 5}}).mean(1, keep).to_vector(), (Floats{1.5f, 4}));
  auto hits = tensor<B>({true, false, true, true});
  static_assert(std::is_same_v<decltype(hits.sum()), Tensor<B, 0, Int>>);
  static_assert(std::is_same_v<decltype(hits.mean()), Tensor<B, 0, Float>>);
  static_assert(std::is_same_v<decltype(hits.max()), Tensor<B, 0, Bool>>);
  EXPECT_EQ(hits.sum().item(), 3);
  EXPECT_EQ(hits.mean().item(), .75f);
  EXPECT_TRUE(hits.any().item());
  EXPECT_FALSE(hits.all().item());
  EXPECT_EQ(tensor<B>({{true, false}, {true, true}}).all(1).to_vector(), (Bools{false, true}));
  EXPECT_EQ(tensor<B>({{0., 2.}, {0., 0.}}).any(1).to_vector(), (Bools{true, false}));
  EXPECT_EQ(tensor<B>({{0, 2}, {1, -1}}).all(1).to_vector(), (Bools{false, true}));
  EXPECT_EQ((ones<B>({4096}, {}, Dtype::f16).sum().item()), 4096);
  EXPECT_EQ((ones<B>({70000}, {}, Dtype::f16).mean().item()), 1);
  EXPECT_EQ((full<B>({8}, 60000, {}, Dtype::f16).mean().item()), 60000);
}

TYPED_TEST(Reduce, Empty) {
  using B = TypeParam;
  const auto x = zeros<B>({2, 0, 4});
  EXPECT_EQ(x.sum().item(), 0);
  EXPECT_EQ(x.prod().item(), 1);
  EXPECT_TRUE(std::isnan(x.mean().item()));
  EXPECT_EQ(x.sum(1).to_vector(), Floats(8, 0));
  EXPECT_EQ(x.mean(1).shape(), (Shape{2, 4}));
  EXPECT_TRUE(std::isnan(x.mean(1).to_vector()[0]));
  EXPECT_TRUE(std::isnan((zeros<B, Int>({0}).mean().item())));
  EXPECT_FALSE((zeros<B, Bool>({0}).any().item()));
  EXPECT_TRUE((zeros<B, Bool>({0}).all().item()));
  const auto y = zeros<B>({0, 4});
  EXPECT_EQ(y.max(1).shape(), (Shape{0}));
  expect_error([&] { (void)y.max(0); }, "axis 0");
  expect_error([&] { (void)y.max(); }, "axis 0");
  expect_error([&] { (void)y.argmin(0); }, "axis 0");
  EXPECT_EQ(y.norm().item(), 0);
  EXPECT_EQ(y.norm(0, Order{inf}).to_vector(), Floats(4, 0));
  EXPECT_EQ(y.logsumexp().item(), -inf);
  EXPECT_TRUE(std::isnan(y.var().item()));
}

TYPED_TEST(Reduce, Extremes) {
  using B = TypeParam;
  EXPECT_EQ(tensor<B>({32768, 32767}).min().item(), 32767);
  EXPECT_EQ(tensor<B>({32768, 32767}).argmin().item(), 1);
  EXPECT_EQ(tensor<B>({-32768, -32767}).max().item(), -32767);
  EXPECT_EQ(tensor<B>({-inf, -inf}).max().item(), -inf);
  EXPECT_EQ(tensor<B>({-inf, -inf}).argmax().item(), 0);
  EXPECT_EQ(tensor<B>({-(std::int64_t(1) << 40)}).max().item(), -(std::int64_t(1) << 40));
  EXPECT_TRUE(std::isnan(tensor<B>({1.f, nan, 3.f}).max().item()));
  EXPECT_EQ(tensor<B>({1.f, nan, 3.f}).argmax().item(), 1);
  EXPECT_EQ(tensor<B>({nan, 1.f, nan}).argmax().item(), 0);
  EXPECT_EQ(tensor<B>({2, 1, 2}).argmax().item(), 0);
  EXPECT_EQ(tensor<B>({2, 1, 1}).argmin().item(), 1);
  const auto running = tensor<B>({1.f, nan, 5.f}).cummax(0);
  expect_near(running.values.to_vector(), Floats{1, nan, nan}, 0);
  EXPECT_EQ(running.indices.to_vector(), (Ints{0, 1, 1}));
  expect_near(tensor<B>({1.f, nan, 2.f}).cumsum(0).to_vector(), Floats{1, nan, nan}, 0);
  expect_near(maximum(tensor<B>({1.f, nan}), tensor<B>({nan, 2.f})).to_vector(), Floats{nan, nan}, 0);
  for (const auto& x : layouts(tensor<B>({{3, 9, 4}, {8, 2, 8}}))) {
    EXPECT_EQ(x.argmax().item(), 1);
    EXPECT_EQ(x.argmax(1).to_vector(), (Ints{1, 0}));
    EXPECT_EQ(x.argmin(0).to_vector(), (Ints{0, 1, 0}));
    EXPECT_EQ(x.argmax(-1, keep).shape(), (Shape{2, 1}));
    const auto [values, indices] = x.cummin(1);
    EXPECT_EQ(values.to_vector(), (Ints{3, 3, 3, 8, 2, 2}));
    EXPECT_EQ(indices.to_vector(), (Ints{0, 0, 0, 0, 1, 1}));
    EXPECT_EQ(x.cumsum(1).to_vector(), (Ints{3, 12, 16, 8, 10, 18}));
    EXPECT_EQ(x.cumsum(0).to_vector(), (Ints{3, 9, 4, 11, 11, 12}));
    EXPECT_EQ(x.cumsum(1, reversed).to_vector(), (Ints{16, 13, 4, 18, 10, 8}));
    EXPECT_EQ(x.cumprod(-1).to_vector(), (Ints{3, 27, 108, 8, 16, 128}));
  }
  expect_near(tensor<B>({0., 0., 1.}).logcumsumexp(0).to_vector(), Floats{0, 0.69314718f, 1.55144471f}, 1e-6);
}

TYPED_TEST(Reduce, Statistics) {
  using B = TypeParam;
  for (const auto& x : layouts(tensor<B>({{1., 2., 4., 9.}, {0., 0., 0., 0.}}))) {
    expect_near(x.var(1).to_vector(), Floats{12.6666667f, 0}, 1e-5);
    expect_near(x.var(1, Correction{0}).to_vector(), Floats{9.5f, 0}, 1e-5);
    expect_near(x.std(1, keep).to_vector(), Floats{3.55902608f, 0}, 1e-6);
    EXPECT_EQ(x.std({0, 1}, keep, Correction{0}).shape(), (Shape{1, 1}));
    expect_near(Floats{x.var().item()}, Floats{70.f / 7}, 1e-5);  // mean 2: 1 + 0 + 4 + 49 + 4 * 4 over 7
    expect_near(x.norm(1).to_vector(), Floats{10.0995049f, 0}, 1e-5);
    expect_near(x.norm(1, Order{1}).to_vector(), Floats{16, 0}, 0);
    expect_near(x.norm(1, Order{inf}).to_vector(), Floats{9, 0}, 0);
    expect_near(x.norm(1, Order{0}).to_vector(), Floats{4, 0}, 0);
    expect_near(x.norm(1, keep, Order{3}).to_vector(), Floats{9.29090721f, 0}, 1e-5);
    expect_near(Floats{x.norm().item()}, Floats{10.0995049f}, 1e-5);
  }
  // Far from 0 the naive formula loses everything.
  EXPECT_NEAR(tensor<B>({40000.f, 40001.f, 40002.f, 40003.f}).var().item(), 5. / 3, 1e-6);
  const auto halves = full<B>({4}, 300, {}, Dtype::f16);
  EXPECT_EQ(halves.norm().item(), 600);  // the squares pass f16's range
  EXPECT_EQ(halves.norm().dtype(), Dtype::f16);
  EXPECT_EQ(halves.var().item(), 0);
  EXPECT_TRUE(std::isnan(tensor<B>({1.}).var().item()));
  expect_error([] { (void)tensor<B>({1.}).norm(0, Order{-1}); }, "norm: the order");
  for (const auto& x : layouts(tensor<B>({{1., 2.}, {3., 4.}}))) expect_near(x.logsumexp(1).to_vector(), Floats{2.3132617f, 4.3132617f}, 1e-6);
  expect_near(tensor<B>({{-inf, -inf}, {-inf, 1.f}, {1000.f, 1000.f}, {inf, 1.f}}).logsumexp(1).to_vector(), Floats{-inf, 1, 1000.69318f, inf}, 1e-4);
  EXPECT_EQ(tensor<B>({{1., 2.}}).logsumexp(1, keep).shape(), (Shape{1, 1}));
  EXPECT_TRUE(std::isnan(tensor<B>({nan, 1.f}).logsumexp().item()));
}

TYPED_TEST(Reduce, Order) {
  using B = TypeParam;
  const auto [sorted, places] = tensor<B>({nan, 1.f, -inf, 2.f}).sort();
  expect_near(sorted.to_vector(), Floats{-inf, 1, 2, nan}, 0);
  EXPECT_EQ(places.to_vector(), (Ints{2, 1, 3, 0}));
  const auto best = tensor<B>({-1.f, nan, 2.f, 1.f}).topk(1);
  EXPECT_TRUE(std::isnan(best.values.item()));
  EXPECT_EQ(best.indices.item(), 1);
  const auto low = tensor<B>({-1.f, nan, 2.f, 1.f}).topk(2, 0, smallest);
  EXPECT_EQ(low.values.to_vector(), (Floats{-1, 1}));
  EXPECT_EQ(low.indices.to_vector(), (Ints{0, 3}));
  EXPECT_EQ(tensor<B>({2, 1, 2, 1}).argsort().to_vector(), (Ints{1, 3, 0, 2}));
  EXPECT_EQ(tensor<B>({2, 1, 2, 1}).argsort(0, descending).to_vector(), (Ints{0, 2, 1, 3}));
  for (const auto& x : layouts(tensor<B>({{3, 9, 4}, {8, 2, 8}}))) {
    EXPECT_EQ(x.sort(1).values.to_vector(), (Ints{3, 4, 9, 2, 8, 8}));
    EXPECT_EQ(x.sort(0, descending).values.to_vector(), (Ints{8, 9, 8, 3, 2, 4}));
    EXPECT_EQ(x.topk(2).values.to_vector(), (Ints{9, 4, 8, 8}));
    EXPECT_EQ(x.topk(2).indices.to_vector(), (Ints{1, 2, 0, 2}));
    EXPECT_EQ(x.topk(1, 0).values.to_vector(), (Ints{8, 9, 8}));
    expect_error([&] { (void)x.topk(4); }, "topk");
  }
}

}  // namespace
}  // namespace hearth::test
