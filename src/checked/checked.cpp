// checked: what is looked for in host copies of values, and how it is said.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/checked/checked.hpp"

#include <cmath>

namespace hearth {

namespace {
thread_local Checks checks_of_thread;

template <class F>
std::int64_t first_where(const Spec& spec, const void* elements, F holds) {
  return with_type(spec.dtype, [&](auto tag) -> std::int64_t {
    const auto* element = static_cast<const typename decltype(tag)::type*>(elements);
    const std::int64_t count = element_count(spec.shape);
    for (std::int64_t i = 0; i < count; ++i)
      if (holds(element[i])) return i;
    return -1;
  });
}
}  // namespace

Checks set_checks(const Checks& checks) { return std::exchange(checks_of_thread, checks); }
Checks current_checks() { return checks_of_thread; }

namespace detail {

std::int64_t first_nan(const Spec& spec, const void* elements) {
  return first_where(spec, elements, [](auto x) { return std::isnan(convert<double>(x)); });
}
std::int64_t first_infinity(const Spec& spec, const void* elements) {
  return first_where(spec, elements, [](auto x) { return std::isinf(convert<double>(x)); });
}
std::int64_t first_zero(const Spec& spec, const void* elements) {
  return first_where(spec, elements, [](auto x) { return convert<double>(x) == 0; });
}

std::string position_text(const Shape& shape, std::int64_t flat) {
  Shape index = Shape::filled(shape.size(), 0);
  for (int axis = shape.size() - 1; axis >= 0; --axis) {
    index[axis] = flat % shape[axis];
    flat /= shape[axis];
  }
  return to_string(index);
}

void check_indices(std::string_view op, const Spec& spec, const void* elements, const std::int64_t* limits, int count, const Scalar& except) {
  with_type(spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* element = static_cast<const T*>(elements);
    const std::int64_t total = element_count(spec.shape);
    for (std::int64_t i = 0; i < total; ++i) {
      const std::int64_t number = convert<std::int64_t>(element[i]), limit = limits[i % count];
      const bool negative = std::is_signed_v<T> && number < 0, beyond = !negative && std::uint64_t(number) >= std::uint64_t(limit);
      if ((!negative && !beyond) || (except && number == except.to<std::int64_t>())) continue;
      return (void)fail(op, "index " + (negative ? std::to_string(number) : std::to_string(std::uint64_t(number))) + " at " + position_text(spec.shape, i) +
                                " of " + to_string(spec) + " is outside an axis of size " + std::to_string(limit));
    }
  });
}

}  // namespace detail

}  // namespace hearth
