// backend/decompositions/cells: one step of a recurrent network, behind the products with its weights.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "common.hpp"

namespace hearth {

template <>
struct Decomposition<op::LstmCell> {
  template <class B>
  static std::array<Dyn<B>, 2> run(const op::LstmCell&, std::array<Dyn<B>, 2> in) {
    auto& [gates, cell] = in;
    const std::int64_t size = cell.size(1);
    const auto gate = [&](int i) { return narrow(gates, 1, i * size, size); };
    auto kept = sigmoid(gate(1)) * std::move(cell);
    auto next = std::move(kept) + sigmoid(gate(0)) * tanh(gate(2));
    auto hidden = sigmoid(gate(3)) * tanh(next);
    return {std::move(hidden), std::move(next)};
  }
};

template <>
struct Decomposition<op::GruCell> {
  template <class B>
  static std::array<Dyn<B>, 1> run(const op::GruCell&, std::array<Dyn<B>, 3> in) {
    auto& [input, recurrent, hidden] = in;
    const std::int64_t size = hidden.size(1);
    const auto gate = [&](const Dyn<B>& gates, int i) { return narrow(gates, 1, i * size, size); };
    auto reset = sigmoid(gate(input, 0) + gate(recurrent, 0));
    auto update = sigmoid(gate(input, 1) + gate(recurrent, 1));
    auto fresh = tanh(gate(input, 2) + std::move(reset) * gate(recurrent, 2));
    auto change = (std::move(hidden) - fresh) * std::move(update);
    return {std::move(fresh) + std::move(change)};
  }
};

}  // namespace hearth
