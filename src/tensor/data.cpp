// tensor/data: elements converted and gathered on the host, and how many numbers arange has.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/tensor/data.hpp"

#include <cmath>
#include <cstring>

#include "hearth/tensor/create.hpp"

namespace hearth::detail {

void convert_elements(Dtype from_dtype, const void* from, Dtype to_dtype, void* to, std::int64_t count) {
  with_type(from_dtype, [&](auto from_tag) {
    with_type(to_dtype, [&](auto to_tag) {
      using From = typename decltype(from_tag)::type;
      using To = typename decltype(to_tag)::type;
      const From* source = static_cast<const From*>(from);
      To* target = static_cast<To*>(to);
      for (std::int64_t i = 0; i < count; ++i) target[i] = convert<To>(source[i]);
    });
  });
}

void check_count(std::string_view op, std::int64_t given, const Shape& shape) {
  const std::int64_t wanted = element_count(shape);
  if (given != wanted) (void)fail(op, std::to_string(given) + " elements for the shape " + to_string(shape) + ", which has " + std::to_string(wanted), {shape});
}

void check_braces(std::int64_t first, std::int64_t other) {
  if (first != other) (void)fail("tensor", "lists of " + std::to_string(first) + " and of " + std::to_string(other) + " elements side by side");
}

void gather_strided(const void* from, const Shape& shape, const Strides& strides, std::size_t bytes, void* to) {
  if (element_count(shape) == 0) return;
  Shape index = Shape::filled(shape.size(), 0);
  std::byte* target = static_cast<std::byte*>(to);
  for (;;) {
    std::int64_t offset = 0;
    for (int axis = 0; axis < shape.size(); ++axis) offset += index[axis] * strides[axis];
    std::memcpy(target, static_cast<const std::byte*>(from) + offset * std::int64_t(bytes), bytes);
    target += bytes;
    int axis = shape.size() - 1;
    while (axis >= 0 && ++index[axis] == shape[axis]) index[axis--] = 0;
    if (axis < 0) return;
  }
}

std::int64_t range_count(Scalar start, Scalar stop, Scalar step) {
  if (step.to_double() == 0) return fail("arange", "the step is 0");
  if (start.kind() == Scalar::Kind::floating || stop.kind() == Scalar::Kind::floating || step.kind() == Scalar::Kind::floating) {
    const double count = std::ceil((stop.to_double() - start.to_double()) / step.to_double());
    if (!(count < 0x1p62)) return fail("arange", "from " + to_string(start) + " to " + to_string(stop) + " in steps of " + to_string(step) + " is not a finite number of elements");
    return count > 0 ? std::int64_t(count) : 0;
  }
  const auto a = start.to<std::int64_t>(), b = stop.to<std::int64_t>(), by = step.to<std::int64_t>();
  if (by > 0 ? a >= b : a <= b) return 0;
  const std::uint64_t distance = by > 0 ? std::uint64_t(b) - std::uint64_t(a) : std::uint64_t(a) - std::uint64_t(b);
  const std::uint64_t stride = by > 0 ? std::uint64_t(by) : 0 - std::uint64_t(by);
  const std::uint64_t last = (distance - 1) / stride;
  if (last >= std::uint64_t(INT64_MAX)) return fail("arange", "from " + to_string(start) + " to " + to_string(stop) + " are more than 2^63 - 1 elements");
  return std::int64_t(last + 1);
}

}  // namespace hearth::detail
