// op/small_float: floats of 8 and 4 bits, as the OCP formats (8-bit 2023, MX 2023) have them: sign, exponent, mantissa.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstdint>

#include "scalar_math.hpp"

namespace hearth {

struct SmallFloat {
  int exponent_bits, mantissa_bits, bias;
  double largest;         ///< the largest finite value
  unsigned infinity = 0;  ///< the code of infinity, 0 where there is none
  unsigned nan = 0;       ///< the least code of a NaN, 0 where there is none; NaN is written as the greatest

  unsigned sign_bit() const { return 1u << (exponent_bits + mantissa_bits); }

  double decode(unsigned code) const {
    const double sign = code & sign_bit() ? -1 : 1;
    const unsigned magnitude = code & (sign_bit() - 1), mantissa = magnitude & ((1u << mantissa_bits) - 1);
    const int exponent = int(magnitude >> mantissa_bits);
    if (infinity && magnitude == infinity) return sign * std::numeric_limits<double>::infinity();
    if (nan && magnitude >= nan) return std::numeric_limits<double>::quiet_NaN();
    if (exponent == 0) return sign * std::ldexp(double(mantissa), 1 - bias - mantissa_bits);
    return sign * std::ldexp(double(mantissa | 1u << mantissa_bits), exponent - bias - mantissa_bits);
  }

  /// The nearest value, ties to the even code. What is too large becomes the largest; NaN becomes 0 where there is no NaN.
  unsigned encode(double value) const {
    if (value != value) return nan ? sign_bit() - 1 : 0;
    const unsigned sign = std::signbit(value) ? sign_bit() : 0;
    const double magnitude = std::fabs(value) < largest ? std::fabs(value) : largest;
    const int least = 1 - bias;  // the exponent of the smallest normal number, and of the subnormal ones
    const int exponent = magnitude < std::ldexp(1.0, least) ? least : std::ilogb(magnitude);
    // In steps of the last mantissa bit the leading 1 of a normal number carries into the exponent's field, as rounding up does.
    const double steps = scalar::round(std::ldexp(magnitude, mantissa_bits - exponent));
    return sign | (unsigned(steps) + (unsigned(exponent - least) << mantissa_bits));
  }
};

inline constexpr SmallFloat float8_e4m3{4, 3, 7, 448.0, 0, 0x7f};
inline constexpr SmallFloat float8_e5m2{5, 2, 15, 57344.0, 0x7c, 0x7d};
inline constexpr SmallFloat float4_e2m1{2, 1, 1, 6.0};

}  // namespace hearth
