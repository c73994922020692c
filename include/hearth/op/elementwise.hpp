// op/elementwise: one result element per broadcast operand element. What each code means is in the tables.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../core/spec.hpp"
#include "codes.hpp"

namespace hearth::op {

/// x -> code(x), same dtype.
struct Unary {
  static constexpr int inputs = 1, outputs = 1;
  UnaryCode code{};
};
/// a, b -> code(a, b): shapes broadcast, dtypes are equal.
struct Binary {
  static constexpr int inputs = 2, outputs = 1;
  BinaryCode code{};
};
/// x -> code(x, scalar) for Side::right, code(scalar, x) for Side::left. The scalar takes x's dtype.
struct BinaryScalar {
  static constexpr int inputs = 1, outputs = 1;
  BinaryCode code{};
  Scalar scalar;
  Side side = Side::right;
};
/// a, b -> bool: shapes broadcast, dtypes are equal.
struct Compare {
  static constexpr int inputs = 2, outputs = 1;
  CompareCode code{};
};
/// x -> code(x, scalar), bool.
struct CompareScalar {
  static constexpr int inputs = 1, outputs = 1;
  CompareCode code{};
  Scalar scalar;
};
/// mask (bool), then, otherwise -> the one that the mask picks. All three broadcast.
struct Select {
  static constexpr int inputs = 3, outputs = 1;
};
/// mask (bool), x -> like Select with a number as the `then` (Side::left) or the `otherwise` (Side::right).
struct SelectScalar {
  static constexpr int inputs = 2, outputs = 1;
  Scalar scalar;
  Side side = Side::left;
};
/// x -> x in another dtype, by core/convert.hpp.
struct Cast {
  static constexpr int inputs = 1, outputs = 1;
  Dtype dtype = Dtype::f32;
};
/// x -> min(max(x, low), high); a bound that is none is open; one beyond x's dtype is its last number; NaN stays NaN.
struct Clamp {
  static constexpr int inputs = 1, outputs = 1;
  Scalar low, high;
};

}  // namespace hearth::op
