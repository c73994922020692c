// core/convert: element conversion by the numerics contract (DESIGN.md section 5), once for all backends on the host.
// Float to integer saturates and NaN gives 0; integer to integer wraps; anything to bool asks "is it not zero?".
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>
#include <type_traits>

#include "dtype.hpp"

namespace hearth {

namespace detail {
/// A 64-bit integer as a double that goes on to 16 bits without rounding twice: of what lies below the last bit only that it is there.
template <class T>
constexpr double double_to_odd(T value) {
  const bool negative = value < T(0);
  std::uint64_t size = negative ? 0 - std::uint64_t(value) : std::uint64_t(value);
  if (size >> 53) size = (size & ~std::uint64_t(0x7ff)) | (size & 0x7ff ? 0x800 : 0);
  return negative ? -double(size) : double(size);
}
}  // namespace detail

/// `value` as To, by the rules above.
template <class To, class From>
constexpr To convert(From value) {
  using Wide = Compute<From>;
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_same_v<To, bool>) {
    return Wide(value) != Wide(0);
  } else if constexpr (std::is_same_v<To, Half> || std::is_same_v<To, BFloat16>) {
    if constexpr (std::is_same_v<Wide, float>) return To(float(value));
    else if constexpr (std::is_integral_v<Wide> && sizeof(Wide) == 8) return To(detail::double_to_odd(value));
    else return To(double(value));
  } else if constexpr (std::is_floating_point_v<To>) {
    return To(Wide(value));
  } else if constexpr (std::is_floating_point_v<Wide>) {
    const Wide v = Wide(value);
    if (v != v) return 0;
    // Powers of two are exact in any float: compare against them, not against max(), which may round up.
    constexpr Wide above = Wide(std::numeric_limits<To>::max() / 2 + 1) * 2;
    if (v >= above) return std::numeric_limits<To>::max();
    if (v <= Wide(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
    return To(v);
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace hearth
