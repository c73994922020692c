// nn/recurrent: Rnn, Gru and Lstm, in several layers and both directions, with PyTorch's equations and parameter names
// (weight_ih_l0, bias_hh_l1_reverse, ...). The loops over time are compiled per backend.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "init.hpp"
#include "param.hpp"

namespace hearth {

/// The weights of one layer in one direction: `g` gates stacked along the first axis.
template <Backend B>
struct RecurrentWeights {
  Param<B, 2> weight_ih, weight_hh;            ///< [g hidden, in], [g hidden, hidden]
  std::optional<Param<B, 1>> bias_ih, bias_hh;  ///< [g hidden]
};

struct RecurrentOptions {
  std::int64_t layers = 1;
  bool bias = true, bidirectional = false;
  bool batch_first = true;  ///< x is [n, time, in]; else [time, n, in]
  double dropout = 0;       ///< between layers, while training
};

enum class RecurrentCell : unsigned char { rnn_tanh, rnn_relu, gru_reset_after, gru_reset_before, lstm };

namespace detail {
template <class B>
struct RecurrentRun {
  Dyn<B> weight_ih, weight_hh, bias_ih, bias_hh;
};
/// Compiled per stack.
template <class B>
struct RecurrentFunctions {
  struct Result {
    Dyn<B> output, hidden, cell;  ///< the states are [layers * directions, n, hidden]; cell is null but for Lstm
  };
  /// `runs`: one per layer and direction, the reverse one second. hidden and cell may be null: zeros.
  static Result run(RecurrentCell kind, Dyn<B> x, Dyn<B> hidden, Dyn<B> cell, const std::vector<RecurrentRun<B>>& runs, bool bidirectional, bool batch_first,
                    double dropout);
};

/// What the three layers share: their weights, and walking them under PyTorch's names.
template <class B, class Visitor>
void visit_recurrent(std::vector<RecurrentWeights<B>>& weights, bool bidirectional, Visitor&& visitor) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::string suffix = "_l" + std::to_string(bidirectional ? i / 2 : i) + (bidirectional && i % 2 ? "_reverse" : "");
    visitor("weight_ih" + suffix, weights[i].weight_ih);
    visitor("weight_hh" + suffix, weights[i].weight_hh);
    visitor("bias_ih" + suffix, weights[i].bias_ih);
    visitor("bias_hh" + suffix, weights[i].bias_hh);
  }
}
template <class B>
std::vector<RecurrentRun<B>> recurrent_runs(const std::vector<RecurrentWeights<B>>& weights) {
  std::vector<RecurrentRun<B>> runs;
  for (const auto& w : weights) runs.push_back({w.weight_ih.dyn, w.weight_hh.dyn, optional_tensor(w.bias_ih).dyn, optional_tensor(w.bias_hh).dyn});
  return runs;
}
/// Uniform in +-1 / sqrt(hidden), as PyTorch starts them.
template <class B>
std::vector<RecurrentWeights<B>> start_recurrent(std::int64_t gates, std::int64_t in, std::int64_t hidden, const RecurrentOptions& options, const DeviceOf<B>& device,
                                                 RandomSource source) {
  if (options.layers < 1 || hidden < 1)
    return fail("recurrent", std::to_string(options.layers) + " layers of width " + std::to_string(hidden) + "; there must be at least one of each");
  const double bound = 1 / std::sqrt(double(hidden));
  const std::int64_t directions = options.bidirectional ? 2 : 1;
  std::vector<RecurrentWeights<B>> weights;
  for (std::int64_t layer = 0; layer < options.layers; ++layer)
    for (std::int64_t direction = 0; direction < directions; ++direction) {
      const std::int64_t width = layer == 0 ? in : hidden * directions;
      RecurrentWeights<B> w{.weight_ih = param(uniform<B>({gates * hidden, width}, -bound, bound, device, source)),
                            .weight_hh = param(uniform<B>({gates * hidden, hidden}, -bound, bound, device, source)),
                            .bias_ih = {},
                            .bias_hh = {}};
      if (options.bias) {
        w.bias_ih = param(uniform<B>({gates * hidden}, -bound, bound, device, source));
        w.bias_hh = param(uniform<B>({gates * hidden}, -bound, bound, device, source));
      }
      weights.push_back(std::move(w));
    }
  return weights;
}
}  // namespace detail

