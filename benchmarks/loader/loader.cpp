// loader: what does it cost to take batches from a Loader rather than to slice them by hand, and do its workers work at the same time?
// slices and batches do the same copies (demanded: batches at most 1.25 slices); decode takes 5 ms of a processor per item (demanded: 4
// workers on 4 cores 3 times as fast as the caller alone).
// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>
#include <time.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "hearth/cpu.hpp"
#include "hearth/data/loader.hpp"
#include "hearth/tensor/tensor.hpp"

namespace {

using namespace hearth;

constexpr std::int64_t rows = 10000, width = 784, at_once = 64;

/// Rows in host memory, and batches of them.
struct Rows {
  std::vector<float> values = std::vector<float>(std::size_t(rows * width), 0.5f);

  std::int64_t size() const { return rows; }
  std::vector<float> batch(std::span<const std::int64_t> indices) const {
    std::vector<float> to(indices.size() * width);
    for (std::size_t i = 0; i < indices.size(); ++i) std::memcpy(to.data() + i * width, values.data() + indices[i] * width, width * sizeof(float));
    return to;
  }
};
/// The same as one tensor.
struct TensorRows {
  Tensor<Cpu, 2> values = full<Cpu>({rows, width}, 0.5);

  std::int64_t size() const { return rows; }
  Tensor<Cpu, 2> batch(std::span<const std::int64_t> indices) const { return values.index_select(0, tensor<Cpu>(indices)); }
};
/// Items that take 5 ms of a processor each.
struct Decoded {
  std::int64_t size() const { return 64; }
  int operator[](std::int64_t i) const {
    timespec now, start;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while ((now.tv_sec - start.tv_sec) * 1'000'000'000 + now.tv_nsec - start.tv_nsec < 5'000'000);
    return int(i);
  }
};

/// One epoch by hand, in the loader's order.
template <class D>
void slices(benchmark::State& state) {
  const D data;
  for (auto _ : state) {
    const auto order = epoch_order(rows, true, 1, std::int64_t(state.iterations()));
    for (std::int64_t from = 0; from < rows; from += at_once) {
      auto batch = data.batch(std::span(order).subspan(std::size_t(from), std::size_t(std::min(at_once, rows - from))));
      benchmark::DoNotOptimize(batch);
    }
  }
  state.SetItemsProcessed(state.iterations() * rows);
}
template <class D>
void batches(benchmark::State& state) {
  const D data;
  Loader loader(data, {.batch_size = at_once, .shuffle = true, .workers = int(state.range(0)), .seed = 1});
  for (auto _ : state)
    for (auto& batch : loader) benchmark::DoNotOptimize(batch);
  state.SetItemsProcessed(state.iterations() * rows);
}
void decode(benchmark::State& state) {
  const Decoded data;
  Loader loader(data, {.batch_size = 4, .workers = int(state.range(0))});
  for (auto _ : state)
    for (auto& batch : loader) benchmark::DoNotOptimize(batch);
  state.SetItemsProcessed(state.iterations() * data.size());
}

BENCHMARK(slices<Rows>)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(batches<Rows>)->ArgName("workers")->Arg(0)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(slices<TensorRows>)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(batches<TensorRows>)->ArgName("workers")->Arg(0)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(decode)->ArgName("workers")->Arg(0)->Arg(1)->Arg(2)->Arg(4)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
