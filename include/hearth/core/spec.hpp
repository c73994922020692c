// core/spec: dtype and shape of an array, all that shape inference knows of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "dtype.hpp"
#include "scalar.hpp"
#include "shape.hpp"

namespace hearth {

struct Spec {
  Dtype dtype = Dtype::f32;
  Shape shape;
  friend constexpr bool operator==(const Spec&, const Spec&) = default;
};

/// "f32[2, 3]"
std::string to_string(const Spec& spec);

/// No negative size, and a count of bytes below 2^63 even if sizes of 0 counted as 1, so that no stride overflows either? Else an
/// error that names `op`.
bool fits(std::string_view op, const Spec& spec);

}  // namespace hearth
