// cpu/simd_reduce: accumulating loops for each target. Sums run in 32 lanes whatever the vector's width, as trees of at most 16
// elements per lane that are then added in f64: results are the same on every target, and errors stay near one rounding.
// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd_reduce.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "reduce_kernels.hpp"
#include "targets.hpp"

HWY_BEFORE_NAMESPACE();
namespace hearth::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr std::int64_t lanes = 32;

/// The lanes' total, always in the same tree.
template <class T>
T total_of(T* lane) {
  for (std::int64_t width = lanes / 2; width > 0; width /= 2)
    for (std::int64_t i = 0; i < width; ++i) lane[i] += lane[i + width];
  return lane[0];
}

/// The sum of Rows vectors, 32 elements apart, as a tree.
template <int Rows, class D>
HWY_INLINE hn::VFromD<D> tree(D d, const hn::TFromD<D>* x) {
  if constexpr (Rows == 1) return hn::LoadU(d, x);
  else return hn::Add(tree<Rows / 2>(d, x), tree<Rows / 2>(d, x + Rows / 2 * lanes));
}
/// Adds Rows x 32 elements into 32 sums: a tree per lane, then f64.
template <int Rows, class T>
HWY_INLINE void add_rows(const T* x, double* sums) {
  const hn::CappedTag<T, lanes> d;
  const std::int64_t width = std::int64_t(hn::Lanes(d));
  T part[lanes];
  for (std::int64_t k = 0; k < lanes; k += width) hn::StoreU(tree<Rows>(d, x + k), d, part + k);
  for (std::int64_t k = 0; k < lanes; ++k) sums[k] += double(part[k]);
}

template <class T>
void sum_float_row(const void* data, std::int64_t count, void* accumulator) {
  const T* x = static_cast<const T*>(data);
  double& total = *static_cast<double*>(accumulator);
  if (count < lanes) {
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i) sum += double(x[i]);
    total += sum;
    return;
  }
  double sums[lanes] = {};
  std::int64_t i = 0;
  for (; i + 16 * lanes <= count; i += 16 * lanes) add_rows<16>(x + i, sums);
  if (i + 8 * lanes <= count) add_rows<8>(x + i, sums), i += 8 * lanes;
  if (i + 4 * lanes <= count) add_rows<4>(x + i, sums), i += 4 * lanes;
  if (i + 2 * lanes <= count) add_rows<2>(x + i, sums), i += 2 * lanes;
  if (i + lanes <= count) add_rows<1>(x + i, sums), i += lanes;
  for (std::int64_t k = 0; i + k < count; ++k) sums[k] += double(x[i + k]);
  total += total_of(sums);
}

