// overhead: what does an op cost that computes next to nothing, plain, recorded, and with its share of a backward pass?
// SPDX-License-Identifier: Apache-2.0
#include "harness.hpp"

namespace bench {

namespace {

using namespace hearth;

Work none(const Case&) { return {}; }

void small_add(benchmark::State& state, const Case& c) {
  const auto x = pattern<Cpu, 2>(c.shape("shape"), 0), y = pattern<Cpu, 2>(c.shape("shape"), 1);
  measure(state, [&] { return x + y; });
}
void small_add_recorded(benchmark::State& state, const Case& c) {
  using B = Autodiff<Cpu>;
  const auto x = require_gradient(pattern<B, 2>(c.shape("shape"), 0)), y = require_gradient(pattern<B, 2>(c.shape("shape"), 1));
  measure(state, [&] { return x + y; });
}
/// The time of one node of a long chain: recorded, run backward and freed.
void nodes(benchmark::State& state, const Case& c) {
  using B = Autodiff<Cpu>;
  const auto x = require_gradient(pattern<B, 2>(c.shape("shape"), 0));
  const std::int64_t count = c.number("nodes");
  const auto gradient = [&] {
    auto y = x;
    for (std::int64_t i = 0; i < count; ++i) y = y + x;
    return gradient_of(x, backward(y.sum()));
  };
  report_check(state, mean_square(gradient().to_vector()));
  while (state.KeepRunningBatch(count)) {
    auto result = gradient();
    benchmark::DoNotOptimize(result);
  }
}

}  // namespace

std::span<const Kind> overhead_kinds() {
  static constexpr Kind kinds[] = {{"small_add", none, small_add}, {"small_add_recorded", none, small_add_recorded}, {"nodes", none, nodes}};
  return kinds;
}

}  // namespace bench
