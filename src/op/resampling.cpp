// op/resampling: which elements a resampled one is made of, and with what weights. All positions are computed in f64, so that
// every dtype sees the same taps.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "hearth/core/error.hpp"
#include "hearth/op/geometry.hpp"

namespace hearth {

namespace {

__extension__ typedef __int128 Wide;
using Taps = std::vector<Tap>;

/// Convolution kernel of Keys, "Cubic convolution interpolation for digital image processing" (1981), with free parameter a.
double cubic(double x, double a) {
  x = std::fabs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}
/// sinc(x) sinc(x / 3) for |x| < 3: Lanczos's window of 3 lobes.
double lanczos(double x) {
  if (x == 0) return 1;
  if (std::fabs(x) >= 3) return 0;
  const double p = 3.14159265358979323846 * x;
  return 3 * std::sin(p) * std::sin(p / 3) / (p * p);
}

/// How far from its middle a filter reaches.
double reach(InterpolateMode mode) { return mode == InterpolateMode::linear ? 1 : mode == InterpolateMode::cubic ? 2 : 3; }

double filter(InterpolateMode mode, double x) {
  if (mode == InterpolateMode::linear) return std::max(1 - std::fabs(x), 0.0);
  return mode == InterpolateMode::cubic ? cubic(x, -0.5) : lanczos(x);  // Pillow's cubic has a = -0.5
}

/// Input elements per output element.
double input_step(const Resampling& r, int axis, std::int64_t size) {
  const std::int64_t outputs = r.size[axis];
  if (r.align_corners) return outputs > 1 ? double(size - 1) / double(outputs - 1) : 0;
  if (r.scale.empty()) return double(size) / double(outputs);
  return std::min(1 / r.scale[axis], 4 * double(size));  // longer steps end at the border, too
}

/// The filter around `center` (element i covers [i, i + 1)), widened by `stretch`, cut at the borders and summing to 1: Pillow's way.
Taps filtered(InterpolateMode mode, double center, double stretch, std::int64_t size) {
  const double support = reach(mode) * stretch, end = double(size);
  const std::int64_t first = std::int64_t(std::clamp(std::floor(center - support + 0.5), 0.0, end - 1));
  const std::int64_t last = std::int64_t(std::clamp(std::floor(center + support + 0.5), double(first) + 1, end));
  Taps taps;
  double total = 0;
  for (std::int64_t i = first; i < last; ++i) {
    const double weight = filter(mode, (double(i) - center + 0.5) / stretch);
    if (weight == 0) continue;
    taps.push_back({i, weight});
    total += weight;
  }
  if (taps.empty() || total == 0) return {{std::int64_t(std::clamp(std::floor(center), 0.0, end - 1)), 1}};
  for (Tap& tap : taps) tap.weight /= total;
  return taps;
}

/// Adds a tap; what falls outside counts for the border.
void add_clamped(Taps& taps, double index, double weight, std::int64_t size) {
  if (weight == 0) return;
  const std::int64_t i = std::int64_t(std::clamp(index, 0.0, double(size - 1)));
  if (!taps.empty() && taps.back().index == i) taps.back().weight += weight;
  else taps.push_back({i, weight});
}

Taps taps_of(const Resampling& r, int axis, std::int64_t size, std::int64_t output, double step) {
  const double i = double(output), last = double(size - 1);
  const std::int64_t outputs = r.size[axis];
  const bool exact = r.scale.empty();  // positions are fractions of the sizes
  switch (r.mode) {
    case InterpolateMode::nearest: {
      if (exact) return {{std::int64_t(Wide(output) * size / outputs), 1}};
      return {{std::int64_t(std::min(std::floor(i * step), last)), 1}};
    }
    case InterpolateMode::nearest_exact: {
      if (exact) return {{std::int64_t((2 * Wide(output) + 1) * size / (2 * Wide(outputs))), 1}};
      return {{std::int64_t(std::min(std::floor((i + 0.5) * step), last)), 1}};
    }
    case InterpolateMode::area: {
      const std::int64_t first = std::int64_t(Wide(output) * size / outputs);
      const std::int64_t end = std::int64_t(((Wide(output) + 1) * size + outputs - 1) / outputs);
      Taps taps;
      for (std::int64_t j = first; j < end; ++j) taps.push_back({j, 1.0 / double(end - first)});
      return taps;
    }
    case InterpolateMode::linear: {
      if (r.antialias) return filtered(r.mode, (i + 0.5) * step, std::max(step, 1.0), size);
      if (size == outputs) return {{output, 1}};  // whatever the scale says, as PyTorch has it
      const double at = std::clamp(r.align_corners ? i * step : (i + 0.5) * step - 0.5, 0.0, last), low = std::floor(at);
      Taps taps;
      add_clamped(taps, low, 1 - (at - low), size);
      add_clamped(taps, low + 1, at - low, size);
      return taps;
    }
    case InterpolateMode::cubic: {
      if (r.antialias) return filtered(r.mode, (i + 0.5) * step, std::max(step, 1.0), size);
      const double at = r.align_corners ? i * step : (i + 0.5) * step - 0.5, low = std::floor(at), t = at - low;
      Taps taps;
      for (int j = -1; j <= 2; ++j) add_clamped(taps, low + j, cubic(t - j, -0.75), size);
      return taps;
    }
    case InterpolateMode::lanczos: {
      if (r.antialias) return filtered(r.mode, (i + 0.5) * step, std::max(step, 1.0), size);
      return filtered(r.mode, r.align_corners ? i * step + 0.5 : (i + 0.5) * step, 1, size);
    }
  }
  __builtin_unreachable();
}

}  // namespace

std::vector<std::vector<Tap>> resampling_taps(const Resampling& resampling, int axis, std::int64_t size) {
  if (axis < 0 || axis >= resampling.size.size() || size < 1 || resampling.size[axis] < 0)
    return fail("interpolate", "axis " + std::to_string(axis) + " of " + std::to_string(size) + " elements cannot become one of " + to_string(resampling.size));
  const double step = input_step(resampling, axis, size);
  std::vector<Taps> taps;
  taps.reserve(std::size_t(resampling.size[axis]));
  for (std::int64_t i = 0; i < resampling.size[axis]; ++i) taps.push_back(taps_of(resampling, axis, size, i, step));
  return taps;
}

}  // namespace hearth
