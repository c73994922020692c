// op/low_bits: arrays stored in 8 bits or fewer, with scales beside them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../core/spec.hpp"
#include "codes.hpp"
#include "contract.hpp"

namespace hearth {

/// How real values become small numbers: q = round(x / scale) + zero_point, saturated to the storage's range (floats too: infinity
/// becomes the largest finite value). x / scale is formed in the dtype of x, in f32 for 16-bit floats. NaN stays NaN in f8, else gives 0.
/// One scale for the whole array (axis < 0), one per index of `axis` (block 0), or one per `block` elements along `axis`.
/// A symmetric scheme has no zero points. Storage below 8 bits packs along the last axis, low bits first, into u8.
struct QuantScheme {
  Storage storage = Storage::i8;
  bool symmetric = true;
  int axis = -1;
  std::int64_t block = 0;
};

namespace op {

/// x, scale, [zero point] -> the stored numbers: i8 for Storage::i8, else u8, the last axis shortened where packed.
struct Quantize {
  static constexpr int inputs = 3, outputs = 1;
  static constexpr unsigned optional = 0b100;
  QuantScheme scheme;
};
/// stored, scale, [zero point] -> (q - zero point) * scale as `dtype`, of `shape`.
struct Dequantize {
  static constexpr int inputs = 3, outputs = 1;
  static constexpr unsigned optional = 0b100;
  QuantScheme scheme;
  Dtype dtype = Dtype::f32;
  Shape shape;
};
/// x, scale, [zero point] -> dequantize(quantize(x)); the gradient passes straight through where x is inside the range.
struct FakeQuantize {
  static constexpr int inputs = 3, outputs = 1;
  static constexpr unsigned optional = 0b100;
  QuantScheme scheme;
};
/// a, [a scale], [a zero point], b, [b scale], [b zero point] -> a b as `dtype`. A side without a scale is plain floats.
struct QuantizedMatMul {
  static constexpr int inputs = 6, outputs = 1;
  static constexpr unsigned optional = 0b110110;
  QuantScheme a, b;
  Shape a_shape, b_shape;
  Dtype dtype = Dtype::f32;
};
/// x, [x scale], [x zero point], weight, [weight scale], [weight zero point], [bias] -> the convolution as `dtype`.
struct QuantizedConv {
  static constexpr int inputs = 7, outputs = 1;
  static constexpr unsigned optional = 0b1110110;
  ConvGeometry geometry;
  QuantScheme x, weight;
  Shape x_shape, weight_shape;
  Dtype dtype = Dtype::f32;
};

}  // namespace op
}  // namespace hearth
