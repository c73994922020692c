// op/infer_composite: results of layers in one op: linear, softmax, attention, recurrent cells, losses. Norms are in infer_norm.cpp.
// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "infer.hpp"

namespace hearth {

using namespace detail;

namespace {

bool floats(std::string_view op, const Spec& x) { return takes(op, kinds::F, x); }

bool along(std::string_view op, const Spec* x, int given_axis) {
  int axis = 0;
  return floats(op, *x) && find_axis(op, given_axis, x->shape.size(), axis);
}

/// Sets `scores` to [b, h, l, s] and `result` to what Attention gives.
bool attention_fits(std::string_view op, const AttentionOptions& options, const Spec& q, const Spec& k, const Spec& v, const Spec* mask,
                    const Spec* bias, Spec& result) {
  constexpr double most = std::numeric_limits<double>::max();
  if (!floats(op, q) || !same_dtype(op, q, k) || !same_dtype(op, q, v) || !same_dtype(op, q, bias) || !has_rank(op, "q", q, 4, 4) ||
      !has_rank(op, "k", k, 4, 4) || !has_rank(op, "v", v, 4, 4) || !in_range(op, "scale", options.scale, -most, most) ||
      !in_range(op, "softcap", options.softcap, 0, most) || !in_range(op, "dropout", options.dropout, 0, 1))
    return false;
  const auto refuse = [&](const char* sentence) -> bool {
    return fail(op, std::string(sentence) + ": q " + to_string(q.shape) + ", k " + to_string(k.shape) + ", v " + to_string(v.shape),
                {q.shape, k.shape, v.shape});
  };
  if (q.shape[0] != k.shape[0] || q.shape[0] != v.shape[0]) return refuse("batch sizes differ");
  if (q.shape[3] != k.shape[3]) return refuse("head sizes of q and k differ");
  if (k.shape[1] != v.shape[1] || k.shape[2] != v.shape[2]) return refuse("k and v differ in heads or length");
  if (k.shape[1] == 0 ? q.shape[1] != 0 : q.shape[1] % k.shape[1] != 0) return refuse("the heads of k do not divide those of q");
  const Shape scores{q.shape[0], q.shape[1], q.shape[2], k.shape[2]};
  const auto stretches = [&](const char* what, const Spec* x) -> bool {
    if (!x || broadcastable(x->shape, scores)) return true;
    return fail(op, std::string(what) + " " + to_string(x->shape) + " does not stretch to the scores " + to_string(scores), {x->shape, scores});
  };
  if ((mask && !has_dtype(op, "mask", *mask, Dtype::boolean)) || !stretches("mask", mask) || !stretches("bias", bias) ||
      !fits(op, Spec{q.dtype, scores}))
    return false;
  result = {q.dtype, {q.shape[0], q.shape[1], q.shape[2], v.shape[3]}};
  return fits(op, result);
}

/// Sets `loss` to the loss's spec.
bool cross_entropy_fits(std::string_view op, const Spec& logits, const Spec& targets, const Spec* weights, Reduction reduction, double smoothing,
                        Spec& loss) {
  if (!floats(op, logits) || !has_rank(op, "logits", logits, 2) || !is_index(op, "targets", targets) || !fine_dtype(op, logits, weights) ||
      !in_range(op, "smoothing", smoothing, 0, 1))
    return false;
  Shape rows = logits.shape;
  rows.erase(1);
  loss = {logits.dtype, reduction == Reduction::none ? rows : Shape{}};
  return has_shape(op, "targets", targets, rows) && has_shape(op, "weights", weights, {logits.shape[1]});
}

}  // namespace

Out<op::Linear> infer(const op::Linear&, const In<op::Linear>& in) {
  if (!given<op::Linear>("linear", in)) return {};
  const Spec &x = *in[0], &weight = *in[1];
  if (!floats("linear", x) || !same_dtype("linear", x, weight) || !same_dtype("linear", x, in[2]) || !same_dtype("linear", x, in[3]) ||
      !has_rank("linear", "x", x, 1) || !has_rank("linear", "weight", weight, 2, 2))
    return {};
  if (x.shape[-1] != weight.shape[1])
    return fail("linear", "x " + to_string(x.shape) + " has " + text(x.shape[-1]) + " features, weight " + to_string(weight.shape) + " takes " +
                              text(weight.shape[1]),
                {x.shape, weight.shape});
  Spec result = x;
  result.shape[-1] = weight.shape[0];
  if (!has_shape("linear", "bias", in[2], {weight.shape[0]}) || !has_shape("linear", "residual", in[3], result.shape) || !fits("linear", result)) return {};
  return {result};
}

Out<op::ConvBiasActivation> infer(const op::ConvBiasActivation& op, const In<op::ConvBiasActivation>& in) {
  if (!given<op::ConvBiasActivation>("conv", in)) return {};
  const Spec &x = *in[0], &weight = *in[1];
  Spec result{x.dtype, {}};
  if (!floats("conv", x) || !same_dtype("conv", x, weight) || !same_dtype("conv", x, in[2]) || !same_dtype("conv", x, in[3]) ||
      !has_rank("conv", "x", x, 3, 5) || !conv_shape("conv", op.geometry, x.shape, weight.shape, in[2], result.shape) ||
      !has_shape("conv", "residual", in[3], result.shape) || !fits("conv", result))
    return {};
  return {result};
}

Out<op::Softmax> infer(const op::Softmax& op, const In<op::Softmax>& in) {
  if (!given<op::Softmax>("softmax", in) || !along("softmax", in[0], op.axis)) return {};
  return {*in[0]};
}

Out<op::LogSoftmax> infer(const op::LogSoftmax& op, const In<op::LogSoftmax>& in) {
  if (!given<op::LogSoftmax>("log_softmax", in) || !along("log_softmax", in[0], op.axis)) return {};
  return {*in[0]};
}

Out<op::Attention> infer(const op::Attention& op, const In<op::Attention>& in) {
  Spec result;
  if (!given<op::Attention>("attention", in) || !attention_fits("attention", op.options, *in[0], *in[1], *in[2], in[3], in[4], result)) return {};
  return {result};
}

Out<op::AttentionGrad> infer(const op::AttentionGrad& op, const In<op::AttentionGrad>& in) {
  constexpr std::string_view name = "attention_grad";
  Spec result;
  if (!given<op::AttentionGrad>(name, in) || !attention_fits(name, op.options, *in[1], *in[2], *in[3], in[4], in[5], result) ||
      !same_dtype(name, *in[1], *in[0]) || !has_shape(name, "g", *in[0], result.shape))
    return {};
  return {*in[1], *in[2], *in[3], in[5] ? *in[5] : Spec{in[1]->dtype, {0}}};
}

Out<op::Rope> infer(const op::Rope&, const In<op::Rope>& in) {
  if (!given<op::Rope>("rope", in)) return {};
  const Spec& x = *in[0];
  if (!floats("rope", x) || !fine_dtype("rope", x, in[1]) || !fine_dtype("rope", x, in[2]) || !has_rank("rope", "x", x, 2)) return {};
  if (x.shape[-1] % 2 != 0) return fail("rope", "the features of " + to_string(x.shape) + " do not make pairs", {x.shape});
  const Shape angles{x.shape[-2], x.shape[-1] / 2};
  if (!has_shape("rope", "cos", *in[1], angles) || !has_shape("rope", "sin", *in[2], angles)) return {};
  return {x};
}

Out<op::CrossEntropy> infer(const op::CrossEntropy& op, const In<op::CrossEntropy>& in) {
  Spec loss;
  if (!given<op::CrossEntropy>("cross_entropy", in) ||
      !cross_entropy_fits("cross_entropy", *in[0], *in[1], in[2], op.reduction, op.smoothing, loss) ||
      (op.ignore && !is_number_beside("cross_entropy", op.ignore, *in[1])))
    return {};
  return {loss};
}

Out<op::CrossEntropyGrad> infer(const op::CrossEntropyGrad& op, const In<op::CrossEntropyGrad>& in) {
  constexpr std::string_view name = "cross_entropy_grad";
  Spec loss;
  if (!given<op::CrossEntropyGrad>(name, in) || !cross_entropy_fits(name, *in[1], *in[2], in[3], op.reduction, op.smoothing, loss) ||
      !same_dtype(name, *in[1], *in[0]) || !has_shape(name, "g", *in[0], loss.shape))
    return {};
  return {*in[1]};
}

Out<op::CtcLoss> infer(const op::CtcLoss& op, const In<op::CtcLoss>& in) {
  if (!given<op::CtcLoss>("ctc_loss", in)) return {};
  const Spec &logs = *in[0], &targets = *in[1];
  if (!floats("ctc_loss", logs) || !has_rank("ctc_loss", "log probabilities", logs, 3, 3) || !is_index("ctc_loss", "targets", targets) ||
      !is_index("ctc_loss", "input lengths", *in[2]) || !is_index("ctc_loss", "target lengths", *in[3]) || !has_rank("ctc_loss", "targets", targets, 2, 2))
    return {};
  const std::int64_t batch = logs.shape[1], classes = logs.shape[2];
  if (op.blank < 0 || op.blank >= classes)
    return fail("ctc_loss", "the blank " + text(op.blank) + " is none of the " + text(classes) + " classes of " + to_string(logs.shape), {logs.shape});
  if (!has_shape("ctc_loss", "targets", targets, {batch, targets.shape[1]}) || !has_shape("ctc_loss", "input lengths", *in[2], {batch}) ||
      !has_shape("ctc_loss", "target lengths", *in[3], {batch}))
    return {};
  return {Spec{logs.dtype, {batch}}};
}

Out<op::Dropout> infer(const op::Dropout& op, const In<op::Dropout>& in) {
  if (!given<op::Dropout>("dropout", in) || !floats("dropout", *in[0]) || !in_range("dropout", "the probability", op.p, 0, 1)) return {};
  return {*in[0]};
}

Out<op::LstmCell> infer(const op::LstmCell&, const In<op::LstmCell>& in) {
  if (!given<op::LstmCell>("lstm_cell", in)) return {};
  const Spec &gates = *in[0], &cell = *in[1];
  if (!floats("lstm_cell", gates) || !same_dtype("lstm_cell", gates, cell) || !has_rank("lstm_cell", "cell", cell, 2, 2)) return {};
  std::int64_t width = 0;
  if (__builtin_mul_overflow(cell.shape[1], 4, &width) || !has_shape("lstm_cell", "gates", gates, {cell.shape[0], width})) return {};
  return {cell, cell};
}

Out<op::GruCell> infer(const op::GruCell&, const In<op::GruCell>& in) {
  if (!given<op::GruCell>("gru_cell", in)) return {};
  const Spec& hidden = *in[2];
  if (!floats("gru_cell", hidden) || !same_dtype("gru_cell", hidden, *in[0]) || !same_dtype("gru_cell", hidden, *in[1]) ||
      !has_rank("gru_cell", "hidden", hidden, 2, 2))
    return {};
  std::int64_t width = 0;
  if (__builtin_mul_overflow(hidden.shape[1], 3, &width) || !has_shape("gru_cell", "input gates", *in[0], {hidden.shape[0], width}) ||
      !has_shape("gru_cell", "hidden gates", *in[1], {hidden.shape[0], width}))
    return {};
  return {hidden};
}

}  // namespace hearth
