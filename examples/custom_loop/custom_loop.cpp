// custom_loop: a training loop, a layer and a function with a gradient, all written by hand.
//   custom_loop <data folder> [epochs]
// SPDX-License-Identifier: Apache-2.0
#include <hearth/cpu.hpp>
#include <hearth/hearth.hpp>

#include <iostream>

using namespace hearth;
using B = Autodiff<Cpu>;

/// x sigmoid(1.702 x), with a backward pass that keeps x alone and computes the rest again.
template <int Rank>
Tensor<B, Rank> quick_gelu(const Tensor<B, Rank>& x) {
  auto forward = [](std::vector<Dyn<Cpu>> in, std::vector<Dyn<Cpu>>& kept) {
    kept = in;
    return std::vector{in[0] * sigmoid(1.702 * in[0])};
  };
  auto back = [](std::vector<Dyn<Cpu>> kept, std::vector<Dyn<Cpu>> gradients) {
    const auto& v = kept[0];
    const auto gate = sigmoid(1.702 * v);
    return std::vector{gradients[0] * (gate + 1.702 * v * gate * (1 - gate))};
  };
  return Tensor<B, Rank>(Dyn<B>(custom_function<Cpu>("quick_gelu", {x.dyn.handle}, forward, back)[0]));
}

/// A layer is a struct of what it is made of, and a call: x + scale quick_gelu(norm(x * kernel)), channel by channel.
struct Residual {
  Param<B, 4> kernel;
  BatchNorm<B> norm;
  Param<B, 3> scale;

  Tensor<B, 4> operator()(const Tensor<B, 4>& x) const { return x + scale * quick_gelu(norm(conv2d(x, kernel, {}, {.padding = 1}))); }
};

struct Net {
  using Backend = B;  // what a template over backends says by its first argument
  Conv2d<B> stem, widen;
  Residual fine, coarse;
  Linear<B> output;

  Tensor<B, 2> operator()(const Tensor<B, 4>& images) const {
    const auto x = fine(stem(images));            // [n, 16, 14, 14]
    const auto y = coarse(widen(quick_gelu(x)));  // [n, 32, 7, 7]
    return output(quick_gelu(y).flatten<1>());
  }
};

Residual make_residual(std::int64_t channels) {
  return {.kernel = param(init::kaiming_normal<B, 4>({channels, channels, 3, 3})),
          .norm = make_batch_norm<B>(channels),
          .scale = param(full<B>({channels, 1, 1}, 0.5))};
}

int main(int argc, char** argv) try {
  const std::string data = argc > 1 ? argv[1] : "examples/data/mnist";
  const int epochs = argc > 2 ? std::stoi(argv[2]) : 6;
  const auto train_set = read_mnist<B>(data, "train"), test_set = read_mnist<B>(data, "test");

  manual_seed<B>(1);
  Net net{.stem = make_conv2d<B>(1, 16, 4, {.stride = 2, .padding = 1}),
          .widen = make_conv2d<B>(16, 32, 4, {.stride = 2, .padding = 1}),
          .fine = make_residual(16),
          .coarse = make_residual(32),
          .output = make_linear<B>(32 * 7 * 7, 10)};
  Optimizer optimizer(Sgd{.momentum = 0.9, .weight_decay = 5e-4, .nesterov = true}, net);
  Loader loader(train_set, {.batch_size = 64, .shuffle = true, .drop_last = true, .seed = 1});
  const CosineSchedule schedule{.start = 0.05, .steps = epochs * loader.size()};

  for (int epoch = 1; epoch <= epochs; ++epoch) {
    for (const auto& [images, labels] : loader) {
      // Each batch in two halves, whose gradients add up: half the memory, the same step.
      auto gradients = backward(cross_entropy(net(images.narrow(0, 0, 32)), labels.narrow(0, 0, 32)));
      accumulate(gradients, backward(cross_entropy(net(images.narrow(0, 32, 32)), labels.narrow(0, 32, 32))));
      scale(gradients, 0.5);
      (void)clip_by_norm(gradients, 5);
      optimizer.set_rate(schedule.rate(optimizer.steps()));
      optimizer.step(net, std::move(gradients));
    }
    std::cout << "epoch " << epoch << ": test accuracy " << fixed(100 * accuracy(net, test_set)) << " %" << std::endl;
  }
  std::cout << "test accuracy: " << fixed(100 * accuracy(net, test_set)) << " %\n";
} catch (const std::exception& error) {
  std::cerr << "custom_loop: " << error.what() << '\n';
  return 1;
}
