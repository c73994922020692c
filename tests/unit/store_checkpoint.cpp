// store/checkpoint: a training run that stops and goes on is the run that did not stop, bit for bit; broken files are errors.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/store/checkpoint.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "hearth/data/loader.hpp"
#include "hearth/nn/nn.hpp"
#include "hearth/optim/gradients.hpp"
#include "hearth/optim/optimizer.hpp"
#include "hearth/optim/schedule.hpp"
#include "stacks.hpp"

using namespace hearth;
using namespace hearth::test;

namespace {

template <class B>
class Checkpoints : public testing::Test {
 protected:
  Checkpoints() : path((std::filesystem::temp_directory_path() / ("hearth_checkpoint_" + std::to_string(getpid()) + ".safetensors")).string()) {}
  ~Checkpoints() override { std::filesystem::remove(path); }
  std::string path;
};
TYPED_TEST_SUITE(Checkpoints, Recording);

struct Points {
  std::int64_t size() const { return 35; }
  std::vector<float> operator[](std::int64_t i) const { return {float(i % 7) - 3, float(i % 5) - 2, float(i % 3)}; }
};

template <Backend B>
struct Net {
  Linear<B> up;
  BatchNorm<B> norm;
  Dropout dropout;
  Linear<B> down;
  Linear<B> skip;
  Tensor<B, 2> operator()(const Tensor<B, 2>& x) const { return down(dropout(tanh(norm(up(x))))) + skip(x); }
};
template <class B>
Net<B> make_net() {
  return {make_linear<B>(2, 4), make_batch_norm<B>(4), Dropout{.p = 0.3, .mode = {}}, make_linear<B>(4, 1), make_linear<B>(2, 1, {.bias = false})};
}
struct Counters {
  std::int64_t step = 0;
  double best = 1e30;
  bool warm = false;
  std::uint64_t big = 0;
};

/// Everything that a run consists of. Fresh ones start differently.
template <class B>
struct Run {
  explicit Run(std::uint64_t seed) : loader(points, {.batch_size = 4, .shuffle = true, .seed = seed}), model((manual_seed<B>(seed), make_net<B>())), optimizer(Adam{.rate = 0.02}, model) {
    optimizer.group("*.bias", {.rate = 0.05});
  }

  void train(std::int64_t until) {
    const WarmUp schedule{.steps = 5, .from = 0.1, .then = CosineSchedule{.start = 0.02, .steps = 15, .least = 0.001}};
    while (true)
      for (const auto& batch : loader) {
        if (counters.step == until) return;
        std::vector<float> x, y;
        for (const auto& point : batch) x.insert(x.end(), {point[0], point[1]}), y.push_back(point[2]);
        const auto n = std::int64_t(batch.size());
        optimizer.set_rate(schedule.rate(counters.step++));
        auto loss = mse_loss(model(tensor<B>(x, {n, 2})), tensor<B>(y, {n, 1}));
        auto gradients = backward(loss);
        (void)clip_by_norm(gradients, 1);
        optimizer.step(model, std::move(gradients));
        counters.best = std::fmin(counters.best, double(loss.item()));
        losses.push_back(loss.item());
      }
  }
  void save(const std::string& path) const {
    Checkpoint<B> checkpoint;
    checkpoint.add("model", model);
    checkpoint.add("optimizer", optimizer);
    checkpoint.add("generator", default_generator<B>());
    checkpoint.add("loader", loader);
    checkpoint.add("counters", counters);
    checkpoint.save(path);
  }
  void resume(const std::string& path) {
    const auto checkpoint = Checkpoint<B>::open(path);
    checkpoint.get("model", model);
    checkpoint.get("optimizer", optimizer);
    Generator generator;
    checkpoint.get("generator", generator);
    set_default_generator<B>(generator);
    checkpoint.get("loader", loader);
    checkpoint.get("counters", counters);
  }

