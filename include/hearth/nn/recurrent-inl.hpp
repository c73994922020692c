// nn/recurrent-inl: the loops over layers, directions and time.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../backend/dyn-inl.hpp"
#include "recurrent.hpp"

namespace hearth::detail {

template <class B>
Dyn<B> recurrent_gates(Dyn<B> x, const Dyn<B>& weight, const Dyn<B>& bias) {
  return call<B>(op::Linear{}, std::move(x), weight, bias, Dyn<B>());
}

/// One step of one direction: the gates' input part [n, g h], the state, and the weights. Changes hidden and cell.
template <class B>
void recurrent_step(RecurrentCell kind, Dyn<B> input, Dyn<B>& hidden, Dyn<B>& cell, const RecurrentRun<B>& w) {
  switch (kind) {
    case RecurrentCell::rnn_tanh: hidden = tanh(std::move(input) + recurrent_gates(hidden, w.weight_hh, w.bias_hh)); return;
    case RecurrentCell::rnn_relu: hidden = relu(std::move(input) + recurrent_gates(hidden, w.weight_hh, w.bias_hh)); return;
    case RecurrentCell::gru_reset_after:
      hidden = call<B>(op::GruCell{}, std::move(input), recurrent_gates(hidden, w.weight_hh, w.bias_hh), hidden);
      return;
    case RecurrentCell::gru_reset_before: {
      const std::int64_t h = hidden.size(1);
      auto part = [&](const Dyn<B>& d, int axis, std::int64_t from, std::int64_t gates) { return d ? narrow(d, axis, from * h, gates * h) : Dyn<B>(); };
      Dyn<B> both = sigmoid(part(input, 1, 0, 2) + recurrent_gates(hidden, part(w.weight_hh, 0, 0, 2), part(w.bias_hh, 0, 0, 2)));
      Dyn<B> reset = part(both, 1, 0, 1), update = part(both, 1, 1, 1);
      Dyn<B> fresh = tanh(part(input, 1, 2, 1) + recurrent_gates(std::move(reset) * hidden, part(w.weight_hh, 0, 2, 1), part(w.bias_hh, 0, 2, 1)));
      hidden = fresh + std::move(update) * (hidden - fresh);
      return;
    }
    case RecurrentCell::lstm: {
      auto [next, next_cell] = call<B>(op::LstmCell{}, std::move(input) + recurrent_gates(hidden, w.weight_hh, w.bias_hh), std::move(cell));
      hidden = std::move(next);
      cell = std::move(next_cell);
      return;
    }
  }
}

template <class B>
auto RecurrentFunctions<B>::run(RecurrentCell kind, Dyn<B> x, Dyn<B> hidden, Dyn<B> cell, const std::vector<RecurrentRun<B>>& runs, bool bidirectional, bool batch_first,
                                double dropout) -> Result {
  const char* name = kind == RecurrentCell::lstm ? "lstm" : kind == RecurrentCell::rnn_tanh || kind == RecurrentCell::rnn_relu ? "rnn" : "gru";
  if (runs.empty()) return fail(name, "the layer has no weights", {}, "make it with make_" + std::string(name));
  const int time_axis = batch_first ? 1 : 0;
  const std::int64_t time = x.size(time_axis), n = x.size(1 - time_axis), h = runs[0].weight_hh.size(1);
  if (x.size(2) != runs[0].weight_ih.size(1))
    return fail(name, "the input has " + std::to_string(x.size(2)) + " features, the layer takes " + std::to_string(runs[0].weight_ih.size(1)), {x.shape()});
  if (time == 0) return fail(name, "the sequence is empty: " + to_string(x.shape()), {x.shape()});
  const Shape state{std::int64_t(runs.size()), n, h};
  for (const Dyn<B>* given : {&hidden, &cell})
    if (*given && given->shape() != state)
      return fail(name, "the state is " + to_string(given->shape()) + " where " + to_string(state) + " is needed", {given->shape(), state});
  const Spec spec{x.dtype(), state};
  if (!hidden) hidden = Dyn<B>::full(x.device(), spec, 0);
  if (!cell && kind == RecurrentCell::lstm) cell = Dyn<B>::full(x.device(), spec, 0);

  std::vector<Dyn<B>> last_hidden, last_cell;
  const std::size_t directions = bidirectional ? 2 : 1;
  for (std::size_t first = 0; first < runs.size(); first += directions) {
    if (first > 0 && dropout > 0) {
      const Draw draw = GeneratorFunctions<B>::reserve(x.device(), {}, std::uint64_t(element_count(x.shape())));
      x = call<B>(op::Dropout{dropout, draw.key, draw.offset}, std::move(x));
    }
    std::vector<Dyn<B>> outputs;
    for (std::size_t direction = 0; direction < directions; ++direction) {
      const RecurrentRun<B>& w = runs[first + direction];
      const std::int64_t index = std::int64_t(first + direction);
      Dyn<B> now = squeeze(narrow(hidden, 0, index, 1), Axes{0});
      Dyn<B> memory = cell ? squeeze(narrow(cell, 0, index, 1), Axes{0}) : Dyn<B>();
      const Dyn<B> gates = recurrent_gates(x, w.weight_ih, w.bias_ih);  // of all times in one product
      std::vector<Dyn<B>> steps(static_cast<std::size_t>(time));
      for (std::int64_t step = 0; step < time; ++step) {
        const std::int64_t t = direction == 0 ? step : time - 1 - step;
        recurrent_step(kind, squeeze(narrow(gates, time_axis, t, 1), Axes{time_axis}), now, memory, w);
        steps[std::size_t(t)] = unsqueeze(now, time_axis);
      }
      outputs.push_back(concat(std::move(steps), time_axis));
      last_hidden.push_back(unsqueeze(std::move(now), 0));
      if (memory) last_cell.push_back(unsqueeze(std::move(memory), 0));
    }
    x = directions == 1 ? std::move(outputs[0]) : concat(std::move(outputs), 2);
  }
  Result result;
  result.output = std::move(x);
  result.hidden = concat(std::move(last_hidden), 0);
  if (!last_cell.empty()) result.cell = concat(std::move(last_cell), 0);
  return result;
}

}  // namespace hearth::detail
