// core/convert: element conversion by the numerics contract (DESIGN.md section 5), once for all backends on the host.
// Float to integer saturates and NaN gives 0; integer to integer wraps; anything to bool asks "is it not zero?".
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>
#include <type_traits>

#include "dtype.hpp"

namespace hearth {

template <class To, class From>
constexpr To convert(From value) {
  using Wide = Compute<From>;
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_same_v<To, bool>) {
    return Wide(value) != Wide(0);
  } else if constexpr (std::is_same_v<To, Half> || std::is_same_v<To, BFloat16>) {
    if constexpr (std::is_same_v<Wide, float>) return To(float(value));
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
