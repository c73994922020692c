// core/half: f16 and bf16 as storage types. Arithmetic happens in float: they convert to float implicitly and back explicitly.
// Conversions from float round to nearest even, keep subnormals, and keep NaN a NaN.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cstdint>

#include "config.hpp"

namespace hearth {

namespace detail {

/// IEEE 754 binary16 from binary32, nearest even.
constexpr std::uint16_t half_bits(float value) {
  const std::uint32_t x = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = x >> 16 & 0x8000u, magnitude = x & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return std::uint16_t(sign | 0x7e00u | (magnitude >> 13 & 0x3ffu));  // NaN, payload kept
  if (magnitude >= 0x477ff000u) return std::uint16_t(sign | 0x7c00u);                              // 65520 and above: infinity
  if (magnitude < 0x38800000u) {                                                                   // below 2^-14: subnormal
    const int exponent = int(magnitude >> 23);
    if (exponent < 102) return std::uint16_t(sign);  // below 2^-25: zero
    const std::uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
    const int shift = 126 - exponent;  // 14 .. 24
    const std::uint32_t kept = mantissa >> shift, rest = mantissa & ((1u << shift) - 1), tie = 1u << (shift - 1);
    return std::uint16_t(sign | (kept + (rest > tie || (rest == tie && (kept & 1u)))));
  }
  const std::uint32_t rounded = magnitude + 0xfffu + (magnitude >> 13 & 1u);
  return std::uint16_t(sign | ((rounded - 0x38000000u) >> 13));
}

constexpr float half_value(std::uint16_t bits) {
  const std::uint32_t sign = std::uint32_t(bits & 0x8000u) << 16;
  std::uint32_t exponent = bits >> 10 & 0x1fu, mantissa = bits & 0x3ffu;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | mantissa << 13);
  if (exponent == 0) {  // zero or subnormal: mantissa * 2^-24, exact in float
    const float magnitude = float(mantissa) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}

constexpr std::uint16_t bfloat16_bits(float value) {
  const std::uint32_t x = std::bit_cast<std::uint32_t>(value);
  if ((x & 0x7fffffffu) > 0x7f800000u) return std::uint16_t(x >> 16 | 0x40u);  // NaN stays NaN
  return std::uint16_t((x + 0x7fffu + (x >> 16 & 1u)) >> 16);
}

/// The float that a conversion in two steps (double to float to 16 bits) may pass through without rounding twice: round to odd.
constexpr float float_to_odd(double value) {
  const float nearest = float(value);
  if (double(nearest) == value || value != value) return nearest;
  std::uint32_t bits = std::bit_cast<std::uint32_t>(nearest);
  if ((bits & 0x7fffffffu) == 0x7f800000u) return value > 0 ? 0x1.fffffep127f : -0x1.fffffep127f;
  const bool away = value > 0 ? double(nearest) > value : double(nearest) < value;
  if (away) --bits;  // towards zero; nearest is not zero here, since zero is never away from it
  return std::bit_cast<float>(bits | 1u);
}

}  // namespace detail

struct Half {
  std::uint16_t bits = 0;

  constexpr Half() = default;
  constexpr explicit Half(float value) : bits(detail::half_bits(value)) {}
  constexpr explicit Half(double value) : bits(detail::half_bits(detail::float_to_odd(value))) {}
  constexpr operator float() const { return detail::half_value(bits); }
  static constexpr Half from_bits(std::uint16_t bits) {
    Half h;
    h.bits = bits;
    return h;
  }
};

struct BFloat16 {
  std::uint16_t bits = 0;

  constexpr BFloat16() = default;
  constexpr explicit BFloat16(float value) : bits(detail::bfloat16_bits(value)) {}
  constexpr explicit BFloat16(double value) : bits(detail::bfloat16_bits(detail::float_to_odd(value))) {}
  constexpr operator float() const { return std::bit_cast<float>(std::uint32_t(bits) << 16); }
  static constexpr BFloat16 from_bits(std::uint16_t bits) {
    BFloat16 h;
    h.bits = bits;
    return h;
  }
};

}  // namespace hearth
