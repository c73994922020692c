// nn/activation: activations as functions with parameters, and as layers for Sequential. Those without parameters are rows of unary.def.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../tensor/tensor.hpp"
#include "param.hpp"

namespace hearth {

/// x where it is positive, slope x elsewhere
template <class B, int R>
Tensor<B, R> leaky_relu(const Tensor<B, R>& x, double slope = 0.01) {
  return where(x > 0, x, x * slope);
}
/// x where it is positive, alpha (exp(x) - 1) elsewhere (Clevert et al. 2016)
template <class B, int R>
Tensor<B, R> elu(const Tensor<B, R>& x, double alpha = 1) {
  return where(x > 0, x, alpha * expm1(clamp_max(x, 0)));
}
/// scale * elu(x, alpha) with the constants that keep mean 0 and variance 1 (Klambauer et al. 2017)
template <class B, int R>
Tensor<B, R> selu(const Tensor<B, R>& x) {
  return elu(x, 1.6732632423543772848170429916717) * 1.0507009873554804934193349852946;
}
/// max(x, 0) + min(alpha (exp(x / alpha) - 1), 0) (Barron 2017)
template <class B, int R>
Tensor<B, R> celu(const Tensor<B, R>& x, double alpha = 1) {
  return where(x > 0, x, alpha * expm1(clamp_max(x, 0) / alpha));
}
/// clamp(x / 6 + 1 / 2, 0, 1)
template <class B, int R>
Tensor<B, R> hard_sigmoid(const Tensor<B, R>& x) {
  return clamp(x + 3, 0, 6) / 6;
}
/// x hard_sigmoid(x) (Howard et al. 2019)
template <class B, int R>
Tensor<B, R> hard_swish(const Tensor<B, R>& x) {
  return x * hard_sigmoid(x);
}
/// clamp(x, low, high)
template <class B, int R>
Tensor<B, R> hard_tanh(const Tensor<B, R>& x, double low = -1, double high = 1) {
  return clamp(x, low, high);
}
/// min(max(x, 0), 6), whose gradient at 0 is 0, as relu's.
template <class B, int R>
Tensor<B, R> relu6(const Tensor<B, R>& x) {
  return clamp_max(relu(x), 6);
}
/// x - tanh(x)
template <class B, int R>
Tensor<B, R> tanh_shrink(const Tensor<B, R>& x) {
  return x - tanh(x);
}
/// sign(x) max(|x| - lambda, 0)
template <class B, int R>
Tensor<B, R> soft_shrink(const Tensor<B, R>& x, double lambda = 0.5) {
  return x - clamp(x, -lambda, lambda);
}
/// x where |x| > lambda, 0 elsewhere
template <class B, int R>
Tensor<B, R> hard_shrink(const Tensor<B, R>& x, double lambda = 0.5) {
  return where(abs(x) > lambda, x, 0);
}
/// softmax(-x)
template <class B, int R>
Tensor<B, R> softmin(const Tensor<B, R>& x, int axis = -1) {
  return softmax(-x, axis);
}
/// The first half times the sigmoid of the second, along an axis of even size (Dauphin et al. 2017).
template <class B, int R>
Tensor<B, R> glu(const Tensor<B, R>& x, int axis = -1) {
  if (x.size(axis) % 2 != 0) return Tensor<B, R>(fail("glu", "axis " + std::to_string(axis) + " of " + to_string(x.shape()) + " has an odd size", {x.shape()}));
  const std::int64_t half = x.size(axis) / 2;
  return x.narrow(axis, 0, half) * sigmoid(x.narrow(axis, half, half));
}

// Layers: Relu{}, Gelu{}, ... call the function of that name.
// clang-format off
#define HEARTH_LAYER(Name, function) \
  struct Name { template <class B, int R> Tensor<B, R> operator()(const Tensor<B, R>& x) const { return function(x); } };
HEARTH_LAYER(Relu, relu) HEARTH_LAYER(Gelu, gelu) HEARTH_LAYER(GeluTanh, gelu_tanh) HEARTH_LAYER(Silu, silu) HEARTH_LAYER(Mish, mish)
HEARTH_LAYER(Tanh, tanh) HEARTH_LAYER(Sigmoid, sigmoid) HEARTH_LAYER(LogSigmoid, log_sigmoid) HEARTH_LAYER(Softplus, softplus)
HEARTH_LAYER(Softsign, softsign) HEARTH_LAYER(Selu, selu) HEARTH_LAYER(HardSigmoid, hard_sigmoid) HEARTH_LAYER(HardSwish, hard_swish)
HEARTH_LAYER(Relu6, relu6) HEARTH_LAYER(TanhShrink, tanh_shrink)
#undef HEARTH_LAYER
#define HEARTH_LAYER(Name, function, field, value) \
  struct Name { double field = value; template <class B, int R> Tensor<B, R> operator()(const Tensor<B, R>& x) const { return function(x, field); } };
HEARTH_LAYER(LeakyRelu, leaky_relu, slope, 0.01) HEARTH_LAYER(Elu, elu, alpha, 1) HEARTH_LAYER(Celu, celu, alpha, 1)
HEARTH_LAYER(SoftShrink, soft_shrink, lambda, 0.5) HEARTH_LAYER(HardShrink, hard_shrink, lambda, 0.5)
#undef HEARTH_LAYER
// clang-format on
struct Softmax {
  int axis = -1;
  template <class B, int R>
  Tensor<B, R> operator()(const Tensor<B, R>& x) const {
    return softmax(x, axis);
  }
};
struct LogSoftmax {
  int axis = -1;
  template <class B, int R>
  Tensor<B, R> operator()(const Tensor<B, R>& x) const {
    return log_softmax(x, axis);
  }
};
struct Glu {
  int axis = -1;
  template <class B, int R>
  Tensor<B, R> operator()(const Tensor<B, R>& x) const {
    return glu(x, axis);
  }
};

/// leaky_relu with a trained slope for each channel (axis 1), or one for all (He et al. 2015).
template <Backend B>
struct Prelu {
  Param<B, 1> weight;
  template <int R>
  Tensor<B, R> operator()(const Tensor<B, R>& x) const {
    Shape shape = Shape::filled(R, 1);
    if (R > 1) shape[1] = weight.size(0);
    return where(x > 0, x, x * weight.template reshape<R>(shape));
  }
};
template <Backend B>
Prelu<B> make_prelu(std::int64_t channels = 1, double start = 0.25, const DeviceOf<B>& device = {}) {
  return {.weight = param(full<B>({channels}, start, device))};
}

}  // namespace hearth
