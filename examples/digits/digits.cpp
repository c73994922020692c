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
  const std::int64_t epochs = argc > 4 ? std::stoll(argv[4]) : 10;
  const auto train_set = read_digits<B>(data, "train");
  const auto test_set = read_digits<Cpu>(data, "test");

  manual_seed<B>(seed);
  auto model = make_digit_net<B>();
  std::cout << summary(model) << '\n';

  Loader loader(train_set, {.batch_size = 50, .shuffle = true, .drop_last = true, .seed = seed});
  Optimizer optimizer(AdamW{.weight_decay = 0.02}, model);
  const WarmUp<CosineSchedule> schedule{.steps = 50, .then = {.start = 2e-3, .steps = epochs * loader.size()}};
  std::minstd_rand random(seed);
  const auto shift = [&] { return std::int64_t(random() % 5) - 2; };

  double percent = 0;
  for (std::int64_t epoch = 1; epoch <= epochs; ++epoch) {
    Progress progress("epoch " + std::to_string(epoch), loader.size());
    double total = 0;
    train(model);
    for (const auto& [images, labels] : loader) {
      optimizer.set_rate(schedule.rate(optimizer.steps()));
      const auto loss = cross_entropy(model(images.roll(shift(), 2).roll(shift(), 3)), labels);  // a digit stays itself when it moves
      optimizer.step(model, backward(loss));
      total += loss.item();
      progress.step("loss " + fixed(loss.item(), 4));
    }
    eval(model);
    percent = accuracy(inference(model), test_set);
    std::cout << "epoch " << epoch << ": loss " << fixed(total / double(loader.size()), 4) << ", test accuracy " << fixed(percent) << " %" << std::endl;
  }

  const std::pair<std::string, std::string> name[] = {{"model", "digits"}};
  save(file, model, name);
  std::cout << "test accuracy: " << fixed(percent) << " %\n";
} catch (const Error& error) {
  std::cerr << "digits: " << error.what() << '\n';
  return 1;
}
