// unit/cases_runtime: reported cases of graphs that were kept alive (46), of errors that spoiled what came after (48) and of processes that
// died (49), on every stack.
// HEARTH_FULL_TESTS in the environment: case 46 at its reported size, where the backend is fast enough for it.
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "hearth/nn/nn.hpp"
#include "hearth/optim/optimizer.hpp"
#include "hearth/store/model.hpp"
#include "host_memory.hpp"
#include "tensor_stacks.hpp"

namespace hearth::test {
namespace {

template <class B>
struct GraphsKeptAlive : testing::Test {};
TYPED_TEST_SUITE(GraphsKeptAlive, Recording);

/// After 20 rounds and after 200 the same bytes, nodes and blocks of the host's heap are alive.
template <class B, class Step>
void expect_flat(const Step& step) {
  std::size_t live = 0;
  std::int64_t nodes = 0, blocks = 0;
  for (int round = 1; round <= 200; ++round) {
    step(round);
    if (round == 20) live = B::memory_stats({}).live, nodes = live_nodes(), blocks = host_blocks;
  }
  EXPECT_EQ(host_blocks, blocks);
  EXPECT_EQ(B::memory_stats({}).live, live);
  EXPECT_EQ(live_nodes(), nodes);
}

// 46: burn#4339, #2743, #2333, #4302, #2042.
TYPED_TEST(GraphsKeptAlive, LayersWithoutBackward) {
  using B = TypeParam;
  const bool full = std::getenv("HEARTH_FULL_TESTS") && B::name().find("Portable") == std::string::npos;
  const std::int64_t batch = full ? 64 : 2, width = full ? 512 : 32;
  const auto layers = sequential(make_linear<B>(width, width), make_linear<B>(width, width), make_linear<B>(width, width));
  auto y = randn<B>({batch, width, width});
  expect_flat<B>([&](int) { y = layers(randn<B>({batch, width, width})); });
}

TYPED_TEST(GraphsKeptAlive, ClonedAndSelectedBatches) {
  using B = TypeParam;
  const auto data = require_gradient(randn<B>({100, 8}));
  const auto layer = make_linear<B>(8, 8);
  std::vector<Tensor<B, 2>> replay(5);
  expect_flat<B>([&](int round) {
    const auto clone = data;
    const auto batch = clone.index_select(0, randint<B>({10}, 0, 100));
    replay[std::size_t(round % 5)] = detach(layer(batch));
  });
}

// A network that is trained towards what an older copy of it says, as in deep Q-learning.
TYPED_TEST(GraphsKeptAlive, TrackedAndUntrackedPassesInTurn) {
  using B = TypeParam;
  auto online = sequential(make_linear<B>(4, 16), Relu{}, make_linear<B>(16, 2));
  auto target = online;
  Optimizer optimizer(Adam{.rate = 1e-3}, online);
  const auto states = randn<B>({32, 4}), next = randn<B>({32, 4});
  const auto actions = randint<B>({32, 1}, 0, 2);
  expect_flat<B>([&](int round) {
    Tensor<B, 1> goal;
    if (round % 2) {
      const NoGrad scope;
      goal = 0.9 * target(next).max(1) + 1;
    } else {
      goal = detach(0.9 * target(next).max(1) + 1);  // recorded, then cut off
    }
    const auto value = online(states).gather(1, actions).squeeze(1);
    const auto loss = mse_loss(value, goal);
    if (round % 3 != 0) optimizer.step(online, backward(loss));
    if (round % 10 == 0) target = online;
  });
}

template <class B>
struct NothingAborts : testing::Test {};
TYPED_TEST_SUITE(NothingAborts, Stacks);

template <class F>
void expect_kind(ErrorKind kind, const F& f) {
  try {
    f();
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, kind) << error.what();
    EXPECT_FALSE(error.op.empty()) << error.what();
  }
}
template <class B>
void expect_works() {
  EXPECT_EQ((tensor<B>({2.}) + tensor<B>({2.})).item(), 4);
}

// 49: ggml#123, #1083, whisper.cpp#3924, stable-diffusion.cpp PR#1003.
TYPED_TEST(NothingAborts, ImpossibleSizes) {
  using B = TypeParam;
  expect_kind(ErrorKind::device, [] { (void)zeros<B>({std::int64_t(1) << 58}); });
  expect_works<B>();
  const auto stretched = ones<B>({1, 1}).expand({std::int64_t(1) << 29, std::int64_t(1) << 29});
  expect_kind(ErrorKind::device, [&] { (void)(stretched + 1); });
  expect_kind(ErrorKind::user, [&] { (void)zeros<B>({std::int64_t(1) << 62, 8}); });  // not even a number of elements
  expect_works<B>();
}

TYPED_TEST(NothingAborts, GarbageForAModel) {
  using B = TypeParam;
  const std::string path = (std::filesystem::temp_directory_path() / ("hearth_garbage_" + std::to_string(getpid()))).string();
  std::ofstream(path, std::ios::binary) << std::string(48, '\xa5');
  auto layer = make_linear<B>(3, 2);
  const auto before = layer.weight.to_vector();
  expect_kind(ErrorKind::file, [&] { (void)load(path, layer); });
  EXPECT_EQ(layer.weight.to_vector(), before);
  std::filesystem::remove(path);
  expect_works<B>();
}

TYPED_TEST(NothingAborts, WrongShapes) {
  using B = TypeParam;
  const auto layer = make_linear<B>(3, 2);
  expect_kind(ErrorKind::user, [&] { (void)layer(ones<B>({4, 5})); });
  expect_kind(ErrorKind::user, [] { (void)matmul(ones<B>({2, 3}), ones<B>({2, 3})); });
  expect_kind(ErrorKind::user, [] { (void)(ones<B>({2, 3}) + ones<B>({2, 4})); });
  expect_works<B>();
}

template <class B>
struct Cap {
  explicit Cap(std::size_t bytes) { B::set_memory_cap(bytes); }
  Cap(const Cap&) = delete;
  Cap& operator=(const Cap&) = delete;
  ~Cap() { B::set_memory_cap(0); }  // none
};

// 48: burn#4827, PR#5535, #4950. One bad op among good ones is one error, about that op; the good ones' values stand, and so does the device.
TYPED_TEST(NothingAborts, OneBadOpAmongGoodOnes) {
  using B = TypeParam;
  for (int round = 0; round < 3; ++round) {
    auto x = ones<B>({64, 64});
    for (int i = 0; i < 10; ++i) x = x * 2;
    int errors = 0;
    Tensor<B, 2> y;
    try {
      y = matmul(x, ones<B>({63, 64}));
    } catch (const Error& error) {
      ++errors;
      EXPECT_EQ(error.op, "matmul");
      EXPECT_EQ(error.shapes, (std::vector<Shape>{{64, 64}, {63, 64}}));
    }
    // A kernel that finds the fault in a value: the error comes at the call, or when the value is read, and only once.
    try {
      const auto row = x.index_select(0, tensor<B>({0, 64}));
      (void)row.to_vector();
    } catch (const Error& error) {
      ++errors;
      EXPECT_NE(std::string(error.what()).find("64"), std::string::npos) << error.what();
    }
    EXPECT_EQ(errors, 2);
    EXPECT_FALSE(y.defined());
    expect_works<B>();
    EXPECT_EQ(x.to_vector(), std::vector<float>(64 * 64, 1024));
    EXPECT_EQ((x + 1).sum().item(), 64 * 64 * 1025);
  }
}
TYPED_TEST(NothingAborts, ManyLargeReadings) {
  using B = TypeParam;
  constexpr std::int64_t count = 1 << 18;
  const auto x = arange<B, Float>(count);
  for (int round = 0; round < 48; ++round) {
    const auto read = (x + round).to_vector();
    ASSERT_EQ(std::int64_t(read.size()), count);
    ASSERT_EQ(read.front(), float(round));
    ASSERT_EQ(read.back(), float(count - 1 + round));
  }
}

TYPED_TEST(NothingAborts, UnderAMemoryCap) {
  using B = TypeParam;
  using I = Inner<B>;
  const auto layer = make_linear<B>(256, 256);
  const auto x = randn<B>({64, 256});
  I::trim({});
  {
    const Cap<I> cap(I::memory_stats({}).reserved + (std::size_t(1) << 20));
    expect_kind(ErrorKind::device, [] { (void)ones<B>({1 << 20}); });
    expect_works<B>();
    // Until the values of a long chain no longer fit. Nothing of it is left behind.
    std::size_t live = 0;
    for (int round = 0; round < 3; ++round) {
      expect_kind(ErrorKind::device, [&] {
        std::vector<Tensor<B, 2>> all{x};
        for (int i = 0; i < 1000; ++i) all.push_back(tanh(layer(all.back())));
      });
      expect_works<B>();
      if (round == 0) live = I::memory_stats({}).live;
      EXPECT_EQ(I::memory_stats({}).live, live);
    }
  }
  EXPECT_EQ(ones<B>({1 << 20}).sum().item(), 1 << 20);
}

}  // namespace
}  // namespace hearth::test
