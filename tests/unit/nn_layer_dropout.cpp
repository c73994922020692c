// nn: the dropout inside layers, and what recurrent layers refuse. Weights are chosen so that what is dropped can be read from the output.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hearth/nn/nn.hpp"
#include "stacks.hpp"

namespace hearth::test {
namespace {

using Floats = std::vector<float>;

template <class B>
struct LayerDropout : testing::Test {};
TYPED_TEST_SUITE(LayerDropout, Recording);

/// Each number is 0 or `kept`, about `share` of them 0 (within five standard deviations).
void expect_dropped(const Floats& numbers, float kept, double share) {
  int dropped = 0;
  for (float x : numbers) {
    ASSERT_TRUE(x == 0 || std::fabs(x - kept) < 1e-6f) << x;
    dropped += x == 0;
  }
  const double n = double(numbers.size());
  EXPECT_NEAR(dropped, share * n, 5 * std::sqrt(n * share * (1 - share)));
}

/// Layers that hand positive inputs on as they are: relu, the identity for the input, nothing for the state.
template <class B>
Rnn<B> copying(std::int64_t layers, double dropout) {
  auto model = make_rnn<B>(8, 8, {.layers = layers, .bias = false, .dropout = dropout});
  model.relu = true;
  for (auto& w : model.weights) w = {.weight_ih = param(eye<B>(8, 8)), .weight_hh = param(zeros<B>({8, 8})), .bias_ih = {}, .bias_hh = {}};
  return model;
}

TYPED_TEST(LayerDropout, of_recurrent_layers_is_between_them_while_training) {
  using B = TypeParam;
  const auto x = ones<B>({50, 10, 8});
  auto model = copying<B>(2, 0.25);
  manual_seed<B>(5);
  const auto first = model(x).output.to_vector();
  expect_dropped(first, 1 / 0.75f, 0.25);
  EXPECT_NE(model(x).output.to_vector(), first);
  manual_seed<B>(5);
  EXPECT_EQ(model(x).output.to_vector(), first);
  eval(model);
  EXPECT_EQ(model(x).output.to_vector(), Floats(50 * 10 * 8, 1));
  // Neither before the first layer nor after the last.
  EXPECT_EQ(copying<B>(1, 0.25)(x).output.to_vector(), Floats(50 * 10 * 8, 1));
  // The gradient goes where the numbers went.
  train(model);
  const auto input = require_gradient(x);
  const auto y = model(input).output;
  EXPECT_EQ(gradient_of(input, backward(y.sum())).to_vector(), y.to_vector());
}

TYPED_TEST(LayerDropout, of_attention_weights_while_training) {
  using B = TypeParam;
  // Queries and keys are 0, so that all 32 weights of a row are 1/32; values are the input, one row of the identity each.
  auto model = make_multi_head_attention<B>(32, 1, {.bias = false, .dropout = 0.25});
  model.in_proj_weight = param(concat({zeros<B>({64, 32}), eye<B>(32, 32)}, 0));
  model.out_proj.weight = param(eye<B>(32, 32));
  const auto x = eye<B>(32, 32).unsqueeze(0);
  manual_seed<B>(5);
  const auto first = model(x).to_vector();
  expect_dropped(first, 1 / 24.f, 0.25);
  EXPECT_NE(model(x).to_vector(), first);
  manual_seed<B>(5);
  EXPECT_EQ(model(x).to_vector(), first);
  eval(model);
  for (float weight : model(x).to_vector()) ASSERT_NEAR(weight, 1 / 32.f, 1e-7);
}

TYPED_TEST(LayerDropout, recurrent_layers_say_what_does_not_fit) {
  using B = TypeParam;
  const auto says = [](const auto& f, const std::string& part) {
    try {
      (void)f();
      ADD_FAILURE() << "no error; expected one with: " << part;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind, ErrorKind::user);
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  const auto gru = make_gru<B>(3, 4);
  const auto lstm = make_lstm<B>(3, 4, {.layers = 2, .bidirectional = true});
  says([&] { return gru(ones<B>({2, 5, 7})); }, "gru: the input has 7 features, the layer takes 3");
  says([&] { return gru(ones<B>({2, 0, 3})); }, "gru: the sequence is empty: [2, 0, 3]");
  says([&] { return gru(ones<B>({2, 5, 3}), ones<B>({1, 3, 4})); }, "gru: the state is [1, 3, 4] where [1, 2, 4] is needed");
  says([&] { return lstm(ones<B>({2, 5, 3}), ones<B>({4, 2, 4}), ones<B>({2, 2, 4})); }, "lstm: the state is [2, 2, 4] where [4, 2, 4] is needed");
  says([&] { return Lstm<B>{}(ones<B>({2, 5, 3})); }, "lstm: the layer has no weights (hint: make it with make_lstm");
}

}  // namespace
}  // namespace hearth::test
