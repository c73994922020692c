// cpu/span: walking over contiguous elements a vector at a time, the rest included, and sums on the way. Highway includes this once
// per target.
// SPDX-License-Identifier: Apache-2.0
#if defined(HEARTH_CPU_SPAN_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef HEARTH_CPU_SPAN_INL
#undef HEARTH_CPU_SPAN_INL
#else
#define HEARTH_CPU_SPAN_INL
#endif

#include "vector-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace hearth::cpu::HWY_NAMESPACE {

/// A place in a walk where a whole vector is left.
template <class T>
struct Whole {
  std::int64_t i;
  HWY_INLINE Vec<T> load(const T* from) const { return Vec<T>::load(from + i); }
  HWY_INLINE void store(Vec<T> v, T* to) const { v.store(to + i); }
  HWY_INLINE Vec<T> only(Vec<T> v) const { return v; }
};
/// The last place, where fewer elements are left than a vector has.
template <class T>
struct Part {
  std::int64_t i, count;
  HWY_INLINE Vec<T> load(const T* from) const {
#if HWY_TARGET == HWY_AVX3
    const hn::ScalableTag<T> d;  // this target does not touch what the mask leaves out
    return Vec<T>(hn::MaskedLoad(hn::FirstN(d, std::size_t(count)), d, from + i));
#else
    T lanes[HWY_MAX_BYTES / sizeof(T)] = {};
    for (std::int64_t k = 0; k < count; ++k) lanes[k] = from[i + k];
    return Vec<T>::load(lanes);
#endif
  }
  HWY_INLINE void store(Vec<T> v, T* to) const {
#if HWY_TARGET == HWY_AVX3
    const hn::ScalableTag<T> d;
    hn::BlendedStore(v.v, hn::FirstN(d, std::size_t(count)), d, to + i);
#else
    T lanes[HWY_MAX_BYTES / sizeof(T)];
    v.store(lanes);
    for (std::int64_t k = 0; k < count; ++k) to[i + k] = lanes[k];
#endif
  }
  /// 0 in the lanes that are not there.
  HWY_INLINE Vec<T> only(Vec<T> v) const {
    const hn::ScalableTag<T> d;
    return Vec<T>(hn::IfThenElseZero(hn::FirstN(d, std::size_t(count)), v.v));
  }
};

/// f(place) for all of `count` elements.
template <class T, class F>
HWY_INLINE void for_span(std::int64_t count, const F& f) {
  const std::int64_t lanes = Vec<T>::lanes();
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) f(Whole<T>{i});
  if (i < count) f(Part<T>{i, count - i});
}

template <class T>
HWY_INLINE T lane_sum(Vec<T> v) {
  return hn::GetLane(hn::SumOfLanes(hn::ScalableTag<T>(), v.v));
}

/// N sums over `count` elements: f(place, terms) gives N terms per element. Each lane adds 16 terms at most before they go on in f64.
template <class T, int N, class F>
HWY_INLINE void sum_span(std::int64_t count, double (&totals)[N], const F& f) {
  const std::int64_t lanes = Vec<T>::lanes();
  for (double& total : totals) total = 0;
  const Vec<T> zero(0);
  Vec<T> terms[N], a[N], b[N];
  std::int64_t i = 0;
  while (i + 2 * lanes <= count) {
    const std::int64_t end = i + 32 * lanes < count ? i + 32 * lanes : count;
    for (int k = 0; k < N; ++k) a[k] = b[k] = zero;
    for (; i + 2 * lanes <= end; i += 2 * lanes) {
      f(Whole<T>{i}, terms);
      for (int k = 0; k < N; ++k) a[k] = a[k] + terms[k];
      f(Whole<T>{i + lanes}, terms);
      for (int k = 0; k < N; ++k) b[k] = b[k] + terms[k];
    }
    for (int k = 0; k < N; ++k) totals[k] += double(lane_sum(a[k] + b[k]));
  }
  if (i + lanes <= count) {
    f(Whole<T>{i}, terms);
    for (int k = 0; k < N; ++k) totals[k] += double(lane_sum(terms[k]));
    i += lanes;
  }
  if (i == count) return;
  const Part<T> rest{i, count - i};
  f(rest, terms);
  for (int k = 0; k < N; ++k) totals[k] += double(lane_sum(rest.only(terms[k])));
}

}  // namespace hearth::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
