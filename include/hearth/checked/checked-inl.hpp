// checked/checked-inl: how Checked<B> runs an op: on B, and then it looks.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../backend/apply-inl.hpp"
#include "checked.hpp"

namespace hearth {

namespace detail {

/// Host copies of values, looked through by compiled code (src/checked). Positions are flat, -1 where there is none.
std::int64_t first_nan(const Spec& spec, const void* elements);
std::int64_t first_infinity(const Spec& spec, const void* elements);
std::int64_t first_zero(const Spec& spec, const void* elements);
/// Fails unless each number is at least 0 and below its limit: number i belongs to limits[i % count]. One number may be excepted.
void check_indices(std::string_view op, const Spec& spec, const void* elements, const std::int64_t* limits, int count, const Scalar& except = {});
/// "[1, 2]": where a flat position lies.
std::string position_text(const Shape& shape, std::int64_t flat);

template <class B>
std::vector<std::byte> downloaded(const HandleOf<B>& value) {
  const Spec& spec = B::spec(value);
  std::vector<std::byte> elements(std::size_t(element_count(spec.shape)) * size_of(spec.dtype));
  B::download(value, elements.data());
  return elements;
}
/// Is one of the bools true? Only that is brought to the host.
template <class B>
bool any_of(Dyn<B> mask) {
  bool result = false;
  const Dyn<B> found = Dyn<B>::reduce(ReduceCode::any, mask, all_axes(mask.rank()));
  B::download(found.handle, &result);
  return result;
}
template <class B>
bool holds_nan(const HandleOf<B>& value) {
  if (!value || !is_float(B::spec(value).dtype)) return false;
  const Dyn<B> x(value);
  return any_of<B>(x != x);
}
template <class B>
bool holds_infinity(const HandleOf<B>& value) {
  if (!value || !is_float(B::spec(value).dtype)) return false;
  const Dyn<B> x = abs(Dyn<B>(value));
  return any_of<B>(x == Scalar(std::numeric_limits<double>::infinity()));
}

template <class B, class Op>
void check_results(const Op& op, const Checks& checks, const Operands<Op, HandleOf<B>>& in, const Results<Op, HandleOf<B>>& out) {
  auto check = [&](bool wanted, auto holds, auto first, const char* what) {
    if (!wanted) return;
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (!holds(out[i])) continue;
      for (const auto& operand : in)
        if (holds(operand)) return;  // it came from elsewhere
      const Spec& spec = B::spec(out[i]);
      return (void)fail(label_of(op), std::string("made ") + what + " at " + position_text(spec.shape, first(spec, downloaded<B>(out[i]).data())) + " of " +
                                          to_string(spec) + ", and its operands hold none");
    }
  };
  check(checks.nan, holds_nan<B>, first_nan, "NaN");
  check(checks.infinity, holds_infinity<B>, first_infinity, "an infinity");
}

template <class B, class Op>
void check_division(const Op& op, const HandleOf<B>& divisor) {
  const Dyn<B> x(divisor);
  const Spec& spec = x.spec();
  if (!is_integer(spec.dtype) || !any_of<B>(x == Scalar(0))) return;
  (void)fail(label_of(op), "division by 0: the divisor " + to_string(spec) + " is 0 at " + position_text(spec.shape, first_zero(spec, downloaded<B>(divisor).data())));
}
constexpr bool divides(BinaryCode code) {
  return code == BinaryCode::div || code == BinaryCode::floor_divide || code == BinaryCode::remainder || code == BinaryCode::fmod;
}

/// What an op demands of its operands' values.
template <class B, class Op>
void check_operands(const Op& op, const Checks& checks, const Operands<Op, HandleOf<B>>& in) {
  [[maybe_unused]] auto check = [&](std::string_view name, const HandleOf<B>& index, const std::int64_t* limits, int count, const Scalar& except = {}) {
    if (checks.index && index) check_indices(name, B::spec(index), downloaded<B>(index).data(), limits, count, except);
  };
  if constexpr (std::is_same_v<Op, op::Gather> || std::is_same_v<Op, op::Scatter>) {
    const Shape& shape = B::spec(in[0]).shape;
    check(std::is_same_v<Op, op::Gather> ? "gather" : "scatter", in[1], &shape[normalize_axis("gather", op.axis, shape.size())], 1);
  } else if constexpr (std::is_same_v<Op, op::GatherNd> || std::is_same_v<Op, op::ScatterNd>) {
    check(std::is_same_v<Op, op::GatherNd> ? "gather_nd" : "scatter_nd", in[1], B::spec(in[0]).shape.data(), int(B::spec(in[1]).shape[-1]));
  } else if constexpr (std::is_same_v<Op, op::CrossEntropy>) {
    check("cross_entropy", in[1], &B::spec(in[0]).shape[1], 1, op.ignore);
  } else if constexpr (std::is_same_v<Op, op::CrossEntropyGrad>) {
    check("cross_entropy", in[2], &B::spec(in[1]).shape[1], 1, op.ignore);
  } else if constexpr (std::is_same_v<Op, op::Binary>) {
    if (checks.division && divides(op.code)) check_division<B>(op, in[1]);
  } else if constexpr (std::is_same_v<Op, op::BinaryScalar>) {
    if (!checks.division || !divides(op.code)) return;
    if (op.side == Side::left) check_division<B>(op, in[0]);
    else if (is_integer(B::spec(in[0]).dtype) && op.scalar.template to<std::int64_t>() == 0) (void)fail(label_of(op), "division by 0: the divisor is the number 0");
  }
}

}  // namespace detail

/// B's own errors come first, those of shapes among them, so that what is looked at fits.
template <class B>
template <class Op>
auto Checked<B>::run(const Op& op, Operands<Op, Handle> in) -> Results<Op, Handle> {
  const Operands<Op, Handle> kept = in;
  auto out = apply<B>(op, std::move(in));
  for (const auto& handle : out)
    if (!handle || B::error(handle)) return out;
  const Checks checks = current_checks();
  detail::check_operands<B>(op, checks, kept);
  if (!pending_error()) detail::check_results<B>(op, checks, kept, out);
  if (pending_error()) return detail::failed_results<B>(op, kept);
  return out;
}

}  // namespace hearth
