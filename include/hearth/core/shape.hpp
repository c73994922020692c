// core/shape: sizes, strides and axes of an array of at most 8 dimensions, and the arithmetic on them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "inline_list.hpp"

namespace hearth {

inline constexpr int max_rank = 8;

using Shape = InlineList<std::int64_t, max_rank>;
using Strides = InlineList<std::int64_t, max_rank>;  ///< in elements, not bytes; may be negative or 0
using Axes = InlineList<int, max_rank>;

/// "[2, 3]"
std::string to_string(const Shape& shape);
std::string to_string(const Axes& axes);

/// Number of elements. An error if a size is negative or the product passes 2^63 - 1.
std::int64_t element_count(const Shape& shape);

/// Row-major strides.
Strides contiguous_strides(const Shape& shape);
/// Do these strides lay the elements out row-major without gaps? Strides of axes of size 1 are free.
bool is_contiguous(const Shape& shape, const Strides& strides);

/// NumPy broadcasting of two shapes, also of different rank. `op` names the caller in the error.
Shape broadcast(std::string_view op, const Shape& a, const Shape& b);
/// May an array of shape `from` be stretched to `to`?
bool broadcastable(const Shape& from, const Shape& to);

/// axis in [-rank, rank) to [0, rank); an error naming the op otherwise.
int normalize_axis(std::string_view op, int axis, int rank);
/// Each axis normalized, sorted, without repeats (a repeat is an error).
Axes normalize_axes(std::string_view op, const Axes& axes, int rank);
/// 0, 1, ..., rank - 1
Axes all_axes(int rank);

}  // namespace hearth
