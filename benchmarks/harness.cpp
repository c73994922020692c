// harness: inputs and checks.
// SPDX-License-Identifier: Apache-2.0
#include "harness.hpp"

#include <cmath>

namespace bench {

const std::vector<std::int64_t>& Case::list(std::string_view key) const {
  const auto found = numbers.find(key);
  if (found != numbers.end() && !found->second.empty()) return found->second;
  throw hearth::Error(hearth::ErrorKind::user, "benchmark", "the case \"" + name + "\" says nothing about \"" + std::string(key) + "\"");
}

hearth::Shape Case::shape(std::string_view key) const {
  hearth::Shape shape;
  for (const std::int64_t size : list(key)) shape.push(size);
  return shape;
}

double bytes_of(const hearth::Shape& shape) { return 4 * double(hearth::element_count(shape)); }

std::vector<float> pattern_values(std::int64_t count, int seed) {
  std::vector<float> values(static_cast<std::size_t>(count));
  std::int64_t phase = seed * std::int64_t(37) % 97;
  for (float& value : values) {
    value = float(phase) / 97.f - 0.25f;
    phase += 37;
    if (phase >= 97) phase -= 97;
  }
  return values;
}

double mean_square(const std::vector<float>& values) {
  double sum = 0;
  for (const float value : values) sum += double(value) * double(value);
  return sum / double(values.size());
}

void report_check(benchmark::State& state, double value) {
  if (!std::isfinite(value)) throw hearth::Error(hearth::ErrorKind::internal, "benchmark", "a result is not finite: " + std::to_string(value));
  state.counters["check"] = value;
}

}  // namespace bench