template <class T>
void product_float_row(const void* data, std::int64_t count, void* accumulator) {
  const T* x = static_cast<const T*>(data);
  double products[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  std::int64_t i = 0;
  for (; i + 8 <= count; i += 8)
    for (int k = 0; k < 8; ++k) products[k] *= double(x[i + k]);
  double product = 1;
  for (; i < count; ++i) product *= double(x[i]);
  for (double p : products) product *= p;
  *static_cast<double*>(accumulator) *= product;
}

/// Max or min of floats; a NaN anywhere gives NaN.
template <class T, bool Max>
void extreme_float_row(const void* data, std::int64_t count, void* accumulator) {
  const hn::ScalableTag<T> d;
  using V = hn::VFromD<decltype(d)>;
  const T* x = static_cast<const T*>(data);
  T& result = *static_cast<T*>(accumulator);
  const std::int64_t width = std::int64_t(hn::Lanes(d));
  bool nan = result != result;
  T best = result;
  std::int64_t i = 0;
  if (count >= 4 * width) {
    V extreme[4];  // Max and Min may drop a NaN: elements that do not equal themselves are told apart
    auto ordered = hn::Eq(hn::Zero(d), hn::Zero(d));
    for (V& v : extreme) v = hn::Set(d, best);
    for (; i + 4 * width <= count; i += 4 * width) {
      for (int k = 0; k < 4; ++k) {
        const V v = hn::LoadU(d, x + i + k * width);
        extreme[k] = Max ? hn::Max(v, extreme[k]) : hn::Min(v, extreme[k]);
        ordered = hn::And(ordered, hn::Eq(v, v));
      }
    }
    nan = nan || !hn::AllTrue(d, ordered);
    V all = Max ? hn::Max(hn::Max(extreme[0], extreme[1]), hn::Max(extreme[2], extreme[3]))
                : hn::Min(hn::Min(extreme[0], extreme[1]), hn::Min(extreme[2], extreme[3]));
    T lane[HWY_MAX_BYTES / sizeof(T)];
    hn::StoreU(all, d, lane);
    for (std::int64_t k = 0; k < width; ++k)
      if (Max ? lane[k] > best : lane[k] < best) best = lane[k];
  }
  for (; i < count; ++i) {
    nan = nan || x[i] != x[i];
    if (Max ? x[i] > best : x[i] < best) best = x[i];
  }
  result = nan ? std::numeric_limits<T>::quiet_NaN() : best;
}

/// Joins by the row's formula, in A.
template <class T, class A, ReduceCode Code>
void row_loop(const void* data, std::int64_t count, void* accumulator) {
  const T* x = static_cast<const T*>(data);
  A total = *static_cast<A*>(accumulator);
  for (std::int64_t i = 0; i < count; ++i) total = combine<A>(Code, total, A(x[i]));
  *static_cast<A*>(accumulator) = total;
}
template <class T, class A, ReduceCode Code>
void column_loop(const void* data, std::int64_t count, void* accumulator) {
  const T* x = static_cast<const T*>(data);
  A* total = static_cast<A*>(accumulator);
  HEARTH_INDEPENDENT for (std::int64_t i = 0; i < count; ++i) total[i] = combine<A>(Code, total[i], A(x[i]));
}

template <class T, ReduceCode Code>
ReduceKernels kernels_for() {
  constexpr bool adds = Code == ReduceCode::sum || Code == ReduceCode::mean, multiplies = Code == ReduceCode::prod;
  using A = std::conditional_t<!adds && !multiplies, T,
                               std::conditional_t<std::is_floating_point_v<T>, double,
                                                  std::conditional_t<std::is_same_v<T, std::uint64_t>, std::uint64_t, std::int64_t>>>;
  ReduceKernels kernels{&row_loop<T, A, Code>, &column_loop<T, A, Code>};
  if constexpr (std::is_floating_point_v<T>) {
    if constexpr (adds) kernels.row = &sum_float_row<T>;
    if constexpr (multiplies) kernels.row = &product_float_row<T>;
    if constexpr (Code == ReduceCode::max) kernels.row = &extreme_float_row<T, true>;
    if constexpr (Code == ReduceCode::min) kernels.row = &extreme_float_row<T, false>;
  }
  return kernels;
}

ReduceKernels find_reduce(ReduceCode code, Dtype dtype) {
  using namespace kinds;
  return with_type(dtype, [&](auto tag) -> ReduceKernels {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, Compute<T>>) {
      constexpr Kinds own = kinds_of(dtype_of<T>);
      switch (code) {
#define HEARTH_REDUCE(name, kinds, ...)                                             \
  case ReduceCode::name:                                                            \
    if constexpr (((kinds) & own) != 0) return kernels_for<T, ReduceCode::name>(); \
    break;
#include "hearth/op/reduce.def"
#undef HEARTH_REDUCE
      }
    }
    return {};
  });
}

template <class T>
std::int64_t find_loop(const void* data, std::int64_t count, const void* value) {
  const T* x = static_cast<const T*>(data);
  const T wanted = *static_cast<const T*>(value);
  constexpr std::int64_t block = 64;
  for (std::int64_t i = 0; i < count; i += block) {
    const std::int64_t end = count - i < block ? count : i + block;
    bool found = false;
    for (std::int64_t j = i; j < end; ++j) found |= (x[j] == wanted) | (x[j] != x[j]);
    if (!found) continue;
    for (std::int64_t j = i; j < end; ++j)
      if (x[j] != x[j]) return j;
    for (std::int64_t j = i; j < end; ++j)
      if (x[j] == wanted) return j;
  }
  return -1;
}
FindKernel find_find(Dtype dtype) {
  return with_type(dtype, [](auto tag) -> FindKernel { return &find_loop<Compute<typename decltype(tag)::type>>; });
}

}  // namespace hearth::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hearth::cpu {

HWY_EXPORT(find_reduce);
HWY_EXPORT(find_find);
ReduceKernels reduce_kernels(ReduceCode code, Dtype dtype) { return HEARTH_DISPATCH(find_reduce)(code, dtype); }
FindKernel find_kernel(Dtype dtype) { return HEARTH_DISPATCH(find_find)(dtype); }

}  // namespace hearth::cpu
#endif
