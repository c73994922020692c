// portable/accumulate: the type in which products of T are summed: float for 16-bit floats, double for f32 and f64, wrapping integers.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "hearth/core/convert.hpp"
#include "hearth/op/scalar_math.hpp"

namespace hearth::portable {

namespace detail {
template <class T>
struct AccumulatorOf {
  using type = Integer<T>;
};
template <>
struct AccumulatorOf<double> {
  using type = double;
};
template <>
struct AccumulatorOf<float> {
  using type = double;
};
template <>
struct AccumulatorOf<Half> {
  using type = float;
};
template <>
struct AccumulatorOf<BFloat16> {
  using type = float;
};
}  // namespace detail

template <class T>
using Accumulator = typename detail::AccumulatorOf<T>::type;

/// A sum, rounded to T.
template <class T>
T rounded(Accumulator<T> sum) {
  if constexpr (is_float(dtype_of<T>)) return convert<T>(sum);
  else return sum.value;
}

}  // namespace hearth::portable
