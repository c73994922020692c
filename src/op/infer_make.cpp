// op/infer_make: results of ops without operands.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "infer.hpp"

namespace hearth {

using namespace detail;

namespace {

/// Is [a, b) a range of numbers that `dtype` has?
bool integer_range(Dtype dtype, const Scalar& a, const Scalar& b) {
  const bool ok = with_type(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
      const Wide low = a.to<Wide>(), high = b.to<Wide>();
      if (std::is_unsigned_v<T> && (a.to<double>() < 0 || b.to<double>() < 0)) return false;
      return low < high && low >= Wide(std::numeric_limits<T>::lowest()) && high - 1 <= Wide(std::numeric_limits<T>::max());
    } else {
      return false;
    }
  });
  if (ok) return true;
  return fail("random", "[" + to_string(a) + ", " + to_string(b) + ") is no range of " + std::string(name_of(dtype)));
}

/// The largest finite number of a float dtype.
double largest(Dtype dtype) {
  switch (dtype) {
    case Dtype::f16: return 65504;
    case Dtype::bf16: return 0x1.fep127;
    case Dtype::f32: return std::numeric_limits<float>::max();
    default: return std::numeric_limits<double>::max();
  }
}

}  // namespace

Spec infer(const op::Full& op) {
  if (!fits("full", op.spec) || !is_number("full", "the value", op.value)) return {};
  return op.spec;
}

Spec infer(const op::Iota& op) {
  int axis = 0;
  if (!fits("iota", op.spec) || !takes("iota", numbers, op.spec) || !is_number_beside("iota", op.start, op.spec) || !is_number_beside("iota", op.step, op.spec))
    return {};
  if (!op.spec.shape.empty() && !find_axis("iota", op.axis, op.spec.shape.size(), axis)) return {};
  return op.spec;
}

Spec infer(const op::Random& op) {
  if (!fits("random", op.spec) || !is_number("random", "a", op.a) || !is_number("random", "b", op.b)) return {};
  const double a = op.a.to_double(), b = op.b.to_double();
  switch (op.distribution) {
    case Distribution::uniform:
      if (!takes("random", kinds::F, op.spec)) return {};
      if (!(a <= b) || !(b - a <= largest(op.spec.dtype)) || !(std::fabs(a) <= largest(op.spec.dtype)))  // false for NaN and infinity
        return fail("random", "[" + to_string(op.a) + ", " + to_string(op.b) + ") is no range to draw from");
      break;
    case Distribution::normal:
      if (!takes("random", kinds::F, op.spec) || !in_range("random", "the standard deviation", b, 0, std::numeric_limits<double>::max())) return {};
      break;
    case Distribution::integer:
      if (!takes("random", kinds::I, op.spec) || !integer_range(op.spec.dtype, op.a, op.b)) return {};
      break;
    case Distribution::bits:
      if (!takes("random", kinds::I | kinds::B, op.spec)) return {};
      break;
  }
  return op.spec;
}

}  // namespace hearth
