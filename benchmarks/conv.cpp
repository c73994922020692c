// conv: layers of ResNet-50, batch of four, f32, in the layout [n, c, h, w].
// SPDX-License-Identifier: Apache-2.0
#include "harness.hpp"

namespace bench {

namespace {

using namespace hearth;

/// Multiplications by padding count as work, and an algorithm that saves multiplications (Winograd) may pass the limit.
Work conv_work(const Case& c) {
  const Shape x = c.shape("input"), w = c.shape("weight");
  const auto out = [&](int axis) { return (x[axis] + 2 * c.number("padding") - w[axis]) / c.number("stride") + 1; };
  const Shape y{x[0], w[0], out(2), out(3)};
  return {.read = bytes_of(x) + bytes_of(w), .written = bytes_of(y), .flops = 2 * double(element_count(y)) * double(w[1] * w[2] * w[3])};
}

void conv(benchmark::State& state, const Case& c) {
  const auto x = pattern<Cpu, 4>(c.shape("input"), 0), weight = pattern<Cpu, 4>(c.shape("weight"), 1);
  const ConvOptions options{.stride = c.number("stride"), .padding = c.number("padding")};
  measure(state, [&] { return conv2d(x, weight, {}, options); });
}

}  // namespace

std::span<const Kind> conv_kinds() {
  static constexpr Kind kinds[] = {{"conv", conv_work, conv}};
  return kinds;
}

}  // namespace bench
