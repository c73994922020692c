// autodiff/rules/composite_softmax: gradients of softmax and of the losses over classes.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../../backend/decompositions/cross_entropy.hpp"
#include "../rule.hpp"

namespace hearth {

template <>
struct Rule<op::Softmax> {
  static constexpr Saves saves(const op::Softmax&, unsigned) { return {0, 1}; }

  template <class B>
  static OperandGradients<op::Softmax, B> back(Saved<op::Softmax, B>& s) {
    using namespace detail;
    auto g = accumulated(std::move(s.grad[0])), y = accumulated(std::move(s.out[0]));
    auto along = sum(g * y, {s.op.axis});
    return {converted((std::move(g) - std::move(along)) * std::move(y), s.spec[0].dtype)};
  }
};

template <>
struct Rule<op::LogSoftmax> {
  static constexpr Saves saves(const op::LogSoftmax&, unsigned) { return {0, 1}; }

  template <class B>
  static OperandGradients<op::LogSoftmax, B> back(Saved<op::LogSoftmax, B>& s) {
    using namespace detail;
    auto g = accumulated(std::move(s.grad[0]));
    auto total = sum(g, {s.op.axis});
    auto share = exp(accumulated(std::move(s.out[0]))) * std::move(total);
    return {converted(std::move(g) - std::move(share), s.spec[0].dtype)};
  }
};

template <>
struct Rule<op::CrossEntropy> {
  static constexpr Saves saves(const op::CrossEntropy&, unsigned) { return {0b111, 0}; }

  template <class B>
  static OperandGradients<op::CrossEntropy, B> back(Saved<op::CrossEntropy, B>& s) {
    OperandGradients<op::CrossEntropy, B> r;
    if (s.need(2)) r[2] = weight_gradient(s);
    if (s.need(0))
      r[0] = call<B>(op::CrossEntropyGrad{s.op.reduction, s.op.ignore, s.op.smoothing}, std::move(s.grad[0]), std::move(s.in[0]),
                     std::move(s.in[1]), std::move(s.in[2]));
    return r;
  }

 private:
  /// With a[c] what the rows add to the loss for class c at weight 1, and n[c] the number of rows of class c, the summed loss is
  /// sum of w[c] a[c], and the mean divides that by the sum of w[c] n[c].
  template <class B>
  static Dyn<B> weight_gradient(Saved<op::CrossEntropy, B>& s) {
    using namespace detail;
    const std::int64_t classes = s.spec[0].shape[1];
    const int rank = s.spec[0].shape.size();
    const Axes others = all_but_channels(rank);
    auto log_likelihood = call<B>(op::LogSoftmax{1}, accumulated(s.in[0]));
    auto rows = cross_entropy_rows(s.op.ignore, s.in[1], Dyn<B>(), log_likelihood.dtype());
    auto loss = -gather(log_likelihood, rows.target, 1);
    auto one = full_like(loss, 1);
    auto even = s.op.smoothing > 0 ? std::move(log_likelihood) * (-s.op.smoothing / double(classes)) : zero_like(log_likelihood);
    loss = std::move(loss) * (1 - s.op.smoothing);
    if (rows.counts) {
      loss = when(rows.counts, std::move(loss), 0);
      even = when(rows.counts, std::move(even), 0);
      one = when(std::move(rows.counts), std::move(one), 0);
    }
    auto number = Dyn<B>::scatter(zero_like(even), rows.target, std::move(one), 1, ScatterMode::add);
    const Shape row_shape = rows.target.shape();
    auto parts = Dyn<B>::scatter(std::move(even), std::move(rows.target), std::move(loss), 1, ScatterMode::add);

    const Shape channels{classes};
    auto g = accumulated(s.grad[0]);
    if (s.op.reduction == Reduction::none) parts = std::move(parts) * reshape(std::move(g), row_shape);
    auto a = reshape(sum(std::move(parts), others), channels);
    if (s.op.reduction == Reduction::sum) a = std::move(a) * std::move(g);
    if (s.op.reduction == Reduction::mean) {
      auto weight = accumulated(s.in[2]);
      auto n = reshape(sum(std::move(number), others), channels);
      auto total = sum(weight * n, {0});
      auto mean_loss = sum(std::move(weight) * a, {0}) / total;
      a = (std::move(a) - std::move(n) * std::move(mean_loss)) * std::move(g) / std::move(total);
    }
    return converted(std::move(a), s.spec[2].dtype);
  }
};

}  // namespace hearth
