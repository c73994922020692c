// harness: what a case is, how it is timed, and what it must report. A question is a file that exports a list of kinds; cases.json
// says with which numbers each kind runs. The rivals read the same file and make the same inputs.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <benchmark/benchmark.h>

#include <hearth/cpu.hpp>
#include <hearth/hearth.hpp>

#include <map>
#include <span>
#include <string>
#include <vector>

namespace bench {

/// A row of cases.json.
struct Case {
  std::string name, kind;
  int threads = 1;
  std::map<std::string, std::vector<std::int64_t>, std::less<>> numbers = {};

  /// What the row says under a key; an error if it says nothing.
  const std::vector<std::int64_t>& list(std::string_view key) const;
  std::int64_t number(std::string_view key) const { return list(key).at(0); }
  hearth::Shape shape(std::string_view key) const;
};

/// What a case cannot do without: each input read once, each output written once, and arithmetic. All 0 where only the cost of
/// calls is asked for.
struct Work {
  double read = 0, written = 0;  ///< bytes
  double flops = 0;

  double bytes() const { return read + written; }
};

/// A body that may be timed with many sets of numbers.
struct Kind {
  const char* name;
  Work (*work)(const Case&);
  void (*run)(benchmark::State&, const Case&);
};

// The questions, one a file.
std::span<const Kind> elementwise_kinds();
std::span<const Kind> rows_kinds();
std::span<const Kind> gemm_kinds();
std::span<const Kind> conv_kinds();
std::span<const Kind> overhead_kinds();
std::span<const Kind> train_kinds();

/// Bytes of f32.
double bytes_of(const hearth::Shape& shape);

/// Element i is ((i + seed) 37 mod 97) / 97 - 1/4: numbers that every rival can make exactly, with a mean that is not 0.
std::vector<float> pattern_values(std::int64_t count, int seed);
template <class B, int Rank>
hearth::Tensor<B, Rank> pattern(const hearth::Shape& shape, int seed) {
  return hearth::tensor<B>(pattern_values(hearth::element_count(shape), seed)).template reshape<Rank>(shape);
}

double mean_square(const std::vector<float>& values);
/// What a case computed, as one number that the rivals must come to as well. An error if it is not finite.
void report_check(benchmark::State& state, double value);

/// Times f, a function whose result is a tensor.
template <class F>
void measure(benchmark::State& state, F f) {
  report_check(state, mean_square(f().template to_vector<float>()));
  for (auto _ : state) {
    auto result = f();
    benchmark::DoNotOptimize(result);
  }
}

}  // namespace bench
