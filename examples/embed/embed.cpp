// embed: a program that runs a trained network and sees nothing of Hearth but one header.
//   embed <file of digits> [backend]
// SPDX-License-Identifier: Apache-2.0
#include <hearth/infer.hpp>

#include <algorithm>
#include <exception>
#include <iostream>

void register_digits();

// A seven, as somebody might draw it.
const char* const drawing[] = {
    "............................", "............................", "............................", "............................",
    "............................", "............................", "......#############.........", ".....###############........",
    ".....###############........", "................####........", "................####........", "...............####.........",
    "...............####.........", "..............####..........", "..............####..........", ".............####...........",
    ".............####...........", "............####............", "............####............", "...........####.............",
    "...........####.............", "..........####..............", "..........####..............", "..........####..............",
    "............................", "............................", "............................", "............................"};

int main(int argc, char** argv) try {
  register_digits();
  for (const hearth::BackendStatus& backend : hearth::backends())
    std::cout << backend.name << ": " << (backend.available ? "available" : backend.reason) << '\n';

  const hearth::Session session = hearth::load(argc > 1 ? argv[1] : "digits.safetensors", argc > 2 ? argv[2] : "cpu");
  std::vector<float> pixels;
  for (const char* line : drawing)
    for (; *line; ++line) pixels.push_back(*line == '#' ? 1.f : 0.f);

  const std::vector<float> scores = session.run("image", pixels);
  const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
  std::cout << "on " << session.backend() << ", the drawing looks like a " << best << '\n';
} catch (const std::exception& error) {
  std::cerr << "embed: " << error.what() << '\n';
  return 1;
}
