// backend/decompositions/attention: scaled dot-product attention (Vaswani et al. 2017) with all scores in memory, and its gradients.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>

#include "common.hpp"

namespace hearth {

namespace detail {

/// Sizes of one attention. Queries of a group share keys: heads = key_heads * group.
struct AttentionSizes {
  std::int64_t batch, heads, key_heads, queries, keys, features, values;
  double scale;

  AttentionSizes(const AttentionOptions& options, const Shape& q, const Shape& k, const Shape& v)
      : batch(q[0]), heads(q[1]), key_heads(k[1]), queries(q[2]), keys(k[2]), features(q[3]), values(v[3]) {
    scale = options.scale != 0 ? options.scale : 1 / std::sqrt(double(features > 0 ? features : 1));
  }
  /// A query-side array of [batch, heads, queries, last] with the queries of a group one after the other, and back.
  template <class B>
  Dyn<B> group(Dyn<B> x) const {
    if (heads == key_heads) return x;
    const std::int64_t last = x.size(3);
    return reshape(std::move(x), {batch, key_heads, heads / key_heads * queries, last});
  }
  template <class B>
  Dyn<B> ungroup(Dyn<B> x) const {
    if (heads == key_heads) return x;
    const std::int64_t last = x.size(3);
    return reshape(std::move(x), {batch, heads, queries, last});
  }
};

/// Where a query may attend: the mask and the causal order joined; absent where everywhere.
template <class B>
Dyn<B> attention_mask(const AttentionOptions& options, const AttentionSizes& sizes, const DeviceOf<B>& device, Dyn<B> mask) {
  if (!options.causal) return mask;
  auto last = Dyn<B>::iota(device, {Dtype::i64, {sizes.queries, 1}}, 0, sizes.keys - sizes.queries, 1);
  auto key = Dyn<B>::iota(device, {Dtype::i64, {1, sizes.keys}}, 1, 0, 1);
  auto past = std::move(key) <= std::move(last);
  return mask ? std::move(mask) & std::move(past) : past;
}

template <class B>
struct AttentionWeights {
  Dyn<B> value;  ///< [batch, heads, queries, keys], before dropout
  Dyn<B> slope;  ///< derivative of a score by its product of query and key; absent where it is 1
};
/// q is scaled already; all are in the accumulator's dtype.
template <class B>
AttentionWeights<B> attention_weights(const AttentionOptions& options, const AttentionSizes& sizes, Dyn<B> q, Dyn<B> k, Dyn<B> mask,
                                      Dyn<B> bias) {
  AttentionWeights<B> result;
  mask = attention_mask(options, sizes, q.device(), std::move(mask));
  auto scores = sizes.ungroup(matmul(sizes.group(std::move(q)), transpose(std::move(k))));
  if (element_count(scores.shape()) == 0) {  // no keys: nothing to take the maximum of
    result.value = std::move(scores);
    return result;
  }
  if (options.softcap > 0) {
    scores = tanh(std::move(scores) / options.softcap);
    result.slope = 1 - square(scores);
    scores = std::move(scores) * options.softcap;
  }
  const bool may_be_empty = bool(mask) || bool(bias);
  if (bias) scores = std::move(scores) + std::move(bias);
  if (mask) scores = when(std::move(mask), std::move(scores), -infinity);
  auto largest = reduce(ReduceCode::max, scores, {-1});
  if (may_be_empty) largest = when(largest == -infinity, 0, largest);
  auto powers = exp(std::move(scores) - std::move(largest));
  auto total = sum(powers, {-1});
  if (may_be_empty) total = when(total == 0, 1, total);
  result.value = std::move(powers) / std::move(total);
  return result;
}

}  // namespace detail

template <>
struct Decomposition<op::Attention> {
  template <class B>
  static std::array<Dyn<B>, 1> run(const op::Attention& op, std::array<Dyn<B>, 5> in) {
    using namespace detail;
    const AttentionOptions& options = op.options;
    const Dtype dtype = in[0].dtype();
    const AttentionSizes sizes(options, in[0].shape(), in[1].shape(), in[2].shape());
    auto q = accumulated(std::move(in[0])) * sizes.scale;
    auto weights = attention_weights(options, sizes, std::move(q), accumulated(std::move(in[1])), std::move(in[3]), accumulated(std::move(in[4]))).value;
    if (options.dropout > 0) weights = dropped(std::move(weights), options.dropout, options.key, options.offset);
    auto y = sizes.ungroup(matmul(sizes.group(std::move(weights)), accumulated(std::move(in[2]))));
    return {converted(std::move(y), dtype)};
  }
};

template <>
struct Decomposition<op::AttentionGrad> {
  template <class B>
  static std::array<Dyn<B>, 4> run(const op::AttentionGrad& op, std::array<Dyn<B>, 6> in) {
    using namespace detail;
    const AttentionOptions& options = op.options;
    const AttentionSizes sizes(options, in[1].shape(), in[2].shape(), in[3].shape());
    const Dtype q_dtype = in[1].dtype(), k_dtype = in[2].dtype(), v_dtype = in[3].dtype();
    const Spec bias = in[5] ? in[5].spec() : Spec{q_dtype, {0}};
    const bool has_bias = bool(in[5]);

    auto g = sizes.group(accumulated(std::move(in[0])));
    auto q = accumulated(std::move(in[1])) * sizes.scale;
    auto k = accumulated(std::move(in[2])), v = accumulated(std::move(in[3]));
    auto [weights, slope] = attention_weights(options, sizes, q, k, std::move(in[4]), accumulated(std::move(in[5])));

    // The weights that met the values, and the gradient that comes back to the weights: both pass the same dropout.
    auto used = weights;
    auto dweights = sizes.ungroup(matmul(g, transpose(std::move(v))));
    if (options.dropout > 0) {
      used = dropped(std::move(used), options.dropout, options.key, options.offset);
      dweights = dropped(std::move(dweights), options.dropout, options.key, options.offset);
    }
    auto dv = matmul(transpose(sizes.group(std::move(used))), std::move(g));
    auto along = sum(dweights * weights, {-1});
    auto dscores = (std::move(dweights) - std::move(along)) * std::move(weights);
    auto dbias = has_bias ? converted(sum_to(dscores, bias.shape), bias.dtype) : Dyn<B>::full(dscores.device(), bias, 0);
    if (slope) dscores = std::move(dscores) * std::move(slope);
    dscores = sizes.group(std::move(dscores));
    auto dq = sizes.ungroup(matmul(dscores, std::move(k))) * sizes.scale;
    auto dk = matmul(transpose(std::move(dscores)), sizes.group(std::move(q)));
    return {converted(std::move(dq), q_dtype), converted(std::move(dk), k_dtype), converted(std::move(dv), v_dtype), std::move(dbias)};
  }
};

}  // namespace hearth
