// digits: trains a small convolutional network on handwritten digits and saves it.
//   digits <data folder> <file to write> [seed] [epochs]
// SPDX-License-Identifier: Apache-2.0
#include <hearth/cpu.hpp>
#include <hearth/hearth.hpp>

#include <iostream>
#include <random>

#include "data.hpp"
#include "model.hpp"

using namespace hearth;
using B = Autodiff<Cpu>;

int main(int argc, char** argv) try {
  const std::string data = argc > 1 ? argv[1] : "examples/data/mnist", file = argc > 2 ? argv[2] : "digits.safetensors";
  const std::uint64_t seed = argc > 3 ? std::stoull(argv[3]) : 1;
  const std::int64_t epochs = argc > 4 ? std::stoll(argv[4]) : 8;
  const auto train_set = read_digits<B>(data, "train");
  const auto test_set = read_digits<Cpu>(data, "test");

  manual_seed<B>(seed);
  auto model = make_digit_net<B>();
  std::cout << summary(model) << '\n';
  Loader loader(train_set, {.batch_size = 50, .shuffle = true, .drop_last = true, .seed = seed});
  Optimizer optimizer(AdamW{.weight_decay = 0.02}, model);
  const WarmUp<CosineSchedule> schedule{.steps = 50, .then = {.start = 3e-3, .steps = epochs * loader.size()}};
  std::minstd_rand random(seed);
  // A digit stays itself when it moves: every five of a batch are moved by up to two points.
  const auto moved = [&](const Tensor<B, 4>& images) {
    auto groups = images.split(5, 0);
    for (auto& group : groups) group = group.roll(std::int64_t(random() % 5) - 2, 2).roll(std::int64_t(random() % 5) - 2, 3);
    return concat(groups, 0);
  };

  double percent = 0;
  for (std::int64_t epoch = 1; epoch <= epochs; ++epoch) {
    Progress progress("epoch " + std::to_string(epoch), loader.size());
    double total = 0;
    train(model);
    for (const auto& [images, labels] : loader) {
      optimizer.set_rate(schedule.rate(optimizer.steps()));
      const auto loss = cross_entropy(model(moved(images)), labels);
      optimizer.step(model, backward(loss));
      total += loss.item();
      progress.step("loss " + fixed(loss.item(), 4));
    }
    eval(model);
    percent = accuracy(inference(model), test_set);
    std::cout << "epoch " << epoch << ": loss " << fixed(total / double(loader.size()), 4) << ", test accuracy " << fixed(percent) << " %" << std::endl;
  }

  const std::pair<std::string, std::string> name[] = {{"model", "digits"}};  // what hearth/infer.hpp looks for
  save(file, model, name);
  std::cout << "test accuracy: " << fixed(percent) << " %\n";
} catch (const Error& error) {
  std::cerr << "digits: " << error.what() << '\n';
  return 1;
}
