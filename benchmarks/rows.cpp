// rows: do softmax and normalisation read a row once?
// SPDX-License-Identifier: Apache-2.0
#include "harness.hpp"

namespace bench {

namespace {

using namespace hearth;

Work one_to_one(const Case& c) { return {.read = bytes_of(c.shape("shape")), .written = bytes_of(c.shape("shape")), .flops = 0}; }

void softmax_rows(benchmark::State& state, const Case& c) {
  const auto x = pattern<Cpu, 2>(c.shape("shape"), 0);
  measure(state, [&] { return softmax(x, 1); });
}
void layer_norm_rows(benchmark::State& state, const Case& c) {
  const Shape row{c.shape("shape")[1]};
  const auto x = pattern<Cpu, 2>(c.shape("shape"), 0);
  const auto scale = pattern<Cpu, 1>(row, 1), bias = pattern<Cpu, 1>(row, 2);
  measure(state, [&] { return layer_norm(x, scale, bias); });
}

}  // namespace

std::span<const Kind> rows_kinds() {
  static constexpr Kind kinds[] = {{"softmax", one_to_one, softmax_rows}, {"layer_norm", one_to_one, layer_norm_rows}};
  return kinds;
}

}  // namespace bench
