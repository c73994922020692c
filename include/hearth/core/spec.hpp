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

}  // namespace hearth
