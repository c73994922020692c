// custom_loop: a training loop, a layer and a function with a gradient, all written by hand.
//   custom_loop <data folder> [epochs]
// SPDX-License-Identifier: Apache-2.0
#include <hearth/cpu.hpp>
#include <hearth/hearth.hpp>

#include <iostream>

#include "../digits/data.hpp"

using namespace hearth;
using B = Autodiff<Cpu>;

/// x sigmoid(1.702 x), with a backward pass that keeps x alone and computes the rest again.
Tensor<B, 2> quick_gelu(const Tensor<B, 2>& x) {
  auto forward = [](std::vector<Dyn<Cpu>> in, std::vector<Dyn<Cpu>>& kept) {
    kept = in;
    return std::vector{in[0] * sigmoid(1.702 * in[0])};
  };
  auto back = [](std::vector<Dyn<Cpu>> kept, std::vector<Dyn<Cpu>> gradients) {
    const auto& v = kept[0];
    const auto gate = sigmoid(1.702 * v);
    return std::vector{gradients[0] * (gate + 1.702 * v * gate * (1 - gate))};
  };
  return Tensor<B, 2>(Dyn<B>(custom_function<Cpu>("quick_gelu", {x.dyn.handle}, forward, back)[0]));
}

/// A layer is a struct of parameters and a call: x + quick_gelu(x weight), scaled feature by feature.
template <class Backend>
struct Residual {
  Param<Backend, 2> weight;
  Param<Backend, 1> scale;

  Tensor<Backend, 2> operator()(const Tensor<Backend, 2>& x) const { return x + scale * quick_gelu(matmul(x, weight)); }
};

struct Net {
  Linear<B> input, output;
  std::vector<Residual<B>> blocks;

  Tensor<B, 2> operator()(const Tensor<B, 4>& images) const {
    auto x = input(images.flatten<1>());
    for (const auto& block : blocks) x = block(x);
    return output(x);
  }
};

int main(int argc, char** argv) try {
  const std::string data = argc > 1 ? argv[1] : "examples/data/mnist";
  const int epochs = argc > 2 ? std::stoi(argv[2]) : 8;
  const auto train_set = read_digits<B>(data, "train"), test_set = read_digits<B>(data, "test");

  manual_seed<B>(1);
  Net net{.input = make_linear<B>(784, 256), .output = make_linear<B>(256, 10), .blocks = {}};
  for (int i = 0; i < 2; ++i)
    net.blocks.push_back({.weight = param(init::xavier_uniform<B, 2>({256, 256})), .scale = param(full<B>({256}, 0.5))});

  // Momentum by hand: the velocities are ours, and so is the step.
  std::vector<Tensor<Cpu, 1>> velocities;
  Loader loader(train_set, {.batch_size = 64, .shuffle = true, .seed = 1});
  std::int64_t step = 0;
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    for (const auto& [images, labels] : loader) {
      const double rate = CosineSchedule{.start = 0.1, .steps = epochs * loader.size()}.rate(step++);
      const auto gradients = backward(cross_entropy(net(images), labels));

      std::size_t at = 0;
      const auto update = [&](auto& parameter) {
        auto gradient = gradient_of(parameter, gradients).flatten();
        if (at == velocities.size()) velocities.push_back(zeros_like(gradient));
        auto& velocity = velocities[at++];
        velocity = 0.9 * velocity + gradient;
        parameter = param(from_inner(inner(parameter) - rate * velocity.template reshape<std::remove_reference_t<decltype(parameter)>::rank>(parameter.shape())));
      };
      update(net.input.weight), update(*net.input.bias), update(net.output.weight), update(*net.output.bias);
      for (auto& block : net.blocks) update(block.weight), update(block.scale);
    }
    const NoGrad scope;
    std::cout << "epoch " << epoch << ": test accuracy " << fixed(accuracy(net, test_set)) << " %" << std::endl;
  }
  const NoGrad scope;
  const double percent = accuracy(net, test_set);
  std::cout << "test accuracy: " << fixed(percent) << " %\n";
  return percent >= 97 || epochs < 8 ? 0 : 1;
} catch (const Error& error) {
  std::cerr << "custom_loop: " << error.what() << '\n';
  return 1;
}
