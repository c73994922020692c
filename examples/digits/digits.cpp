// digits [data folder] [file to write] [seed] [epochs]: trains a small convolutional network on handwritten digits and saves it.
// SPDX-License-Identifier: Apache-2.0
#include <hearth/cpu.hpp>
#include <hearth/hearth.hpp>
#include <iostream>
#include "model.hpp"

using namespace hearth;
using B = Autodiff<Cpu>;

int main(int argc, char** argv) try {
  const std::string data = argc > 1 ? argv[1] : "examples/data/mnist", file = argc > 2 ? argv[2] : "digits.safetensors";
  const std::uint64_t seed = argc > 3 ? std::stoull(argv[3]) : 1;
  const std::int64_t epochs = argc > 4 ? std::stoll(argv[4]) : 8;
  const auto train_set = read_mnist<B>(data, "train"), test_set = read_mnist<B>(data, "test");

  manual_seed<B>(seed);
  DigitNet<B> model;
  Loader loader(train_set, {.batch_size = 50, .shuffle = true, .drop_last = true, .seed = seed});
  Optimizer optimizer(AdamW{.weight_decay = 0.02}, model);
  const WarmUp<CosineSchedule> schedule{.steps = 50, .then = {.start = 3e-3, .steps = epochs * loader.size()}};

  for (std::int64_t epoch = 1; epoch <= epochs; ++epoch) {
    Progress progress("epoch " + std::to_string(epoch), loader.size());
    for (const auto& [images, labels] : loader) {
      optimizer.set_rate(schedule.rate(optimizer.steps()));
      const auto loss = cross_entropy(model(random_shift(images, 2)), labels);
      optimizer.step(model, backward(loss));
      progress.step("loss", loss.item());
    }
    std::cout << "epoch " << epoch << ": loss " << fixed(progress.mean(), 4) << ", test accuracy " << fixed(100 * accuracy(model, test_set)) << " %\n";
  }
  save(file, model, {{"model", "digits"}});  // the name that hearth/infer.hpp looks for
  std::cout << "test accuracy: " << fixed(100 * accuracy(model, test_set)) << " %\n";
} catch (const std::exception& error) {
  std::cerr << "digits: " << error.what() << '\n';
  return 1;
}
