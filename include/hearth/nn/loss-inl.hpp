// nn/loss-inl: what each loss computes.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>

#include "../backend/decompositions/cross_entropy.hpp"
#include "../backend/dyn-inl.hpp"
#include "loss.hpp"

namespace hearth {

namespace detail {
/// Losses do not broadcast: a target of another shape is a mistake far more often than a wish.
inline bool same_shape(std::string_view name, const Shape& x, const Shape& target) {
  if (x == target) return true;
  return fail(name, "the target is " + to_string(target) + " where the input is " + to_string(x), {x, target});
}
template <class B>
bool one_weight_per_class(std::string_view name, const Dyn<B>& x, const Dyn<B>& weights) {
  if (weights.shape() == Shape{x.size(1)}) return true;
  return fail(name, "the class weights are " + to_string(weights.shape()) + " for " + std::to_string(x.size(1)) + " classes", {weights.shape(), x.shape()});
}
}  // namespace detail

template <class B>
Dyn<B> LossFunctions<B>::mse(Dyn<B> x, Dyn<B> target) {
  if (!detail::same_shape("mse_loss", x.shape(), target.shape())) return {};
  return square(std::move(x) - std::move(target));
}
template <class B>
Dyn<B> LossFunctions<B>::l1(Dyn<B> x, Dyn<B> target) {
  if (!detail::same_shape("l1_loss", x.shape(), target.shape())) return {};
  return abs(std::move(x) - std::move(target));
}
template <class B>
Dyn<B> LossFunctions<B>::huber(Dyn<B> x, Dyn<B> target, double delta) {
  if (!detail::same_shape("huber_loss", x.shape(), target.shape())) return {};
  if (!(delta > 0)) return fail("huber_loss", "delta is " + to_string(Scalar(delta)) + "; it must be positive");
  Dyn<B> distance = abs(std::move(x) - std::move(target));
  return when(distance <= delta, 0.5 * square(distance), delta * (distance - 0.5 * delta));
}
template <class B>
Dyn<B> LossFunctions<B>::bce_with_logits(Dyn<B> logits, Dyn<B> target, Dyn<B> positive_weight) {
  if (!detail::same_shape("bce_with_logits", logits.shape(), target.shape())) return {};
  // w t softplus(-x) + (1 - t) softplus(x): -log sigmoid(x) is softplus(-x). Neither term is negative, so that no digits cancel, as
  // they do in (1 - t) x + softplus(-x), which is 0 in f32 where x is -15 and t is 0.
  Dyn<B> positive = target * softplus(-logits);
  if (positive_weight) positive = std::move(positive_weight) * std::move(positive);
  return std::move(positive) + (1 - std::move(target)) * softplus(std::move(logits));
}
template <class B>
Dyn<B> LossFunctions<B>::kl(Dyn<B> log_probabilities, Dyn<B> target, bool log_target) {
  if (!detail::same_shape("kl_div", log_probabilities.shape(), target.shape())) return {};
  // Where the target's probability is 0, neither its logarithm nor an infinite log probability counts.
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Dyn<B> none = log_target ? target == Scalar(-infinity) : target == Scalar(0);
  log_probabilities = when(none & (log_probabilities == Scalar(-infinity)), Scalar(0), log_probabilities);
  if (log_target) return exp(target) * (when(none, Scalar(0), target) - std::move(log_probabilities));
  return xlogy(target, target) - target * std::move(log_probabilities);
}
template <class B>
Dyn<B> LossFunctions<B>::soft_cross_entropy(Dyn<B> logits, Dyn<B> target, Dyn<B> weights, double smoothing) {
  if (!detail::same_shape("soft_cross_entropy", logits.shape(), target.shape())) return {};
  const double classes = double(logits.size(1));
  if (smoothing != 0) target = std::move(target) * (1 - smoothing) + smoothing / classes;
  if (weights) {
    if (!detail::one_weight_per_class("soft_cross_entropy", logits, weights)) return {};
    target = std::move(target) * detail::per_channel(std::move(weights), logits.rank());
  }
  return squeeze(sum(-(std::move(target) * call<B>(op::LogSoftmax{1}, std::move(logits))), Axes{1}), Axes{1});
}
template <class B>
Dyn<B> LossFunctions<B>::nll(Dyn<B> log_probabilities, Dyn<B> target, Dyn<B> weights, Scalar ignore, Reduction reduction) {
  Shape shape = log_probabilities.shape();
  shape.erase(1);
  if (!detail::same_shape("nll_loss", shape, target.shape())) return {};
  if (weights && !detail::one_weight_per_class("nll_loss", log_probabilities, weights)) return {};
  auto rows = detail::cross_entropy_rows(ignore, std::move(target), std::move(weights), log_probabilities.dtype());
  Dyn<B> loss = -gather(std::move(log_probabilities), std::move(rows.target), 1);
  if (rows.weight) loss = std::move(loss) * std::move(rows.weight);
  if (rows.counts) loss = when(std::move(rows.counts), std::move(loss), 0);
  if (reduction == Reduction::none) return reshape(std::move(loss), shape);
  if (reduction == Reduction::sum || !rows.total) return joined("nll_loss", std::move(loss), reduction);
  return joined("nll_loss", std::move(loss), Reduction::sum) / reshape(std::move(rows.total), {});
}
template <class B>
Dyn<B> LossFunctions<B>::joined(std::string_view name, Dyn<B> each, Reduction reduction) {
  if (reduction == Reduction::none) return fail(name, "the reduction none keeps the elements", {}, "call " + std::string(name) + "_each");
  const Axes all = all_axes(each.rank());
  return reshape(reduction == Reduction::mean ? mean(std::move(each), all) : sum(std::move(each), all), {});
}

}  // namespace hearth
