// optim: what is left when memory runs out halfway through a step or an assignment: what was there before.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hearth/cpu.hpp"
#include "hearth/nn/nn.hpp"
#include "hearth/optim/optimizer.hpp"

using namespace hearth;
using namespace hearth::index;

namespace {

using B = Autodiff<Cpu>;
using Floats = std::vector<float>;

/// Calls f with room for `extra` bytes more than are live. Was there too little?
template <class F>
bool runs_out(std::size_t extra, const F& f) {
  Cpu::trim({});
  Cpu::set_memory_cap(Cpu::memory_stats({}).live + extra);
  bool failed = false;
  try {
    f();
  } catch (const Error& error) {
    failed = true;
    EXPECT_EQ(error.kind, ErrorKind::device) << error.what();
  }
  Cpu::set_memory_cap(0);
  return failed;
}

TEST(OutOfMemory, a_step_is_taken_whole_or_not_at_all) {
  const auto x = ones<B>({1, 64});
  int failures = 0;
  for (const OptimizerConfig& config : {OptimizerConfig(Adam{}), OptimizerConfig(Sgd{.momentum = 0.9}), OptimizerConfig(RmsProp{.momentum = 0.5})})
    for (const bool shared : {false, true})
      for (std::size_t extra = 0; extra < 200'000; extra += 7'000) {
        manual_seed<B>(1);
        auto model = sequential(make_linear<B>(64, 64), make_linear<B>(64, 8)), twin = sequential(make_linear<B>(64, 64), make_linear<B>(64, 8));
        twin.at<0>() = {param(model.at<0>().weight + 0), param(*model.at<0>().bias + 0)};
        twin.at<1>() = {param(model.at<1>().weight + 0), param(*model.at<1>().bias + 0)};
        Optimizer optimizer(config, model), other(config, twin);
        for (Optimizer<B>* o : {&optimizer, &other}) o->group("1.*", {.rate = 0.5});
        const auto step = [&](auto& o, auto& m) { o.step(m, backward(square(m(x)).sum())); };
        step(optimizer, model);
        step(other, twin);
        // Who shares the parameters keeps them from being written over.
        const auto deployed = shared ? inference(model) : decltype(inference(model)){};
        auto gradients = backward(square(model(x)).sum());
        if (!runs_out(extra, [&] { optimizer.step(model, std::move(gradients)); })) break;
        ++failures;
        ASSERT_EQ(optimizer.steps(), 1);
        EXPECT_TRUE(equal(model.at<0>().weight, twin.at<0>().weight));
        EXPECT_TRUE(equal(model.at<1>().weight, twin.at<1>().weight));
        EXPECT_TRUE(requires_gradient(model.at<0>().weight));
        // And the run goes on as if nothing had happened.
        step(optimizer, model);
        step(other, twin);
        EXPECT_TRUE(equal(model.at<0>().weight, twin.at<0>().weight));
        EXPECT_TRUE(equal(*model.at<1>().bias, *twin.at<1>().bias));
      }
  EXPECT_GE(failures, 6);
}

template <Backend B>
struct Product {
  Param<B, 2> weight;
};

TEST(OutOfMemory, a_step_over_values_gathers_strided_gradients) {
  for (const OptimizerConfig& config : {OptimizerConfig(Adam{}), OptimizerConfig(Sgd{.momentum = 0.9})}) {
    const auto start = arange<B, Float>(256 * 128).reshape({256, 128}) / 1000, slope = start.transpose() + 0;
    Product<B> model{param(start + 0)}, twin{param(start + 0)};
    Optimizer optimizer(config, model), other(config, twin);
    const auto step = [](auto& o, auto& m, const auto& by) { o.step(m, backward((m.weight * by).sum())); };
    for (int i = 0; i < 2; ++i) step(other, twin, start);
    step(optimizer, model, start);
    // The same numbers, but transposed in memory.
    auto gradients = backward((model.weight.transpose() * slope).sum());
    EXPECT_FALSE(runs_out(100, [&] { optimizer.step(model, std::move(gradients)); }));
    ASSERT_TRUE(model.weight.defined());
    EXPECT_TRUE(equal(model.weight, twin.weight));
  }
}

TEST(OutOfMemory, an_update_by_strided_or_recorded_operands) {
  auto x = arange<Cpu, Float>(65536).reshape({256, 256}) + 1;
  const auto y = arange<Cpu, Float>(65536).reshape({256, 256}).transpose();
  const Floats sum = (x + y).to_vector();
  EXPECT_FALSE(runs_out(100, [&] { x += y; }));  // written over: needs none
  ASSERT_TRUE(x.defined());
  EXPECT_EQ(x.to_vector(), sum);

  // What a tape keeps cannot be written over.
  const auto weight = require_gradient(ones<B>({4096}));
  auto tracked = require_gradient(arange<B, Float>(4096)), plain = arange<B, Float>(4096);
  const Floats before = plain.to_vector();
  for (auto* z : {&tracked, &plain}) {
    EXPECT_TRUE(runs_out(100, [&] { *z *= weight; }));
    ASSERT_TRUE(z->defined());
    EXPECT_EQ(z->to_vector(), before);
  }
}

TEST(OutOfMemory, a_failed_update_leaves_the_tensor) {
  auto x = arange<Cpu, Float>(4096);
  const auto shared = x, y = ones<Cpu>({4096});
  const Floats before = x.to_vector();
  EXPECT_TRUE(runs_out(100, [&] { x += y; }));
  EXPECT_TRUE(runs_out(100, [&] { x *= 2; }));
  EXPECT_TRUE(runs_out(1000, [&] { x.assign({s(0, 5)}, 7); }));
  ASSERT_TRUE(x.defined());
  EXPECT_EQ(x.to_vector(), before);
  auto tracked = require_gradient(arange<B, Float>(4096));
  const auto square_of_it = square(tracked);
  EXPECT_TRUE(runs_out(100, [&] { tracked += 1; }));
  ASSERT_TRUE(tracked.defined());
  EXPECT_EQ(tracked.to_vector(), before);
}

}  // namespace
