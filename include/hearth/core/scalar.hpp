// core/scalar: one number of any kind, as a field of an op. A scalar operand takes the dtype of the tensor it meets.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <type_traits>

#include "convert.hpp"

namespace hearth {

class Scalar {
 public:
  enum class Kind : unsigned char { none, boolean, signed_integer, unsigned_integer, floating };

  /// No number: an open bound of Clamp, say.
  constexpr Scalar() = default;
  template <class T>
    requires(std::is_arithmetic_v<T> || std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>)
  constexpr Scalar(T value) {
    if constexpr (std::is_same_v<T, bool>) kind_ = Kind::boolean, integer_ = value;
    else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) kind_ = Kind::signed_integer, integer_ = value;
    else if constexpr (std::is_integral_v<T>) kind_ = Kind::unsigned_integer, integer_ = std::int64_t(std::uint64_t(value));
    else kind_ = Kind::floating, floating_ = double(value);
  }

  constexpr Kind kind() const { return kind_; }
  constexpr explicit operator bool() const { return kind_ != Kind::none; }

  /// The number as T, converted as an element would be (0 for none).
  template <class T>
  constexpr T to() const {
    switch (kind_) {
      case Kind::none: return T{};
      case Kind::boolean: return convert<T>(integer_ != 0);
      case Kind::signed_integer: return convert<T>(integer_);
      case Kind::unsigned_integer: return convert<T>(std::uint64_t(integer_));
      case Kind::floating: return convert<T>(floating_);
    }
    __builtin_unreachable();
  }
  constexpr double to_double() const { return to<double>(); }
  /// The nearest number that T has, where integers would wrap: for bounds.
  template <class T>
  constexpr T saturated() const {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      if (kind_ == Kind::signed_integer && integer_ < 0) {
        if constexpr (std::is_unsigned_v<T>) return 0;
        else return integer_ < std::int64_t(std::numeric_limits<T>::min()) ? std::numeric_limits<T>::min() : T(integer_);
      }
      if (kind_ == Kind::signed_integer || kind_ == Kind::unsigned_integer)
        return std::uint64_t(integer_) > std::uint64_t(std::numeric_limits<T>::max()) ? std::numeric_limits<T>::max() : T(integer_);
    }
    return to<T>();
  }

  /// Same kind and same bits, so that NaN equals itself: equality of ops, not of numbers.
  friend constexpr bool operator==(const Scalar& a, const Scalar& b) {
    return a.kind_ == b.kind_ && a.integer_ == b.integer_ &&
           std::bit_cast<std::uint64_t>(a.floating_) == std::bit_cast<std::uint64_t>(b.floating_);
  }

 private:
  Kind kind_ = Kind::none;
  std::int64_t integer_ = 0;
  double floating_ = 0;
};

/// "2", "0.5", "true", "none"; a float keeps all its digits ("1.0" has a point, so that it reads back as a float).
std::string to_string(const Scalar& scalar);

}  // namespace hearth
