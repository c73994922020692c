// op/infer: the checks' sentences.
// SPDX-License-Identifier: Apache-2.0
#include "infer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hearth::detail {

std::string text(std::int64_t number) { return std::to_string(number); }

bool refuse_absent(std::string_view op, int operand) { return fail(op, "operand " + text(operand) + " is absent"); }

bool refuse_kind(std::string_view op, Kinds kinds, const Spec& x) {
  std::string names;
  const auto add = [&](Kinds kind, std::string_view name) {
    if (kinds & kind) names.append(names.empty() ? "" : " or ").append(name);
  };
  add(kinds::F, "float");
  add(kinds::I, "integer");
  add(kinds::B, "bool");
  return fail(op, "takes " + names + " tensors, not " + to_string(x), {x.shape}, "cast it first");
}

bool refuse_dtypes(std::string_view op, const Spec& a, const Spec& b) {
  return fail(op, "dtypes differ: " + to_string(a) + " and " + to_string(b), {a.shape, b.shape},
              "cast one of them; tensors are never promoted");
}

bool fits(std::string_view op, const Spec& x) {
  std::int64_t bytes = std::int64_t(size_of(x.dtype));
  bool overflow = false;
  for (std::int64_t size : x.shape) {
    if (size < 0) return fail(op, "a size is negative: " + to_string(x.shape), {x.shape});
    overflow |= __builtin_mul_overflow(bytes, std::max<std::int64_t>(size, 1), &bytes);
  }
  if (overflow) return fail(op, to_string(x) + " passes 2^63 - 1 bytes", {x.shape});
  return true;
}
bool fits(std::string_view op, const Spec& x, const Shape& like) { return x.shape == like || fits(op, x); }

bool has_rank(std::string_view op, std::string_view what, const Spec& x, int least, int most) {
  const int rank = x.shape.size();
  if (rank >= least && rank <= most) return true;
  std::string wanted = least == most ? text(least) : most == max_rank ? "at least " + text(least) : text(least) + " to " + text(most);
  return fail(op, std::string(what) + " must have rank " + wanted + ", not " + to_string(x.shape), {x.shape});
}

bool has_shape(std::string_view op, std::string_view what, const Spec& x, const Shape& expected) {
  if (x.shape == expected) return true;
  return fail(op, std::string(what) + " must be " + to_string(expected) + ", not " + to_string(x.shape), {x.shape, expected});
}

bool has_dtype(std::string_view op, std::string_view what, const Spec& x, Dtype dtype) {
  if (x.dtype == dtype) return true;
  return fail(op, std::string(what) + " must be " + std::string(name_of(dtype)) + ", not " + to_string(x), {x.shape});
}

bool is_index(std::string_view op, std::string_view what, const Spec& x) {
  if (is_integer(x.dtype)) return true;
  return fail(op, std::string(what) + " must be of an integer dtype, not " + to_string(x), {x.shape}, "cast it to i64");
}

bool has_entries(std::string_view op, std::string_view what, int entries, int axes) {
  if (entries == axes) return true;
  return fail(op, std::string(what) + " has " + text(entries) + (entries == 1 ? " entry" : " entries") + " for " + text(axes) +
                      (axes == 1 ? " axis" : " axes"));
}

bool in_range(std::string_view op, std::string_view what, double value, double low, double high) {
  if (value >= low && value <= high) return true;  // false for NaN
  constexpr double most = std::numeric_limits<double>::max();  // stands for any finite number
  std::string wanted = high == most ? low == -most ? "finite" : "finite and at least " + to_string(Scalar(low))
                                    : "in [" + to_string(Scalar(low)) + ", " + to_string(Scalar(high)) + "]";
  return fail(op, std::string(what) + " must be " + wanted + ", not " + to_string(Scalar(value)));
}

bool is_number(std::string_view op, std::string_view what, const Scalar& scalar) {
  if (scalar) return true;
  return fail(op, std::string(what) + " is none");
}

bool is_number_beside(std::string_view op, const Scalar& scalar, const Spec& x) {
  if (!is_number(op, "the scalar", scalar)) return false;
  if (is_float(x.dtype) || scalar.kind() != Scalar::Kind::floating) return true;
  const double value = scalar.to_double();
  if (std::isfinite(value) && value == std::trunc(value)) return true;
  return fail(op, "the scalar " + to_string(scalar) + " beside " + to_string(x) + " is no whole number", {x.shape}, "cast the tensor to a float dtype first");
}

bool is_in_range_of(std::string_view op, const Scalar& scalar, const Spec& x) {
  const bool ok = with_type(x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      const T taken = scalar.to<T>();  // wraps, or saturates what was a float
      return Scalar(taken).to_double() == scalar.to_double() && (taken < T(0)) == (scalar.to_double() < 0);
    } else {
      return true;
    }
  });
  if (ok) return true;
  return fail(op, "the scalar " + to_string(scalar) + " beside " + to_string(x) + " is out of its range", {x.shape}, "cast the tensor to a wider dtype first");
}

bool find_axis(std::string_view op, int axis, int rank, int& result) {
  if (axis >= -rank && axis < rank) {
    result = axis < 0 ? axis + rank : axis;
    return true;
  }
  result = normalize_axis(op, axis, rank);
  return false;
}

bool broadcast_to(std::string_view op, const Spec& a, const Spec& b, Spec& result) {
  if (a.shape == b.shape) {
    result.shape = a.shape;
    return true;
  }
  result.shape = broadcast(op, a.shape, b.shape);
  return fits(op, result);
}

Shape part(const Shape& shape, int first, int last) {
  Shape result;
  for (int i = first; i < last; ++i) result.push(shape[i]);
  return result;
}

bool joined(std::string_view op, const Shape& a, const Shape& b, Shape& result) {
  if (a.size() + b.size() > max_rank)
    return fail(op, "the result would have rank " + text(a.size() + b.size()) + ": " + to_string(a) + " and " + to_string(b), {a, b},
                "arrays have at most " + text(max_rank) + " axes");
  result = a;
  for (std::int64_t size : b) result.push(size);
  return true;
}

}  // namespace hearth::detail
