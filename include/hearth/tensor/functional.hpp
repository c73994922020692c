// tensor/functional: layers as plain functions, each one op: normalisation, attention, losses, cells, resampling.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "generator.hpp"
#include "linear.hpp"

namespace hearth {

namespace detail {
/// An operand of any rank that may be absent.
template <class B, class Kind>
struct Optional {
  Dyn<B> dyn;
  Optional() = default;
  template <int R>
  Optional(Tensor<B, R, Kind> x) : dyn(std::move(x.dyn)) {}
};
}  // namespace detail

/// x [..., in] weight^T [out, in] + bias [out], then the activation.
template <class B, int R>
Tensor<B, R> linear(Tensor<B, R> x, detail::Fixed<Tensor<B, 2>> weight, detail::Fixed<Tensor<B, 1>> bias = {}, Activation activation = Activation::none) {
  return Tensor<B, R>(call<B>(op::Linear{activation}, std::move(x.dyn), std::move(weight.dyn), std::move(bias.dyn), Dyn<B>()));
}
/// Rows of weight [entries, width] by index; an index out of range is an error.
template <class B, int R>
Tensor<B, R + 1> embedding(const Tensor<B, R, Int>& index, const detail::Fixed<Tensor<B, 2>>& weight) {
  return weight.take(index, 0);
}

/// exp(x) / sum of exp(x) along an axis, and its logarithm; both shift by the largest x, and so are stable.
template <class B, int R>
Tensor<B, R> softmax(Tensor<B, R> x, int axis) {
  return Tensor<B, R>(call<B>(op::Softmax{axis}, std::move(x.dyn)));
}
template <class B, int R>
Tensor<B, R> log_softmax(Tensor<B, R> x, int axis) {
  return Tensor<B, R>(call<B>(op::LogSoftmax{axis}, std::move(x.dyn)));
}

/// Normalised over the last `Axes` axes, then scaled and shifted by tensors of their shape. Biased variance, epsilon inside the root.
template <int Axes = 1, class B, int R>
Tensor<B, R> layer_norm(Tensor<B, R> x, detail::Fixed<Tensor<B, Axes>> scale = {}, detail::Fixed<Tensor<B, Axes>> bias = {}, double epsilon = 1e-5) {
  return Tensor<B, R>(call<B>(op::LayerNorm{Axes, epsilon}, std::move(x.dyn), std::move(scale.dyn), std::move(bias.dyn)));
}
/// x / sqrt(mean(x x) + epsilon) over the last `Axes` axes, then scaled.
template <int Axes = 1, class B, int R>
Tensor<B, R> rms_norm(Tensor<B, R> x, detail::Fixed<Tensor<B, Axes>> scale = {}, double epsilon = 1e-6) {
  return Tensor<B, R>(call<B>(op::RmsNorm{Axes, epsilon}, std::move(x.dyn), std::move(scale.dyn)));
}
/// x [n, c, ...] with given statistics [c].
template <class B, int R>
Tensor<B, R> batch_norm(Tensor<B, R> x, detail::Fixed<Tensor<B, 1>> mean, detail::Fixed<Tensor<B, 1>> variance, detail::Fixed<Tensor<B, 1>> scale = {},
                        detail::Fixed<Tensor<B, 1>> bias = {}, double epsilon = 1e-5) {
  return Tensor<B, R>(
      call<B>(op::BatchNorm{epsilon}, std::move(x.dyn), std::move(scale.dyn), std::move(bias.dyn), std::move(mean.dyn), std::move(variance.dyn)));
}
template <class B, int R>
struct BatchNormResult {
  Tensor<B, R> y;
  Tensor<B, 1> mean, variance;  ///< of the batch; the variance is biased
};
/// x [n, c, ...] with the statistics of the batch.
template <class B, int R>
BatchNormResult<B, R> batch_norm_training(Tensor<B, R> x, detail::Fixed<Tensor<B, 1>> scale = {}, detail::Fixed<Tensor<B, 1>> bias = {}, double epsilon = 1e-5) {
  auto [y, mean, variance] = call<B>(op::BatchNormTraining{epsilon}, std::move(x.dyn), std::move(scale.dyn), std::move(bias.dyn));
  return {Tensor<B, R>(std::move(y)), Tensor<B, 1>(std::move(mean)), Tensor<B, 1>(std::move(variance))};
}
/// x [n, c, ...] normalised over each of `groups` groups of channels and all positions. groups = c is instance normalisation.
template <class B, int R>
Tensor<B, R> group_norm(Tensor<B, R> x, std::int64_t groups, detail::Fixed<Tensor<B, 1>> scale = {}, detail::Fixed<Tensor<B, 1>> bias = {}, double epsilon = 1e-5) {
  return Tensor<B, R>(call<B>(op::GroupNorm{groups, epsilon}, std::move(x.dyn), std::move(scale.dyn), std::move(bias.dyn)));
}

/// q [b, h, l, d], k [b, hk, s, d], v [b, hk, s, dv], mask (true: may attend) and bias broadcast to [b, h, l, s].
template <class B>
Tensor<B, 4> attention(Tensor<B, 4> q, detail::Fixed<Tensor<B, 4>> k, detail::Fixed<Tensor<B, 4>> v, detail::Fixed<detail::Optional<B, Bool>> mask = {},
                       detail::Fixed<detail::Optional<B, Float>> bias = {}, const AttentionOptions& options = {}) {
  return Tensor<B, 4>(
      call<B>(op::Attention{options}, std::move(q.dyn), std::move(k.dyn), std::move(v.dyn), std::move(mask.dyn), std::move(bias.dyn)));
}
/// x [..., l, d] rotated in pairs of features by angles given as cos and sin [l, d / 2].
template <class B, int R>
Tensor<B, R> rope(Tensor<B, R> x, detail::Fixed<Tensor<B, 2>> cos, detail::Fixed<Tensor<B, 2>> sin, bool interleaved = false) {
  return Tensor<B, R>(call<B>(op::Rope{interleaved}, std::move(x.dyn), std::move(cos.dyn), std::move(sin.dyn)));
}
/// Elements dropped with probability p, the others divided by 1 - p.
template <class B, int R>
Tensor<B, R> dropout(Tensor<B, R> x, double p, RandomSource source = {}) {
  const Draw draw = GeneratorFunctions<B>::reserve(x.device(), source, std::uint64_t(x.element_count()));
  return Tensor<B, R>(call<B>(op::Dropout{p, draw.key, draw.offset}, std::move(x.dyn)));
}

struct CrossEntropyOptions {
  Reduction reduction = Reduction::mean;  ///< mean or sum
  Scalar ignore = {};                      ///< rows with this target do not count
  double smoothing = 0;                   ///< share of the target spread evenly over all classes
};
/// logits [n, c, ...], targets [n, ...], class weights [c] or {} -> the mean or sum over the rows that count.
template <class B, int R>
Tensor<B, 0> cross_entropy(Tensor<B, R> logits, detail::Fixed<Tensor<B, R - 1, Int>> targets, const CrossEntropyOptions& options = {},
                           detail::Fixed<Tensor<B, 1>> weights = {}) {
  if (options.reduction == Reduction::none) (void)fail("cross_entropy", "the reduction none keeps the rows", {}, "call cross_entropy_each");
  return Tensor<B, 0>(call<B>(op::CrossEntropy{options.reduction, options.ignore, options.smoothing}, std::move(logits.dyn), std::move(targets.dyn),
                              std::move(weights.dyn)));
}
/// The loss of each row.
template <class B, int R>
Tensor<B, R - 1> cross_entropy_each(Tensor<B, R> logits, detail::Fixed<Tensor<B, R - 1, Int>> targets, const CrossEntropyOptions& options = {},
                                    detail::Fixed<Tensor<B, 1>> weights = {}) {
  return Tensor<B, R - 1>(call<B>(op::CrossEntropy{Reduction::none, options.ignore, options.smoothing}, std::move(logits.dyn), std::move(targets.dyn),
                                  std::move(weights.dyn)));
}
/// log probabilities [t, n, c], targets [n, s], lengths [n] of both -> loss of each row [n] (Graves et al. 2006).
template <class B>
Tensor<B, 1> ctc_loss(Tensor<B, 3> log_probabilities, detail::Fixed<Tensor<B, 2, Int>> targets, detail::Fixed<Tensor<B, 1, Int>> input_lengths,
                      detail::Fixed<Tensor<B, 1, Int>> target_lengths, std::int64_t blank = 0, bool zero_infinity = false) {
  return Tensor<B, 1>(call<B>(op::CtcLoss{blank, zero_infinity}, std::move(log_probabilities.dyn), std::move(targets.dyn), std::move(input_lengths.dyn),
                              std::move(target_lengths.dyn)));
}

template <class B>
struct LstmState {
  Tensor<B, 2> hidden, cell;
};
/// gates [n, 4 h] (input, forget, cell, output; before their activations), cell [n, h].
template <class B>
LstmState<B> lstm_cell(Tensor<B, 2> gates, detail::Fixed<Tensor<B, 2>> cell) {
  auto [hidden, next] = call<B>(op::LstmCell{}, std::move(gates.dyn), std::move(cell.dyn));
  return {Tensor<B, 2>(std::move(hidden)), Tensor<B, 2>(std::move(next))};
}
/// input and hidden gates [n, 3 h] (reset, update, new; before their activations), hidden [n, h] -> hidden.
template <class B>
Tensor<B, 2> gru_cell(Tensor<B, 2> input_gates, detail::Fixed<Tensor<B, 2>> hidden_gates, detail::Fixed<Tensor<B, 2>> hidden) {
  return Tensor<B, 2>(call<B>(op::GruCell{}, std::move(input_gates.dyn), std::move(hidden_gates.dyn), std::move(hidden.dyn)));
}

struct InterpolateOptions {
  PerAxis size = {};                   ///< the spatial output size, or
  InlineList<double, max_rank> scale = {};  ///< output / input, one for all spatial axes or one each
  InterpolateMode mode = InterpolateMode::linear;
  bool align_corners = false, antialias = false;
};
namespace detail {
Resampling resampling(std::string_view op, const Shape& x, const InterpolateOptions& options);
}
/// x [n, c, spatial...] resampled along its spatial axes: interpolate(x, {.size = {8, 8}}).
template <class B, int R>
Tensor<B, R> interpolate(Tensor<B, R> x, const InterpolateOptions& options) {
  static_assert(R >= 3 && R <= 5, "hearth: interpolate takes [batch, channels, spatial...] with 1 to 3 spatial axes");
  const op::Interpolate op{detail::resampling("interpolate", x.shape(), options)};
  return Tensor<B, R>(call<B>(op, std::move(x.dyn)));
}
struct GridSampleOptions {
  InterpolateMode mode = InterpolateMode::linear;
  GridPadding padding = GridPadding::zeros;
  bool align_corners = false;
};
/// x [n, c, spatial...] read at the positions of grid [n, out..., 2 or 3], which lie in [-1, 1], innermost axis first.
template <class B, int R>
Tensor<B, R> grid_sample(Tensor<B, R> x, detail::Fixed<Tensor<B, R>> grid, const GridSampleOptions& options = {}) {
  static_assert(R == 4 || R == 5, "hearth: grid_sample takes [batch, channels, spatial...] with 2 or 3 spatial axes");
  return Tensor<B, R>(call<B>(op::GridSample{options.mode, options.padding, options.align_corners}, std::move(x.dyn), std::move(grid.dyn)));
}

}  // namespace hearth
