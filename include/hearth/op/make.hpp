// op/make: ops without operands. They run on a device: B::make(device, op).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../core/spec.hpp"
#include "codes.hpp"

namespace hearth::op {

/// Every element is `value`, converted to the dtype.
struct Full {
  static constexpr int inputs = 0, outputs = 1;
  Spec spec;
  Scalar value;
};

/// start + step * i, where i counts along `axis`. Of rank 0: start. Integers wrap; 16-bit floats are computed in f32.
struct Iota {
  static constexpr int inputs = 0, outputs = 1;
  Spec spec;
  int axis = 0;
  Scalar start = 0, step = 1;
};

/// Random numbers of Philox4x32-10 (op/philox.hpp), keyed by `key`; element i uses counter `offset + i`, so any part can be drawn alone.
struct Random {
  static constexpr int inputs = 0, outputs = 1;
  Spec spec;
  Distribution distribution = Distribution::uniform;
  Scalar a = 0.0, b = 1.0;  ///< see Distribution
  std::uint64_t key = 0, offset = 0;
};

}  // namespace hearth::op
