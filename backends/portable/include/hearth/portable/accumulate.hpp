// portable/accumulate: the type in which products of T are summed: float for 16-bit floats, double for f32 and f64, wrapping integers.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "hearth/core/convert.hpp"
#include "hearth/op/scalar_math.hpp"

namespace hearth::portable {

namespace detail {
template <class T>
struct SumOf {
  using type = Integer<T>;
};
template <>
struct SumOf<double> {
  using type = double;
};
template <>
struct SumOf<float> {
  using type = double;
};
template <>
struct SumOf<Half> {
  using type = float;
};
template <>
struct SumOf<BFloat16> {
  using type = float;
};
}  // namespace detail

template <class T>
using Sum = typename detail::SumOf<T>::type;

/// A sum, rounded to T.
template <class T>
T rounded(Sum<T> sum) {
  if constexpr (is_float(dtype_of<T>)) return convert<T>(sum);
  else return sum.value;
}

}  // namespace hearth::portable
