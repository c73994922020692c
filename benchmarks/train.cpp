// train: a whole step of a small network: forward, loss, backward, AdamW.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "harness.hpp"

namespace bench {

namespace {

using namespace hearth;
using T = Autodiff<Cpu>;  // what trains

/// Weights that every rival can start from: the pattern without its mean, at the size that PyTorch starts with.
template <int Rank>
Param<T, Rank> start(const Shape& shape, std::int64_t fan_in, int seed) {
  return param((pattern<T, Rank>(shape, seed) - 0.25) * (2 / std::sqrt(double(fan_in))));
}
Linear<T> start_linear(std::int64_t in, std::int64_t out, int seed) {
  return {.weight = start<2>({out, in}, in, seed), .bias = start<1>({out}, in, seed + 1)};
}

template <Backend B>
struct Mlp {
  std::vector<Linear<B>> layers;

  Tensor<B, 2> operator()(Tensor<B, 2> x) const {
    for (std::size_t i = 0; i < layers.size(); ++i) x = i + 1 < layers.size() ? relu(layers[i](x)) : layers[i](x);
    return x;
  }
};

template <Backend B>
struct Stage {
  Conv2d<B> conv;
  BatchNorm<B> norm;

  Tensor<B, 4> operator()(const Tensor<B, 4>& x) const { return max_pool2d(relu(norm(conv(x))), 2); }
};
template <Backend B>
struct Cnn {
  std::vector<Stage<B>> stages;
  Linear<B> output;

  Tensor<B, 2> operator()(Tensor<B, 4> x) const {
    for (const Stage<B>& stage : stages) x = stage(x);
    return output(x.template flatten<1>());
  }
};

/// Times steps on one batch. The check is the loss of the third step.
template <class M, int Rank>
void measure_steps(benchmark::State& state, M& model, const Tensor<T, Rank>& inputs, std::int64_t classes) {
  std::vector<std::int64_t> labels;
  for (std::int64_t i = 0; i < inputs.size(0); ++i) labels.push_back(i % classes);
  const auto targets = tensor<T>(labels);
  Optimizer optimizer(AdamW{}, model);
  const auto step = [&] {
    const auto loss = cross_entropy(model(inputs), targets);
    optimizer.step(model, backward(loss));
    return loss;
  };
  for (int i = 0; i < 2; ++i) (void)step();
  report_check(state, double(step().item()));
  for (auto _ : state) {
    auto loss = step();
    benchmark::DoNotOptimize(loss);
  }
}

/// Of a layer with `products` multiplications and additions forward: the same for the gradient of its weights, and of its input
/// where it is not the first.
double step_flops(double products, bool first) { return 2 * products * (first ? 2 : 3); }

Work mlp_work(const Case& c) {
  const auto& widths = c.list("widths");
  Work work;
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) work.flops += step_flops(double(c.number("batch") * widths[i] * widths[i + 1]), i == 0);
  return work;
}
void train_mlp(benchmark::State& state, const Case& c) {
  const auto& widths = c.list("widths");
  Mlp<T> model;
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) model.layers.push_back(start_linear(widths[i], widths[i + 1], int(2 * i)));
  measure_steps(state, model, pattern<T, 2>({c.number("batch"), widths[0]}, 0), widths.back());
}

Work cnn_work(const Case& c) {
  Work work;
  std::int64_t in = c.list("image").at(0), height = c.list("image").at(1), width = c.list("image").at(2);
  for (const std::int64_t out : c.list("channels")) {
    work.flops += step_flops(double(c.number("batch") * height * width * in * out * 9), in == c.list("image")[0]);
    in = out, height /= 2, width /= 2;
  }
  work.flops += step_flops(double(c.number("batch") * in * height * width * c.number("classes")), false);
  return work;
}
void train_cnn(benchmark::State& state, const Case& c) {
  std::int64_t in = c.list("image").at(0), height = c.list("image").at(1), width = c.list("image").at(2);
  const Shape images{c.number("batch"), in, height, width};
  Cnn<T> model;
  int seed = 0;
  for (const std::int64_t out : c.list("channels")) {
    Conv2d<T> conv{.weight = start<4>({out, in, 3, 3}, in * 9, seed), .bias = start<1>({out}, in * 9, seed + 1), .options = {.padding = 1}};
    model.stages.push_back({.conv = std::move(conv), .norm = make_batch_norm<T>(out)});
    in = out, height /= 2, width /= 2, seed += 2;
  }
  model.output = start_linear(in * height * width, c.number("classes"), seed);
  measure_steps(state, model, pattern<T, 4>(images, 0), c.number("classes"));
}

}  // namespace

std::span<const Kind> train_kinds() {
  static constexpr Kind kinds[] = {{"train_mlp", mlp_work, train_mlp}, {"train_cnn", cnn_work, train_cnn}};
  return kinds;
}

}  // namespace bench
