// cpu/simd_rows: the row kernels, for each target.
// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cmath>

#include "row_kernels.hpp"
#include "targets.hpp"
#include "span-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace hearth::cpu::HWY_NAMESPACE {
namespace {

/// The largest element; a NaN may be passed over, for what is computed from its row is NaN anyway.
template <class T>
HWY_INLINE T largest(const T* x, std::int64_t count) {
  const hn::ScalableTag<T> d;
  const std::int64_t lanes = std::int64_t(hn::Lanes(d));
  T best = -infinity<T>;
  std::int64_t i = 0;
  if (count >= lanes) {
    auto a = hn::LoadU(d, x), b = a;
    for (; i + 2 * lanes <= count; i += 2 * lanes) {
      a = hn::Max(hn::LoadU(d, x + i), a);
      b = hn::Max(hn::LoadU(d, x + i + lanes), b);
    }
    a = hn::Max(hn::LoadU(d, x + count - lanes), hn::Max(a, b));  // some elements twice: no matter
    best = hn::GetLane(hn::MaxOfLanes(d, a));
    return best;
  }
  for (; i < count; ++i) best = x[i] > best ? x[i] : best;
  return best;
}

/// exp of numbers up to 0, and of NaN.
template <class T>
HWY_INLINE Vec<T> exp_down(Vec<T> x) {
  return when(x == x, Vec<T>(hn::Exp(hn::ScalableTag<T>(), x.v)), x);
}

template <class T>
void softmax_row(const T* x, T* y, std::int64_t count) {
  const Vec<T> most(largest(x, count));
  double total[1];
  sum_span<T>(count, total, [&](const auto& at, Vec<T>* term) HWY_ATTR {
    term[0] = exp_down(at.load(x) - most);
    at.store(term[0], y);
  });
  const Vec<T> share(T(1 / total[0]));
  for_span<T>(count, [&](const auto& at) HWY_ATTR { at.store(at.load(y) * share, y); });
}

template <class T>
void log_softmax_row(const T* x, T* y, std::int64_t count) {
  const Vec<T> most(largest(x, count));
  double total[1];
  sum_span<T>(count, total, [&](const auto& at, Vec<T>* term) HWY_ATTR { term[0] = exp_down(at.load(x) - most); });
  const Vec<T> log_total(T(std::log(total[0])));
  for_span<T>(count, [&](const auto& at) HWY_ATTR { at.store(at.load(x) - most - log_total, y); });
}

template <class T>
void softmax_columns(bool logarithm, const T* x, T* y, std::int64_t length, std::int64_t stride, std::int64_t width) {
  T most[column_block], part[column_block];
  double totals[column_block] = {};
  for_span<T>(width, [&](const auto& at) HWY_ATTR {
    auto best = at.load(x).v;
    for (std::int64_t i = 1; i < length; ++i) best = hn::Max(at.load(x + i * stride).v, best);
    at.store(Vec<T>(best), most);
  });
  for (std::int64_t first = 0; first < length; first += 16) {  // 16 terms in T, then f64
    const std::int64_t last = first + 16 < length ? first + 16 : length;
    for_span<T>(width, [&](const auto& at) HWY_ATTR {
      Vec<T> sum(0);
      for (std::int64_t i = first; i < last; ++i) {
        const Vec<T> power = exp_down(at.load(x + i * stride) - at.load(most));
        if (!logarithm) at.store(power, y + i * stride);
        sum = sum + power;
      }
      at.store(sum, part);
    });
    for (std::int64_t k = 0; k < width; ++k) totals[k] += double(part[k]);
  }
  for (std::int64_t k = 0; k < width; ++k) part[k] = T(logarithm ? std::log(totals[k]) : 1 / totals[k]);
  for_span<T>(width, [&](const auto& at) HWY_ATTR {
    const Vec<T> by = at.load(part), top = at.load(most);
    for (std::int64_t i = 0; i < length; ++i) {
      if (logarithm) at.store(at.load(x + i * stride) - top - by, y + i * stride);
      else at.store(at.load(y + i * stride) * by, y + i * stride);
    }
  });
}

template <class T>
double sum(const T* x, std::int64_t count) {
  double total[1];
  sum_span<T>(count, total, [&](const auto& at, Vec<T>* term) HWY_ATTR { term[0] = at.load(x); });
  return total[0];
}
template <class T>
double squares(const T* x, std::int64_t count, T center) {
  double total[1];
  const Vec<T> middle(center);
  sum_span<T>(count, total, [&](const auto& at, Vec<T>* term) HWY_ATTR {
    const Vec<T> v = at.load(x) - middle;
    term[0] = v * v;
  });
  return total[0];
}

/// Mean and 1 / sqrt(variance + epsilon) of a row, in two passes.
template <class T>
struct Statistics {
  T center = 0, inverse;
  Statistics(const T* x, std::int64_t count, double epsilon, bool centered) {
    if (centered) center = T(sum(x, count) / double(count));
    inverse = T(1 / std::sqrt(squares(x, count, center) / double(count) + epsilon));
  }
};

template <class T>
void normalize_row(const T* x, const T* scale, const T* bias, T* y, std::int64_t count, double epsilon, bool centered) {
  const Statistics<T> row(x, count, epsilon, centered);
  const Vec<T> center(row.center), inverse(row.inverse);
  if (scale && bias) {
    for_span<T>(count, [&](const auto& at) HWY_ATTR { at.store((at.load(x) - center) * inverse * at.load(scale) + at.load(bias), y); });
  } else if (scale) {
    for_span<T>(count, [&](const auto& at) HWY_ATTR { at.store((at.load(x) - center) * inverse * at.load(scale), y); });
  } else {
    for_span<T>(count, [&](const auto& at) HWY_ATTR {
      const Vec<T> value = (at.load(x) - center) * inverse;
      at.store(bias ? value + at.load(bias) : value, y);
    });
  }
}

template <class T>
void normalize_grad_row(const T* g, const T* x, const T* scale, T* dx, T* dscale, T* dbias, std::int64_t count, double epsilon, bool centered) {
  const Statistics<T> row(x, count, epsilon, centered);
  const Vec<T> center(row.center), inverse(row.inverse);
  double sums[2];
  sum_span<T>(count, sums, [&](const auto& at, Vec<T>* term) HWY_ATTR {
    term[0] = scale ? at.load(g) * at.load(scale) : at.load(g);
    term[1] = term[0] * ((at.load(x) - center) * inverse);
  });
  const Vec<T> mean(centered ? T(sums[0] / double(count)) : T(0)), along(T(sums[1] / double(count)));
  for_span<T>(count, [&](const auto& at) HWY_ATTR {
    const Vec<T> from = at.load(g), value = (at.load(x) - center) * inverse, scaled = scale ? from * at.load(scale) : from;
    at.store((scaled - mean - value * along) * inverse, dx);
    if (dscale) at.store(at.load(dscale) + from * value, dscale);
    if (dbias) at.store(at.load(dbias) + from, dbias);
  });
}

template <class T>
void products(const T* g, const T* x, std::int64_t count, T center, double (&sums)[2]) {
  const Vec<T> middle(center);
  sum_span<T>(count, sums, [&](const auto& at, Vec<T>* term) HWY_ATTR {
    term[0] = at.load(g);
    term[1] = term[0] * (at.load(x) - middle);
  });
}

template <class T>
void affine(const T* x, T* y, std::int64_t count, T center, T factor, T bias) {
  const Vec<T> middle(center), by(factor), plus(bias);
  for_span<T>(count, [&](const auto& at) HWY_ATTR { at.store((at.load(x) - middle) * by + plus, y); });
}

template <class T>
void blend(const T* g, const T* x, T* y, std::int64_t count, T center, T a, T b, T c) {
  const Vec<T> middle(center), of_g(a), of_x(b), plus(c);
  for_span<T>(count, [&](const auto& at) HWY_ATTR { at.store(at.load(g) * of_g + (at.load(x) - middle) * of_x + plus, y); });
}

template <class T>
RowKernels<T> kernels_for() {
  return {&softmax_row<T>, &log_softmax_row<T>, &softmax_columns<T>, &normalize_row<T>, &normalize_grad_row<T>, &sum<T>, &squares<T>, &products<T>, &affine<T>, &blend<T>};
}
BothFloats<RowKernels> find_rows() { return {kernels_for<float>(), kernels_for<double>()}; }

}  // namespace
}  // namespace hearth::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hearth::cpu {

HWY_EXPORT(find_rows);
RowKernels<float> row_kernels(float) { return HEARTH_DISPATCH(find_rows)().f32; }
RowKernels<double> row_kernels(double) { return HEARTH_DISPATCH(find_rows)().f64; }

}  // namespace hearth::cpu
#endif
