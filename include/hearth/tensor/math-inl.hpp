// tensor/math-inl: the bodies of MathFunctions.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>

#include "data.hpp"
#include "math.hpp"
#include "refuse-inl.hpp"
#include "replace-inl.hpp"

namespace hearth {

template <class B>
void MathFunctions<B>::update(Dyn<B>& a, BinaryCode code, Dyn<B> b) {
  const LetGo errors;
  if (a.error()) return;
  if (const Error* error = b.error()) return report_error(*error);  // a stays, so nothing else would tell
  const op::Binary op{code};
  const Spec result = infer(op, {&a.spec(), &b.spec()})[0];
  if (pending_error()) return;
  if (result != a.spec()) {
    (void)fail(name_of(code), "in place, the result " + to_string(result) + " does not fit into " + to_string(a.spec()), {a.shape(), b.shape()});
    return;
  }
  if (!(a.device() == b.device())) {
    (void)fail(name_of(code), "the tensors are on different devices", {a.shape(), b.shape()}, "move one with x.to(device)");
    return;
  }
  // Of sums the tape keeps no operand.
  const bool saved = code != BinaryCode::add && code != BinaryCode::sub && (detail::recorded<B>(a.handle) || detail::recorded<B>(b.handle));
  detail::replace(a, saved, [&](Dyn<B> old) { return Dyn<B>::binary(code, std::move(old), std::move(b)); });
}

template <class B>
void MathFunctions<B>::update(Dyn<B>& a, BinaryCode code, Scalar b) {
  const LetGo errors;
  if (a.error()) return;
  (void)infer(op::BinaryScalar{code, b, Side::right}, {&a.spec()});
  if (pending_error()) return;
  const bool linear = code == BinaryCode::add || code == BinaryCode::sub || code == BinaryCode::mul || code == BinaryCode::div;
  detail::replace(a, !linear && detail::recorded<B>(a.handle), [&](Dyn<B> old) { return Dyn<B>::binary_scalar(code, std::move(old), b, Side::right); });
}

template <class B>
Dyn<B> MathFunctions<B>::is_infinite(Dyn<B> x) {
  return Dyn<B>::compare_scalar(CompareCode::eq, Dyn<B>::unary(UnaryCode::abs, std::move(x)), std::numeric_limits<double>::infinity());
}

template <class B>
Dyn<B> MathFunctions<B>::is_finite(Dyn<B> x) {
  return Dyn<B>::compare_scalar(CompareCode::lt, Dyn<B>::unary(UnaryCode::abs, std::move(x)), std::numeric_limits<double>::infinity());
}

template <class B>
Dyn<B> MathFunctions<B>::is_close(Dyn<B> a, Dyn<B> b, double relative, double absolute) {
  Dyn<B> same = Dyn<B>::compare(CompareCode::eq, a, b), finite = is_finite(b);
  Dyn<B> tolerance = Dyn<B>::unary(UnaryCode::abs, b) * relative + absolute;
  Dyn<B> near = Dyn<B>::compare(CompareCode::le, Dyn<B>::unary(UnaryCode::abs, std::move(a) - std::move(b)), std::move(tolerance));
  return std::move(same) | (std::move(near) & std::move(finite));
}

template <class B>
bool MathFunctions<B>::all_true(Dyn<B> mask) {
  const LetGo errors;
  const Axes axes = all_axes(mask.rank());
  return DataFunctions<B>::item(Dyn<B>::reduce(ReduceCode::all, std::move(mask), axes)).template to<bool>();
}

template <class B>
bool MathFunctions<B>::equal(const Dyn<B>& a, const Dyn<B>& b) {
  const LetGo errors;
  return a.spec() == b.spec() && all_true(Dyn<B>::compare(CompareCode::eq, a, b));
}

template <class B>
Dyn<B> MathFunctions<B>::where(Dyn<B> mask, Scalar then, Scalar otherwise, Dtype dtype) {
  if (mask.error()) return mask;
  Dyn<B> base = Dyn<B>::full(mask.device(), Spec{dtype, mask.shape()}, otherwise);
  return Dyn<B>::select_scalar(std::move(mask), std::move(base), then, Side::left);
}

}  // namespace hearth
