// Gradients through the typed front, and values moved between stacks. Values by hand or from the reported cases.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "tensor_stacks.hpp"

namespace hearth::test {
namespace {

using namespace hearth::index;
using Floats = std::vector<float>;
using Ints = std::vector<std::int64_t>;

template <class B>
struct Gradient : testing::Test {};
TYPED_TEST_SUITE(Gradient, Recording);

template <class B, int R, class F>
Floats gradient(const Tensor<B, R>& x, F f) {
  const auto leaf = require_gradient(x);
  return gradient_of(leaf, backward(f(leaf))).to_vector();
}

TYPED_TEST(Gradient, Backward) {
  using B = TypeParam;
  const auto x = require_gradient(tensor<B>({1., 2., 3.})), y = tensor<B>({4., 5., 6.}), unused = require_gradient(tensor<B>({1.}));
  EXPECT_TRUE(requires_gradient(x));
  EXPECT_FALSE(requires_gradient(y));
  const auto gradients = backward((x * y + x * x).sum());
  const auto g = gradient_of(x, gradients);
  static_assert(std::is_same_v<std::remove_cv_t<decltype(g)>, Tensor<Inner<B>, 1>>);
  EXPECT_EQ(g.to_vector(), (Floats{6, 9, 12}));
  EXPECT_FALSE(find_gradient(unused, gradients).defined());
  expect_error([&] { (void)gradient_of(unused, gradients); }, "gradient_of: this tensor has no gradient");
  const auto loss = (x * x).sum();
  EXPECT_EQ(gradient_of(x, backward(loss, retain)).to_vector(), (Floats{2, 4, 6}));
  EXPECT_EQ(gradient_of(x, backward(loss)).to_vector(), (Floats{2, 4, 6}));
  expect_error([&] { (void)backward(loss); }, "retain");
  EXPECT_EQ(gradient_of(x, backward(x * x, tensor<B>({1., 0., 10.}))).to_vector(), (Floats{2, 0, 60}));
  EXPECT_EQ(gradient_of(x, backward((detach(x) * x).sum())).to_vector(), (Floats{1, 2, 3}));
  EXPECT_EQ(inner(x).to_vector(), (Floats{1, 2, 3}));
  EXPECT_FALSE(requires_gradient(from_inner(inner(x))));
  {
    const NoGrad none;
    EXPECT_FALSE(requires_gradient(x * x));
  }
  EXPECT_TRUE(requires_gradient(x * x));
  Floats seen;
  const auto h = x * 2;
  on_gradient(h, [&](const Tensor<Inner<B>, 1>& arriving) { seen = arriving.to_vector(); });
  on_gradient(x, [](const Tensor<Inner<B>, 1>& arriving) { return arriving * 100; });
  EXPECT_EQ(gradient_of(x, backward((h * h).sum())).to_vector(), (Floats{800, 1600, 2400}));
  EXPECT_EQ(seen, (Floats{4, 8, 12}));
  const auto leaf = require_gradient(y);
  const auto again = checkpoint([](const Tensor<B, 1>& a, const Tensor<B, 1>& b) { return a * a * b; }, leaf, y);
  EXPECT_EQ(again.to_vector(), (Floats{64, 125, 216}));
  EXPECT_EQ(gradient_of(leaf, backward(again.sum())).to_vector(), (Floats{32, 50, 72}));
}

TYPED_TEST(Gradient, InPlaceKeepsHistory) {
  using B = TypeParam;
  const auto x = require_gradient(tensor<B>({1., 2.}));
  auto y = x;
  y *= x;
  y += y;
  y -= 1;
  EXPECT_EQ(gradient_of(x, backward(y.sum())).to_vector(), (Floats{4, 8}));
  EXPECT_EQ(x.to_vector(), (Floats{1, 2}));
  auto z = zeros<B>({3});
  z.assign({s(1, 3)}, x * x);
  EXPECT_EQ(z.to_vector(), (Floats{0, 1, 4}));
  EXPECT_EQ(gradient_of(x, backward((z * tensor<B>({1., 10., 100.})).sum())).to_vector(), (Floats{20, 400}));
}

TYPED_TEST(Gradient, Views) {
  using B = TypeParam;
  const auto x = arange<B, Float>(6).reshape({2, 3});
  const auto w = tensor<B>({1., 10., 100., 1000.});
  EXPECT_EQ((gradient(x, [&](auto v) { return (v[{s(), s(1)}].flatten() * w).sum(); })), (Floats{0, 1, 10, 0, 100, 1000}));
  EXPECT_EQ((gradient(x, [&](auto v) { return (v(1, s(-1, end, -2)) * w[{s(0, 2)}]).sum(); })), (Floats{0, 0, 0, 10, 0, 1}));
  EXPECT_EQ((gradient(x, [](auto v) { return v.expand({2, 2, 3}).sum(); })), Floats(6, 2));
  EXPECT_EQ((gradient(x, [](auto v) { return v.tile({1, 2}).pad({{1, 1}}).roll(1, 0).sum(); })), Floats(6, 2));
  EXPECT_EQ((gradient(x, [](auto v) { return (v.transpose().tril() * 2).sum(); })), (Floats{2, 2, 2, 0, 2, 2}));
  EXPECT_EQ((gradient(x, [](auto v) { return concat({v, v}, 0).unfold(1, 2).sum(); })), (Floats{2, 4, 2, 2, 4, 2}));
  EXPECT_EQ((gradient(x, [](auto v) { return v.diagonal(1).sum() + v.split(2, 1)[1].sum(); })), (Floats{0, 1, 1, 0, 0, 2}));
  EXPECT_EQ((gradient(x, [](auto v) { return v[v > 2.5].sum() + v.masked_fill(v > 1, 0).sum(); })), (Floats{1, 1, 0, 1, 1, 1}));
}

TYPED_TEST(Gradient, IndexAndOrder) {
  using B = TypeParam;
  EXPECT_EQ((gradient(tensor<B>({.1}), [](auto v) { return (v.gather(0, tensor<B>({0, 0})) * tensor<B>({.2f, .3f})).sum(); })), (Floats{.5f}));
  EXPECT_EQ((gradient(zeros<B>({3, 2}), [](auto v) { return (v.take(tensor<B>({1, 1, 0})) * tensor<B>({{1., 1.}, {0., 0.}, {1., 1.}})).sum(); })),
            (Floats{1, 1, 1, 1, 0, 0}));
  EXPECT_EQ((gradient(zeros<B>({2, 3}), [](auto v) { return (v.index_select(1, tensor<B>({2, 2})) * tensor<B>({1., 10.})).sum(); })), (Floats{0, 0, 11, 0, 0, 11}));
  EXPECT_EQ((gradient(tensor<B>({3., 1., 2.}), [](auto v) { return (v.sort().values * tensor<B>({1., 10., 100.})).sum(); })), (Floats{100, 1, 10}));
  EXPECT_EQ((gradient(tensor<B>({3., 1., 2.}), [](auto v) { return v.topk(2).values.sum(); })), (Floats{1, 0, 1}));
  EXPECT_EQ((gradient(tensor<B>({1., 3., 2.}), [](auto v) { return (v.cummax(0).values * tensor<B>({1., 10., 100.})).sum(); })), (Floats{1, 110, 0}));
}

TYPED_TEST(Gradient, AtKinks) {
  using B = TypeParam;
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ((gradient(tensor<B>({0., 0.}), [](auto v) { return v.norm(); })), (Floats{0, 0}));
  EXPECT_EQ((gradient(tensor<B>({2., 2., 2.}), [](auto v) { return v.std(); })), (Floats{0, 0, 0}));
  EXPECT_EQ((gradient(tensor<B>({0., 0.}), [](auto v) { return v.norm(Order{3}); })), (Floats{0, 0}));
  expect_near(gradient(tensor<B>({3., 4.}), [](auto v) { return v.norm(); }), Floats{.6f, .8f}, 1e-6);
  expect_near(gradient(tensor<B>({1., 2., 4.}), [](auto v) { return v.var(); }), Floats{-4.f / 3, -1.f / 3, 5.f / 3}, 1e-6);
  EXPECT_EQ((gradient(tensor<B>({-inf, 1.f}), [](auto v) { return v.logsumexp(); })), (Floats{0, 1}));
  EXPECT_EQ((gradient(tensor<B>({-inf, -inf}), [](auto v) { return v.logsumexp(); })), (Floats{0, 0}));
  expect_near(gradient(tensor<B>({1000.f, 1000.f}), [](auto v) { return v.logsumexp(); }), Floats{.5f, .5f}, 1e-6);
  EXPECT_EQ((gradient(tensor<B>({-1., 0., 2.}), [](auto v) { return abs(v).sum(); })), (Floats{-1, 0, 1}));
  EXPECT_EQ((gradient(tensor<B>({2., -3., 0.}), [](auto v) { return pow(v, 0).sum(); })), (Floats{0, 0, 0}));
}

TYPED_TEST(Gradient, BetweenDevices) {
  using B = TypeParam;
  const auto x = require_gradient(tensor<B>({1., 2.}));
  const auto moved = (x * 3).to(device_number<B>(1));
  const auto g = gradient_of(x, backward((moved * moved).sum()));
  EXPECT_EQ(g.to_vector(), (Floats{18, 36}));
  EXPECT_TRUE(g.device() == device_number<B>(0));
}

template <class B>
struct Transfer : testing::Test {};
TYPED_TEST_SUITE(Transfer, Stacks);

TYPED_TEST(Transfer, BetweenStacks) {
  using B = TypeParam;
  using A = Autodiff<Inner<B>>;
  for (const auto& x : layouts(tensor<B>({{1.5, -2.}, {3., 1e-30}}))) {
    EXPECT_EQ(to_backend<A>(x).to_vector(), x.to_vector());
    EXPECT_EQ(to_backend<Inner<B>>(x).to_vector(), x.to_vector());
    EXPECT_EQ(to_backend<B>(x).to_vector(), x.to_vector());
    EXPECT_TRUE(to_backend<A>(x, device_number<A>(1)).device() == device_number<A>(1));
    EXPECT_EQ((DataFunctions<A>::write(DeviceOf<A>{}, x.spec(), Dtype::f64, x.template to_vector<double>().data()).spec()), x.spec());
  }
  EXPECT_EQ(to_backend<A>(tensor<B>({1, 2}, {}, Dtype::i16)).dtype(), Dtype::i16);
  EXPECT_EQ(to_backend<A>(tensor<B>({true})).to_vector(), std::vector<bool>{true});
  EXPECT_EQ(detach(tensor<B>({1., 2.})).to_vector(), (Floats{1, 2}));
  EXPECT_EQ(to_backend<Inner<B>>(tensor<B>({1, 2}, device_number<B>(1))).device(), device_number<B>(1));
}

}  // namespace
}  // namespace hearth::test
