// backend/decompositions/fused: a program of ops is replayed, step by step.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "common.hpp"

namespace hearth {

namespace detail {
/// For each slot the step that reads it last, so that the step may have the array for itself; -1 where nobody reads it.
inline std::vector<int> last_uses(const op::Fused& op, std::size_t operands) {
  std::vector<int> last(operands, -1);
  const auto use = [&](int slot, int step) {
    if (slot < 0) return;
    if (std::size_t(slot) >= last.size()) last.resize(std::size_t(slot) + 1, -1);
    last[std::size_t(slot)] = step;
  };
  for (int step = 0; step < int(op.steps.size()); ++step)
    for (int slot : op.steps[std::size_t(step)].in) use(slot, step);
  for (int slot : op.results) use(slot, int(op.steps.size()));
  return last;
}
}  // namespace detail

template <>
struct Decomposition<op::Fused> {
  template <class B>
  static std::vector<Dyn<B>> run(const op::Fused& op, std::vector<Dyn<B>> slots) {
    const std::vector<int> last = detail::last_uses(op, slots.size());
    const auto used = [&](std::size_t slot) { return slot < last.size() && last[slot] >= 0; };
    const auto device = device_of(slots);
    for (std::size_t i = 0; i < slots.size(); ++i)
      if (!used(i)) slots[i] = Dyn<B>();

    for (int step = 0; step < int(op.steps.size()); ++step) {
      const std::vector<int>& in = op.steps[std::size_t(step)].in;
      // Given away by the last operand of its last step, else shared.
      const auto take = [&](std::size_t operand) {
        const int slot = in[operand];
        if (slot < 0) return HandleOf<B>();
        Dyn<B>& value = slots[std::size_t(slot)];
        for (std::size_t later = operand + 1; later < in.size(); ++later)
          if (in[later] == slot) return value.handle;
        return last[std::size_t(slot)] == step ? std::move(value.handle) : value.handle;
      };
      const auto keep = [&](HandleOf<B> result) {
        slots.push_back(used(slots.size()) ? Dyn<B>(std::move(result)) : Dyn<B>());
      };
      visit(op.steps[std::size_t(step)].op, [&](const auto& inner) {
        using Op = std::remove_cvref_t<decltype(inner)>;
        if constexpr (Op::inputs == 0) {
          keep(B::make(device, inner));
        } else {
          Operands<Op, HandleOf<B>> operands{};
          if constexpr (Op::inputs == many) operands.resize(in.size());
          for (std::size_t i = 0; i < operands.size(); ++i) operands[i] = take(i);
          for (auto& result : apply<B>(inner, std::move(operands))) keep(std::move(result));
        }
      });
    }

    std::vector<Dyn<B>> results;
    results.reserve(op.results.size());
    for (int slot : op.results) results.push_back(slots[std::size_t(slot)]);
    return results;
  }

 private:
  template <class B>
  static DeviceOf<B> device_of(const std::vector<Dyn<B>>& operands) {
    for (const auto& operand : operands)
      if (operand) return operand.device();
    return fail("Fused", "a program without operands has no device to run on");
  }
};

}  // namespace hearth
