// classify: loads a trained network on a bare backend and shows what it sees in handwritten digits. No gradients are in this program.
//   classify <data folder> <file of digits> [how many]
// SPDX-License-Identifier: Apache-2.0
#include <hearth/cpu.hpp>
#include <hearth/data/accuracy.hpp>
#include <hearth/data/mnist.hpp>
#include <hearth/store/model.hpp>

#include <iostream>

#include "model.hpp"

using B = hearth::Cpu;

/// The digit as text, two lines of points in one: paper is blank, ink is dark.
void show(const std::vector<float>& points) {
  const std::string ink = " .:-=+*#%@";
  for (std::size_t row = 2; row < 26; row += 2) {
    for (std::size_t column = 0; column < 28; ++column) {
      const float grey = (points[28 * row + column] + points[28 * (row + 1) + column]) / 2;
      std::cout << ink[std::size_t(grey * 9.99f)];
    }
    std::cout << '\n';
  }
}

int main(int argc, char** argv) try {
  const std::string data = argc > 1 ? argv[1] : "examples/data/mnist", file = argc > 2 ? argv[2] : "digits.safetensors";
  const std::int64_t count = argc > 3 ? std::stoll(argv[3]) : 5;
  const auto digits = hearth::read_mnist<B>(data, "test");
  const auto& [images, labels] = digits.tensors();

  DigitNet<B> model;
  hearth::load(file, model);
  eval(model);

  for (std::int64_t i = 0; i < count; ++i) {
    const auto scores = softmax(model(images.narrow(0, i, 1)), 1)[0];
    const auto predicted = scores.argmax().item();
    show(images[i].to_vector());
    std::cout << "predicted " << predicted << " (" << int(100 * scores[predicted].item()) << " %), labelled " << labels[i].item() << "\n\n";
  }
  std::cout << "of all " << digits.size() << " test digits, " << 100 * accuracy(model, digits) << " % are right\n";
} catch (const std::exception& error) {
  std::cerr << "classify: " << error.what() << '\n';
  return 1;
}
