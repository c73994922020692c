// tests/portable_arrays: arrays of Portable from numbers and back, and the same numbers under awkward strides.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hearth/portable.hpp"

namespace hearth::test {

using portable::Handle;

template <class T>
Handle array(const Shape& shape, const std::vector<T>& values) {
  return Portable::upload({}, {dtype_of<T>, shape}, values.data());
}
template <class T>
std::vector<T> values(const Handle& x) {
  EXPECT_EQ(x->spec.dtype, dtype_of<T>);
  std::vector<T> result(std::size_t(element_count(x->spec.shape)));
  Portable::download(x, result.data());
  return result;
}
/// Any dtype, as doubles.
inline std::vector<double> doubles(const Handle& x) {
  std::vector<double> result;
  with_type(x->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::vector<std::byte> bytes(std::size_t(element_count(x->spec.shape)) * sizeof(T));
    Portable::download(x, bytes.data());
    const T* source = reinterpret_cast<const T*>(bytes.data());
    for (std::size_t i = 0; i < bytes.size() / sizeof(T); ++i) result.push_back(convert<double>(source[i]));
  });
  return result;
}
inline Handle from_doubles(Dtype dtype, const Shape& shape, const std::vector<double>& numbers) {
  const Handle x = portable::allocate({}, {dtype, shape}, "test");
  with_type(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::size_t i = 0; i < numbers.size(); ++i) portable::data<T>(x)[i] = convert<T>(numbers[i]);
  });
  return x;
}

/// The same values as x, read backwards with gaps and with the axes in reverse order from a larger array full of other values.
inline Handle strided(const Handle& x) {
  const int rank = x->spec.shape.size();
  Spec outer{x->spec.dtype, {}};
  for (int i = rank - 1; i >= 0; --i) outer.shape.push(2 * x->spec.shape[i] + 1);
  const Handle larger = from_doubles(outer.dtype, outer.shape, std::vector<double>(std::size_t(element_count(outer.shape)), 99));
  Layout layout{x->spec.shape, {}, 0};
  for (int i = 0; i < rank; ++i) {
    const std::int64_t stride = larger->layout.strides[rank - 1 - i];
    layout.strides.push(-2 * stride);
    layout.offset += stride * (2 * x->spec.shape[i] - 1);
  }
  if (element_count(x->spec.shape) == 0) layout.offset = 0;
  const Handle view = portable::view_of(larger, layout);
  portable::copy(x, view);
  return view;
}

/// ((37 i + seed) mod 23 - 11) / 4: numbers that are exact in every float type, as are their products in f64. The fixtures use the same.
inline std::vector<double> pattern(const Shape& shape, int seed) {
  std::vector<double> result;
  for (std::int64_t i = 0; i < element_count(shape); ++i) result.push_back(double((37 * i + seed) % 23 - 11) / 4);
  return result;
}
inline Handle patterned(Dtype dtype, const Shape& shape, int seed) { return from_doubles(dtype, shape, pattern(shape, seed)); }

inline void expect_near(const std::vector<double>& a, const std::vector<double>& b, double tolerance, const std::string& what = "") {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(a[i] == b[i] || (a[i] != a[i] && b[i] != b[i]))) {
      ASSERT_NEAR(a[i], b[i], tolerance) << what << " at " << i;
    }
}

}  // namespace hearth::test
