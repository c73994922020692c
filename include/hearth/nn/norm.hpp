// nn/norm: normalisation layers. Epsilon is inside the root, variances that divide are biased, running variances unbiased.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "init.hpp"
#include "param.hpp"

namespace hearth {

/// x [n, c, ...]: by the batch's statistics while training, by the running ones else (Ioffe and Szegedy 2015).
template <Backend B>
struct BatchNorm {
  Param<B, 1> weight, bias;
  Buffer<B, 1> running_mean, running_var;
  Buffer<B, 0, Int> num_batches_tracked;
  double epsilon = 1e-5, momentum = 0.1;
  Mode mode = {};

  template <int R>
  Tensor<B, R> operator()(const Tensor<B, R>& x) const {
    if (!mode.training) return batch_norm(x, running_mean.get(), running_var.get(), weight, bias, epsilon);
    const std::int64_t count = x.shape().size() > 1 && x.size(1) > 0 ? x.element_count() / x.size(1) : 0;
    if (count < 2) return Tensor<B, R>(fail("batch_norm", "training takes more than one value per channel: " + to_string(x.shape()), {x.shape()}));
    auto [y, mean, variance] = batch_norm_training(x, weight, bias, epsilon);
    if (detail::CheckpointScope::recomputing()) return y;  // this batch has been measured
    NoGrad constant;
    running_mean.set(running_mean.get() * (1 - momentum) + detach(mean) * momentum);
    running_var.set(running_var.get() * (1 - momentum) + detach(variance) * (momentum * double(count) / double(count - 1)));
    num_batches_tracked.set(num_batches_tracked.get() + 1);
    return y;
  }
};
struct BatchNormOptions {
  double epsilon = 1e-5, momentum = 0.1;
};
template <Backend B>
BatchNorm<B> make_batch_norm(std::int64_t channels, BatchNormOptions options = {}, const DeviceOf<B>& device = {}) {
  return {.weight = param(ones<B>({channels}, device)),
          .bias = param(zeros<B>({channels}, device)),
          .running_mean = Buffer<B, 1>(zeros<B>({channels}, device)),
          .running_var = Buffer<B, 1>(ones<B>({channels}, device)),
          .num_batches_tracked = Buffer<B, 0, Int>(full<B, 0, Int>(Shape{}, 0, device)),
          .epsilon = options.epsilon,
          .momentum = options.momentum,
          .mode = {}};
}

/// Over the last `Axes` axes (Ba, Kiros and Hinton 2016).
template <Backend B, int Axes = 1>
struct LayerNorm {
  Param<B, Axes> weight;
  std::optional<Param<B, Axes>> bias;
  double epsilon = 1e-5;

  template <int R>
  Tensor<B, R> operator()(const Tensor<B, R>& x) const {
    return layer_norm<Axes>(x, weight, optional_tensor(bias), epsilon);
  }
};
struct LayerNormOptions {
  double epsilon = 1e-5;
  bool bias = true;
};
template <Backend B, int Axes = 1>
LayerNorm<B, Axes> make_layer_norm(const Shape& sizes, LayerNormOptions options = {}, const DeviceOf<B>& device = {}) {
  LayerNorm<B, Axes> layer{.weight = param(ones<B, Axes>(sizes, device)), .bias = {}, .epsilon = options.epsilon};
  if (options.bias) layer.bias = param(zeros<B, Axes>(sizes, device));
  return layer;
}
template <Backend B>
LayerNorm<B> make_layer_norm(std::int64_t size, LayerNormOptions options = {}, const DeviceOf<B>& device = {}) {
  return make_layer_norm<B, 1>(Shape{size}, options, device);
}

/// x [n, c, ...] over each of `groups` groups of channels and all positions (Wu and He 2018).
template <Backend B>
struct GroupNorm {
  Param<B, 1> weight, bias;
  std::int64_t groups = 1;
  double epsilon = 1e-5;

  template <int R>
  Tensor<B, R> operator()(const Tensor<B, R>& x) const {
    return group_norm(x, groups, weight, bias, epsilon);
  }
};
template <Backend B>
GroupNorm<B> make_group_norm(std::int64_t groups, std::int64_t channels, double epsilon = 1e-5, const DeviceOf<B>& device = {}) {
  if (groups < 1 || channels % groups != 0) return fail("group_norm", std::to_string(groups) + " groups do not divide " + std::to_string(channels) + " channels");
  return {.weight = param(ones<B>({channels}, device)), .bias = param(zeros<B>({channels}, device)), .groups = groups, .epsilon = epsilon};
}

/// x [n, c, ...] over the positions of each channel (Ulyanov, Vedaldi and Lempitsky 2016). Without parameters unless made so.
template <Backend B>
struct InstanceNorm {
  std::optional<Param<B, 1>> weight, bias;
  double epsilon = 1e-5;

  template <int R>
  Tensor<B, R> operator()(const Tensor<B, R>& x) const {
    return group_norm(x, x.size(1), optional_tensor(weight), optional_tensor(bias), epsilon);
  }
};
struct InstanceNormOptions {
  double epsilon = 1e-5;
  bool affine = false;
};
template <Backend B>
InstanceNorm<B> make_instance_norm(std::int64_t channels, InstanceNormOptions options = {}, const DeviceOf<B>& device = {}) {
  InstanceNorm<B> layer{.weight = {}, .bias = {}, .epsilon = options.epsilon};
  if (options.affine) {
    layer.weight = param(ones<B>({channels}, device));
    layer.bias = param(zeros<B>({channels}, device));
  }
  return layer;
}

/// x / sqrt(mean(x x) + epsilon) * weight over the last axis (Zhang and Sennrich 2019).
template <Backend B>
struct RmsNorm {
  Param<B, 1> weight;
  double epsilon = 1e-6;

  template <int R>
  Tensor<B, R> operator()(const Tensor<B, R>& x) const {
    return rms_norm(x, weight, epsilon);
  }
};
template <Backend B>
RmsNorm<B> make_rms_norm(std::int64_t size, double epsilon = 1e-6, const DeviceOf<B>& device = {}) {
  return {.weight = param(ones<B>({size}, device)), .epsilon = epsilon};
}

}  // namespace hearth
