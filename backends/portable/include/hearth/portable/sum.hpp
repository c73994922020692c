// portable/sum: how Portable adds many numbers: in double with the rounding errors kept, or in 64-bit integers; rounded once at the end.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "array.hpp"
#include "hearth/op/scalar_math.hpp"

namespace hearth::portable {

/// A sum of doubles that remembers what rounding lost (Neumaier 1974).
struct Sum {
  double total = 0, lost = 0;
  void add(double x) {
    const double next = total + x;
    lost += std::fabs(total) >= std::fabs(x) ? (total - next) + x : (x - next) + total;
    total = next;
  }
  /// An infinity or NaN on the way makes `lost` meaningless.
  double value() const { return std::isfinite(total) ? total + lost : total; }
};

/// x in 64 bits per element (Wide), row-major: what is to be added to or multiplied.
template <class T>
Handle widen(const Handle& x, std::string_view op) {
  const Handle result = allocate(x->device, {dtype_of<Wide<T>>, x->spec.shape}, op);
  if (!result) return result;
  const T* from = data<const T>(x);
  Wide<T>* to = data<Wide<T>>(result);
  walk<1>(x->spec.shape, {x->layout.strides}, [&](auto& at) { *to++ = convert<Wide<T>>(from[at[0]]); });
  return result;
}
/// The way back, into a row-major array of T; integers wrap.
template <class T>
void narrow(const Handle& x, const Handle& result) {
  const Wide<T>* from = data<const Wide<T>>(x);
  T* to = data<T>(result);
  for (std::int64_t i = 0, count = element_count(x->spec.shape); i < count; ++i) to[i] = convert<T>(from[i]);
}

/// result = 0, then result[to] += x[from] for each index `from` of x with target(from, to), which sets `to` or is false.
template <class F>
void add_at(const Handle& x, const Handle& result, std::string_view op, F target) {
  with_type(x->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using V = typename FormulaType<Wide<T>>::type;
    const Handle sums = allocate(x->device, {dtype_of<Wide<T>>, result->spec.shape}, op);
    if (!sums) return;
    const auto source = elements<const T>(x);
    const auto sum = elements<Wide<T>>(sums);
    each_index(result->spec.shape, [&](const Shape& index) { sum[index] = 0; });
    Shape to = Shape::filled(result->spec.shape.size(), 0);
    each_index(x->spec.shape, [&](const Shape& from) {
      if (target(from, to)) sum[to] = Wide<T>(V(sum[to]) + V(convert<Wide<T>>(source[from])));
    });
    narrow<T>(sums, result);
  });
}

}  // namespace hearth::portable
