// backend/decompositions/batch_norm: norms of arrays with channels: over the batch, and over groups of channels.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "normalize.hpp"

namespace hearth {

template <>
struct Decomposition<op::BatchNorm> {
  template <class B>
  static std::array<Dyn<B>, 1> run(const op::BatchNorm& op, std::array<Dyn<B>, 5> in) {
    using namespace detail;
    const Dtype dtype = in[0].dtype();
    const int rank = in[0].rank();
    // The factors are joined per channel first; the mean is still subtracted from x itself, which keeps the digits of a large mean.
    auto factor = rsqrt(accumulated(std::move(in[4])) + op.epsilon);
    if (in[1]) factor = std::move(factor) * accumulated(std::move(in[1]));
    auto y = accumulated(std::move(in[0])) - per_channel(accumulated(std::move(in[3])), rank);
    y = affine(std::move(y), per_channel(std::move(factor), rank), per_channel(accumulated(std::move(in[2])), rank));
    return {converted(std::move(y), dtype)};
  }
};

template <>
struct Decomposition<op::BatchNormTraining> {
  template <class B>
  static std::array<Dyn<B>, 3> run(const op::BatchNormTraining& op, std::array<Dyn<B>, 3> in) {
    using namespace detail;
    const Dtype dtype = in[0].dtype(), statistics_dtype = in[1] ? in[1].dtype() : dtype;
    const int rank = in[0].rank();
    const Shape channels{in[0].size(1)};
    const Axes axes = all_but_channels(rank);
    auto x = accumulated(std::move(in[0]));
    auto center = mean(x, axes);
    x = std::move(x) - center;
    auto variance = mean(square(x), axes);
    auto y = std::move(x) * rsqrt(variance + op.epsilon);
    y = affine(std::move(y), per_channel(accumulated(std::move(in[1])), rank), per_channel(accumulated(std::move(in[2])), rank));
    return {converted(std::move(y), dtype), converted(reshape(std::move(center), channels), statistics_dtype),
            converted(reshape(std::move(variance), channels), statistics_dtype)};
  }
};

template <>
struct Decomposition<op::BatchNormGrad> {
  template <class B>
  static std::array<Dyn<B>, 3> run(const op::BatchNormGrad& op, std::array<Dyn<B>, 5> in) {
    using namespace detail;
    const Dtype dtype = in[1].dtype(), scale_dtype = in[2] ? in[2].dtype() : dtype;
    const int rank = in[1].rank();
    const Shape channels{in[1].size(1)};
    const Axes axes = all_but_channels(rank);
    auto g = accumulated(std::move(in[0]));
    Normalized<B> n;
    n.inverse = per_channel(rsqrt(accumulated(std::move(in[4])) + op.epsilon), rank);
    n.value = (accumulated(std::move(in[1])) - per_channel(accumulated(std::move(in[3])), rank)) * n.inverse;
    auto dscale = reshape(sum(g * n.value, axes), channels), dbias = reshape(sum(g, axes), channels);
    if (in[2]) g = std::move(g) * per_channel(accumulated(std::move(in[2])), rank);
    auto dx = normalized_grad(std::move(g), std::move(n), axes, true);
    return {converted(std::move(dx), dtype), converted(std::move(dscale), scale_dtype), converted(std::move(dbias), scale_dtype)};
  }
};

namespace detail {
/// x [n, c, ...] as [n, groups, elements of a group]
inline Shape grouped(const Shape& shape, std::int64_t groups) {
  return {shape[0], groups, shape[1] / groups * product(shape, 2, shape.size())};
}
}  // namespace detail

template <>
struct Decomposition<op::GroupNorm> {
  template <class B>
  static std::array<Dyn<B>, 1> run(const op::GroupNorm& op, std::array<Dyn<B>, 3> in) {
    using namespace detail;
    const Dtype dtype = in[0].dtype();
    const Shape shape = in[0].shape();
    auto n = normalized(reshape(accumulated(std::move(in[0])), grouped(shape, op.groups)), {2}, op.epsilon);
    auto scale = per_channel(accumulated(std::move(in[1])), shape.size());
    auto bias = per_channel(accumulated(std::move(in[2])), shape.size());
    return {converted(affine(reshape(std::move(n.value), shape), std::move(scale), std::move(bias)), dtype)};
  }
};

template <>
struct Decomposition<op::GroupNormGrad> {
  template <class B>
  static std::array<Dyn<B>, 3> run(const op::GroupNormGrad& op, std::array<Dyn<B>, 3> in) {
    using namespace detail;
    const Dtype dtype = in[1].dtype(), scale_dtype = in[2] ? in[2].dtype() : dtype;
    const Shape shape = in[1].shape(), groups = grouped(shape, op.groups), channels{shape[1]};
    const Axes axes = all_but_channels(shape.size());
    auto g = accumulated(std::move(in[0]));
    auto n = normalized(reshape(accumulated(std::move(in[1])), groups), {2}, op.epsilon);
    auto dscale = reshape(sum(g * reshape(n.value, shape), axes), channels), dbias = reshape(sum(g, axes), channels);
    if (in[2]) g = std::move(g) * per_channel(accumulated(std::move(in[2])), shape.size());
    auto dx = normalized_grad(reshape(std::move(g), groups), std::move(n), {2}, true);
    return {converted(reshape(std::move(dx), shape), dtype), converted(std::move(dscale), scale_dtype),
            converted(std::move(dbias), scale_dtype)};
  }
};

}  // namespace hearth
