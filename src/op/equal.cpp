// op/equal: when two ops are the same: the same fields. Numbers are compared by their bits, so that a NaN equals itself.
// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstdint>

#include "fields.hpp"

namespace hearth {

namespace detail {
namespace {

template <class T>
bool equal(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::bit_cast<std::uint64_t>(double(a)) == std::bit_cast<std::uint64_t>(double(b));
  } else if constexpr (is_list<T>) {
    if (a.size() != b.size()) return false;
    for (auto i = a.begin(), j = b.begin(); i != a.end(); ++i, ++j)
      if (!equal(*i, *j)) return false;
    return true;
  } else if constexpr (is_structure<T>) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      [[maybe_unused]] const auto x = reflect::tie(a);
      [[maybe_unused]] const auto y = reflect::tie(b);
      return (equal(reflect::get<I>(x), reflect::get<I>(y)) && ...);
    }(std::make_index_sequence<reflect::field_count<T>>{});
  } else {
    return a == b;
  }
}

}  // namespace
}  // namespace detail

namespace op {
#define HEARTH_ANY_OP(Name) \
  bool operator==(const Name& a, const Name& b) { return detail::equal(a, b); }
#include "hearth/op/ops.def"
}  // namespace op

bool operator==(const AnyOp& a, const AnyOp& b) {
  if (!a || !b) return !a && !b;
  return a.code() == b.code() && visit(a, [&](const auto& x) { return x == b.as<std::remove_cvref_t<decltype(x)>>(); });
}

}  // namespace hearth
