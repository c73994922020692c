// hearth_bench: runs the cases, each beside the limits of the machine that it could reach.
//   hearth_bench [--cases=benchmarks/cases.json] [--threads=N] [--seconds=S] [flags of Google Benchmark, as --benchmark_filter]
// A case reports how much work it is (read, written, flops) and a check of its result; a limit reports flops or bytes per iteration.
// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <set>

#include "harness.hpp"
#include "limits.hpp"

namespace {

using namespace bench;

struct Options {
  std::string cases = "benchmarks/cases.json";
  int threads = hearth::Cpu::threads();
  double seconds = 0.2;  ///< how long each benchmark runs at least
};

/// Takes the flags that are ours out of argv.
Options take_options(int& argc, char** argv) {
  Options options;
  const auto mine = [&](std::string_view argument) {
    const auto value = [&](std::string_view flag) { return argument.starts_with(flag) ? argument.data() + flag.size() : nullptr; };
    if (const char* cases = value("--cases=")) options.cases = cases;
    else if (const char* threads = value("--threads=")) options.threads = std::atoi(threads);
    else if (const char* seconds = value("--seconds=")) options.seconds = std::atof(seconds);
    else return false;
    return true;
  };
  argc = int(std::remove_if(argv + 1, argv + argc, mine) - argv);
  argv[argc] = nullptr;
  if (options.threads < 1 || !(options.seconds > 0)) throw std::runtime_error("--threads and --seconds take positive numbers");
  return options;
}

std::vector<Case> read_cases(const Options& options) {
  std::ifstream file(options.cases);
  if (!file) throw std::runtime_error("cannot read " + options.cases + "; run from the source folder or name the file with --cases=");
  const auto questions = nlohmann::ordered_json::parse(file);
  std::vector<Case> cases;
  for (const auto& rows : questions) {
    for (const auto& row : rows) {
      Case c{.name = row.at("name"), .kind = row.at("kind"), .threads = row.value("threads", options.threads)};
      for (const auto& [key, value] : row.items()) {
        if (value.is_number_integer()) c.numbers[key] = {value.get<std::int64_t>()};
        else if (value.is_array()) c.numbers[key] = value.get<std::vector<std::int64_t>>();
      }
      cases.push_back(std::move(c));
    }
  }
  return cases;
}

const Kind& kind_of(const Case& c) {
  for (const auto& kinds : {elementwise_kinds(), rows_kinds(), gemm_kinds(), conv_kinds(), overhead_kinds(), train_kinds()})
    for (const Kind& kind : kinds)
      if (c.kind == kind.name) return kind;
  throw std::runtime_error("the case \"" + c.name + "\" is of a kind that no file of the benchmarks has: \"" + c.kind + "\"");
}

benchmark::internal::Benchmark* add(const std::string& name, double seconds, const std::function<void(benchmark::State&)>& run) {
  return benchmark::RegisterBenchmark(name.c_str(), run)->MinTime(seconds)->UseRealTime()->Unit(benchmark::kNanosecond);
}

void add_case(const Case& c, double seconds) {
  const Kind& kind = kind_of(c);
  const Work work = kind.work(c);
  add(c.name, seconds, [c, &kind, work](benchmark::State& state) {
    hearth::Cpu::set_threads(c.threads);
    kind.run(state, c);
    state.counters["read"] = work.read, state.counters["written"] = work.written, state.counters["flops"] = work.flops;
    state.counters["used_threads"] = c.threads;
  });
  // Bandwidth depends on the size of what is walked over. What mostly reads is held against reading, the rest against the best of
  // the walks that write.
  const bool reads = work.written < 0.05 * work.read;
  for (const Walk& walk : kernels().walks)
    if (work.bytes() > 0 && walk.writes != reads)
      add(c.name + "/limit/" + walk.name, seconds / 4, [walk, work, c](benchmark::State& state) { bandwidth(state, walk, work.bytes(), c.threads); });
}

}  // namespace

int main(int argc, char** argv) try {
  const Options options = take_options(argc, argv);
  std::set<int> threads;
  for (const Case& c : read_cases(options)) {
    add_case(c, options.seconds);
    threads.insert(c.threads);
  }
  for (const int count : threads)
    add("limit/fma/" + std::to_string(count), options.seconds, [count](benchmark::State& state) { fma_peak(state, count); });

  benchmark::AddCustomContext("hearth", std::to_string(hearth::version_major) + "." + std::to_string(hearth::version_minor) + "." + std::to_string(hearth::version_patch));
  benchmark::AddCustomContext("vectors", kernels().target);
  benchmark::AddCustomContext("compiler", HEARTH_BENCH_COMPILER);
  benchmark::AddCustomContext("build", HEARTH_BENCH_BUILD);
  benchmark::AddCustomContext("threads", std::to_string(options.threads));
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  if (benchmark::RunSpecifiedBenchmarks() == 0) throw std::runtime_error("no case has a name that fits");
  benchmark::Shutdown();
} catch (const std::exception& error) {
  std::cerr << "hearth_bench: " << error.what() << '\n';
  return 1;
}