  Points points;
  Loader<Points> loader;
  Net<B> model;
  Optimizer<B> optimizer;
  Counters counters;
  std::vector<float> losses;
};

TYPED_TEST(Checkpoints, ten_steps_and_ten_are_twenty) {
  using B = TypeParam;
  Run<B> whole(1);
  whole.train(20);
  const Generator drawn = default_generator<B>();
  Run<B> first(1);
  first.train(10);
  first.counters.warm = true;
  first.counters.big = (1ull << 63) + 5;
  first.save(this->path);
  Run<B> second(99);
  second.resume(this->path);
  EXPECT_EQ(second.counters.step, 10);
  EXPECT_TRUE(second.counters.warm);
  EXPECT_EQ(second.counters.big, (1ull << 63) + 5);
  EXPECT_EQ(second.counters.best, first.counters.best);
  second.train(20);

  EXPECT_EQ(first.losses, std::vector<float>(whole.losses.begin(), whole.losses.begin() + 10));
  EXPECT_EQ(second.losses, std::vector<float>(whole.losses.begin() + 10, whole.losses.end()));
  EXPECT_TRUE(equal<B>(second.model.up.weight, whole.model.up.weight));
  EXPECT_TRUE(equal<B>(*second.model.down.bias, *whole.model.down.bias));
  EXPECT_TRUE(equal<B>(second.model.norm.running_var.get(), whole.model.norm.running_var.get()));
  EXPECT_EQ(second.optimizer.steps(), 20);
  EXPECT_EQ(second.optimizer.rate(), whole.optimizer.rate());
  EXPECT_EQ(default_generator<B>().counter, drawn.counter);
  // A different start would have been another run.
  EXPECT_NE(Run<B>(99).model.up.weight.to_vector(), Run<B>(1).model.up.weight.to_vector());
}

// What a release wrote, every later one reads, and goes on from there. HEARTH_WRITE_GOLDEN in the environment writes the file anew, for a
// release that adds to the format; the older files stay.
TYPED_TEST(Checkpoints, golden_files_load) {
  using B = TypeParam;
  const std::string golden = std::string(HEARTH_FIXTURES) + "/checkpoint_0_1.safetensors";
  Run<B> whole(1);
  whole.train(20);
  if (std::getenv("HEARTH_WRITE_GOLDEN")) {
    Run<B> first(1);
    first.train(10);
    first.save(golden);
  }
  Run<B> resumed(99);
  resumed.resume(golden);
  EXPECT_EQ(resumed.counters.step, 10);
  EXPECT_EQ(resumed.optimizer.steps(), 10);
  EXPECT_NEAR(resumed.optimizer.rate(), .001 + .019 * (1 + std::cos(3.14159265358979 * 4 / 15)) / 2, 1e-12);
  const auto file = Safetensors::open(golden);
  const auto* entry = file.find("model/up.weight");
  ASSERT_TRUE(entry);
  const auto weight = resumed.model.up.weight.to_vector();
  ASSERT_EQ(entry->bytes.size(), weight.size() * sizeof(float));
  EXPECT_EQ(std::memcmp(entry->bytes.data(), weight.data(), entry->bytes.size()), 0);
  EXPECT_EQ(default_generator<B>().seed, 1u);
  resumed.train(20);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_NEAR(resumed.losses[i], whole.losses[10 + i], 1e-4) << i;
}

TYPED_TEST(Checkpoints, tied_parameters_are_stored_once_and_stay_tied) {
  using B = TypeParam;
  auto make = [] {
    std::vector<Linear<B>> model{make_linear<B>(3, 3), make_linear<B>(3, 3)};
    model[1].weight = model[0].weight;
    return model;
  };
  const auto saved = make();
  Checkpoint<B> checkpoint;
  checkpoint.add("model", saved);
  checkpoint.save(this->path);
  auto loaded = make();
  Checkpoint<B>::open(this->path).get("model", loaded);
  EXPECT_TRUE(equal<B>(loaded[1].weight, saved[0].weight));
  EXPECT_EQ(leaf_identity(loaded[0].weight.dyn), leaf_identity(loaded[1].weight.dyn));
  std::vector<Linear<B>> apart{make_linear<B>(3, 3), make_linear<B>(3, 3)};
  Checkpoint<B>::open(this->path).get("model", apart);
  EXPECT_TRUE(equal<B>(apart[1].weight, saved[0].weight));
}

TYPED_TEST(Checkpoints, sections_have_different_names) {
  Checkpoint<TypeParam> checkpoint;
  checkpoint.add("counters", Counters{});
  EXPECT_THROW(checkpoint.add("counters", Counters{}), Error);
}

template <class F>
void expect_file_error(const F& f, const std::string& part = {}) {
  try {
    f();
    ADD_FAILURE() << "no error; expected one with: " << part;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::file) << error.what();
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TYPED_TEST(Checkpoints, broken_files_are_errors_of_kind_file) {
  using B = TypeParam;
  Run<B> run(1);
  run.train(3);
  run.save(this->path);
  std::string bytes(std::filesystem::file_size(this->path), '\0');
  std::ifstream(this->path, std::ios::binary).read(bytes.data(), std::streamsize(bytes.size()));
  auto write = [&](const std::string& text) { std::ofstream(this->path, std::ios::binary | std::ios::trunc).write(text.data(), std::streamsize(text.size())); };

  for (std::size_t size : {std::size_t(0), std::size_t(5), std::size_t(100), bytes.size() / 2, bytes.size() - 1}) {
    write(bytes.substr(0, size));
    expect_file_error([&] { (void)Checkpoint<B>::open(this->path); });
  }
  std::string spoiled = bytes;
  const std::size_t at = spoiled.find("\"optimizer/steps\":\"3\"");
  ASSERT_NE(at, std::string::npos);
  spoiled[at + 19] = 'x';
  write(spoiled);
  const double rate = run.optimizer.rate();
  expect_file_error([&] { Checkpoint<B>::open(this->path).get("optimizer", run.optimizer); }, "is not a number");
  EXPECT_EQ(run.optimizer.steps(), 3);
  EXPECT_EQ(run.optimizer.rate(), rate);
  spoiled[at + 2] = '_';  // "o_timizer/steps": a number that is not there
  write(spoiled);
  expect_file_error([&] { Checkpoint<B>::open(this->path).get("optimizer", run.optimizer); }, this->path + ": there is no value \"steps\"");

  write(bytes);
  const auto checkpoint = Checkpoint<B>::open(this->path);
  Counters counters;
  expect_file_error([&] { checkpoint.get("nothing", counters); }, "has no section \"nothing\"");
  auto other = make_linear<B>(2, 2);
  expect_file_error([&] { checkpoint.get("model", other); }, "does not fit the model");
  expect_file_error([&] { (void)Checkpoint<B>::open(this->path + ".none"); });
}

TEST(CheckpointNumbers, read_back_as_they_were) {
  for (const Scalar& number : {Scalar(), Scalar(true), Scalar(false), Scalar(std::int64_t(-3)), Scalar(~std::uint64_t(0)), Scalar(0.1), Scalar(-0.0), Scalar(2.0), Scalar(1e300),
                               Scalar(5e-324), Scalar(std::numeric_limits<double>::infinity()), Scalar(-std::numeric_limits<double>::infinity())})
    EXPECT_EQ(detail::parse_scalar(to_string(number)), number) << to_string(number);
  EXPECT_TRUE(std::isnan(detail::parse_scalar("nan").to_double()));
  for (const char* wrong : {"", "x", "1x", "1.5.2", "9223372036854775808", "-1u", "18446744073709551616u", "u", "truely", " 1"})
    expect_file_error([&] { (void)detail::parse_scalar(wrong); }, "is not a number");
}

TEST(CheckpointNumbers, a_state_without_one_of_them_changes_none) {
  State<Portable> state;
  state.set("step", 7);
  Counters counters;
  EXPECT_THROW(restore(counters, state), Error);
  EXPECT_EQ(counters.step, 0);
}

}  // namespace
