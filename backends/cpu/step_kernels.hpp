// cpu/step_kernels: an optimiser's step on contiguous elements of f32 or f64, for each target. Operation by operation what the
// decomposition does, so the last bit agrees with it. Results may lie over their operands.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace hearth::cpu {

template <class T>
struct SgdFactors {
  T rate, momentum, undamped, decay;  ///< undamped: 1 - dampening
  bool has_decay, nesterov, first;
};
template <class T>
struct AdamFactors {
  T decay;                           ///< of the gradient, or what a decoupled decay leaves of the parameter
  T keep1, take1, keep2, take2;      ///< of the moving averages
  T root2, epsilon, rate;            ///< sqrt(1 - beta2^step); rate / (1 - beta1^step)
  bool has_decay, decoupled;
};

template <class T>
struct StepKernels {
  /// momentum may be null: none.
  void (*sgd)(const SgdFactors<T>& by, std::int64_t count, const T* parameter, const T* gradient, const T* momentum, T* new_parameter, T* new_momentum);
  void (*adam)(const AdamFactors<T>& by, std::int64_t count, const T* parameter, const T* gradient, const T* first, const T* second, T* new_parameter,
               T* new_first, T* new_second);
};
StepKernels<float> step_kernels(float);
StepKernels<double> step_kernels(double);

}  // namespace hearth::cpu
