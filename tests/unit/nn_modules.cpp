// nn: every module against PyTorch: forward, gradient of the input and of each parameter, with PyTorch's own state dict.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "fixtures.hpp"
#include "hearth/cpu.hpp"
#include "hearth/nn/nn.hpp"
#include "hearth/portable.hpp"
#include "hearth/store/model.hpp"

using namespace hearth;
using namespace hearth::test;

namespace {

template <class B>
class Modules : public testing::Test {};
using Stacks = testing::Types<Autodiff<Portable>, Autodiff<Cpu>>;
TYPED_TEST_SUITE(Modules, Stacks);

/// Compares the gradient of every parameter with <case>/grad/<path>.
template <class B>
struct GradientCheck final : Walker<B> {
  GradientCheck(std::string c, const Gradients<typename B::Inner>& g) : name(std::move(c)), gradients(g) {}
  void param(std::string_view path, Dyn<B>& value, int) override {
    const std::string key = name + "/grad/" + std::string(path);
    const auto* entry = fixture_file("nn").find(key);
    ASSERT_TRUE(entry) << key;
    const auto* found = gradients.find(value.handle);
    ASSERT_TRUE(found) << key << ": no gradient arrived";
    using I = typename B::Inner;
    Dyn<I> mine(*found), expected(I::upload({}, entry->spec, entry->bytes.data()));
    ASSERT_EQ(to_string(mine.shape()), to_string(expected.shape())) << key;
    const std::int64_t n = element_count(mine.shape());
    EXPECT_TRUE(close(Tensor<I, 1>(reshape(mine, {n})), Tensor<I, 1>(reshape(expected, {n})))) << key;
    ++checked;
  }
  std::string name;
  const Gradients<typename B::Inner>& gradients;
  int checked = 0;
};

/// Loads <case>/state into the model, strictly.
template <class M>
void load_case(const std::string& name, M& model) {
  LoadOptions options;
  options.prefix = name + "/state/";
  const LoadReport report = load(fixture_file("nn"), model, options);
  (void)report;
}

template <class B, class M>
void check_gradients(const std::string& name, M& model, const Gradients<typename B::Inner>& gradients) {
  GradientCheck<B> check(name, gradients);
  walk<B>(model, check);
  EXPECT_GT(check.checked, 0) << name;
}

/// Forward and backward of a module with one input and one output: value and gradient of the input. Returns all gradients.
template <class B, int In, int Out = In, class M>
auto check_function(const std::string& name, const M& model) {
  SCOPED_TRACE(name);
  auto x = require_gradient(fixture<B, In>("nn", name + "/input"));
  auto y = model(x);
  EXPECT_TRUE(close(y, fixture<B, Out>("nn", name + "/output")));
  auto gradients = backward(y, fixture<B, Out>("nn", name + "/upstream"));
  EXPECT_TRUE(close(gradient_of(x, gradients), inner(fixture<B, In>("nn", name + "/grad_input"))));
  return gradients;
}
/// The same with PyTorch's weights, and the gradients of all parameters.
template <class B, int In, int Out = In, class M>
void check(const std::string& name, M model) {
  SCOPED_TRACE(name);
  load_case(name, model);
  check_gradients<B>(name, model, check_function<B, In, Out>(name, model));
}

TYPED_TEST(Modules, linear) {
  using B = TypeParam;
  check<B, 2>("linear", make_linear<B>(5, 3));
  check<B, 3>("linear_no_bias", make_linear<B>(5, 3, {.bias = false}));
}

TYPED_TEST(Modules, convolutions) {
  using B = TypeParam;
  check<B, 3>("conv1d", make_conv1d<B>(4, 6, 3, {.stride = 2, .padding = 1, .dilation = 2, .groups = 2}));
  check<B, 4>("conv2d", make_conv2d<B>(3, 4, 3, {.padding = 1}));
  check<B, 4>("conv2d_strided", make_conv2d<B>(4, 6, {3, 2}, {.stride = {2, 1}, .padding = {1, 0}, .dilation = {1, 2}, .groups = 2, .bias = false}));
  check<B, 4>("conv2d_depthwise", make_conv2d<B>(4, 4, 3, {.padding = 1, .groups = 4}));
  check<B, 4>("conv_transpose2d", make_conv_transpose2d<B>(4, 6, 3, {.stride = 2, .padding = 1, .output_padding = 1, .groups = 2}));
  check<B, 4>("conv_transpose2d_dilated", make_conv_transpose2d<B>(3, 2, {2, 3}, {.stride = {1, 2}, .dilation = {2, 1}}));
  check<B, 4>("conv_transpose2d_uneven",
              make_conv_transpose2d<B>(2, 3, {3, 2}, {.stride = {3, 2}, .padding = {1, 0}, .output_padding = {2, 1}, .bias = false}));
  EXPECT_THROW((void)make_conv2d<B>(3, 4, {3, 3, 3}), Error);
  EXPECT_THROW((void)make_conv_transpose2d<B>(3, 4, PerAxis()), Error);
}

TYPED_TEST(Modules, kernels_have_one_size_or_one_for_each_axis) {
  using B = TypeParam;
  EXPECT_THROW((void)make_conv2d<B>(1, 2, {3, 3, 3}), Error);
  EXPECT_THROW((void)make_conv2d<B>(1, 2, PerAxis{}), Error);
  EXPECT_THROW((void)make_conv_transpose2d<B>(1, 2, {3, 3, 3}), Error);
}

TYPED_TEST(Modules, pools) {
  using B = TypeParam;
  (void)check_function<B, 4>("max_pool2d", MaxPool2d{3, {.stride = 2, .padding = 1}});
  (void)check_function<B, 4>("max_pool2d_dilated", MaxPool2d{{2, 3}, {.stride = 1, .dilation = 2}});
  (void)check_function<B, 4>("max_pool2d_ceil", MaxPool2d{2, {.stride = 2, .ceil_mode = true}});
  (void)check_function<B, 4>("avg_pool2d", AvgPool2d{3, {.stride = 2, .padding = 1}});
  (void)check_function<B, 4>("avg_pool2d_exclude", AvgPool2d{3, {.stride = 2, .padding = 1, .ceil_mode = true, .count_padding = false}});
  (void)check_function<B, 4>("adaptive_avg_pool2d", AdaptiveAvgPool2d{{3, 2}});
}

TYPED_TEST(Modules, norms) {
  using B = TypeParam;
  check<B, 3>("layer_norm", make_layer_norm<B>(6));
  check<B, 3>("layer_norm_2", make_layer_norm<B, 2>({4, 6}, {.epsilon = 1e-3}));
  check<B, 4>("group_norm", make_group_norm<B>(3, 6));
  check<B, 4>("instance_norm", make_instance_norm<B>(4, {.affine = true}));
  (void)check_function<B, 3>("instance_norm_plain", make_instance_norm<B>(3));
  check<B, 2>("group_norm_flat", make_group_norm<B>(2, 6, 1e-3));
  check<B, 3>("rms_norm", make_rms_norm<B>(6));
  auto evaluating = make_batch_norm<B>(4);
  eval(evaluating);
  check<B, 4>("batch_norm_eval", evaluating);
}

TYPED_TEST(Modules, batch_norm_measures_while_training) {
  using B = TypeParam;
  auto run = [&]<int R>(const std::string& name, BatchNorm<B> model, std::integral_constant<int, R>) {
    SCOPED_TRACE(name);
    load_case(name, model);
    auto x = require_gradient(fixture<B, R>("nn", name + "/input"));
    auto y = model(x);
    EXPECT_TRUE(close(y, fixture<B, R>("nn", name + "/output")));
    auto gradients = backward(y, fixture<B, R>("nn", name + "/upstream"));
    EXPECT_TRUE(close(gradient_of(x, gradients), inner(fixture<B, R>("nn", name + "/grad_input"))));
    check_gradients<B>(name, model, gradients);
    EXPECT_TRUE(close(model.running_mean.get(), fixture<B, 1>("nn", name + "/after/running_mean")));
    EXPECT_TRUE(close(model.running_var.get(), fixture<B, 1>("nn", name + "/after/running_var")));
    EXPECT_EQ(model.num_batches_tracked.get().item(), 1);
    EXPECT_FALSE(requires_gradient(model.running_mean.get()));
  };
  run("batch_norm_train", make_batch_norm<B>(4), std::integral_constant<int, 4>{});
  run("batch_norm_1d", make_batch_norm<B>(4, {.epsilon = 1e-3, .momentum = 0.3}), std::integral_constant<int, 2>{});
  // Three batches, then in use.
  auto steps = make_batch_norm<B>(3);
  load_case("batch_norm_steps", steps);
  for (const char* batch : {"0", "1", "2"}) (void)steps(fixture<B, 4>("nn", std::string("batch_norm_steps/input") + batch));
  EXPECT_TRUE(close(steps.running_mean.get(), fixture<B, 1>("nn", "batch_norm_steps/after/running_mean")));
  EXPECT_TRUE(close(steps.running_var.get(), fixture<B, 1>("nn", "batch_norm_steps/after/running_var")));
  eval(steps);
  EXPECT_TRUE(close(steps(fixture<B, 4>("nn", "batch_norm_steps/input")), fixture<B, 4>("nn", "batch_norm_steps/output")));
  // A copy has running statistics of its own.
  auto model = make_batch_norm<B>(4);
  auto copy = model;
  (void)model(fixture<B, 4>("nn", "batch_norm_train/input"));
  EXPECT_EQ(copy.num_batches_tracked.get().item(), 0);
}

TYPED_TEST(Modules, embedding) {
  using B = TypeParam;
  auto model = make_embedding<B>(7, 3);
  load_case("embedding", model);
  auto y = model(fixture<B, 2, Int>("nn", "embedding/input"));
  EXPECT_TRUE(close(y, fixture<B, 3>("nn", "embedding/output")));
  auto gradients = backward(y, fixture<B, 3>("nn", "embedding/upstream"));
  check_gradients<B>("embedding", model, gradients);
}

TYPED_TEST(Modules, multi_head_attention) {
  using B = TypeParam;
  using I = typename B::Inner;
  const auto cross = [](const std::string& name, const Tensor<B, 4, Bool>& mask) {
    SCOPED_TRACE(name);
    auto model = make_multi_head_attention<B>(8, 2);
    load_case(name, model);
    auto q = require_gradient(fixture<B, 3>("nn", name + "/input")), k = require_gradient(fixture<B, 3>("nn", name + "/input1")),
         v = require_gradient(fixture<B, 3>("nn", name + "/input2"));
    auto y = model(q, k, v, mask);
    EXPECT_TRUE(close(y, fixture<B, 3>("nn", name + "/output")));
    auto gradients = backward(y, fixture<B, 3>("nn", name + "/upstream"));
    EXPECT_TRUE(close(gradient_of(q, gradients), fixture<I, 3>("nn", name + "/grad_input")));
    EXPECT_TRUE(close(gradient_of(k, gradients), fixture<I, 3>("nn", name + "/grad_input1")));
    EXPECT_TRUE(close(gradient_of(v, gradients), fixture<I, 3>("nn", name + "/grad_input2")));
    check_gradients<B>(name, model, gradients);
  };
  cross("multi_head_attention", {});
  cross("multi_head_attention_masked", fixture<B, 4, Bool>("nn", "multi_head_attention_masked/mask"));  // of attention and of padding

  check<B, 3>("multi_head_attention_no_bias", make_multi_head_attention<B>(8, 2, {.bias = false}));
  auto model = make_multi_head_attention<B>(8, 4);
  const std::string name = "multi_head_attention_causal";
  load_case(name, model);
  check_gradients<B>(name, model, check_function<B, 3>(name, [&](const Tensor<B, 3>& x) { return model(x, true); }));
}

TYPED_TEST(Modules, rotary_encoding) {
  using B = TypeParam;
  (void)check_function<B, 4>("rotary", make_rotary_encoding<B>(32, 8));
  const auto pairs = make_rotary_encoding<B>(32, 8, {.base = 100, .interleaved = true});
  (void)check_function<B, 4>("rotary_pairs", [&](const Tensor<B, 4>& x) { return pairs(x, 3); });
}

template <class B, class M>
void check_recurrent(const std::string& name, M model) {
  SCOPED_TRACE(name);
  using I = typename B::Inner;
  load_case(name, model);
  auto x = require_gradient(fixture<B, 3>("nn", name + "/input")), h = require_gradient(fixture<B, 3>("nn", name + "/input1"));
  auto [y, last] = model(x, h);
  EXPECT_TRUE(close(y, fixture<B, 3>("nn", name + "/output")));
  EXPECT_TRUE(close(last, fixture<B, 3>("nn", name + "/output1")));
  auto loss = (y * fixture<B, 3>("nn", name + "/upstream")).sum() + (last * fixture<B, 3>("nn", name + "/upstream1")).sum();
  auto gradients = backward(loss);
  EXPECT_TRUE(close(gradient_of(x, gradients), fixture<I, 3>("nn", name + "/grad_input")));
  EXPECT_TRUE(close(gradient_of(h, gradients), fixture<I, 3>("nn", name + "/grad_input1")));
  check_gradients<B>(name, model, gradients);
}

TYPED_TEST(Modules, recurrent) {
  using B = TypeParam;
  using I = typename B::Inner;
  const RecurrentOptions options{.layers = 2, .bidirectional = true};
  check_recurrent<B>("rnn", make_rnn<B>(3, 4, options));
  check_recurrent<B>("gru", make_gru<B>(3, 4, options));
  auto before = make_gru<B>(3, 4, options);
  before.reset_after = false;
  check_recurrent<B>("gru_reset_before", before);

  // Time first, without states or bias; of the results only the outputs are used.
  auto positive = make_rnn<B>(3, 4, {.bias = false, .batch_first = false});
  positive.relu = true;
  load_case("rnn_relu", positive);
  check_gradients<B>("rnn_relu", positive, check_function<B, 3>("rnn_relu", [&](const Tensor<B, 3>& x) { return positive(x).output; }));
  auto plain = make_lstm<B>(3, 4, {.batch_first = false});
  load_case("lstm_plain", plain);
  check_gradients<B>("lstm_plain", plain, check_function<B, 3>("lstm_plain", [&](const Tensor<B, 3>& x) { return plain(x).output; }));

  auto model = make_lstm<B>(3, 4, options);
  const std::string name = "lstm";
  load_case(name, model);
  auto x = require_gradient(fixture<B, 3>("nn", name + "/input")), h = require_gradient(fixture<B, 3>("nn", name + "/input1")),
       c = require_gradient(fixture<B, 3>("nn", name + "/input2"));
  auto [y, hidden, cell] = model(x, h, c);
  EXPECT_TRUE(close(y, fixture<B, 3>("nn", name + "/output")));
  EXPECT_TRUE(close(hidden, fixture<B, 3>("nn", name + "/output1")));
  EXPECT_TRUE(close(cell, fixture<B, 3>("nn", name + "/output2")));
  auto loss = (y * fixture<B, 3>("nn", name + "/upstream")).sum() + (hidden * fixture<B, 3>("nn", name + "/upstream1")).sum() +
              (cell * fixture<B, 3>("nn", name + "/upstream2")).sum();
  auto gradients = backward(loss);
  EXPECT_TRUE(close(gradient_of(x, gradients), fixture<I, 3>("nn", name + "/grad_input")));
  EXPECT_TRUE(close(gradient_of(h, gradients), fixture<I, 3>("nn", name + "/grad_input1")));
  EXPECT_TRUE(close(gradient_of(c, gradients), fixture<I, 3>("nn", name + "/grad_input2")));
  check_gradients<B>(name, model, gradients);
}

// Case 35 of the bug log: gates r, z, n; input 2, hidden 1; two steps from zero, in both forms.
TYPED_TEST(Modules, recurrent_layers_have_a_size) {
  using B = TypeParam;
  EXPECT_THROW((void)make_lstm<B>(2, 3, {.layers = 0}), Error);
  EXPECT_THROW((void)make_gru<B>(2, 0), Error);
}

TYPED_TEST(Modules, gru_forms_of_the_reset_gate) {
  using B = TypeParam;
  auto model = make_gru<B>(2, 1);
  model.weights[0].weight_ih = param(tensor<B>({{.5f, -.5f}, {.25f, .75f}, {1.f, -1.f}}));
  model.weights[0].weight_hh = param(tensor<B>({{.5f}, {-.5f}, {2.f}}));
  model.weights[0].bias_ih = param(tensor<B>({.1f, .2f, .3f}));
  model.weights[0].bias_hh = param(tensor<B>({-.1f, 0.f, .5f}));
  auto x = tensor<B>({{{1.f, 2.f}, {3.f, -1.f}}});
  EXPECT_TRUE(close(model(x).output, tensor<B>({{{-.0586525f}, {.4101608f}}}), 1e-6));
  model.reset_after = false;
  EXPECT_TRUE(close(model(x).output, tensor<B>({{{-.0245838f}, {.4334677f}}}), 1e-6));
  auto lstm = make_lstm<B>(1, 1);
  lstm.weights[0].weight_ih = param(tensor<B>({{1.f}, {-1.f}, {.5f}, {2.f}}));
  lstm.weights[0].weight_hh = param(tensor<B>({{.1f}, {.2f}, {.3f}, {.4f}}));
  lstm.weights[0].bias_ih = param(tensor<B>({0.f, 1.f, 0.f, -1.f}));
  lstm.weights[0].bias_hh = param(tensor<B>({0.f, 0.f, 0.f, 0.f}));
  auto [y, h, c] = lstm(tensor<B>({{{1.f}, {-2.f}}}));
  EXPECT_TRUE(close(y, tensor<B>({{{.2379910f}, {.0016884f}}}), 1e-6));
  EXPECT_TRUE(close(c, tensor<B>({{{.2336719f}}}), 1e-6));
}

TYPED_TEST(Modules, attention_refuses_sizes_that_do_not_fit) {
  using B = TypeParam;
  auto model = make_multi_head_attention<B>(8, 4);
  for (const std::int64_t heads : {0, -1, 3}) {
    model.heads = heads;
    EXPECT_THROW((void)model(ones<B>({1, 2, 8})), Error);
  }
  EXPECT_THROW((void)make_rotary_encoding<B>(-1, 8), Error);
  EXPECT_THROW((void)make_rotary_encoding<B>(INT64_MAX, 8), Error);
}

TYPED_TEST(Modules, sequential) {
  using B = TypeParam;
  auto model = sequential(make_linear<B>(4, 6), Tanh{}, sequential(make_linear<B>(6, 5), Gelu{}), sequential(), make_linear<B>(5, 2));
  check<B, 2>("sequential", model);
  // Nothing inside: the argument itself.
  auto x = tensor<B>({1.f, 2.f});
  EXPECT_TRUE(equal(sequential()(x), x));
  // An error names the layer that it came from.
  try {
    (void)model(tensor<B>({{1.f, 2.f, 3.f}}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.path, "0");
    EXPECT_NE(std::string(error.what()).find("in 0"), std::string::npos) << error.what();
  }
}

TYPED_TEST(Modules, activations) {
  using B = TypeParam;
  auto same = [](const char* name, auto layer) { (void)check_function<B, 2>(std::string("activation/") + name, layer); };
  same("relu", Relu{});
  same("gelu", Gelu{});
  same("gelu_tanh", GeluTanh{});
  same("silu", Silu{});
  same("mish", Mish{});
  same("tanh", Tanh{});
  same("sigmoid", Sigmoid{});
  same("log_sigmoid", LogSigmoid{});
  same("softplus", Softplus{});
  same("softsign", Softsign{});
  same("leaky_relu", LeakyRelu{0.1});
  same("elu", Elu{0.7});
  same("selu", Selu{});
  same("celu", Celu{1.3});
  same("hard_sigmoid", HardSigmoid{});
  same("hard_swish", HardSwish{});
  same("hard_tanh", [](const auto& x) { return hard_tanh(x); });
  same("relu6", Relu6{});
  same("tanh_shrink", TanhShrink{});
  same("soft_shrink", SoftShrink{0.4});
  same("hard_shrink", HardShrink{0.4});
  same("softmax", Softmax{});
  same("log_softmax", LogSoftmax{});
  same("softmin", [](const auto& x) { return softmin(x); });
  same("glu", Glu{});
  check<B, 3>("activation/prelu", make_prelu<B>(4));
}

TYPED_TEST(Modules, dropout_drops_while_training_only) {
  using B = TypeParam;
  manual_seed<B>(7);
  Dropout dropout{.p = 0.3, .mode = {}};
  auto x = ones<B>({100, 100});
  auto y = dropout(x);
  const auto values = y.to_vector();
  int dropped = 0;
  for (float v : values) {
    ASSERT_TRUE(v == 0 || std::fabs(v - 1 / 0.7f) < 1e-6f);
    dropped += v == 0;
  }
  EXPECT_NEAR(dropped, 3000, 230);  // five standard deviations
  EXPECT_FALSE(equal(dropout(x), y));
  manual_seed<B>(7);
  EXPECT_TRUE(equal(dropout(x), y));
  dropout.mode.training = false;
  EXPECT_TRUE(equal(dropout(x), x));
}

}  // namespace
