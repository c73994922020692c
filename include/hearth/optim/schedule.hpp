// optim/schedule: learning rates as plain functions of the step, so that a schedule's state is a number.
//   optimizer.set_rate(schedule.rate(step));
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <concepts>
#include <cstdint>

#include "../core/config.hpp"

namespace hearth {

/// Anything that has a rate for each step. Steps count from 0: rate(0) is the rate of the first step.
template <class S>
concept Schedule = requires(const S& schedule, std::int64_t step) {
  { schedule.rate(step) } -> std::convertible_to<double>;
};

struct ConstantSchedule {
  double start = 1e-3;
  double rate(std::int64_t) const { return start; }
};
/// start * factor^floor(step / every)
struct StepSchedule {
  double start = 1e-3;
  std::int64_t every = 1;
  double factor = 0.1;
  double rate(std::int64_t step) const { return start * std::pow(factor, double(step / (every > 0 ? every : 1))); }
};
/// Half a cosine from `start` down to `least` in `steps` steps, and `least` from then on (Loshchilov and Hutter 2017, without restarts).
struct CosineSchedule {
  double start = 1e-3;
  std::int64_t steps = 1;
  double least = 0;
  double rate(std::int64_t step) const {
    if (step >= steps) return least;
    return least + (start - least) * (1 + std::cos(3.141592653589793 * double(step) / double(steps))) / 2;
  }
};
/// Linear from `from` times the rate up to the rate in `steps` steps, then as `then` says (which counts its steps from the end of
/// the warm-up).
template <class Then = ConstantSchedule>
struct WarmUp {
  std::int64_t steps = 1;
  double from = 0;
  Then then = {};
  double rate(std::int64_t step) const {
    if (step >= steps) return then.rate(step - steps);
    return then.rate(0) * (from + (1 - from) * double(step) / double(steps));
  }
};
template <class Then>
WarmUp(std::int64_t, double, Then) -> WarmUp<Then>;

}  // namespace hearth
