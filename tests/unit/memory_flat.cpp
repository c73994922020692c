// unit/memory_flat: six loops that programs run for days must not grow: bytes on the device, recorded nodes and blocks on the host's heap
// are the same after 100 rounds and after 10,000 (2,000 under a sanitizer, which makes them slow). And what records nothing makes no node.
// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include "hearth/nn/nn.hpp"
#include "hearth/optim/gradients.hpp"
#include "hearth/optim/optimizer.hpp"
#include "host_memory.hpp"
#include "stacks.hpp"

namespace hearth::test {
namespace {

template <class B>
struct MemoryFlat : testing::Test {};
TYPED_TEST_SUITE(MemoryFlat, Recording);

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int rounds = 2000;
#else
constexpr int rounds = 10000;
#endif

template <class Step>
void expect_flat(const Step& step, MemoryStats (*stats)()) {
  std::size_t live = 0, reserved = 0;
  std::int64_t nodes = 0, blocks = 0;
  for (int round = 1; round <= rounds; ++round) {
    step(round);
    if (round != 100) continue;
    live = stats().live;
    reserved = stats().reserved;
    nodes = live_nodes();
    blocks = host_blocks;
  }
  EXPECT_GT(live, 0u);
  EXPECT_GT(blocks, 0);
  EXPECT_EQ(stats().live, live);
  EXPECT_EQ(stats().reserved, reserved);
  EXPECT_EQ(live_nodes(), nodes);
  EXPECT_EQ(host_blocks, blocks);
}
template <class B>
MemoryStats stats() {
  return B::memory_stats({});
}

template <class B>
auto make_model() {
  return sequential(make_linear<B>(6, 16), make_batch_norm<B>(16), Tanh{}, Dropout{.p = 0.2, .mode = {}}, make_linear<B>(16, 3));
}
template <class B>
Tensor<B, 1, Int> labels(std::int64_t n) {
  return arange<B>(n) - floor_divide(arange<B>(n), 3) * 3;
}

TYPED_TEST(MemoryFlat, TrainingSteps) {
  using B = TypeParam;
  auto model = make_model<B>();
  Optimizer optimizer(AdamW{.rate = 1e-3}, model);
  const auto x = randn<B>({16, 6});
  const auto y = labels<B>(16);
  expect_flat(
      [&](int) {
        auto gradients = backward(cross_entropy(model(x), y));
        (void)clip_by_norm(gradients, 1);
        optimizer.step(model, std::move(gradients));
      },
      stats<B>);
}

TYPED_TEST(MemoryFlat, ForwardPassesWithoutBackward) {
  using B = TypeParam;
  const auto model = make_model<B>();
  const auto x = randn<B>({16, 6});
  auto last = model(x);
  expect_flat([&](int) { last = model(x); }, stats<B>);
  EXPECT_TRUE(requires_gradient(last));
}

TYPED_TEST(MemoryFlat, ClonesAndSelections) {
  using B = TypeParam;
  auto model = make_model<B>();
  const auto data = randn<B>({64, 6});
  auto kept = data.index_select(0, labels<B>(8));
  expect_flat(
      [&](int) {
        auto clone = model;
        const auto batch = data.index_select(0, randint<B>({8}, 0, 64));
        const auto loss = clone(batch).sum();
        kept = batch[{index::s(0, 4)}];
        model = clone;
      },
      stats<B>);
}

TYPED_TEST(MemoryFlat, OptimizersThatAreLoadedAgain) {
  using B = TypeParam;
  auto model = make_model<B>();
  const auto x = randn<B>({16, 6});
  const auto y = labels<B>(16);
  const OptimizerConfig config = Adam{.rate = 1e-3};
  Optimizer first(config, model);
  first.step(model, backward(cross_entropy(model(x), y)));
  auto state = first.state();
  expect_flat(
      [&](int) {
        Optimizer optimizer(config, model);
        optimizer.restore(state);
        optimizer.step(model, backward(cross_entropy(model(x), y)));
        state = optimizer.state();
      },
      stats<B>);
}

TYPED_TEST(MemoryFlat, OneThreadPerInference) {
  using B = TypeParam;
  using I = Inner<B>;
  auto model = inference(make_model<B>());
  eval(model);
  const auto x = randn<I>({16, 6});
  const auto want = model(x).to_vector();
  int wrong = 0;
  expect_flat([&](int) { std::thread([&] { wrong += model(x).to_vector() != want; }).join(); }, stats<B>);
  EXPECT_EQ(wrong, 0);
}

TYPED_TEST(MemoryFlat, ShapesThatVary) {
  using B = TypeParam;
  auto model = make_model<B>();
  Optimizer optimizer(Sgd{.rate = 1e-3, .momentum = 0.9}, model);
  expect_flat(
      [&](int round) {
        const std::int64_t n = 2 + round * 7 % 37;
        optimizer.step(model, backward(cross_entropy(model(randn<B>({n, 6})), labels<B>(n))));
      },
      stats<B>);
}

TYPED_TEST(MemoryFlat, InferenceRecordsNothing) {
  using B = TypeParam;
  auto model = make_model<B>();
  auto deployed = inference(model);
  eval(deployed);
  eval(model);
  const auto x = randn<B>({16, 6});
  const std::uint64_t made = detail::nodes_made;
  for (int round = 0; round < 10; ++round) (void)deployed(inner(x)).to_vector();
  {
    const NoGrad scope;
    for (int round = 0; round < 10; ++round) (void)model(x).to_vector();
  }
  EXPECT_EQ(detail::nodes_made, made);
  (void)model(x);
  EXPECT_GT(detail::nodes_made, made);
}

}  // namespace
}  // namespace hearth::test
