// autodiff/rules/composite_quantize: the gradient of rounding to few bits, passed straight through (Bengio et al. 2013) where x is
// inside the range; that of the scale follows Esser et al. 2020. The zero point is an integer and has none.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../../backend/decompositions/common.hpp"
#include "../rule.hpp"
#include "low_bits.hpp"

namespace hearth {

namespace detail {

/// The least and the largest number that a storage holds.
struct StorageRange {
  double low, high;
  bool floating = false;
};
constexpr StorageRange storage_range(Storage storage) {
  switch (storage) {
    case Storage::i8: return {-128, 127};
    case Storage::u8: return {0, 255};
    case Storage::i4: return {-8, 7};
    case Storage::u4: return {0, 15};
    case Storage::i2: return {-2, 1};
    case Storage::f8_e4m3: return {-448, 448, true};
    case Storage::f8_e5m2: return {-57344, 57344, true};
    case Storage::f4_e2m1: return {-6, 6, true};
  }
  __builtin_unreachable();
}

/// The scales (or zero points) of a scheme, so that they broadcast over an array of `shape`.
template <class B>
Dyn<B> spread_scale(const QuantScheme& scheme, Dyn<B> scale, const Shape& shape) {
  if (scheme.axis < 0) return reshape(std::move(scale), {});
  Shape along = Shape::filled(shape.size(), 1);
  along[scheme.axis] = shape[scheme.axis];
  if (scheme.block == 0) return reshape(std::move(scale), along);
  auto block = Dyn<B>::iota(scale.device(), {Dtype::i64, {shape[scheme.axis]}}, 0, 0, 1) / scheme.block;
  return gather(std::move(scale), expand(reshape(std::move(block), along), shape), scheme.axis);
}

}  // namespace detail

template <>
struct Rule<op::FakeQuantize> {
  static constexpr Saves saves(const op::FakeQuantize&, unsigned needs) { return {0b111, (needs & 0b10u) ? 1u : 0u}; }

  template <class B>
  static OperandGradients<op::FakeQuantize, B> back(Saved<op::FakeQuantize, B>& s) {
    using namespace detail;
    const QuantScheme& scheme = s.op.scheme;
    const Shape shape = s.spec[0].shape;
    const StorageRange range = storage_range(scheme.storage);
    auto g = accumulated(std::move(s.grad[0]));
    auto scale = spread_scale(scheme, accumulated(std::move(s.in[1])), shape);
    auto ratio = accumulated(std::move(s.in[0])) / scale;
    auto number = range.floating ? ratio : round(ratio);
    if (s.in[2]) {
      auto zero_point = spread_scale(scheme, converted(std::move(s.in[2]), number.dtype()), shape);
      number = std::move(number) + std::move(zero_point);
    }
    auto inside = (number >= range.low) & (number <= range.high);

    OperandGradients<op::FakeQuantize, B> r;
    if (s.need(1)) {
      auto slope = accumulated(std::move(s.out[0])) / std::move(scale) - when(inside, std::move(ratio), 0);
      r[1] = converted(sum_to_scale(scheme, g * std::move(slope), s.spec[1].shape), s.spec[1].dtype);
    }
    if (s.need(0)) r[0] = converted(when(std::move(inside), std::move(g), 0), s.spec[0].dtype);
    return r;
  }
};

}  // namespace hearth
