// The typed front's solvers, and logical_not, on every stack and through every layout. Values by hand.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/tensor/linalg.hpp"
#include "tensor_stacks.hpp"

namespace hearth::test {
namespace {

using Floats = std::vector<float>;

template <class B>
struct Solvers : testing::Test {};
TYPED_TEST_SUITE(Solvers, Stacks);

TYPED_TEST(Solvers, Cholesky) {
  using B = TypeParam;
  for (const auto& a : layouts(tensor<B>({{{4., 2.}, {2., 5.}}, {{9., 0.}, {0., 1.}}})))
    expect_near(cholesky(a).to_vector(), Floats{2, 0, 1, 2, 3, 0, 0, 1}, 1e-6);
  expect_error([] { (void)cholesky(tensor<B>({{1., 2.}, {2., 1.}})).to_vector(); }, "cholesky");
  expect_error([] { (void)cholesky(ones<B>({2, 3})); }, "[2, 3]");
}

TYPED_TEST(Solvers, Qr) {
  using B = TypeParam;
  for (const auto& a : layouts(tensor<B>({{3., 1.}, {4., 7.}}))) {
    const auto [q, r] = qr(a);
    expect_near(q.to_vector(), Floats{.6f, -.8f, .8f, .6f}, 1e-6);
    expect_near(r.to_vector(), Floats{5, 6.2f, 0, 3.4f}, 1e-6);
  }
  const auto tall = qr(ones<B>({2, 4, 1}));
  expect_near(tall.q.to_vector(), Floats(8, .5f), 1e-6);
  expect_near(tall.r.to_vector(), Floats{2, 2}, 1e-6);
}

// Only the named triangle is read.
TYPED_TEST(Solvers, Triangles) {
  using B = TypeParam;
  const auto b = tensor<B>({{4.}, {6.}});
  for (const auto& a : layouts(tensor<B>({{2., 9.}, {1., 2.}}))) {
    expect_near(solve_triangular(a, b, Triangle::lower).to_vector(), Floats{2, 2}, 1e-6);
    expect_near(solve_triangular(a, b, Triangle::upper).to_vector(), Floats{-11.5f, 3}, 1e-6);
  }
  expect_error([&] { (void)solve_triangular(ones<B>({3, 3}), b, Triangle::lower); }, "[2, 1]");
}

// The line through (0, 1), (1, 2) and (2, 4): 5/6 + 3/2 x.
TYPED_TEST(Solvers, LeastSquares) {
  using B = TypeParam;
  for (const auto& a : layouts(tensor<B>({{1., 0.}, {1., 1.}, {1., 2.}})))
    for (const auto& y : layouts(tensor<B>({{1.}, {2.}, {4.}}))) expect_near(least_squares(a, y).to_vector(), Floats{5 / 6.f, 1.5f}, 1e-6);
  if constexpr (is_autodiff<B>) {  // the solution is linear in y: its sum moves by the sum of each column of the pseudo-inverse
    const auto y = require_gradient(tensor<B>({{1.}, {2.}, {4.}}));
    const auto gradient = gradient_of(y, backward(least_squares(tensor<B>({{1., 0.}, {1., 1.}, {1., 2.}}), y).sum()));
    expect_near(gradient.to_vector(), Floats{1 / 3.f, 1 / 3.f, 1 / 3.f}, 1e-6);
  }
}

TYPED_TEST(Solvers, LogicalNot) {
  using B = TypeParam;
  for (const auto& x : layouts(tensor<B>({true, false, true}))) EXPECT_EQ(logical_not(x).to_vector(), (std::vector<bool>{false, true, false}));
}

}  // namespace
}  // namespace hearth::test
