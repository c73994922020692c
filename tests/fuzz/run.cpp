// tests/fuzz/run: layouts of operands.
// SPDX-License-Identifier: Apache-2.0
#include "run.hpp"

namespace hearth::fuzz {

std::vector<Laid> lay_out(const Call& call, Random& random) {
  constexpr std::int64_t most = 1 << 16;
  std::vector<Laid> result;
  for (const Operand& operand : call.operands) {
    Laid& laid = result.emplace_back();
    if (!operand.spec) continue;
    std::int64_t count = 1;
    for (std::int64_t size : operand.spec->shape)
      if (size < 0 || __builtin_mul_overflow(count, size + 3, &count) || count > most) return {};
    laid.given = true;
    laid.stored = *operand.spec;
    const int rank = laid.stored.shape.size();
    const std::int64_t how = operand.fill.kind == Fill::diagonal ? 0 : random.number(0, 5);
    if (how == 1 && rank > 1) {  // stored with its axes the other way round
      for (int i = 0; i < rank; ++i) laid.axes.push(rank - 1 - i), laid.stored.shape[i] = operand.spec->shape[rank - 1 - i];
    } else if (how == 2 || how == 3) {  // part of something larger, perhaps backwards
      for (int i = 0; i < rank; ++i) {
        const std::int64_t size = operand.spec->shape[i], step = random.one_in(2) ? 1 : random.one_in(2) ? -1 : 2;
        laid.size.push(size);
        laid.step.push(step);
        laid.start.push(step < 0 ? size : 1);
        laid.stored.shape[i] = step == 2 ? 2 * size + 1 : size + 2;
      }
    }
    laid.bytes = elements(laid.stored, operand.fill, random);
  }
  return result;
}

}  // namespace hearth::fuzz
