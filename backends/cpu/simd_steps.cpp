// cpu/simd_steps: the optimisers' steps, for each target.
// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd_steps.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "span-inl.hpp"
#include "step_kernels.hpp"
#include "targets.hpp"

HWY_BEFORE_NAMESPACE();
namespace hearth::cpu::HWY_NAMESPACE {
namespace {

template <class T>
void sgd(const SgdFactors<T>& by, std::int64_t count, const T* parameter, const T* gradient, const T* momentum, T* new_parameter, T* new_momentum) {
  const Vec<T> rate(by.rate), of_momentum(by.momentum), undamped(by.undamped), decay(by.decay);
  for_span<T>(count, [&](const auto& at) HWY_ATTR {
    const Vec<T> p = at.load(parameter);
    Vec<T> change = at.load(gradient);
    if (by.has_decay) change = change + p * decay;
    if (momentum) {
      const Vec<T> m = by.first ? change : at.load(momentum) * of_momentum + change * undamped;
      change = by.nesterov ? change + m * of_momentum : m;
      at.store(m, new_momentum);
    }
    at.store(p - change * rate, new_parameter);
  });
}

template <class T>
void adam(const AdamFactors<T>& by, std::int64_t count, const T* parameter, const T* gradient, const T* first, const T* second, T* new_parameter,
          T* new_first, T* new_second) {
  const Vec<T> decay(by.decay), keep1(by.keep1), take1(by.take1), keep2(by.keep2), take2(by.take2), root2(by.root2), epsilon(by.epsilon), rate(by.rate);
  for_span<T>(count, [&](const auto& at) HWY_ATTR {
    Vec<T> p = at.load(parameter), g = at.load(gradient);
    if (by.has_decay) {
      if (by.decoupled) p = p * decay;
      else g = g + p * decay;
    }
    const Vec<T> m = at.load(first) * keep1 + g * take1, v = at.load(second) * keep2 + g * g * take2;
    at.store(m, new_first);
    at.store(v, new_second);
    at.store(p - m * rate / (sqrt(v) / root2 + epsilon), new_parameter);
  });
}

BothFloats<StepKernels> find_steps() { return {{&sgd<float>, &adam<float>}, {&sgd<double>, &adam<double>}}; }

}  // namespace
}  // namespace hearth::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hearth::cpu {

HWY_EXPORT(find_steps);
StepKernels<float> step_kernels(float) { return HEARTH_DISPATCH(find_steps)().f32; }
StepKernels<double> step_kernels(double) { return HEARTH_DISPATCH(find_steps)().f64; }

}  // namespace hearth::cpu
#endif
