// optim: optimisers, schedules and clipping against PyTorch, and what a step does to a model.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fixtures.hpp"
#include "hearth/nn/nn.hpp"
#include "hearth/optim/gradients.hpp"
#include "hearth/optim/optimizer.hpp"
#include "hearth/optim/schedule.hpp"
#include "stacks.hpp"

using namespace hearth;
using namespace hearth::test;

namespace {

template <class B>
class Steps : public testing::Test {};
TYPED_TEST_SUITE(Steps, Recording);

template <Backend B>
struct Pair {
  Param<B, 2> a;
  Param<B, 1> b;
};
template <class B>
Pair<B> start() {
  return {param(fixture<B, 2>("nn", "optimizer/start/a")), param(fixture<B, 1>("nn", "optimizer/start/b"))};
}
/// A loss whose gradients are those of the fixture's step k.
template <class B>
auto gradients_of(const Pair<B>& model, int k) {
  const std::string name = "optimizer/gradient" + std::to_string(k);
  return backward((model.a * fixture<B, 2>("nn", name + "/a")).sum() + (model.b * fixture<B, 1>("nn", name + "/b")).sum());
}
/// 20 steps against optimizer/<name>/step<k>; `before` may change the optimiser before step k.
template <class B, class Before>
void check(const std::string& name, OptimizerConfig config, const Before& before) {
  SCOPED_TRACE(name);
  auto model = start<B>();
  Optimizer optimizer(config, model);
  for (int k = 0; k < 20; ++k) {
    before(optimizer, k);
    optimizer.step(model, gradients_of(model, k));
    if (k != 0 && k != 9 && k != 19) continue;
    const std::string key = "optimizer/" + name + "/step" + std::to_string(k + 1);
    EXPECT_TRUE(close(model.a, fixture<B, 2>("nn", key + "/a"))) << "a after step " << k + 1;
    EXPECT_TRUE(close(model.b, fixture<B, 1>("nn", key + "/b"))) << "b after step " << k + 1;
  }
  EXPECT_EQ(optimizer.steps(), 20);
}
template <class B>
void check(const std::string& name, OptimizerConfig config) {
  check<B>(name, config, [](auto&, int) {});
}
template <class B, Schedule S>
void check_schedule(const std::string& name, const S& schedule) {
  check<B>(name, Sgd{.rate = 0.1}, [&](auto& optimizer, int k) { optimizer.set_rate(schedule.rate(k)); });
}

TYPED_TEST(Steps, sgd) {
  using B = TypeParam;
  check<B>("sgd", Sgd{.rate = 0.1});
  check<B>("sgd_decay", Sgd{.rate = 0.1, .weight_decay = 0.05});
  check<B>("sgd_momentum", Sgd{.rate = 0.1, .momentum = 0.9});
  check<B>("sgd_dampening", Sgd{.rate = 0.1, .momentum = 0.9, .dampening = 0.2, .weight_decay = 0.01});
  check<B>("sgd_nesterov", Sgd{.rate = 0.1, .momentum = 0.9, .weight_decay = 0.01, .nesterov = true});
  check<B>("sgd_nesterov_plain", Sgd{.rate = 0.1, .momentum = 0.8, .nesterov = true});
}

TYPED_TEST(Steps, adam_and_rms_prop) {
  using B = TypeParam;
  check<B>("adam", Adam{.rate = 0.05});
  check<B>("adam_decay", Adam{.rate = 0.05, .beta1 = 0.8, .beta2 = 0.95, .epsilon = 1e-6, .weight_decay = 0.1});
  check<B>("adamw", AdamW{.rate = 0.05, .weight_decay = 0.1});
  check<B>("adamw_betas", AdamW{.rate = 0.02, .beta1 = 0.7, .beta2 = 0.9, .epsilon = 1e-5, .weight_decay = 0.3});
  check<B>("rmsprop", RmsProp{.rate = 0.05});
  check<B>("rmsprop_centered", RmsProp{.rate = 0.05, .centered = true});
  check<B>("rmsprop_momentum", RmsProp{.rate = 0.05, .alpha = 0.95, .epsilon = 1e-6, .momentum = 0.7});
  check<B>("rmsprop_all", RmsProp{.rate = 0.05, .alpha = 0.9, .weight_decay = 0.02, .momentum = 0.8, .centered = true});
}

TYPED_TEST(Steps, groups) {
  using B = TypeParam;
  check<B>("groups", Adam{.rate = 1}, [](auto& optimizer, int k) {
    if (k == 0) optimizer.group("*", {.rate = 0.5}).group("a", {.rate = 0.01}).group("b", {.rate = 0.1, .weight_decay = 0.2});
  });
  // Rates of groups keep their ratio to the base rate.
  auto model = start<B>();
  const auto a = model.a;
  const auto b = model.b;
  Optimizer optimizer(Sgd{.rate = 0.1}, model);
  optimizer.group("b", {.rate = 0.3});
  optimizer.set_rate(0.05);
  optimizer.step(model, backward(model.a.sum() + model.b.sum()));
  EXPECT_TRUE(close<B>(model.a, a - 0.05, 1e-6));
  EXPECT_TRUE(close<B>(model.b, b - 0.15, 1e-6));
}

TYPED_TEST(Steps, schedules) {
  using B = TypeParam;
  check_schedule<B>("step_schedule", StepSchedule{.start = 0.1, .every = 6, .factor = 0.3});
  check_schedule<B>("cosine_schedule", CosineSchedule{.start = 0.1, .steps = 20, .least = 0.01});
  check_schedule<B>("warm_up_schedule", WarmUp{8, 0.25, ConstantSchedule{0.1}});
  const WarmUp schedule{.steps = 4, .from = 0.0, .then = CosineSchedule{.start = 1, .steps = 2, .least = 0.5}};
  const double want[] = {0, 0.25, 0.5, 0.75, 1, 0.75, 0.5, 0.5};
  for (int k = 0; k < 8; ++k) EXPECT_NEAR(schedule.rate(k), want[k], 1e-12) << k;
  static_assert(!Schedule<int>);
}

TYPED_TEST(Steps, clipping) {
  using B = TypeParam;
  using I = typename B::Inner;
  auto model = start<B>();
  auto expect_gradients = [&](const std::string& name, const Gradients<I>& gradients) {
    EXPECT_TRUE(close(gradient_of(model.a, gradients), fixture<I, 2>("nn", "optimizer/" + name + "/a"))) << name;
    EXPECT_TRUE(close(gradient_of(model.b, gradients), fixture<I, 1>("nn", "optimizer/" + name + "/b"))) << name;
  };
  auto gradients = gradients_of(model, 0);
  EXPECT_TRUE(close(clip_by_norm(gradients, 0.5), fixture<I, 0>("nn", "optimizer/clip_norm/norm")));
  expect_gradients("clip_norm", gradients);
  const auto kept = gradient_of(model.a, gradients);
  EXPECT_NEAR(clip_by_norm(gradients, 100).item(), 0.5, 1e-5);  // below the limit: nothing changes
  EXPECT_TRUE(equal(gradient_of(model.a, gradients), kept));

  gradients = gradients_of(model, 0);
  EXPECT_TRUE(close(clip_by_norm(gradients, 0.5, std::numeric_limits<double>::infinity()), fixture<I, 0>("nn", "optimizer/clip_norm_inf/norm")));
  expect_gradients("clip_norm_inf", gradients);
  gradients = gradients_of(model, 0);
  clip_by_value(gradients, 0.3);
  expect_gradients("clip_value", gradients);

  // The 1-norm, by hand.
  auto x = require_gradient(tensor<B>({1.f, 1.f}));
  gradients = backward((x * tensor<B>({3.f, -1.f})).sum());
  EXPECT_FLOAT_EQ(clip_by_norm(gradients, 2, 1).item(), 4);
  EXPECT_TRUE(close(gradient_of(x, gradients), tensor<I>({1.5f, -.5f}), 1e-6));
  EXPECT_THROW(clip_by_value(gradients, -1), Error);
  EXPECT_THROW((void)clip_by_norm(gradients, -1), Error);
  EXPECT_THROW((void)clip_by_norm(gradients, 1, 0), Error);
  Gradients<I> empty;
  EXPECT_THROW((void)clip_by_norm(empty, 1), Error);
}

// A gradient of 1 and sixteen of 2^-12: added to 1 in f32 one after the other, the squares of the small ones vanish.
TYPED_TEST(Steps, the_order_of_the_leaves_does_not_show_in_their_norm) {
  using B = TypeParam;
  const auto clipped = [](std::size_t large) {
    std::vector<Tensor<B, 1>> leaves;
    for (std::size_t i = 0; i < 17; ++i) leaves.push_back(require_gradient(tensor<B>({1.f})));
    auto loss = leaves[large].sum();
    for (std::size_t i = 0; i < 17; ++i)
      if (i != large) loss = loss + (leaves[i] * 0x1p-12).sum();
    auto gradients = backward(loss);
    const float norm = clip_by_norm(gradients, 0.75).item();
    return std::array{norm, gradient_of(leaves[large], gradients).to_vector()[0], gradient_of(leaves[large == 0 ? 1 : 0], gradients).to_vector()[0]};
  };
  const auto first = clipped(0);
  EXPECT_EQ(first[0], 1 + 0x1p-21f);
  EXPECT_EQ(clipped(8), first);
  EXPECT_EQ(clipped(16), first);
}

TYPED_TEST(Steps, accumulated_gradients_equal_one_large_batch) {
  using B = TypeParam;
  auto model = make_linear<B>(3, 2);
  auto x = hearth::normal<B>({8, 3}, 0, 1), y = hearth::normal<B>({8, 2}, 0, 1);
  auto whole = backward(mse_loss(model(x), y));
  Gradients<typename B::Inner> sum;
  for (int part = 0; part < 4; ++part) accumulate(sum, backward(mse_loss(model(x.narrow(0, 2 * part, 2)), y.narrow(0, 2 * part, 2))));
  scale(sum, 0.25);
  EXPECT_TRUE(close(gradient_of(model.weight, sum), gradient_of(model.weight, whole), 1e-6));
  EXPECT_TRUE(close(gradient_of(*model.bias, sum), gradient_of(*model.bias, whole), 1e-6));
}

TYPED_TEST(Steps, clipping_by_the_largest_passes_over_empty_gradients) {
  using B = TypeParam;
  const auto none = require_gradient(zeros<B>({0})), some = require_gradient(tensor<B>({1., 2.}));
  auto gradients = backward((some * 4).sum() + none.sum());
  EXPECT_EQ(clip_by_norm(gradients, 1, std::numeric_limits<double>::infinity()).item(), 4);
  EXPECT_NEAR(gradient_of(some, gradients)[0].item(), 1, 1e-6);
}

TYPED_TEST(Steps, frozen_parameters_stay) {
  using B = TypeParam;
  auto model = start<B>();
  const auto a = model.a;
  const auto b = model.b;
  Optimizer optimizer(AdamW{.rate = 0.1, .weight_decay = 0.1}, model);
  optimizer.group("a", {.frozen = true}).group("*", {.weight_decay = 0});  // frozen still: the second group says nothing of it
  optimizer.step(model, gradients_of(model, 0));
  EXPECT_TRUE(equal<B>(model.a, a));
  EXPECT_FALSE(equal<B>(model.b, b));
  optimizer.group("a", {.frozen = false});
  optimizer.step(model, gradients_of(model, 0));
  EXPECT_FALSE(equal<B>(model.a, a));

  freeze(model, "b");
  const auto frozen = model.b;
  const auto moving = model.a;
  auto gradients = gradients_of(model, 1);
  EXPECT_FALSE(find_gradient(model.b, gradients).defined());
  optimizer.step(model, std::move(gradients));
  EXPECT_TRUE(equal<B>(model.b, frozen));
  EXPECT_FALSE(equal<B>(model.a, moving));
  unfreeze(model, "b");
  optimizer.step(model, gradients_of(model, 1));
  EXPECT_FALSE(equal<B>(model.b, frozen));
}

TYPED_TEST(Steps, parameters_without_a_gradient_stay) {
  using B = TypeParam;
  auto model = start<B>();
  const auto a = model.a;
  const auto b = model.b;
  Optimizer optimizer(AdamW{.rate = 0.1, .weight_decay = 0.5}, model);
  optimizer.step(model, backward((model.b * model.b).sum()));
  EXPECT_TRUE(equal<B>(model.a, a));
  EXPECT_FALSE(equal<B>(model.b, b));
  // And join later, with momenta of their own.
  optimizer.step(model, gradients_of(model, 0));
  optimizer.step(model, gradients_of(model, 1));
  EXPECT_FALSE(equal<B>(model.a, a));
  EXPECT_EQ(optimizer.state().tensors.size(), 4u);
}

// Adam corrects the bias of the momenta that it has, so a parameter's first step is `rate` long whenever it comes: the fifth step of
// `b` here is the first of `a`. (PyTorch counts the steps of each parameter, too.)
TYPED_TEST(Steps, each_parameter_counts_its_own) {
  using B = TypeParam;
  auto model = start<B>();
  const auto a = model.a;
  const OptimizerConfig config = Adam{.rate = 0.1};
  Optimizer optimizer(config, model);
  optimizer.group("a", {.frozen = true});
  const auto step = [](auto& with, auto& of) { with.step(of, backward(of.a.sum() + of.b.sum())); };
  for (int k = 0; k < 4; ++k) step(optimizer, model);
  optimizer.group("a", {.frozen = false});
  step(optimizer, model);
  EXPECT_TRUE(close<B>(model.a, a - 0.1, 1e-6));
  EXPECT_EQ(optimizer.steps(), 5);

  // And its state knows, also in another optimiser.
  auto resumed = model;
  Optimizer second(config, resumed);
  second.restore(optimizer.state());
  step(optimizer, model);
  step(second, resumed);
  EXPECT_TRUE(close<B>(model.a, a - 0.2, 1e-6));
  EXPECT_TRUE(equal<B>(model.a, resumed.a));
  EXPECT_TRUE(equal<B>(model.b, resumed.b));
  for (const char* wrong : {"steps.c", "steps.a"}) {
    auto state = optimizer.state();
    state.set(wrong, 7);
    EXPECT_THROW(second.restore(state), Error) << wrong;
  }
}

template <Backend B>
struct Tied {
  Embedding<B> embedding;
  Linear<B> head;
};

TYPED_TEST(Steps, tied_parameters_take_one_step_together) {
  using B = TypeParam;
  Tied<B> model{make_embedding<B>(4, 3), make_linear<B>(3, 4, {.bias = false})};
  model.head.weight = model.embedding.weight;
  const auto before = model.head.weight;
  Optimizer optimizer(Sgd{.rate = 1}, model);
  for (int k = 0; k < 2; ++k) {
    // Each place gives a gradient of ones: the leaf's is 2.
    optimizer.step(model, backward(model.embedding.weight.sum() + model.head.weight.sum()));
    EXPECT_TRUE(close<B>(model.head.weight, before - 2. * (k + 1), 1e-6));
    EXPECT_TRUE(equal<B>(model.head.weight, model.embedding.weight));
    EXPECT_EQ(leaf_identity(model.head.weight.dyn), leaf_identity(model.embedding.weight.dyn));
  }
  // Either name reaches it.
  optimizer.group("head.weight", {.frozen = true});
  const auto now = model.embedding.weight;
  optimizer.step(model, backward(model.embedding.weight.sum()));
  EXPECT_TRUE(equal<B>(model.embedding.weight, now));
}

TYPED_TEST(Steps, copies_of_a_model_are_values) {
  using B = TypeParam;
  auto model = start<B>();
  const auto copy = model;
  const auto values = model.a.to_vector();
  const auto deployed = inference(model);
  Optimizer optimizer(Sgd{.rate = 1}, model);
  optimizer.step(model, gradients_of(model, 0));
  EXPECT_EQ(copy.a.to_vector(), values);
  EXPECT_EQ(deployed.a.to_vector(), values);
  EXPECT_NE(model.a.to_vector(), values);
}

TYPED_TEST(Steps, state_goes_on_in_another_optimizer) {
  using B = TypeParam;
  auto straight = start<B>(), resumed = start<B>();
  const OptimizerConfig config = RmsProp{.rate = 0.05, .momentum = 0.8, .centered = true};
  Optimizer whole(config, straight), first(config, resumed);
  for (int k = 0; k < 5; ++k) {
    whole.step(straight, gradients_of(straight, k));
    first.step(resumed, gradients_of(resumed, k));
  }
  whole.set_rate(0.01);
  first.set_rate(0.01);
  Optimizer second(config, resumed);
  second.restore(first.state());
  EXPECT_EQ(second.steps(), 5);
  EXPECT_EQ(second.rate(), 0.01);
  for (int k = 5; k < 9; ++k) {
    whole.step(straight, gradients_of(straight, k));
    second.step(resumed, gradients_of(resumed, k));
  }
  EXPECT_TRUE(equal<B>(straight.a, resumed.a));
  EXPECT_TRUE(equal<B>(straight.b, resumed.b));

  // What does not fit is refused, and nothing changes.
  Optimizer other(Adam{}, resumed);
  EXPECT_THROW(other.restore(first.state()), Error);
  auto state = first.state();
  state.tensors[0].value = zeros<typename B::Inner>({5}).dyn;
  EXPECT_THROW(second.restore(state), Error);
  state = first.state();
  state.tensors[0].name = "c.0";
  EXPECT_THROW(second.restore(state), Error);
  state = first.state();
  state.values.clear();
  EXPECT_THROW(second.restore(state), Error);
  EXPECT_EQ(second.steps(), 9);
}

TYPED_TEST(Steps, errors) {
  using B = TypeParam;
  auto model = start<B>();
  EXPECT_THROW(Optimizer(Sgd{.rate = -0.1}, model), Error);
  EXPECT_THROW(Optimizer(Adam{.rate = std::nan("")}, model), Error);
  EXPECT_THROW(Optimizer(Adam{.weight_decay = -1}, model), Error);
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  EXPECT_THROW(Optimizer(Adam{.rate = infinity}, model), Error);
  EXPECT_THROW(Optimizer(Adam{.weight_decay = infinity}, model), Error);
  EXPECT_THROW(Optimizer(Adam{.beta1 = 1}, model), Error);
  EXPECT_THROW(Optimizer(Adam{.beta2 = -0.1}, model), Error);
  EXPECT_THROW(Optimizer(AdamW{.beta1 = nan}, model), Error);
  EXPECT_THROW(Optimizer(AdamW{.epsilon = -1}, model), Error);
  EXPECT_THROW(Optimizer(RmsProp{.alpha = 2}, model), Error);
  EXPECT_THROW(Optimizer(RmsProp{.epsilon = nan}, model), Error);
  EXPECT_THROW(Optimizer(Sgd{.momentum = -0.5}, model), Error);
  EXPECT_THROW(Optimizer(Sgd{.dampening = nan}, model), Error);
  EXPECT_THROW(Optimizer(Sgd{.nesterov = true}, model), Error);
  EXPECT_THROW(Optimizer(Sgd{.momentum = 0.9, .dampening = 0.1, .nesterov = true}, model), Error);
  Pair<B> empty;
  EXPECT_THROW(Optimizer(Sgd{}, empty), Error);
  Optimizer optimizer(Sgd{}, model);
  EXPECT_THROW(optimizer.set_rate(-1), Error);
  EXPECT_THROW(optimizer.group("a", {.rate = -1}), Error);
  try {
    optimizer.group("encoder.*", {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("no parameter matches \"encoder.*\""), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("a, b"), std::string::npos) << error.what();
  }
  EXPECT_EQ(optimizer.rate(), 0.01);
}

// The second group does not fit what the optimiser remembers of it: the first has not moved either.
TYPED_TEST(Steps, that_cannot_be_taken_whole_change_nothing) {
  using B = TypeParam;
  auto model = start<B>();
  Optimizer optimizer(Adam{.rate = 0.1}, model);
  optimizer.group("b", {.rate = 0.3});
  optimizer.step(model, backward(model.a.sum() + model.b.sum()));
  const auto a = model.a.to_vector(), b = model.b.to_vector();
  auto other = model;
  other.b = param(ones<B>({7}));
  EXPECT_THROW(optimizer.step(other, backward(other.a.sum() + other.b.sum())), Error);
  EXPECT_EQ(optimizer.steps(), 1);
  EXPECT_EQ(other.a.to_vector(), a);
  EXPECT_EQ(other.b.to_vector(), std::vector<float>(7, 1));
  optimizer.step(model, backward(model.a.sum() + model.b.sum()));
  EXPECT_EQ(optimizer.steps(), 2);
  EXPECT_NE(model.b.to_vector(), b);
}

TYPED_TEST(Steps, memory_stays_flat) {
  using B = TypeParam;
  auto model = sequential(make_linear<B>(6, 8), Tanh{}, Dropout{.p = 0.2, .mode = {}}, make_linear<B>(8, 3));
  Optimizer optimizer(AdamW{.rate = 1e-2}, model);
  auto x = hearth::normal<B>({16, 6}, 0, 1);
  auto y = tensor<B>(std::vector<std::int64_t>{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0});
  std::size_t live = 0, peak = 0;
  for (int k = 0; k < 200; ++k) {
    auto gradients = backward(cross_entropy(model(x), y));
    (void)clip_by_norm(gradients, 1);
    optimizer.step(model, std::move(gradients));
    const MemoryStats stats = B::memory_stats({});
    if (k == 20) live = stats.live, peak = stats.peak;
    if (k > 20) {
      ASSERT_EQ(stats.live, live) << k;
      ASSERT_EQ(stats.peak, peak) << k;
    }
  }
  EXPECT_GT(live, 0u);
}

}  // namespace
