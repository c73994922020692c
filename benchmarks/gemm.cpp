// gemm: how much of the machine's arithmetic does a product of f32 matrices use, from small to large and with few rows?
// SPDX-License-Identifier: Apache-2.0
#include "harness.hpp"

namespace bench {

namespace {

using namespace hearth;

Work product_work(const Case& c) {
  const Shape a = c.shape("a"), b = c.shape("b"), y{a[0], b[1]};
  return {.read = bytes_of(a) + bytes_of(b), .written = bytes_of(y), .flops = 2 * double(a[0]) * double(a[1]) * double(b[1])};
}

void product(benchmark::State& state, const Case& c) {
  const auto a = pattern<Cpu, 2>(c.shape("a"), 0), b = pattern<Cpu, 2>(c.shape("b"), 1);
  measure(state, [&] { return matmul(a, b); });
}

}  // namespace

std::span<const Kind> gemm_kinds() {
  static constexpr Kind kinds[] = {{"gemm", product_work, product}};
  return kinds;
}

}  // namespace bench
