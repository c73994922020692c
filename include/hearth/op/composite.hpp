// op/composite: ops with a decomposition into others. A backend may claim one by having a run for it.
// Operands have one dtype, but scales, biases and statistics of norms, angles of Rope, class weights and the optimisers' moments
// may also be f32 beside a 16-bit float.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "arity.hpp"
#include "contract.hpp"

namespace hearth {

/// What Attention and its gradient share.
struct AttentionOptions {
  double scale = 0;       ///< 0: 1 / sqrt(head size)
  bool causal = false;    ///< query i of l sees keys up to i + s - l (aligned at the end)
  double softcap = 0;     ///< c > 0: scores become c tanh(scores / c)
  double dropout = 0;     ///< probability of dropping an attention weight
  std::uint64_t key = 0, offset = 0;
};

namespace op {

/// x [..., in], weight [out, in], [bias [out]], [residual [..., out]] -> activation(x weight^T + bias + residual)
struct Linear {
  static constexpr int inputs = 4, outputs = 1;
  static constexpr unsigned optional = 0b1100;
  Activation activation = Activation::none;
};
/// x, weight, [bias [out]], [residual like y] -> activation(conv(x, weight) + bias + residual)
struct ConvBiasActivation {
  static constexpr int inputs = 4, outputs = 1;
  static constexpr unsigned optional = 0b1100;
  ConvGeometry geometry;
  Activation activation = Activation::none;
};

/// x -> exp(x - max) / sum, along `axis`
struct Softmax {
  static constexpr int inputs = 1, outputs = 1;
  int axis = -1;
};
/// x -> log of Softmax, stable
struct LogSoftmax {
  static constexpr int inputs = 1, outputs = 1;
  int axis = -1;
};

/// x, [scale], [bias] (of the last `axes` sizes of x) -> (x - mean) / sqrt(variance + epsilon) * scale + bias
struct LayerNorm {
  static constexpr int inputs = 3, outputs = 1;
  static constexpr unsigned optional = 0b110;
  int axes = 1;
  double epsilon = 1e-5;
};
/// g, x, [scale] -> gradients of x, scale, bias
struct LayerNormGrad {
  static constexpr int inputs = 3, outputs = 3;
  static constexpr unsigned optional = 0b100;
  int axes = 1;
  double epsilon = 1e-5;
};
/// x, [scale] -> x / sqrt(mean(x x) + epsilon) * scale over the last `axes` axes
struct RmsNorm {
  static constexpr int inputs = 2, outputs = 1;
  static constexpr unsigned optional = 0b10;
  int axes = 1;
  double epsilon = 1e-6;
};
/// g, x, [scale] -> gradients of x, scale
struct RmsNormGrad {
  static constexpr int inputs = 3, outputs = 2;
  static constexpr unsigned optional = 0b100;
  int axes = 1;
  double epsilon = 1e-6;
};
/// x [n, c, ...], [scale [c]], [bias [c]], mean [c], variance [c] -> normalised with the given statistics
struct BatchNorm {
  static constexpr int inputs = 5, outputs = 1;
  static constexpr unsigned optional = 0b110;
  double epsilon = 1e-5;
};
/// x [n, c, ...], [scale [c]], [bias [c]] -> y, the batch's mean [c], its biased variance [c], both in the scale's dtype (x's without one)
struct BatchNormTraining {
  static constexpr int inputs = 3, outputs = 3;
  static constexpr unsigned optional = 0b110;
  double epsilon = 1e-5;
};
/// g, x, [scale], mean, variance -> gradients of x (through the statistics too), scale, bias of BatchNormTraining's y
struct BatchNormGrad {
  static constexpr int inputs = 5, outputs = 3;
  static constexpr unsigned optional = 0b100;
  double epsilon = 1e-5;
};
/// x [n, c, ...], [scale [c]], [bias [c]] -> normalised over each of `groups` groups of channels and all positions
struct GroupNorm {
  static constexpr int inputs = 3, outputs = 1;
  static constexpr unsigned optional = 0b110;
  std::int64_t groups = 1;
  double epsilon = 1e-5;
};
/// g, x, [scale] -> gradients of x, scale, bias
struct GroupNormGrad {
  static constexpr int inputs = 3, outputs = 3;
  static constexpr unsigned optional = 0b100;
  std::int64_t groups = 1;
  double epsilon = 1e-5;
};

/// q [b, h, l, d], k [b, hk, s, d], v [b, hk, s, dv], [mask bool: may attend], [bias added to scores] -> [b, h, l, dv].
/// hk divides h (grouped queries); mask and bias broadcast to [b, h, l, s]. A row with nothing to attend to gives 0.
struct Attention {
  static constexpr int inputs = 5, outputs = 1;
  static constexpr unsigned optional = 0b11000;
  AttentionOptions options;
};
/// g, q, k, v, [mask], [bias] -> gradients of q, k, v, bias (of size 0 where there is no bias)
struct AttentionGrad {
  static constexpr int inputs = 6, outputs = 4;
  static constexpr unsigned optional = 0b110000;
  AttentionOptions options;
};
/// x [..., l, d], cos [l, d / 2], sin [l, d / 2] -> pairs of features rotated: (i, i + d / 2), or (2 i, 2 i + 1) where interleaved
struct Rope {
  static constexpr int inputs = 3, outputs = 1;
  bool interleaved = false;
};

/// logits [n, c, ...], targets (integer) [n, ...], [class weights [c]] -> loss: [n, ...] for Reduction::none, else rank 0.
/// The mean divides by the summed weights of the rows that count; where none counts it is NaN, as PyTorch has it.
struct CrossEntropy {
  static constexpr int inputs = 3, outputs = 1;
  static constexpr unsigned optional = 0b100;
  Reduction reduction = Reduction::mean;
  Scalar ignore{};       ///< rows with this target do not count; none: every row counts
  double smoothing = 0;  ///< share of the target spread evenly over all classes
};
/// g (like the loss), logits, targets, [class weights] -> gradient of logits
struct CrossEntropyGrad {
  static constexpr int inputs = 4, outputs = 1;
  static constexpr unsigned optional = 0b1000;
  Reduction reduction = Reduction::mean;
  Scalar ignore{};
  double smoothing = 0;
};
/// log probabilities [t, n, c], targets [n, s], input lengths [n], target lengths [n] -> loss [n]
/// (Graves et al. 2006). A loss that is infinite is 0 where `zero_infinity`.
struct CtcLoss {
  static constexpr int inputs = 4, outputs = 1;
  std::int64_t blank = 0;
  bool zero_infinity = false;
};

/// x -> elements dropped with probability p, the others divided by 1 - p. The mask is Random{uniform, key, offset} >= p.
struct Dropout {
  static constexpr int inputs = 1, outputs = 1;
  double p = 0.5;
  std::uint64_t key = 0, offset = 0;
};
/// gates [n, 4 h] (input, forget, cell, output; before their activations), cell [n, h] -> hidden [n, h], cell [n, h]
struct LstmCell {
  static constexpr int inputs = 2, outputs = 2;
};
/// input gates [n, 3 h], hidden gates [n, 3 h] (reset, update, new; before their activations), hidden [n, h] -> hidden [n, h].
/// The reset gate multiplies the hidden part of "new" after its product with the weight (PyTorch's form).
struct GruCell {
  static constexpr int inputs = 3, outputs = 1;
};

/// x [n, c, spatial...], grid [n, out..., 2 or 3] of positions in [-1, 1], last axis innermost size first -> x sampled there
struct GridSample {
  static constexpr int inputs = 2, outputs = 1;
  InterpolateMode mode = InterpolateMode::linear;  ///< nearest, linear, cubic (2 spatial axes only)
  GridPadding padding = GridPadding::zeros;
  bool align_corners = false;
};
/// g, x, grid -> gradients of x, grid
struct GridSampleGrad {
  static constexpr int inputs = 3, outputs = 2;
  InterpolateMode mode = InterpolateMode::linear;
  GridPadding padding = GridPadding::zeros;
  bool align_corners = false;
};
/// x, offset [n, 2 groups kh kw, out...], weight, [mask [n, groups kh kw, out...]], [bias] -> a convolution that reads x at
/// shifted places, bilinearly (Dai et al. 2017; with a mask, Zhu et al. 2019). 2 spatial axes.
struct DeformConv {
  static constexpr int inputs = 5, outputs = 1;
  static constexpr unsigned optional = 0b11000;
  ConvGeometry geometry;
  std::int64_t offset_groups = 1;
};
/// g, x, offset, weight, [mask] -> gradients of x, offset, weight, mask (of size 0 where there is none)
struct DeformConvGrad {
  static constexpr int inputs = 5, outputs = 4;
  static constexpr unsigned optional = 0b10000;
  ConvGeometry geometry;
  std::int64_t offset_groups = 1;
};

/// n parameters, n gradients, [n momenta] -> n new parameters, [n new momenta]. Lists follow one another; `momentum` 0 has no momenta.
struct SgdStep {
  static constexpr int inputs = many, outputs = many;
  std::int64_t count = 0;
  double rate = 0, momentum = 0, dampening = 0, weight_decay = 0;
  bool nesterov = false;
  bool first = false;  ///< the first step: the momentum is the gradient itself, undampened
};
/// n parameters, n gradients, n first moments, n second moments -> n each of parameters and both moments (Kingma and Ba 2015;
/// `decoupled` decay: Loshchilov and Hutter 2019). `step` counts from 1.
struct AdamStep {
  static constexpr int inputs = many, outputs = many;
  std::int64_t count = 0, step = 1;
  double rate = 0, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weight_decay = 0;
  bool decoupled = false;
};
/// n parameters, n gradients, n mean squares, [n mean gradients where `centered`], [n momenta where `momentum` > 0]
/// -> n new of each, in that order without the gradients
struct RmsPropStep {
  static constexpr int inputs = many, outputs = many;
  std::int64_t count = 0;
  double rate = 0, alpha = 0.99, epsilon = 1e-8, weight_decay = 0, momentum = 0;
  bool centered = false;
};

}  // namespace op
}  // namespace hearth
