// limits: the kernels, once per instruction set, and the threads that run them.
// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "limits.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <thread>
#include <vector>

#include <hwy/aligned_allocator.h>
#include <hwy/cache_control.h>

#include "limits.hpp"

HWY_BEFORE_NAMESPACE();
namespace bench::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

/// Twelve sums that do not wait for each other: enough for two units of latency 5, and for 16 registers. Each starts from a number in
/// `values` (12 of them, and room for the result), so that the compiler cannot see that one sum would do. Returns the operations done.
double fma_rounds(long rounds, float* values) {
  const D d;
  const V x = hn::Set(d, 0.999f), y = hn::Set(d, 1e-3f);
  V a = hn::Set(d, values[0]), b = hn::Set(d, values[1]), c = hn::Set(d, values[2]), e = hn::Set(d, values[3]);
  V f = hn::Set(d, values[4]), g = hn::Set(d, values[5]), h = hn::Set(d, values[6]), i = hn::Set(d, values[7]);
  V j = hn::Set(d, values[8]), k = hn::Set(d, values[9]), l = hn::Set(d, values[10]), m = hn::Set(d, values[11]);
  for (long round = 0; round < rounds; ++round) {
    a = hn::MulAdd(a, x, y), b = hn::MulAdd(b, x, y), c = hn::MulAdd(c, x, y), e = hn::MulAdd(e, x, y);
    f = hn::MulAdd(f, x, y), g = hn::MulAdd(g, x, y), h = hn::MulAdd(h, x, y), i = hn::MulAdd(i, x, y);
    j = hn::MulAdd(j, x, y), k = hn::MulAdd(k, x, y), l = hn::MulAdd(l, x, y), m = hn::MulAdd(m, x, y);
  }
  const V first = hn::Add(hn::Add(a, b), hn::Add(c, e)), second = hn::Add(hn::Add(f, g), hn::Add(h, i));
  const V third = hn::Add(hn::Add(j, k), hn::Add(l, m));
  values[0] = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(first, second), third)));
  return double(rounds) * 12 * 2 * double(hn::Lanes(d));
}

// Counts are multiples of eight vectors. The loops do two vectors at once and touch each cache line once.
/// Into the caches, or past them.
template <bool streams>
void put(V v, float* to) {
  if constexpr (streams) hn::Stream(v, D(), to);
  else hn::Store(v, D(), to);
}
template <bool streams>
void copy_by(const float* from, float* to, long count) {
  const D d;
  const long lanes = long(hn::Lanes(d));
  for (long at = 0; at < count; at += 2 * lanes) {
    const V first = hn::Load(d, from + at), second = hn::Load(d, from + at + lanes);
    put<streams>(first, to + at);
    put<streams>(second, to + at + lanes);
  }
  if (streams) hwy::FlushStream();
}
template <bool streams>
void triad_by(const float* a, const float* b, float* to, long count) {
  const D d;
  const V scale = hn::Set(d, 3.f);
  const long lanes = long(hn::Lanes(d));
  for (long at = 0; at < count; at += 2 * lanes) {
    const V first = hn::MulAdd(scale, hn::Load(d, b + at), hn::Load(d, a + at));
    const V second = hn::MulAdd(scale, hn::Load(d, b + at + lanes), hn::Load(d, a + at + lanes));
    put<streams>(first, to + at);
    put<streams>(second, to + at + lanes);
  }
  if (streams) hwy::FlushStream();
}
void copy(const float* from, const float*, float* to, long count) { copy_by<false>(from, to, count); }
void copy_stream(const float* from, const float*, float* to, long count) { copy_by<true>(from, to, count); }
void triad(const float* a, const float* b, float* to, long count) { triad_by<false>(a, b, to, count); }
void triad_stream(const float* a, const float* b, float* to, long count) { triad_by<true>(a, b, to, count); }
/// Sums, so that the loads are needed. Writes one vector.
void read(const float* from, const float*, float* to, long count) {
  const D d;
  const long lanes = long(hn::Lanes(d));
  V s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
  for (long at = 0; at < count; at += 8 * lanes) {
    const float* next = from + at;
    s0 = hn::Add(s0, hn::Load(d, next)), s1 = hn::Add(s1, hn::Load(d, next + lanes));
    s2 = hn::Add(s2, hn::Load(d, next + 2 * lanes)), s3 = hn::Add(s3, hn::Load(d, next + 3 * lanes));
    s4 = hn::Add(s4, hn::Load(d, next + 4 * lanes)), s5 = hn::Add(s5, hn::Load(d, next + 5 * lanes));
    s6 = hn::Add(s6, hn::Load(d, next + 6 * lanes)), s7 = hn::Add(s7, hn::Load(d, next + 7 * lanes));
  }
  const V first = hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)), second = hn::Add(hn::Add(s4, s5), hn::Add(s6, s7));
  hn::Store(hn::Add(first, second), d, to);
}

Kernels make_kernels() {
  return {hwy::TargetName(HWY_TARGET), long(hn::Lanes(D())), &fma_rounds,
          {{"copy", true, &copy, 2}, {"copy_stream", true, &copy_stream, 2}, {"triad", true, &triad, 3}, {"triad_stream", true, &triad_stream, 3}, {"read", false, &read, 1}}};
}

}  // namespace bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bench {

HWY_EXPORT(make_kernels);

namespace {

/// f(thread) on each of `threads` threads, the calling one among them.
template <class F>
void on_threads(int threads, const F& f) {
  std::vector<std::thread> others;
  for (int thread = 1; thread < threads; ++thread) others.emplace_back(f, thread);
  f(0);
  for (std::thread& other : others) other.join();
}

}  // namespace

const Kernels& kernels() {
  static const Kernels chosen = HWY_DYNAMIC_DISPATCH(make_kernels)();
  return chosen;
}

void fma_peak(benchmark::State& state, int threads) {
  constexpr long rounds = 1 << 22;  // milliseconds: the start of a thread does not count
  std::vector<double> done(static_cast<std::size_t>(threads));
  for (auto _ : state) {
    on_threads(threads, [&](int thread) {
      float values[12];
      for (int i = 0; i < 12; ++i) values[i] = float(i + thread);
      done[std::size_t(thread)] = kernels().fma_rounds(rounds, values);
      benchmark::DoNotOptimize(values);
    });
  }
  double flops = 0;
  for (const double d : done) flops += d;
  state.counters["flops"] = flops;
}

void bandwidth(benchmark::State& state, const Walk& walk, double bytes, int threads) {
  constexpr double enough = 256 << 20;  // bytes per iteration, so that the start of a thread does not count
  const long step = 8 * kernels().vector;
  const long part = std::max(1L, long(bytes / 4 / walk.arrays / threads) / step) * step, count = part * threads;
  const long passes = std::max(1L, long(enough / (4. * double(count) * walk.arrays)));
  auto a = hwy::AllocateAligned<float>(std::size_t(count)), b = hwy::AllocateAligned<float>(std::size_t(count));
  auto to = hwy::AllocateAligned<float>(std::size_t(count));
  std::fill_n(a.get(), count, 1.f), std::fill_n(b.get(), count, 2.f), std::fill_n(to.get(), count, 0.f);
  for (auto _ : state) {
    on_threads(threads, [&](int thread) {
      const long from = thread * part;
      for (long pass = 0; pass < passes; ++pass) {
        walk.run(a.get() + from, b.get() + from, to.get() + from, part);
        benchmark::ClobberMemory();
      }
    });
  }
  state.counters["bytes"] = 4. * double(count) * walk.arrays * double(passes);
}

}  // namespace bench
#endif
