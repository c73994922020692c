// op/storage_format: what the codes of each low-bit storage mean, and the code of a number. Every backend on the host uses it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "codes.hpp"
#include "small_float.hpp"

namespace hearth {

/// What the codes of a storage mean.
struct StorageFormat {
  int bits;
  double lowest = 0, highest = 0;       ///< of an integer
  const SmallFloat* floating = nullptr;  ///< or a float

  unsigned mask() const { return (1u << bits) - 1; }
  std::int64_t codes_per_byte() const { return 8 / bits; }

  double decode(unsigned code) const {
    if (floating) return floating->decode(code);
    const int value = int(code);
    return lowest < 0 && code > unsigned(highest) ? value - int(mask()) - 1 : value;  // two's complement
  }
};
inline StorageFormat format_of(Storage storage) {
  switch (storage) {
    case Storage::i8: return {8, -128, 127};
    case Storage::u8: return {8, 0, 255};
    case Storage::i4: return {4, -8, 7};
    case Storage::u4: return {4, 0, 15};
    case Storage::i2: return {2, -2, 1};
    case Storage::f8_e4m3: return {8, 0, 0, &float8_e4m3};
    case Storage::f8_e5m2: return {8, 0, 0, &float8_e5m2};
    case Storage::f4_e2m1: return {4, 0, 0, &float4_e2m1};
  }
  __builtin_unreachable();
}

/// The code of value / scale: an integer is rounded half to even, moved by the zero point and saturated, NaN is 0.
/// Floats have no zero point.
/// C is the type in which the quotient is formed.
template <class C>
unsigned quantized(const StorageFormat& format, C value, C scale, double zero_point) {
  const C quotient = value / scale;
  if (format.floating) return format.floating->encode(double(quotient));
  const double number = double(scalar::round(quotient)) + zero_point;
  if (number != number) return 0;
  const double inside = number < format.lowest ? format.lowest : number > format.highest ? format.highest : number;
  return unsigned(int(inside)) & format.mask();
}

}  // namespace hearth
