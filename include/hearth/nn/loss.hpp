// nn/loss: losses. Each comes as the mean (or the sum) over all elements, and as `_each`: one value per element or row. Stable at any
// finite logits. cross_entropy of class indices is in tensor/functional.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../tensor/tensor.hpp"

namespace hearth {

/// Compiled per stack: the loss of each element.
template <class B>
struct LossFunctions {
  static Dyn<B> mse(Dyn<B> x, Dyn<B> target);
  static Dyn<B> l1(Dyn<B> x, Dyn<B> target);
  static Dyn<B> huber(Dyn<B> x, Dyn<B> target, double delta);
  static Dyn<B> bce_with_logits(Dyn<B> logits, Dyn<B> target, Dyn<B> positive_weight);
  static Dyn<B> kl(Dyn<B> log_probabilities, Dyn<B> target, bool log_target);
  static Dyn<B> soft_cross_entropy(Dyn<B> logits, Dyn<B> target, Dyn<B> weights, double smoothing);  ///< per row
  /// Per row, or joined: the mean divides by the weights of the rows that count.
  static Dyn<B> nll(Dyn<B> log_probabilities, Dyn<B> target, Dyn<B> weights, Scalar ignore, Reduction reduction);
  /// Mean or sum to rank 0.
  static Dyn<B> joined(std::string_view name, Dyn<B> each, Reduction reduction);
};

/// (x - target)^2
template <class B, int R>
Tensor<B, R> mse_loss_each(Tensor<B, R> x, detail::Fixed<Tensor<B, R>> target) {
  return Tensor<B, R>(LossFunctions<B>::mse(std::move(x.dyn), std::move(target.dyn)));
}
template <class B, int R>
Tensor<B, 0> mse_loss(Tensor<B, R> x, detail::Fixed<Tensor<B, R>> target, Reduction reduction = Reduction::mean) {
  return Tensor<B, 0>(LossFunctions<B>::joined("mse_loss", LossFunctions<B>::mse(std::move(x.dyn), std::move(target.dyn)), reduction));
}
/// |x - target|
template <class B, int R>
Tensor<B, R> l1_loss_each(Tensor<B, R> x, detail::Fixed<Tensor<B, R>> target) {
  return Tensor<B, R>(LossFunctions<B>::l1(std::move(x.dyn), std::move(target.dyn)));
}
template <class B, int R>
Tensor<B, 0> l1_loss(Tensor<B, R> x, detail::Fixed<Tensor<B, R>> target, Reduction reduction = Reduction::mean) {
  return Tensor<B, 0>(LossFunctions<B>::joined("l1_loss", LossFunctions<B>::l1(std::move(x.dyn), std::move(target.dyn)), reduction));
}
/// d^2 / 2 where d = |x - target| is at most delta, else delta (d - delta / 2) (Huber 1964).
template <class B, int R>
Tensor<B, R> huber_loss_each(Tensor<B, R> x, detail::Fixed<Tensor<B, R>> target, double delta = 1) {
  return Tensor<B, R>(LossFunctions<B>::huber(std::move(x.dyn), std::move(target.dyn), delta));
}
template <class B, int R>
Tensor<B, 0> huber_loss(Tensor<B, R> x, detail::Fixed<Tensor<B, R>> target, double delta = 1, Reduction reduction = Reduction::mean) {
  return Tensor<B, 0>(LossFunctions<B>::joined("huber_loss", LossFunctions<B>::huber(std::move(x.dyn), std::move(target.dyn), delta), reduction));
}
/// -(w t log sigmoid(x) + (1 - t) log(1 - sigmoid(x))); w, the weight of positives, broadcasts to x.
template <class B, int R>
Tensor<B, R> bce_with_logits_each(Tensor<B, R> logits, detail::Fixed<Tensor<B, R>> target, detail::Fixed<detail::Optional<B, Float>> positive_weight = {}) {
  return Tensor<B, R>(LossFunctions<B>::bce_with_logits(std::move(logits.dyn), std::move(target.dyn), std::move(positive_weight.dyn)));
}
template <class B, int R>
Tensor<B, 0> bce_with_logits(Tensor<B, R> logits, detail::Fixed<Tensor<B, R>> target, Reduction reduction = Reduction::mean,
                             detail::Fixed<detail::Optional<B, Float>> positive_weight = {}) {
  return Tensor<B, 0>(LossFunctions<B>::joined(
      "bce_with_logits", LossFunctions<B>::bce_with_logits(std::move(logits.dyn), std::move(target.dyn), std::move(positive_weight.dyn)), reduction));
}

/// How kl_div joins its elements: its mean is over the batch (the first axis), as the divergence is.
enum class KlReduction : unsigned char { batch_mean, mean, sum };
/// t (log t - x) for log probabilities x and probabilities t (or their logarithms, where log_target); 0 where t is 0.
template <class B, int R>
Tensor<B, R> kl_div_each(Tensor<B, R> log_probabilities, detail::Fixed<Tensor<B, R>> target, bool log_target = false) {
  return Tensor<B, R>(LossFunctions<B>::kl(std::move(log_probabilities.dyn), std::move(target.dyn), log_target));
}
template <class B, int R>
Tensor<B, 0> kl_div(Tensor<B, R> log_probabilities, detail::Fixed<Tensor<B, R>> target, KlReduction reduction = KlReduction::batch_mean, bool log_target = false) {
  const double batch = R > 0 ? double(log_probabilities.size(0)) : 1;
  Dyn<B> each = LossFunctions<B>::kl(std::move(log_probabilities.dyn), std::move(target.dyn), log_target);
  Tensor<B, 0> joined(LossFunctions<B>::joined("kl_div", std::move(each), reduction == KlReduction::mean ? Reduction::mean : Reduction::sum));
  return reduction == KlReduction::batch_mean ? joined / batch : joined;
}

struct NllOptions {
  Reduction reduction = Reduction::mean;  ///< mean (over the weights of the rows that count) or sum
  Scalar ignore = {};                          ///< rows with this target do not count
};
/// -weight[target] x[target] for log probabilities x [n, c, ...] and class indices [n, ...], per row.
template <class B, int R>
Tensor<B, R - 1> nll_loss_each(Tensor<B, R> log_probabilities, detail::Fixed<Tensor<B, R - 1, Int>> target, detail::Fixed<Tensor<B, 1>> weights = {}, Scalar ignore = {}) {
  return Tensor<B, R - 1>(LossFunctions<B>::nll(std::move(log_probabilities.dyn), std::move(target.dyn), std::move(weights.dyn), ignore, Reduction::none));
}
template <class B, int R>
Tensor<B, 0> nll_loss(Tensor<B, R> log_probabilities, detail::Fixed<Tensor<B, R - 1, Int>> target, const NllOptions& options = {}, detail::Fixed<Tensor<B, 1>> weights = {}) {
  if (options.reduction == Reduction::none) return fail("nll_loss", "the reduction none keeps the rows", {}, "call nll_loss_each");
  return Tensor<B, 0>(LossFunctions<B>::nll(std::move(log_probabilities.dyn), std::move(target.dyn), std::move(weights.dyn), options.ignore, options.reduction));
}

/// Cross entropy against probabilities [n, c, ...] in place of class indices, per row: -sum_c w_c t_c log softmax(x)_c.
template <class B, int R>
Tensor<B, R - 1> soft_cross_entropy_each(Tensor<B, R> logits, detail::Fixed<Tensor<B, R>> target, double smoothing = 0, detail::Fixed<Tensor<B, 1>> weights = {}) {
  return Tensor<B, R - 1>(LossFunctions<B>::soft_cross_entropy(std::move(logits.dyn), std::move(target.dyn), std::move(weights.dyn), smoothing));
}
/// The mean divides by the number of rows.
template <class B, int R>
Tensor<B, 0> soft_cross_entropy(Tensor<B, R> logits, detail::Fixed<Tensor<B, R>> target, Reduction reduction = Reduction::mean, double smoothing = 0,
                                detail::Fixed<Tensor<B, 1>> weights = {}) {
  Dyn<B> each = LossFunctions<B>::soft_cross_entropy(std::move(logits.dyn), std::move(target.dyn), std::move(weights.dyn), smoothing);
  return Tensor<B, 0>(LossFunctions<B>::joined("soft_cross_entropy", std::move(each), reduction));
}

}  // namespace hearth
