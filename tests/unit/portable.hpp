// tests/unit/portable: what the tests of the Portable backend share: arrays from numbers and back, and the same array in many layouts.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "hearth/portable.hpp"

namespace hearth::test {

using Array = Portable::Handle;
using Numbers = std::vector<double>;

inline constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

#define HEARTH_DTYPE(name, type, kind) Dtype::name,
inline constexpr Dtype all_dtypes[] = {
#include "hearth/core/dtype.def"
};
#undef HEARTH_DTYPE

/// An array of any dtype from numbers, which must be exact in it.
inline Array array(Dtype dtype, const Shape& shape, const Numbers& values) {
  EXPECT_EQ(element_count(shape), std::int64_t(values.size()));
  return with_type(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    for (std::size_t i = 0; i < values.size(); ++i) {
      const T value = convert<T>(values[i]);
      std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
    }
    return Portable::upload({}, {dtype, shape}, bytes.data());
  });
}
inline Array array(const Shape& shape, const Numbers& values) { return array(Dtype::f32, shape, values); }
inline Array indices(const Shape& shape, const Numbers& values) { return array(Dtype::i64, shape, values); }
inline Array mask(const Shape& shape, const Numbers& values) { return array(Dtype::boolean, shape, values); }

/// An array of T, bit for bit.
template <class T>
Array exact(const Shape& shape, const std::vector<T>& values) {
  EXPECT_EQ(element_count(shape), std::int64_t(values.size()));
  return Portable::upload({}, {dtype_of<T>, shape}, values.data());
}
template <class T>
std::vector<T> exact_values(const Array& x) {
  EXPECT_EQ(Portable::spec(x).dtype, dtype_of<T>);
  std::vector<T> values(std::size_t(element_count(Portable::spec(x).shape)));
  Portable::download(x, values.data());
  return values;
}

/// The elements as doubles, row-major.
inline Numbers values(const Array& x) {
  const Spec& spec = Portable::spec(x);
  return with_type(spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::vector<std::byte> bytes(std::size_t(element_count(spec.shape)) * sizeof(T));
    Portable::download(x, bytes.data());
    Numbers numbers;
    for (std::size_t i = 0; i < bytes.size(); i += sizeof(T)) {
      T value;
      std::memcpy(&value, bytes.data() + i, sizeof(T));
      numbers.push_back(convert<double>(value));
    }
    return numbers;
  });
}

/// 0, 1, ..., as many as the shape has.
inline Numbers counting(const Shape& shape) {
  Numbers numbers;
  for (std::int64_t i = 0; i < element_count(shape); ++i) numbers.push_back(double(i));
  return numbers;
}

/// Within `tolerance`, absolute below 1 and relative above; NaN equals NaN, and an infinity only itself.
inline void expect_near(double is, double should, double tolerance, const std::string& where) {
  if (std::isnan(should)) EXPECT_TRUE(std::isnan(is)) << where << ": " << is << " is no NaN";
  else if (std::isinf(should) || tolerance == 0) EXPECT_EQ(is, should) << where;
  else EXPECT_LE(std::fabs(is - should), tolerance * std::fmax(1, std::fabs(should))) << where << ": " << is << ", not " << should;
}
inline void expect(const Array& x, const Spec& spec, const Numbers& should, double tolerance = 0) {
  ASSERT_TRUE(x);
  EXPECT_EQ(to_string(Portable::spec(x)), to_string(spec));
  const Numbers is = values(x);
  ASSERT_EQ(is.size(), should.size());
  for (std::size_t i = 0; i < is.size(); ++i) expect_near(is[i], should[i], tolerance, "element " + std::to_string(i));
}

/// The first result.
template <class Op, class... A>
Array run(const Op& op, const A&... operands) {
  return Portable::run(op, Operands<Op, Array>{operands...})[0];
}

/// The same elements in every kind of layout: row-major, column-major, inside a larger array, stepped over, reversed.
inline std::vector<Array> layouts(Dtype dtype, const Shape& shape, const Numbers& numbers) {
  const int rank = shape.size();
  std::vector<Array> all{array(dtype, shape, numbers)};
  if (rank == 0) return all;
  // The same numbers at places start + step * index of an array of sizes `outer`, with 99 elsewhere.
  const auto inside = [&](const Shape& outer, const Shape& start, const Shape& step) {
    Numbers larger(std::size_t(element_count(outer)), dtype == Dtype::boolean ? 1 : 99);
    const Strides strides = contiguous_strides(outer);
    std::size_t i = 0;
    portable::each_index(shape, [&](const Shape& index) {
      std::int64_t at = 0;
      for (int axis = 0; axis < rank; ++axis) at += (start[axis] + step[axis] * index[axis]) * strides[axis];
      larger[std::size_t(at)] = numbers[i++];
    });
    all.push_back(run(op::Slice{start, shape, step}, array(dtype, outer, larger)));
  };
  Shape margin = shape, wide = shape, last = shape;
  for (int axis = 0; axis < rank; ++axis) margin[axis] += 2, wide[axis] = 3 * shape[axis] + 1, last[axis] = shape[axis] > 0 ? shape[axis] - 1 : 0;
  inside(margin, Shape::filled(rank, 1), Shape::filled(rank, 1));
  inside(wide, Shape::filled(rank, 1), Shape::filled(rank, 3));
  inside(shape, last, Shape::filled(rank, -1));
  // Column-major: the array of the reversed shape, with its axes reversed.
  Shape reversed;
  Axes axes;
  for (int axis = rank - 1; axis >= 0; --axis) reversed.push(shape[axis]), axes.push(axis);
  Numbers columns(numbers.size());
  const Strides strides = contiguous_strides(reversed);
  std::size_t i = 0;
  portable::each_index(shape, [&](const Shape& index) {
    std::int64_t at = 0;
    for (int axis = 0; axis < rank; ++axis) at += index[axis] * strides[rank - 1 - axis];
    columns[std::size_t(at)] = numbers[i++];
  });
  all.push_back(run(op::Permute{axes}, array(dtype, reversed, columns)));
  return all;
}

/// What `f` throws; an Error without text if it throws nothing.
template <class F>
Error error_of(F f) {
  try {
    f();
  } catch (const Error& error) {
    return error;
  }
  return {};
}
inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace hearth::test
