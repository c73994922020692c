// Reported cases of views and long expressions that meet the typed front: 11, 13, 15, 17. Case 20 is in tensor_linear, 52 in tensor_lifetimes.
// SPDX-License-Identifier: Apache-2.0
#include "tensor_stacks.hpp"

namespace hearth::test {
namespace {

using namespace hearth::index;
using Floats = std::vector<float>;

template <class B>
struct Cases : testing::Test {};
TYPED_TEST_SUITE(Cases, Stacks);

// A write through a reversed slice.
TYPED_TEST(Cases, ReversedSlice) {
  using B = TypeParam;
  for (const auto& x : layouts(arange<B, Float>(6))) {
    auto base = zeros<B>({6});
    base.assign({s(-1, end, -1)}, base[{s(-1, end, -1)}] + 2 * x[{s(-1, end, -1)}]);
    EXPECT_EQ(base.to_vector(), (Floats{0, 2, 4, 6, 8, 10}));
    auto plain = zeros<B>({6});
    plain.assign({s(end, end, -1)}, 2 * x.flip(0));
    EXPECT_EQ(plain.to_vector(), (Floats{0, 2, 4, 6, 8, 10}));
  }
}

// Reshape, permute, slice of whole axes, and of one less.
TYPED_TEST(Cases, ReshapePermuteSlice) {
  using B = TypeParam;
  Floats want;
  for (int c = 0; c < 3; ++c)
    for (int i = 0; i < 8; ++i) want.push_back(float(i * 3 + c));
  for (const auto& x : layouts(arange<B, Float>(24))) {
    const auto y = x.reshape({1, 2, 4, 3}).permute({0, 3, 1, 2});
    EXPECT_EQ((y[{s(0, 1), s(0, 3), s(0, 2), s(0, 4)}].flatten().to_vector()), want);
    EXPECT_EQ((y[{s(0, 1), s(0, 2), s(0, 1), s(0, 3)}].flatten().to_vector()), (Floats{0, 3, 6, 1, 4, 7}));
    EXPECT_EQ((y[{s(), s(1, 3), s(1, 2), s(1)}].flatten().to_vector()), (Floats{16, 19, 22, 17, 20, 23}));
  }
}

template <class B>
struct Narrow {
  Tensor<B, 2> w1 = tensor<B>({{.5, -.25}, {1., .75}, {-.5, .125}}), w2 = tensor<B>({{1., -.5, .25}});
  Tensor<B, 1> b1 = tensor<B>({.1, -.2, .3}), b2 = tensor<B>({.05});
  Tensor<B, 2> operator()(const Tensor<B, 2>& x) const {
    return tanh(matmul(tanh(matmul(x, w1.transpose()) + b1), w2.transpose()) + b2);
  }
  Tensor<B, 2> wide(const Tensor<B, 2>& x, std::int64_t heads) const {
    return tanh(matmul(tanh(matmul(x, w1.transpose()) + b1), w2.expand({Dim(heads), 3}).transpose()) + b2);
  }
};

// A last layer of one column: every row right, for any number of rows and any width.
TYPED_TEST(Cases, NarrowLastLayer) {
  using B = TypeParam;
  const Narrow<B> model;
  for (const auto& x : layouts(tensor<B>({{1., 2.}, {-1., .5}, {0., 0.}, {3., -2.}})))
    expect_near(model(x).to_vector(), Floats{-.31662410f, .08154569f, .31057695f, .35019603f}, 1e-6);
  Generator generator{3};
  for (std::int64_t rows : {1, 2, 33, 257}) {
    const auto x = randn<B>({rows, 2}, {}, generator);
    for (std::int64_t width : {1, 2, 3}) {
      const auto y = model.wide(x, width);
      ASSERT_EQ(y.shape(), (Shape{rows, width}));
      for (std::int64_t row = 0; row < rows; row += 13)
        expect_near(y[{s(row, row + 1)}].to_vector(), model.wide(x[{s(row, row + 1)}], width).to_vector(), 1e-6);
    }
  }
}

TYPED_TEST(Cases, LongAndWide) {
  using B = TypeParam;
  for (int round = 0; round < 2; ++round) {
    auto y = tensor<B>(0.);
    for (int i = 1; i <= 300; ++i) y += tensor<B>(double(i));
    EXPECT_EQ(y.item(), 45150);
  }
  std::vector<Tensor<B, 1>> inputs;
  for (int i = 0; i < 64; ++i) inputs.push_back(full<B>({3}, i));
  auto sum = inputs[0];
  for (std::size_t i = 1; i < 64; ++i) sum = sum + inputs[i];
  EXPECT_EQ(sum.to_vector(), Floats(3, 2016));
  auto t3 = zeros<B>({10}), t2 = ones<B>({10});
  std::size_t live = 0;
  for (int i = 0; i < 1000; ++i) {
    t3 += ones<B>({10, 10}).sum(1);
    t2 += t3;
    if (i == 100) live = B::memory_stats({}).live;
  }
  EXPECT_EQ(t3.to_vector(), Floats(10, 10000));
  EXPECT_EQ(t2.to_vector(), Floats(10, 5005001));
  EXPECT_EQ(B::memory_stats({}).live, live);
}

}  // namespace
}  // namespace hearth::test
