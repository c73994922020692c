// backend/decompositions/cross_entropy: the negative log likelihood of classes given by number, from logits.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "common.hpp"
#include "softmax.hpp"

namespace hearth {

namespace detail {

/// What the loss needs of the targets. All are [n, 1, ...], to meet the classes on axis 1.
template <class B>
struct CrossEntropyRows {
  Dyn<B> target;  ///< the class; 0 where the row does not count
  Dyn<B> counts;  ///< bool; absent where every row counts
  Dyn<B> weight;  ///< of the target's class, 0 where the row does not count; absent where it is 1
  Dyn<B> total;   ///< what the mean divides by; absent where that is the number of rows
};

/// Can `number` be a target of that dtype at all? -100 is no u8.
inline bool representable(const Scalar& number, Dtype dtype) {
  return with_type(dtype, [&](auto tag) { return Scalar(number.to<typename decltype(tag)::type>()).to_double() == number.to_double(); });
}

/// Elements of x [c] at the places that `index` names.
template <class B>
Dyn<B> picked(Dyn<B> x, Dyn<B> index) {
  const Shape shape = index.shape();
  return reshape(gather(std::move(x), reshape(std::move(index), {element_count(shape)}), 0), shape);
}

template <class B>
CrossEntropyRows<B> cross_entropy_rows(const Scalar& ignore, Dyn<B> targets, Dyn<B> weights, Dtype dtype) {
  CrossEntropyRows<B> rows;
  Shape shape = targets.shape();
  shape.insert(1, 1);
  rows.target = reshape(std::move(targets), shape);
  if (ignore && representable(ignore, rows.target.dtype())) {
    rows.counts = rows.target != ignore;
    rows.target = when(rows.counts, std::move(rows.target), 0);
  }
  if (weights) {
    rows.weight = picked(std::move(weights), rows.target);
    if (rows.counts) rows.weight = when(rows.counts, std::move(rows.weight), 0);
    rows.total = sum(rows.weight, all_axes(shape.size()));
  } else if (rows.counts) {
    rows.total = sum(cast(rows.counts, dtype), all_axes(shape.size()));
  }
  return rows;
}

}  // namespace detail

template <>
struct Decomposition<op::CrossEntropy> {
  template <class B>
  static std::array<Dyn<B>, 1> run(const op::CrossEntropy& op, std::array<Dyn<B>, 3> in) {
    using namespace detail;
    const Dtype dtype = in[0].dtype();
    auto logits = accumulated(std::move(in[0])), weights = accumulated(std::move(in[2]));
    const std::int64_t classes = logits.size(1);
    const int rank = logits.rank();
    const Shape rows_shape = in[1].shape();
    auto log_likelihood = log_softmax(std::move(logits), 1);
    auto rows = cross_entropy_rows(op.ignore, std::move(in[1]), weights, log_likelihood.dtype());

    auto loss = -gather(log_likelihood, rows.target, 1);
    if (rows.weight) loss = std::move(loss) * std::move(rows.weight);
    if (op.smoothing > 0) {
      if (weights) log_likelihood = std::move(log_likelihood) * per_channel(std::move(weights), rank);
      auto even = sum(std::move(log_likelihood), {1}) * (-op.smoothing / double(classes));
      loss = std::move(loss) * (1 - op.smoothing) + std::move(even);
    }
    if (rows.counts) loss = when(std::move(rows.counts), std::move(loss), 0);

    if (op.reduction == Reduction::none) return {converted(reshape(std::move(loss), rows_shape), dtype)};
    const Axes all = all_axes(loss.rank());
    if (op.reduction == Reduction::mean && !rows.total) loss = mean(std::move(loss), all);
    else loss = sum(std::move(loss), all);
    if (op.reduction == Reduction::mean && rows.total) loss = std::move(loss) / std::move(rows.total);
    return {converted(reshape(std::move(loss), {}), dtype)};
  }
};

template <>
struct Decomposition<op::CrossEntropyGrad> {
  template <class B>
  static std::array<Dyn<B>, 1> run(const op::CrossEntropyGrad& op, std::array<Dyn<B>, 4> in) {
    using namespace detail;
    const Dtype dtype = in[1].dtype();
    auto g = accumulated(std::move(in[0])), logits = accumulated(std::move(in[1])), weights = accumulated(std::move(in[3]));
    const double classes = double(logits.size(1));
    const int rank = logits.rank();
    const std::int64_t count = element_count(in[2].shape());
    auto likelihood = softmax(std::move(logits), 1);
    auto rows = cross_entropy_rows(op.ignore, std::move(in[2]), weights, likelihood.dtype());

    // The gradient of each row's loss before its weight, [n, 1, ...]; 0 for rows that do not count even where the mean is 0 / 0.
    if (op.reduction == Reduction::mean) g = rows.total ? std::move(g) / reshape(std::move(rows.total), {}) : std::move(g) / double(count);
    const Shape row_shape = rows.target.shape();
    g = op.reduction == Reduction::none ? reshape(std::move(g), row_shape) : expand(std::move(g), row_shape);
    if (rows.counts) g = when(std::move(rows.counts), std::move(g), 0);

    // d loss / d logits = likelihood * (all shares) - (share of each class): the target's, and the even ones where smoothed.
    auto sharp = g * (1 - op.smoothing);
    if (rows.weight) sharp = std::move(sharp) * std::move(rows.weight);
    auto shares = sharp;
    Dyn<B> even;
    if (op.smoothing > 0) {
      even = std::move(g) * (op.smoothing / classes);
      if (weights) {
        weights = per_channel(std::move(weights), rank);
        shares = std::move(shares) + even * sum(weights, {1});
        even = std::move(even) * std::move(weights);
      } else {
        shares = std::move(shares) + even * classes;
      }
    }
    auto dlogits = std::move(likelihood) * std::move(shares);
    if (even) dlogits = std::move(dlogits) - std::move(even);
    dlogits = Dyn<B>::scatter(std::move(dlogits), std::move(rows.target), -std::move(sharp), 1, ScatterMode::add);
    return {converted(std::move(dlogits), dtype)};
  }
};

}  // namespace hearth
