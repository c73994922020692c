// core/text: scalars, dtypes and specs as text, and dtypes from text.
// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cmath>

#include "hearth/core/spec.hpp"

namespace hearth {

std::optional<Dtype> dtype_named(std::string_view name) {
  for (int i = 0; i < dtype_count; ++i)
    if (name_of(Dtype(i)) == name) return Dtype(i);
  return {};
}

std::string to_string(const Scalar& scalar) {
  switch (scalar.kind()) {
    case Scalar::Kind::none: return "none";
    case Scalar::Kind::boolean: return scalar.to<bool>() ? "true" : "false";
    case Scalar::Kind::signed_integer: return std::to_string(scalar.to<std::int64_t>());
    case Scalar::Kind::unsigned_integer: return std::to_string(scalar.to<std::uint64_t>()) + "u";
    case Scalar::Kind::floating: break;
  }
  const double value = scalar.to_double();
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char buffer[32];  // the shortest text that reads back the same, whatever the locale
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  const std::string text(buffer, end);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string to_string(const Spec& spec) { return std::string(name_of(spec.dtype)) + to_string(spec.shape); }

}  // namespace hearth
