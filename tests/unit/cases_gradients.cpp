// unit/cases_gradients: reported cases of gradients (22 to 27), on every stack that records and through every layout. Values by hand,
// from PyTorch, or differences of the function itself.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <tuple>

#include "hearth/nn/loss.hpp"
#include "tensor_stacks.hpp"

namespace hearth::test {
namespace {

using Floats = std::vector<float>;
constexpr float inf = std::numeric_limits<float>::infinity();

template <class B>
struct CasesOfGradients : testing::Test {};
TYPED_TEST_SUITE(CasesOfGradients, Recording);

/// The gradient of sum(f(x)) is `want`, in whatever layout x is.
template <class B, int R, class F>
void expect_gradient(const Tensor<B, R>& x, const F& f, const Floats& want, double tolerance = 1e-6) {
  for (const auto& view : layouts(x)) {
    const auto leaf = require_gradient(view);
    const auto gradient = find_gradient(leaf, backward(f(leaf).sum()));
    ASSERT_TRUE(gradient.defined());
    expect_near(gradient.to_vector(), want, tolerance);
  }
}

/// f(inputs...) is a number; the gradient of every input is there and is what small steps of the input give. Inputs are f64.
template <class B, class F, int... R>
void expect_differences(const F& f, const Tensor<B, R>&... inputs) {
  const std::tuple<Tensor<B, R>...> leaves{require_gradient(inputs)...};
  const auto gradients = std::apply([&](const auto&... x) { return backward(f(x...)); }, leaves);
  const auto one = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
    const auto& leaf = std::get<I>(leaves);
    const auto found = find_gradient(leaf, gradients);
    ASSERT_TRUE(found.defined()) << "input " << I;
    const auto slope = found.template to_vector<double>();
    const auto values = leaf.template to_vector<double>();
    const auto at = [&](std::size_t i, double step) {
      auto moved = values;
      moved[i] += step;
      auto all = leaves;
      std::get<I>(all) = tensor<B>(moved, {}, Dtype::f64).template reshape<std::remove_cvref_t<decltype(leaf)>::rank>(leaf.shape());
      return std::apply([&](const auto&... x) { return f(x...).template item<double>(); }, all);
    };
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(slope[i], (at(i, 1e-5) - at(i, -1e-5)) / 2e-5, 1e-7) << "input " << I << ", element " << i;
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) { (one(std::integral_constant<std::size_t, I>{}), ...); }(std::make_index_sequence<sizeof...(R)>{});
}

// 22: burn PR#2249, PR#5692, pytorch#6394.
TYPED_TEST(CasesOfGradients, AtZero) {
  using B = TypeParam;
  expect_gradient(tensor<B>({-1., 0., 2.}), [](auto x) { return abs(x); }, {-1, 0, 1});
  expect_gradient(tensor<B>({2., -3., 0.}), [](auto x) { return pow(x, 0); }, {0, 0, 0});
  expect_gradient(tensor<B>({0.}), [](auto x) { return pow(x, 2); }, {0});
  expect_gradient(tensor<B>({0., 0.}), [](auto x) { return x.norm(); }, {0, 0});
  expect_gradient(tensor<B>({0.}), [](auto x) { return sqrt(x); }, {inf});
  expect_gradient(tensor<B>({0., 1., -1.}), [](auto x) { return relu(x); }, {0, 1, 0});
  expect_gradient(tensor<B>({3.}), [](auto e) { return pow(2, e); }, {5.5451774f});
  expect_gradient(tensor<B>({3.}), [](auto e) { return pow(tensor<B>(2.), e); }, {5.5451774f});
  expect_gradient(tensor<B>({2.}), [](auto e) { return pow(0, e); }, {0});
  expect_gradient(tensor<B>({2., 2., 2.}), [](auto x) { return x.std(); }, {0, 0, 0});
}

// 24: burn#1139.
TYPED_TEST(CasesOfGradients, Saturated) {
  using B = TypeParam;
  for (const auto& x : layouts(tensor<B>({-90., 90., 0.}))) {
    const auto leaf = require_gradient(x);
    const auto slope = gradient_of(leaf, backward(sigmoid(leaf).sum())).to_vector();
    EXPECT_TRUE(slope[0] >= 0 && slope[0] <= 1e-38f) << slope[0];
    EXPECT_EQ(slope[1], 0);
    EXPECT_EQ(slope[2], .25f);
  }
  const auto far = tensor<B>({1000., -1000.});
  const auto check = [&](auto f, const Floats& value, const Floats& slope) {
    for (const auto& x : layouts(far)) expect_near(f(x).to_vector(), value, 1e-6);
    expect_gradient(far, f, slope);
  };
  check([](auto x) { return silu(x); }, {1000, 0}, {1, 0});
  check([](auto x) { return softplus(x); }, {1000, 0}, {1, 0});
  check([](auto x) { return log_sigmoid(x); }, {0, -1000}, {0, 1});
  check([](auto x) { return mish(x); }, {1000, 0}, {1, 0});
  check([](auto x) { return gelu(x); }, {1000, 0}, {1, 0});
  check([](auto x) { return tanh(x); }, {1, -1}, {0, 0});
  const auto logits = tensor<B>({1000., -1000., 0.}), target = tensor<B>({0., 1., .5});
  for (const auto& x : layouts(logits)) expect_near(bce_with_logits_each(x, target).to_vector(), Floats{1000, 1000, .69314718f}, 1e-6);
  expect_gradient(logits, [&](auto x) { return bce_with_logits_each(x, target); }, {1, -1, 0});
}

// 26: pytorch#1631, #1528, #94336, PR#188843, #88096; burn#4063.
TYPED_TEST(CasesOfGradients, RepeatedIndices) {
  using B = TypeParam;
  expect_gradient(tensor<B>({.1}), [](auto x) { return x.gather(0, tensor<B>({0, 0})) * tensor<B>({.2, .3}); }, {.5f});
  expect_gradient(tensor<B>({{1., 2.}, {3., 4.}, {5., 6.}}), [](auto table) { return embedding(tensor<B>({1, 1, 0}), table); }, {1, 1, 2, 2, 0, 0});
  const auto index = tensor<B>({{0, 3}, {1, 1}});
  const auto weight = arange<B, Float>(10).reshape({2, 5});
  const auto x = zeros<B>({2, 5}), v = tensor<B>({{1., 2.}, {3., 4.}});
  for (const auto& i : layouts(index))
    for (const auto& source : layouts(v)) EXPECT_EQ(x.scatter_add(1, i, source).to_vector(), (Floats{1, 0, 0, 2, 0, 0, 7, 0, 0, 0}));
  expect_gradient(v, [&](auto source) { return x.scatter_add(1, index, source) * weight; }, {0, 3, 6, 6});
  expect_gradient(x, [&](auto base) { return base.scatter_add(1, index, v) * weight; }, weight.to_vector());
  const auto none = zeros<B, Int>({2, 0});
  EXPECT_EQ(weight.scatter_add(1, none, zeros<B>({2, 0})).to_vector(), weight.to_vector());
  expect_gradient(zeros<B>({2, 0}), [&](auto source) { return weight.scatter_add(1, none, source); }, {});
  // Assigned twice: the last one wins, every time.
  const auto nine = arange<B, Float>(1, 10), five = arange<B, Float>(11, 16);
  const auto at = tensor<B>({0, 1, 1, 1, 2});
  for (int round = 0; round < 20; ++round) EXPECT_EQ(nine.scatter(0, at, five).to_vector(), (Floats{11, 14, 15, 4, 5, 6, 7, 8, 9}));
  expect_gradient(five, [&](auto source) { return nine.scatter(0, at, source) * nine; }, {1, 0, 0, 2, 3});
}

// 27: candle#3568, PR#3823 (#2168). Every input of every op that is one kernel has its gradient.
TYPED_TEST(CasesOfGradients, FusedOpsKeepTheGraph) {
  using B = TypeParam;
  expect_gradient(tensor<B>({1., 2., 3.}), [](auto x) { return softmax(x, 0)[0]; }, {.08192507f, -.02203305f, -.05989202f}, 1e-7);
  expect_gradient(tensor<B>({{1., 2., 4.}}), [](auto x) { return layer_norm(x) * tensor<B>({1., 10., 100.}); }, {8.246647f, -12.370399f, 4.123745f}, 1e-5);
  Generator generator{5};
  const auto matrix = [&](std::int64_t rows, std::int64_t columns) { return randn<B>({rows, columns}, {}, generator, Dtype::f64); };
  const auto vector = [&](std::int64_t n) { return randn<B>({n}, {}, generator, Dtype::f64); };
  const auto heads = [&] { return randn<B>({1, 2, 3, 4}, {}, generator, Dtype::f64); };
  const auto seed = matrix(3, 4);
  const auto seed4 = heads();
  expect_differences<B>([&](const auto& x, const auto& w, const auto& b) { return (linear(x, w, b, Activation::gelu) * seed).sum(); }, matrix(3, 2), matrix(4, 2), vector(4));
  expect_differences<B>([&](const auto& x, const auto& scale) { return (rms_norm(x, scale) * seed).sum(); }, matrix(3, 4), vector(4));
  expect_differences<B>([&](const auto& x, const auto& scale, const auto& bias) { return (layer_norm(x, scale, bias) * seed).sum(); }, matrix(3, 4), vector(4), vector(4));
  expect_differences<B>([&](const auto& x, const auto& c, const auto& s) { return (rope(x, c, s) * seed).sum(); }, matrix(3, 4), matrix(3, 2), matrix(3, 2));
  expect_differences<B>([&](const auto& q, const auto& k, const auto& v) { return (attention(q, k, v) * seed4).sum(); }, heads(), heads(), heads());
  expect_differences<B>([&](const auto& q, const auto& k, const auto& v) { return (attention(q, k, v, {}, {}, {.causal = true}) * seed4).sum(); }, heads(), heads(), heads());
}

// A branch that `where` does not take sends 0 times its slope, which is NaN where the slope is not finite: as PyTorch has it, and as
// docs/numerics.md says.
TYPED_TEST(CasesOfGradients, BranchNotTaken) {
  using B = TypeParam;
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  expect_gradient(tensor<B>({4., 0., -1.}), [](auto x) { return where(x > 0, sqrt(x), 0); }, {.25f, nan, nan});
  // Where the operand is made safe first, the gradient is 0.
  expect_gradient(tensor<B>({4., 0., -1.}), [](auto x) { return where(x > 0, sqrt(where(x > 0, x, 1)), 0); }, {.25f, 0, 0});
}

}  // namespace
}  // namespace hearth::test
