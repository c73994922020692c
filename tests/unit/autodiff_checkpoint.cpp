// unit/autodiff_checkpoint: a checkpointed block is the block itself, but for memory: the same random numbers, hooks once, statistics once.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hearth/cpu.hpp"
#include "hearth/nn/norm.hpp"
#include "hearth/portable.hpp"
#include "hearth/tensor/tensor.hpp"

namespace hearth::test {
namespace {

template <class B>
struct Checkpoints : testing::Test {};
using Recording = testing::Types<Autodiff<Portable>, Autodiff<Cpu>>;
TYPED_TEST_SUITE(Checkpoints, Recording);
using Floats = std::vector<float>;

TYPED_TEST(Checkpoints, draw_the_same_numbers_again) {
  using B = TypeParam;
  const auto inside = [](const Tensor<B, 1>& a) { return dropout(a, 0.5) * a; };
  const auto x = require_gradient(ones<B>({64}));
  manual_seed<B>(5);
  const auto plain = dropout(inside(dropout(x, 0.3) + x), 0.2);
  const Generator after = default_generator<B>();
  const Floats expected = gradient_of(x, backward(plain.sum())).to_vector();

  // One checkpoint in another, each with dropout; two backward passes.
  const auto block = [&](const Tensor<B, 1>& a) { return dropout(checkpoint(inside, dropout(a, 0.3) + a), 0.2); };
  manual_seed<B>(5);
  const auto y = checkpoint(block, x);
  EXPECT_EQ(y.to_vector(), plain.to_vector());
  EXPECT_EQ(default_generator<B>().counter, after.counter);
  (void)dropout(x, 0.5);  // what others draw in between does not matter
  const std::uint64_t counter = default_generator<B>().counter;
  EXPECT_EQ(gradient_of(x, backward(y.sum(), retain)).to_vector(), expected);
  EXPECT_EQ(gradient_of(x, backward(y.sum())).to_vector(), expected);
  EXPECT_EQ(default_generator<B>().counter, counter);  // nor does a backward pass draw anew
}

TYPED_TEST(Checkpoints, draw_the_same_from_a_generator_of_ones_own) {
  using B = TypeParam;
  const auto x = require_gradient(ones<B>({64}));
  Generator generator{9, 100};
  const auto block = [&](const Tensor<B, 1>& a) { return a * uniform<B>({64}, 0, 1, {}, generator); };
  const auto y = checkpoint(block, x);
  EXPECT_EQ(generator.counter, 164u);
  EXPECT_EQ(gradient_of(x, backward(y.sum())).to_vector(), y.to_vector());
  EXPECT_EQ(generator.counter, 164u);
}

TYPED_TEST(Checkpoints, refuse_a_function_that_draws_more_the_second_time) {
  using B = TypeParam;
  const auto x = require_gradient(ones<B>({4}));
  int runs = 0;
  const auto y = checkpoint([&](const Tensor<B, 1>& a) { return ++runs == 1 ? a * a : dropout(a, 0.5); }, x);
  try {
    (void)backward(y.sum());
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("checkpoint: the function draws more random numbers"), std::string::npos) << error.what();
  }
  // The failed pass leaves nothing behind: other draws are new ones.
  const std::uint64_t counter = default_generator<B>().counter;
  (void)dropout(x, 0.5);
  EXPECT_EQ(default_generator<B>().counter, counter + 4);
}

TYPED_TEST(Checkpoints, run_hooks_once_in_a_pass) {
  using B = TypeParam;
  const auto x = require_gradient(ones<B>({2})), weight = require_gradient(full<B>({2}, 3.));
  int of_inside = 0, of_operand = 0, of_captured = 0;
  const auto block = [&](const Tensor<B, 1>& a) {
    const auto h = a * weight;
    on_gradient(h, [&](const auto& g) {
      ++of_inside;
      return g * 2;
    });
    on_gradient(a, [&](const auto&) { ++of_operand; });
    on_gradient(weight, [&](const auto&) { ++of_captured; });
    return h * h;
  };
  const auto y = checkpoint(block, x);
  for (int pass = 1; pass <= 3; ++pass) {
    const auto gradients = pass < 3 ? backward(y.sum(), retain) : backward(y.sum());
    EXPECT_EQ(gradient_of(x, gradients).to_vector(), (Floats{36, 36}));  // 2 h * 2 * w
    EXPECT_EQ(gradient_of(weight, gradients).to_vector(), (Floats{12, 12}));
    EXPECT_EQ(of_inside, pass);
    EXPECT_EQ(of_operand, pass);
    EXPECT_EQ(of_captured, pass);
  }
}

TYPED_TEST(Checkpoints, measure_a_batch_once) {
  using B = TypeParam;
  const auto norm = make_batch_norm<B>(2);
  const auto x = require_gradient(tensor<B>({{1., 2.}, {3., 6.}}));
  const auto y = checkpoint([&](const Tensor<B, 2>& a) { return norm(a); }, x);
  (void)backward(y.sum());
  EXPECT_EQ(norm.num_batches_tracked.get().item(), 1);
  EXPECT_EQ(norm.running_mean.get().to_vector(), (Floats{.2f, .4f}));
}

}  // namespace
}  // namespace hearth::test