template <class B>
struct RecurrentResult {
  Tensor<B, 3> output;  ///< [n, time, hidden * directions], or time first
  Tensor<B, 3> hidden;  ///< the last state of each layer and direction [layers * directions, n, hidden]
};
template <class B>
struct LstmResult {
  Tensor<B, 3> output, hidden, cell;
};

/// h' = tanh(W x + b + U h + c), or relu (Elman 1990).
template <Backend B>
struct Rnn {
  std::vector<RecurrentWeights<B>> weights;
  RecurrentOptions options;
  bool relu = false;
  Mode mode = {};

  RecurrentResult<B> operator()(const Tensor<B, 3>& x, const Tensor<B, 3>& hidden = {}) const {
    auto r = detail::RecurrentFunctions<B>::run(relu ? RecurrentCell::rnn_relu : RecurrentCell::rnn_tanh, x.dyn, hidden.dyn, {}, detail::recurrent_runs(weights),
                                                options.bidirectional, options.batch_first, mode.training ? options.dropout : 0);
    return {Tensor<B, 3>(std::move(r.output)), Tensor<B, 3>(std::move(r.hidden))};
  }
  template <class Visitor>
  void hearth_fields(Visitor&& visitor) {
    detail::visit_recurrent(weights, options.bidirectional, visitor);
    visitor("mode", mode);
  }
};
/// Gates reset, update, new (Cho et al. 2014). reset_after: the reset gate multiplies after the product with the weight, as in PyTorch;
/// else before it, as in the paper.
template <Backend B>
struct Gru {
  std::vector<RecurrentWeights<B>> weights;
  RecurrentOptions options;
  bool reset_after = true;
  Mode mode = {};

  RecurrentResult<B> operator()(const Tensor<B, 3>& x, const Tensor<B, 3>& hidden = {}) const {
    auto r = detail::RecurrentFunctions<B>::run(reset_after ? RecurrentCell::gru_reset_after : RecurrentCell::gru_reset_before, x.dyn, hidden.dyn, {},
                                                detail::recurrent_runs(weights), options.bidirectional, options.batch_first, mode.training ? options.dropout : 0);
    return {Tensor<B, 3>(std::move(r.output)), Tensor<B, 3>(std::move(r.hidden))};
  }
  template <class Visitor>
  void hearth_fields(Visitor&& visitor) {
    detail::visit_recurrent(weights, options.bidirectional, visitor);
    visitor("mode", mode);
  }
};
/// Gates input, forget, cell, output (Hochreiter and Schmidhuber 1997; Gers et al. 2000).
template <Backend B>
struct Lstm {
  std::vector<RecurrentWeights<B>> weights;
  RecurrentOptions options;
  Mode mode = {};

  LstmResult<B> operator()(const Tensor<B, 3>& x, const Tensor<B, 3>& hidden = {}, const Tensor<B, 3>& cell = {}) const {
    auto r = detail::RecurrentFunctions<B>::run(RecurrentCell::lstm, x.dyn, hidden.dyn, cell.dyn, detail::recurrent_runs(weights), options.bidirectional,
                                                options.batch_first, mode.training ? options.dropout : 0);
    return {Tensor<B, 3>(std::move(r.output)), Tensor<B, 3>(std::move(r.hidden)), Tensor<B, 3>(std::move(r.cell))};
  }
  template <class Visitor>
  void hearth_fields(Visitor&& visitor) {
    detail::visit_recurrent(weights, options.bidirectional, visitor);
    visitor("mode", mode);
  }
};

template <Backend B>
Rnn<B> make_rnn(std::int64_t in, std::int64_t hidden, RecurrentOptions options = {}, const DeviceOf<B>& device = {}, RandomSource source = {}) {
  return {.weights = detail::start_recurrent<B>(1, in, hidden, options, device, source), .options = options, .relu = false, .mode = {}};
}
template <Backend B>
Gru<B> make_gru(std::int64_t in, std::int64_t hidden, RecurrentOptions options = {}, const DeviceOf<B>& device = {}, RandomSource source = {}) {
  return {.weights = detail::start_recurrent<B>(3, in, hidden, options, device, source), .options = options, .reset_after = true, .mode = {}};
}
template <Backend B>
Lstm<B> make_lstm(std::int64_t in, std::int64_t hidden, RecurrentOptions options = {}, const DeviceOf<B>& device = {}, RandomSource source = {}) {
  return {.weights = detail::start_recurrent<B>(4, in, hidden, options, device, source), .options = options, .mode = {}};
}

}  // namespace hearth
