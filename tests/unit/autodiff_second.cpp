// unit/autodiff_second: what the tape promises at the second order: custom functions, checkpoints, hooks, detach and retain under
// Autodiff<Autodiff<B>>. (Second derivatives of the ops are in autodiff_gradients and composite_second.) Values by hand.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/autodiff/autodiff-inl.hpp"

#include "cpu_arrays.hpp"

namespace hearth::test {
namespace {

using List = std::vector<double>;

template <class B>
struct Stack {
  using A1 = Autodiff<B>;
  using A2 = Autodiff<A1>;
  using D1 = Dyn<A1>;
  using D2 = Dyn<A2>;
  using Handles = std::vector<typename A2::Handle>;

  /// A leaf of both orders.
  struct Leaf {
    typename A1::Handle inner;
    D2 outer;
    explicit Leaf(const List& numbers)
        : inner(A1::track(A1::from_inner(upload<B>({Dtype::f64, {std::int64_t(numbers.size())}}, numbers)))), outer(A2::track(A2::from_inner(inner))) {}
  };
  static D2 total(const D2& x) { return reshape(sum(x, {0}), {}); }
  static D1 gradient(const D2& loss, const Leaf& x, bool retain = false) {
    const auto gradients = A2::backward(total(loss).handle, {.seed = {}, .retain = retain});
    const auto* found = gradients.find(x.outer.handle);
    EXPECT_TRUE(found);
    return found ? D1(*found) : D1();
  }
  static List values(const D1& x) { return numbers<B>(x.handle.value); }
  /// d(sum of g)/dx for a gradient g.
  static List second(const D1& g, const Leaf& x, bool retain = false) {
    const auto gradients = A1::backward(reshape(sum(g, {0}), {}).handle, {.seed = {}, .retain = retain});
    const auto* found = gradients.find(x.inner);
    EXPECT_TRUE(found);
    return found ? numbers<B>(*found) : List{};
  }
};
template <class B>
struct SecondOrder : testing::Test {};
using Both = testing::Types<Portable, Cpu>;
TYPED_TEST_SUITE(SecondOrder, Both);

TYPED_TEST(SecondOrder, of_a_value_used_at_both) {
  using S = Stack<TypeParam>;
  const typename S::Leaf x({2, -3});
  const auto g = S::gradient(x.outer * x.outer * x.outer, x);
  EXPECT_EQ(S::values(g), (List{12, 27}));
  EXPECT_EQ(S::second(g, x, true), (List{12, -18}));
  // The gradient and the value in one loss: d(3 x^2 x)/dx.
  EXPECT_EQ(S::second(g * typename S::D1(x.inner), x), (List{36, 81}));
}

TYPED_TEST(SecondOrder, retain_keeps_each_order) {
  using S = Stack<TypeParam>;
  const typename S::Leaf x({2});
  const auto loss = x.outer * x.outer * x.outer;
  const auto first = S::gradient(loss, x, true), again = S::gradient(loss, x);
  EXPECT_EQ(S::second(first, x, true), List{12});
  EXPECT_EQ(S::second(again, x, true), List{12});
  EXPECT_EQ(S::second(first, x), List{12});
  EXPECT_THROW(S::second(again, x), Error);  // both go through the inner tape of the same forward pass
  EXPECT_THROW((void)S::gradient(loss, x), Error);
}

TYPED_TEST(SecondOrder, detach_cuts_one_order_or_both) {
  using S = Stack<TypeParam>;
  const typename S::Leaf x({2});
  // To the outer order the detached x is a constant; to the inner one it still depends on x.
  const auto g = S::gradient(x.outer * x.outer * typename S::D2(S::A2::detach(x.outer.handle)), x);
  EXPECT_EQ(S::values(g), List{8});        // 2 x c
  EXPECT_EQ(S::second(g, x), List{8});     // c and x both move: 2 c + 2 x
  const typename S::D2 constant(S::A2::from_inner(S::A1::detach(x.inner)));
  EXPECT_EQ(S::second(S::gradient(x.outer * x.outer * constant, x), x), List{4});
  const NoGrad none;
  EXPECT_FALSE(S::A2::tracked((x.outer * x.outer).handle));
  EXPECT_FALSE(S::A1::tracked((x.outer * x.outer).handle.value));
}

TYPED_TEST(SecondOrder, of_custom_functions) {
  using S = Stack<TypeParam>;
  using D1 = typename S::D1;
  const typename S::Leaf x({2, -3}), y({5, 7});
  // x^2 y, with gradients that are written by hand and differentiated again.
  auto out = custom_function<typename S::A1>(
      "square_times", {x.outer.handle, y.outer.handle},
      [](std::vector<D1> in, std::vector<D1>& kept) {
        kept = {in[0], in[1]};
        return std::vector<D1>{in[0] * in[0] * in[1]};
      },
      [](std::vector<D1> kept, std::vector<D1> g) { return std::vector<D1>{g[0] * kept[0] * kept[1] * 2.0, g[0] * kept[0] * kept[0]}; });
  const auto gradients = S::A2::backward(S::total(typename S::D2(out[0])).handle);
  const D1 of_x(*gradients.find(x.outer.handle)), of_y(*gradients.find(y.outer.handle));
  EXPECT_EQ(S::values(of_x), (List{20, -42}));
  EXPECT_EQ(S::values(of_y), (List{4, 9}));
  EXPECT_EQ(S::second(of_x, x, true), (List{10, 14}));  // 2 y
  EXPECT_EQ(S::second(of_x, y), (List{4, -6}));         // 2 x
  EXPECT_EQ(S::second(of_y, x), (List{4, -6}));
}

TYPED_TEST(SecondOrder, of_checkpoints_in_checkpoints) {
  using S = Stack<TypeParam>;
  using Handles = typename S::Handles;
  using D2 = typename S::D2;
  const typename S::Leaf x({2, -3}), weight({5, 7});
  auto inner = [&](Handles in) { return Handles{(D2(in[0]) * D2(in[0]) * weight.outer).handle}; };
  auto outer = [&](Handles in) { return Handles{(D2(checkpoint<typename S::A1>(in, inner)[0]) * D2(in[0])).handle}; };  // w x^3
  const D2 y(checkpoint<typename S::A1>({x.outer.handle}, outer)[0]);
  const auto g = S::gradient(y, x, true);
  EXPECT_EQ(S::values(g), (List{60, 189}));
  EXPECT_EQ(S::second(g, x, true), (List{60, -126}));  // 6 w x
  EXPECT_EQ(S::second(g, weight), (List{12, 27}));     // 3 x^2
  const auto of_weight = S::gradient(y, weight);
  EXPECT_EQ(S::values(of_weight), (List{8, -27}));
  EXPECT_EQ(S::second(of_weight, x), (List{12, 27}));
}

TYPED_TEST(SecondOrder, hooks_are_differentiated_too) {
  using S = Stack<TypeParam>;
  const typename S::Leaf x({2});
  const auto y = x.outer * x.outer;
  on_gradient<typename S::A1>(y.handle, [](typename S::D1 g) { return g * g; });
  const auto g = S::gradient(y * y, x);    // arrives 2 x^2, goes on 4 x^4, times 2 x
  EXPECT_EQ(S::values(g), List{256});
  EXPECT_EQ(S::second(g, x), List{640});   // 40 x^4
}

// Composites by rule and by recomputation, in one penalty on the norm of a gradient.
TYPED_TEST(SecondOrder, of_a_gradient_penalty) {
  using S = Stack<TypeParam>;
  using D2 = typename S::D2;
  const auto penalty_of = [](const List& at, List* derivative) {
    const typename S::Leaf x(at);
    const auto y = call<typename S::A2>(op::Softmax{-1}, x.outer);
    auto [hidden, cell] = call<typename S::A2>(op::LstmCell{}, reshape(concat(std::vector<D2>{y, x.outer}, 0), {1, 8}), reshape(narrow(y, 0, 0, 2), {1, 2}));
    const auto g = S::gradient(reshape(hidden * cell, {2}), x);
    const auto penalty = g * g;
    if (derivative) *derivative = S::second(penalty, x, true);
    double total = 0;
    for (double value : S::values(penalty)) total += value;
    return total;
  };
  const List at{.3, -.2, .8, .1};
  List got;
  (void)penalty_of(at, &got);
  for (std::size_t i = 0; i < at.size(); ++i) {
    auto moved = [&](double by) {
      List x = at;
      x[i] += by;
      return penalty_of(x, nullptr);
    };
    EXPECT_NEAR(got[i], (moved(1e-5) - moved(-1e-5)) / 2e-5, 1e-7);
  }
}

}  // namespace
}  // namespace hearth::test
