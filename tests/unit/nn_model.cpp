// nn: models as a whole: what a walk sees, modes, freezing, counting, the table, other backends, where weights start.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "fixtures.hpp"
#include "hearth/autodiff/autodiff.hpp"
#include "hearth/nn/nn.hpp"
#include "hearth/portable.hpp"

using namespace hearth;
using namespace hearth::test;

namespace {

using P = Portable;
using A = Autodiff<Portable>;

/// Private state and a constructor: its fields are listed.
template <Backend B>
class Scaled {
 public:
  Scaled() = default;
  explicit Scaled(double start) : scale_(param(full<B>({2}, start))), factor_(3) {}
  Tensor<B, 1> operator()(const Tensor<B, 1>& x) const { return x * scale_ * factor_; }
  HEARTH_FIELDS(scale_, factor_)

 private:
  Param<B, 1> scale_;
  double factor_ = 1;
};

template <class B, int N>
struct Repeated {
  std::array<Linear<B>, std::size_t(N)> steps;
  Tensor<B, 2> operator()(Tensor<B, 2> x) const {
    for (const auto& step : steps) x = tanh(step(x));
    return x;
  }
};
template <class B, class Inside, int N>
struct Wrapped {
  Inside inside;
  int count = N;
};
/// The backend is not the first argument, so it says how to rebind.
template <int N, class B>
struct Odd {
  using Backend = B;
  template <class To>
  using rebind = Odd<N, To>;
  Param<B, 1> weight;
};

template <Backend B>
struct Net {
  Embedding<B> embedding;
  std::vector<Linear<B>> layers;
  std::array<RmsNorm<B>, 2> norms;
  std::optional<Linear<B>> extra, none;
  std::tuple<Dropout, Linear<B>> pair;
  Scaled<B> scaled;
  Sequential<Linear<B>, Relu, Dropout> tail;
  BatchNorm<B> batch;
  Tensor<B, 1> constant;  // not saved, not trained
  std::string name = "net";
  Mode mode;
  Linear<B> head;
};

template <class B>
Net<B> make_net() {
  Net<B> net{.embedding = make_embedding<B>(5, 2),
             .layers = {},
             .norms = {make_rms_norm<B>(2), make_rms_norm<B>(2)},
             .extra = make_linear<B>(2, 2, {.bias = false}),
             .none = {},
             .pair = {Dropout{}, make_linear<B>(2, 2)},
             .scaled = Scaled<B>(0.5),
             .tail = sequential(make_linear<B>(2, 3), Relu{}, Dropout{}),
             .batch = make_batch_norm<B>(2),
             .constant = tensor<B>({7.f, 8.f}),
             .mode = {},
             .head = make_linear<B>(2, 5)};
  net.layers.push_back(make_linear<B>(2, 2));
  net.layers.push_back(make_linear<B>(2, 2, {.bias = false}));
  net.head.weight = net.embedding.weight;
  return net;
}

template <class B>
struct Lister final : Walker<B> {
  void param(std::string_view path, Dyn<B>&, int rank) override { seen.push_back(std::string(path) + " " + std::to_string(rank)); }
  void buffer(std::string_view path, Dyn<B>&, int rank, Kinds kind) override {
    seen.push_back(std::string(path) + " " + std::to_string(rank) + (kind == kinds::I ? " Int" : " Float"));
  }
  void mode(std::string_view path, Mode& mode) override { seen.push_back(std::string(path) + (mode.training ? " training" : " evaluating")); }
  void enter(std::string_view path, std::string_view type) override { entered.push_back(std::string(path) + ":" + std::string(type)); }
  void leave(std::string_view path) override { left.push_back(std::string(path)); }
  std::vector<std::string> seen, entered, left;
};

TEST(Model, walk_sees_fields_in_order_of_declaration) {
  auto net = make_net<A>();
  Lister<A> lister;
  walk<A>(net, lister);
  const std::vector<std::string> want{
      "embedding.weight 2", "layers.0.weight 2", "layers.0.bias 1", "layers.1.weight 2", "norms.0.weight 1", "norms.1.weight 1", "extra.weight 2",
      "pair.0.mode training", "pair.1.weight 2", "pair.1.bias 1", "scaled.scale 1", "tail.0.weight 2", "tail.0.bias 1", "tail.2.mode training",
      "batch.weight 1", "batch.bias 1", "batch.running_mean 1 Float", "batch.running_var 1 Float", "batch.num_batches_tracked 0 Int", "batch.mode training",
      "mode training", "head.weight 2", "head.bias 1"};
  EXPECT_EQ(lister.seen, want);
  ASSERT_GE(lister.entered.size(), 4u);
  EXPECT_EQ(lister.entered[0], ":Net");
  EXPECT_EQ(lister.entered[1], "embedding:Embedding");
  EXPECT_EQ(lister.entered[2], "layers.0:Linear");
  EXPECT_EQ(lister.left.size(), lister.entered.size());
  EXPECT_EQ(lister.left.back(), "");
}

TEST(Model, modes) {
  auto net = make_net<A>();
  eval(net);
  EXPECT_FALSE(net.mode.training);
  EXPECT_FALSE(net.tail.at<2>().mode.training);
  EXPECT_FALSE(std::get<0>(net.pair).mode.training);
  EXPECT_FALSE(net.batch.mode.training);
  train(net);
  EXPECT_TRUE(net.mode.training && net.tail.at<2>().mode.training && std::get<0>(net.pair).mode.training && net.batch.mode.training);
  std::vector<Linear<A>> list{make_linear<A>(1, 2)};  // a list of modules is a model too
  EXPECT_EQ(parameter_count(list), 4);
}

TEST(Model, parameters_are_counted_once) {
  // 5x2 + (4+2) + 4 + 2 + 2 + 4 + (4+2) + 2 + (6+3) + (2+2) + head bias 5
  EXPECT_EQ(parameter_count(make_net<A>()), 54);
  EXPECT_EQ(parameter_count(inference(make_net<A>())), 54);
}

template <Backend B>
struct Small {
  Embedding<B> words;
  BatchNorm<B> norm;
  Linear<B> head;
};

TEST(Model, summary_is_a_table) {
  Small<A> model{make_embedding<A>(1000, 8), make_batch_norm<A>(8), make_linear<A>(8, 1000)};
  model.head.weight = model.words.weight;
  freeze(model, "norm.bias");
  EXPECT_EQ(summary(model),
            "field                    what       shape         numbers\n"
            "(model)                  Small                           \n"
            "  words                  Embedding                       \n"
            "    weight               parameter  f32[1000, 8]    8,000\n"
            "  norm                   BatchNorm                       \n"
            "    weight               parameter  f32[8]              8\n"
            "    bias                 frozen     f32[8]              8\n"
            "    running_mean         buffer     f32[8]              8\n"
            "    running_var          buffer     f32[8]              8\n"
            "    num_batches_tracked  buffer     i64[]               1\n"
            "  head                   Linear                          \n"
            "    weight               tied       f32[1000, 8]        0\n"
            "    bias                 parameter  f32[1000]       1,000\n"
            "9,016 parameters, 9,008 of them trained\n");
}

/// A module of its own that cannot be called, one that can and has no parameters, and options.
struct Choice {
  double rate = 1;
  ConvOptions inside = {};
};
template <class B, int N>
struct Block {
  std::array<Conv2d<B>, std::size_t(N)> steps;
  Choice choice;
  std::optional<Choice> other = Choice{};
};
struct Twice final {
  Choice choice = {};
  template <class T>
  T operator()(const T& x) const {
    return x + x;
  }
};
template <Backend B>
struct Picture {
  Block<B, 1> block;
  Sequential<MaxPool2d, Relu, Twice> tail;
  PoolOptions options = {};
};

TEST(Model, summary_shows_no_options) {
  const Picture<A> model{{{make_conv2d<A>(1, 2, 3, {.bias = false})}, {}}, sequential(MaxPool2d{}, Relu{}, Twice{})};
  EXPECT_EQ(summary(model),
            "field           what        shape            numbers\n"
            "(model)         Picture                             \n"
            "  block         Block                               \n"
            "      0         Conv2d                              \n"
            "        weight  parameter   f32[2, 1, 3, 3]       18\n"
            "  tail          Sequential                          \n"
            "    0           MaxPool2d                           \n"
            "    1           Relu                                \n"
            "    2           Twice                               \n"
            "18 parameters, 18 of them trained\n");
}

TEST(Model, freezing) {
  auto net = make_net<A>();
  freeze(net, "head.*");  // its weight is the embedding's too
  EXPECT_FALSE(requires_gradient(net.head.weight));
  EXPECT_FALSE(requires_gradient(net.embedding.weight));
  EXPECT_FALSE(requires_gradient(*net.head.bias));
  EXPECT_TRUE(requires_gradient(net.layers[0].weight));
  EXPECT_EQ(leaf_identity(net.head.weight.dyn), leaf_identity(net.embedding.weight.dyn));
  unfreeze(net, "embedding.weight");
  EXPECT_TRUE(requires_gradient(net.head.weight));
  EXPECT_EQ(leaf_identity(net.head.weight.dyn), leaf_identity(net.embedding.weight.dyn));
  EXPECT_FALSE(requires_gradient(*net.head.bias));
  EXPECT_THROW(freeze(net, "tial.*"), Error);
  EXPECT_THROW(unfreeze(net, ""), Error);
}

TEST(Model, inference_shares_values_and_records_nothing) {
  auto net = make_net<A>();
  const auto deployed = inference(net);
  static_assert(std::is_same_v<std::remove_const_t<decltype(deployed)>, Net<P>>);
  EXPECT_EQ(deployed.head.weight.dyn.handle.get(), net.head.weight.dyn.handle.value.get());
  EXPECT_EQ(deployed.head.weight.dyn.handle.get(), deployed.embedding.weight.dyn.handle.get());
  EXPECT_EQ(deployed.constant.to_vector(), (std::vector<float>{7, 8}));
  EXPECT_EQ(deployed.name, "net");
  EXPECT_EQ(deployed.layers.size(), 2u);
  EXPECT_FALSE(deployed.layers[1].bias || deployed.none);
  auto x = tensor<A>({1.f, 2.f});
  EXPECT_EQ(deployed.scaled(inner(x)).to_vector(), net.scaled(x).to_vector());  // private fields come along
  EXPECT_EQ(deployed.scaled(inner(x)).to_vector(), (std::vector<float>{1.5f, 3.f}));
  // A training call on the original does not move the copy's statistics.
  (void)net.batch(hearth::normal<A>({4, 2}, 0, 1));
  EXPECT_EQ(deployed.batch.num_batches_tracked.get().item(), 0);
}

TEST(Model, backends_there_and_back) {
  manual_seed<P>(3);
  const auto plain = make_net<P>();
  auto recording = to_backend<A>(plain);
  static_assert(std::is_same_v<decltype(recording), Net<A>>);
  EXPECT_TRUE(requires_gradient(recording.head.weight));
  EXPECT_FALSE(requires_gradient(recording.batch.running_mean.get()));
  EXPECT_FALSE(requires_gradient(recording.constant));
  EXPECT_EQ(leaf_identity(recording.head.weight.dyn), leaf_identity(recording.embedding.weight.dyn));
  EXPECT_EQ(recording.head.weight.to_vector(), plain.head.weight.to_vector());
  const auto back = to_backend<P>(recording);
  static_assert(std::is_same_v<std::remove_const_t<decltype(back)>, Net<P>>);
  Lister<P> before, after;
  walk<P>(plain, before);
  walk<P>(back, after);
  EXPECT_EQ(before.seen, after.seen);
  EXPECT_EQ(back.tail.at<0>().weight.to_vector(), plain.tail.at<0>().weight.to_vector());
  EXPECT_EQ(back.head.weight.dyn.handle.get(), back.embedding.weight.dyn.handle.get());
  // What is frozen stays so on the way to another recording stack, second derivatives included.
  freeze(recording, "layers.0.*");
  const auto again = to_backend<A>(recording);
  EXPECT_FALSE(requires_gradient(again.layers[0].weight));
  EXPECT_TRUE(requires_gradient(again.layers[1].weight));
}

TEST(Model, templates_with_values_rebind) {
  static_assert(std::is_same_v<Rebind<Repeated<A, 3>, P>, Repeated<P, 3>>);
  static_assert(std::is_same_v<Rebind<Wrapped<A, Linear<A>, 4>, P>, Wrapped<P, Linear<P>, 4>>);
  static_assert(std::is_same_v<Rebind<LayerNorm<A, 2>, P>, LayerNorm<P, 2>>);
  static_assert(std::is_same_v<Rebind<Odd<2, A>, P>, Odd<2, P>>);
  static_assert(std::is_same_v<Rebind<std::vector<std::optional<Linear<A>>>, P>, std::vector<std::optional<Linear<P>>>>);
  static_assert(std::is_same_v<Rebind<Sequential<Linear<A>, Relu>, P>, Sequential<Linear<P>, Relu>>);
  static_assert(std::is_same_v<BackendOf<Repeated<A, 3>>, A> && std::is_same_v<BackendOf<Wrapped<A, Relu, 1>>, A> && std::is_same_v<BackendOf<Odd<2, A>>, A>);
  static_assert(std::is_same_v<BackendOf<Sequential<Relu, Linear<A>>>, A> && std::is_same_v<BackendOf<std::vector<Linear<A>>>, A>);
  Repeated<A, 2> model{{make_linear<A>(2, 2), make_linear<A>(2, 2)}};
  auto x = tensor<A>({{1.f, 2.f}});
  EXPECT_EQ(inference(model)(inner(x)).to_vector(), model(x).to_vector());
  Odd<2, A> odd{param(tensor<A>({1.f}))};
  EXPECT_EQ(inference(odd).weight.item(), 1);
  EXPECT_EQ(parameter_count(odd), 1);
  Wrapped<A, Linear<A>, 4> wrapped{make_linear<A>(2, 3)};
  EXPECT_EQ(inference(wrapped).inside.weight.to_vector(), wrapped.inside.weight.to_vector());
}

TEST(Model, a_copy_keeps_ties_of_its_own) {
  auto net = make_net<A>();
  auto copy = net;
  EXPECT_EQ(leaf_identity(copy.head.weight.dyn), leaf_identity(copy.embedding.weight.dyn));
  copy.head.weight = param(zeros<A>({5, 2}));
  EXPECT_NE(leaf_identity(net.head.weight.dyn), leaf_identity(copy.head.weight.dyn));
  EXPECT_EQ(leaf_identity(net.head.weight.dyn), leaf_identity(net.embedding.weight.dyn));
}

// Where weights start: mean, deviation and bounds of 40,000 numbers within five standard errors.
struct Moments {
  double mean = 0, deviation = 0, low = 0, high = 0;
};
template <int R>
Moments moments(const Tensor<P, R>& x) {
  const auto values = x.template to_vector<double>();
  Moments m{.low = values[0], .high = values[0]};
  for (double v : values) m.mean += v / double(values.size()), m.low = std::min(m.low, v), m.high = std::max(m.high, v);
  for (double v : values) m.deviation += (v - m.mean) * (v - m.mean) / double(values.size());
  m.deviation = std::sqrt(m.deviation);
  return m;
}
void expect_uniform(const Moments& m, double bound) {
  const double deviation = bound / std::sqrt(3.0);
  EXPECT_NEAR(m.mean, 0, 5 * deviation / 200);
  EXPECT_NEAR(m.deviation, deviation, 0.02 * deviation);
  EXPECT_GE(m.low, -bound * (1 + 1e-6));
  EXPECT_LE(m.high, bound * (1 + 1e-6));
  EXPECT_LT(m.low, -0.99 * bound);
  EXPECT_GT(m.high, 0.99 * bound);
}
void expect_normal(const Moments& m, double mean, double deviation) {
  EXPECT_NEAR(m.mean, mean, 5 * deviation / 200);
  EXPECT_NEAR(m.deviation, deviation, 0.02 * deviation);
  EXPECT_GT(m.high - mean, 3 * deviation);
}

TEST(Init, statistics) {
  Generator generator{11, 0};
  const Shape shape{100, 400};
  EXPECT_EQ((init::constant<P, 2>({2, 2}, 3).to_vector()), (std::vector<float>(4, 3)));
  expect_uniform(moments(init::uniform<P, 2>(shape, -2, 2, {}, generator)), 2);
  expect_normal(moments(init::normal<P, 2>(shape, 1, 3, {}, generator)), 1, 3);
  expect_uniform(moments(init::xavier_uniform<P, 2>(shape, 2, {}, generator)), 2 * std::sqrt(6.0 / 500));
  expect_normal(moments(init::xavier_normal<P, 2>(shape, 1, {}, generator)), 0, std::sqrt(2.0 / 500));
  expect_uniform(moments(init::kaiming_uniform<P, 2>(shape, std::sqrt(2.0), {}, generator)), std::sqrt(6.0 / 400));
  expect_normal(moments(init::kaiming_normal<P, 2>(shape, 1, {}, generator)), 0, 1 / std::sqrt(400.0));
  // Fans of a convolution count the kernel: in 8 * 25, out 200 * 25.
  expect_normal(moments(init::kaiming_normal<P, 4>({200, 8, 5, 5}, 1, {}, generator)), 0, 1 / std::sqrt(200.0));
  expect_uniform(moments(init::xavier_uniform<P, 4>({200, 8, 5, 5}, 1, {}, generator)), std::sqrt(6.0 / 5200));
  EXPECT_THROW((void)init::fans({3}), Error);
  expect_uniform(moments(make_linear<P>(400, 100, {}, {}, generator).weight), 1 / 20.0);
}

TEST(Init, orthogonal_rows_or_columns) {
  Generator generator{12, 0};
  auto tall = init::orthogonal<P>(20, 7, 3, {}, generator), wide = init::orthogonal<P>(7, 20, 1, {}, generator);
  EXPECT_TRUE(close(matmul(tall.transpose(), tall), eye<P>(7, 7) * 9, 1e-5));
  EXPECT_TRUE(close(matmul(wide, wide.transpose()), eye<P>(7, 7), 1e-5));
}

}  // namespace
