// unit/tensor_lifetimes: what is computed from locals outlives them (case 52). Compiled at -O2 in every build, the one with the address
// sanitizer too, since that is where expressions that refer to dead parts broke elsewhere.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <optional>

#include "tensor_stacks.hpp"

namespace hearth::test {
namespace {

using namespace hearth::index;
using Floats = std::vector<float>;

template <class B>
struct Lifetimes : testing::Test {};
TYPED_TEST_SUITE(Lifetimes, Stacks);

// xtensor#2302: a log-sum-exp that was returned as an expression over locals.
template <class B>
auto log_sum_exp(int axis) {
  auto x = tensor<B>({{1., 2.}, {3., 4.}});
  auto shift = x.max(axis, keep);
  return log(exp(x - shift).sum(axis)) + shift.squeeze(axis);
}
// xtensor#270: a mesh over ranges that end with the function.
template <class B>
auto grid() {
  const auto a = arange<B, Float>(0, 3), b = arange<B, Float>(-3, 0);
  return meshgrid(a, b);
}
// xtensor#2597: a view of a temporary.
template <class B>
auto corner() {
  return (arange<B, Float>(9).reshape({3, 3}) * 2)[{s(1), s(end, end, -2)}];
}
// xtensor#2861: a function that returns a function of its locals.
template <class B>
auto affine(double scale) {
  const auto weight = tensor<B>({1., 2.}) * scale, bias = tensor<B>({.5, -.5});
  return [=](const auto& x) { return x * weight + bias; };
}

TYPED_TEST(Lifetimes, ValuesOutliveTheirParts) {
  using B = TypeParam;
  for (int i = 0; i < 1000; ++i) {
    expect_near(log_sum_exp<B>(1).to_vector(), Floats{2.3132617f, 4.3132617f}, 1e-6);
    const auto [x, y] = grid<B>();
    ASSERT_EQ(x.to_vector(), (Floats{0, 0, 0, 1, 1, 1, 2, 2, 2}));
    ASSERT_EQ(y.to_vector(), (Floats{-3, -2, -1, -3, -2, -1, -3, -2, -1}));
    ASSERT_EQ(corner<B>().to_vector(), (Floats{10, 6, 16, 12}));
    ASSERT_EQ(affine<B>(3)(tensor<B>({1., 1.})).to_vector(), (Floats{3.5f, 5.5f}));
  }
}

// What a temporary says about itself.
TYPED_TEST(Lifetimes, FactsOutliveTheirTensor) {
  using B = TypeParam;
  for (int i = 0; i < 1000; ++i) {
    const auto& shape = exp(ones<B>({2, 3})).shape();
    const auto& spec = exp(ones<B>({2, 3})).spec();
    const auto& values = exp(zeros<B>({2})).to_vector();
    ASSERT_EQ(shape, (Shape{2, 3}));
    ASSERT_EQ(spec.shape, (Shape{2, 3}));
    ASSERT_EQ(values, (Floats{1, 1}));
    for (auto size : exp(ones<B>({3, 3}) + 1).shape()) ASSERT_EQ(size, 3);
    float sum = 0;
    for (float value : exp(zeros<B>({4})).to_vector()) sum += value;
    ASSERT_EQ(sum, 4);
    const auto& [sorted, places] = (tensor<B>({3., 1., 2.}) + 0).sort();
    ASSERT_EQ(sorted.to_vector(), (Floats{1, 2, 3}));
    ASSERT_EQ(places.to_vector(), (std::vector<std::int64_t>{1, 2, 0}));
  }
}

// A part that is replaced, or ends, does not change what was made of it.
TYPED_TEST(Lifetimes, PartsMayEndOrChange) {
  using B = TypeParam;
  for (int i = 0; i < 1000; ++i) {
    std::optional<Tensor<B, 2>> x(ones<B>({2, 2}));
    const auto row = (*x)[0];
    const auto turned = x->transpose(), sum = *x + *x;
    *x += 5;
    x.reset();
    ASSERT_EQ(row.to_vector(), (Floats{1, 1}));
    ASSERT_EQ(turned.to_vector(), Floats(4, 1));
    ASSERT_EQ(sum.to_vector(), Floats(4, 2));
    auto y = tensor<B>({1., 2., 3.});
    y = y[{s(1)}] * y[{s(0, 2)}];
    ASSERT_EQ(y.to_vector(), (Floats{2, 6}));
    const auto gone = [&] { return require_gradient(tensor<B>({2., 3.})); };
    const auto square = [&] { auto leaf = gone(); return leaf * leaf; }();  // the leaf's last owner is the tape
    ASSERT_EQ(square.to_vector(), (Floats{4, 9}));
    if constexpr (is_autodiff<B>) {
      const auto leaf = gone();
      const auto loss = [&] { auto part = leaf * leaf; return (part * part).sum(); }();
      ASSERT_EQ(gradient_of(leaf, backward(loss)).to_vector(), (Floats{32, 108}));
    }
  }
}

}  // namespace
}  // namespace hearth::test
