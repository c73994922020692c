// elementwise: how near to a plain walk over memory are an op, a chain of five, and sums?
// SPDX-License-Identifier: Apache-2.0
#include "harness.hpp"

namespace bench {

namespace {

using namespace hearth;

Work two_to_one(const Case& c) { return {.read = 2 * bytes_of(c.shape("shape")), .written = bytes_of(c.shape("shape")), .flops = 0}; }
Work one_to_number(const Case& c) { return {.read = bytes_of(c.shape("shape")), .written = 4, .flops = 0}; }
Work one_to_column(const Case& c) { return {.read = bytes_of(c.shape("shape")), .written = 4 * double(c.shape("shape")[0]), .flops = 0}; }

void add(benchmark::State& state, const Case& c) {
  const auto x = pattern<Cpu, 2>(c.shape("shape"), 0), y = pattern<Cpu, 2>(c.shape("shape"), 1);
  measure(state, [&] { return x + y; });
}
void chain(benchmark::State& state, const Case& c) {
  const auto x = pattern<Cpu, 2>(c.shape("shape"), 0), y = pattern<Cpu, 2>(c.shape("shape"), 1);
  measure(state, [&] { return tanh(x * y + x) * exp(y); });
}
void sum_all(benchmark::State& state, const Case& c) {
  const auto x = pattern<Cpu, 2>(c.shape("shape"), 0);
  measure(state, [&] { return x.sum(); });
}
void sum_last(benchmark::State& state, const Case& c) {
  const auto x = pattern<Cpu, 2>(c.shape("shape"), 0);
  measure(state, [&] { return x.sum(1); });
}

}  // namespace

std::span<const Kind> elementwise_kinds() {
  static constexpr Kind kinds[] = {{"add", two_to_one, add}, {"chain", two_to_one, chain}, {"sum_all", one_to_number, sum_all}, {"sum_last", one_to_column, sum_last}};
  return kinds;
}

}  // namespace bench
