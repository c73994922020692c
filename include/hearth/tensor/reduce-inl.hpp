// tensor/reduce-inl: the bodies of ReduceFunctions. What squares or exponentiates 16-bit floats computes in f32.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../autodiff/autodiff.hpp"
#include "../backend/decompositions/common.hpp"
#include "reduce.hpp"
#include "refuse-inl.hpp"

namespace hearth {

namespace detail {

template <class B>
Dyn<B> without(Dyn<B> x, const Axes& axes, bool stay) {
  return stay || axes.empty() ? std::move(x) : hearth::squeeze(std::move(x), axes);
}
inline std::int64_t reduced_count(const Shape& shape, const Axes& axes) {
  std::int64_t count = 1;
  for (int axis : axes) count *= shape[axis];
  return count;
}
/// sqrt with gradient 0 at 0.
template <class B>
Dyn<B> safe_sqrt(Dyn<B> x) {
  Dyn<B> zero = Dyn<B>::compare_scalar(CompareCode::eq, x, 0);
  x = Dyn<B>::unary(UnaryCode::sqrt, Dyn<B>::select_scalar(zero, std::move(x), 1, Side::left));
  return Dyn<B>::select_scalar(std::move(zero), std::move(x), 0, Side::left);
}
/// x^p for x >= 0 and p > 0, with gradient 0 at 0.
template <class B>
Dyn<B> safe_pow(Dyn<B> x, double p) {
  Dyn<B> zero = Dyn<B>::compare_scalar(CompareCode::eq, x, 0);
  x = Dyn<B>::binary_scalar(BinaryCode::pow, Dyn<B>::select_scalar(zero, std::move(x), 1, Side::left), p, Side::right);
  return Dyn<B>::select_scalar(std::move(zero), std::move(x), 0, Side::left);
}
template <class B>
Dyn<B> constant(Dyn<B> x) {
  if constexpr (is_autodiff<B>) return Dyn<B>(B::detach(std::move(x.handle)));
  else return x;
}

}  // namespace detail

template <class B>
Dyn<B> ReduceFunctions<B>::reduce(ReduceCode code, Dyn<B> x, const Axes& axes, bool stay) {
  const Axes removed = normalize_axes(name_of(code), axes, x.rank());
  if ((code == ReduceCode::any || code == ReduceCode::all) && !is_bool(x.dtype())) x = Dyn<B>::cast(std::move(x), Dtype::boolean);
  if (code == ReduceCode::mean && !is_float(x.dtype())) {
    // The sum of integers is exact, where a sum of floats would not be.
    const double count = double(detail::reduced_count(x.shape(), removed));
    x = Dyn<B>::cast(Dyn<B>::reduce(ReduceCode::sum, std::move(x), removed), Dtype::f32) / count;
  } else {
    x = Dyn<B>::reduce(code, std::move(x), removed);
  }
  return detail::without(std::move(x), removed, stay);
}

template <class B>
Dyn<B> ReduceFunctions<B>::arg(ArgCode code, Dyn<B> x, int axis, bool stay) {
  const Axes removed{normalize_axis(code == ArgCode::max ? "argmax" : "argmin", axis, x.rank())};
  return detail::without(call<B>(op::ArgReduce{code, removed[0]}, std::move(x)), removed, stay);
}

template <class B>
Dyn<B> ReduceFunctions<B>::arg(ArgCode code, Dyn<B> x) {
  x = Dyn<B>::reshape(std::move(x), Shape{-1});
  return Dyn<B>::reshape(call<B>(op::ArgReduce{code, 0}, std::move(x)), Shape{});
}

template <class B>
Dyn<B> ReduceFunctions<B>::scan(ScanCode code, Dyn<B> x, int axis, bool from_end) {
  return call<B>(op::Scan{code, axis, from_end}, std::move(x));
}

template <class B>
std::array<Dyn<B>, 2> ReduceFunctions<B>::extreme_scan(ArgCode code, Dyn<B> x, int axis, bool from_end) {
  Dyn<B> indices = call<B>(op::ArgScan{code, axis, from_end}, x);
  return {call<B>(op::Scan{code == ArgCode::max ? ScanCode::max : ScanCode::min, axis, from_end}, std::move(x)), std::move(indices)};
}

template <class B>
Dyn<B> ReduceFunctions<B>::variance(Dyn<B> x, const Axes& axes, bool stay, double correction) {
  const Axes removed = normalize_axes("var", axes, x.rank());
  const Dtype dtype = x.dtype();
  const double count = double(detail::reduced_count(x.shape(), removed)) - correction;
  x = detail::accumulated(std::move(x));
  Dyn<B> mean = Dyn<B>::reduce(ReduceCode::mean, x, removed);
  x = Dyn<B>::unary(UnaryCode::square, std::move(x) - std::move(mean));
  x = Dyn<B>::reduce(ReduceCode::sum, std::move(x), removed) / (count > 0 ? count : 0);
  return detail::without(detail::converted(std::move(x), dtype), removed, stay);
}

template <class B>
Dyn<B> ReduceFunctions<B>::deviation(Dyn<B> x, const Axes& axes, bool stay, double correction) {
  const Dtype dtype = x.dtype();
  x = variance(detail::accumulated(std::move(x)), axes, stay, correction);
  return detail::converted(detail::safe_sqrt(std::move(x)), dtype);
}

template <class B>
Dyn<B> ReduceFunctions<B>::norm(Dyn<B> x, const Axes& axes, bool stay, double p) {
  const Axes removed = normalize_axes("norm", axes, x.rank());
  const Dtype dtype = x.dtype();
  if (!(p >= 0)) return detail::refuse(x, fail("norm", "the order " + to_string(Scalar(p)) + " is negative", {x.shape()}));
  x = detail::accumulated(std::move(x));
  if (p == 0) {
    x = Dyn<B>::cast(Dyn<B>::compare_scalar(CompareCode::ne, std::move(x), 0), compute_dtype(dtype));
    x = Dyn<B>::reduce(ReduceCode::sum, std::move(x), removed);
  } else if (p == 1) {
    x = Dyn<B>::reduce(ReduceCode::sum, Dyn<B>::unary(UnaryCode::abs, std::move(x)), removed);
  } else if (p == detail::infinity) {
    // Of nothing it is 0, as every norm is.
    x = Dyn<B>::unary(UnaryCode::abs, std::move(x));
    x = detail::reduced_count(x.shape(), removed) == 0 ? Dyn<B>::reduce(ReduceCode::sum, std::move(x), removed) : Dyn<B>::reduce(ReduceCode::max, std::move(x), removed);
  } else if (p == 2) {
    x = detail::safe_sqrt(Dyn<B>::reduce(ReduceCode::sum, Dyn<B>::unary(UnaryCode::square, std::move(x)), removed));
  } else {
    x = detail::safe_pow(Dyn<B>::unary(UnaryCode::abs, std::move(x)), p);  // an element of 0 too: below 1 its slope is infinite
    x = detail::safe_pow(Dyn<B>::reduce(ReduceCode::sum, std::move(x), removed), 1 / p);
  }
  return detail::without(detail::converted(std::move(x), dtype), removed, stay);
}

template <class B>
Dyn<B> ReduceFunctions<B>::logsumexp(Dyn<B> x, const Axes& axes, bool stay, double) {
  const Axes removed = normalize_axes("logsumexp", axes, x.rank());
  const Dtype dtype = x.dtype();
  x = detail::accumulated(std::move(x));
  if (detail::reduced_count(x.shape(), removed) == 0) {  // the log of an empty sum
    x = Dyn<B>::unary(UnaryCode::log, Dyn<B>::reduce(ReduceCode::sum, std::move(x), removed));
    return detail::without(detail::converted(std::move(x), dtype), removed, stay);
  }
  // The shift cancels, so it is a constant; where the largest is infinite there is none.
  Dyn<B> shift = Dyn<B>::reduce(ReduceCode::max, detail::constant(x), removed);
  Dyn<B> finite = Dyn<B>::compare_scalar(CompareCode::lt, Dyn<B>::unary(UnaryCode::abs, shift), detail::infinity);
  shift = Dyn<B>::select_scalar(std::move(finite), std::move(shift), 0, Side::right);
  Dyn<B> sum = Dyn<B>::reduce(ReduceCode::sum, Dyn<B>::unary(UnaryCode::exp, std::move(x) - shift), removed);
  // Where every element is -infinity the sum is 0: log would be right, but not its gradient.
  Dyn<B> nothing = Dyn<B>::compare_scalar(CompareCode::eq, sum, 0);
  x = std::move(shift) + Dyn<B>::unary(UnaryCode::log, Dyn<B>::select_scalar(nothing, std::move(sum), 1, Side::left));
  x = Dyn<B>::select_scalar(std::move(nothing), std::move(x), -detail::infinity, Side::left);
  return detail::without(detail::converted(std::move(x), dtype), removed, stay);
}

template <class B>
std::array<Dyn<B>, 2> ReduceFunctions<B>::sort(Dyn<B> x, int axis, bool down) {
  return call<B>(op::Sort{axis, down}, std::move(x));
}

template <class B>
std::array<Dyn<B>, 2> ReduceFunctions<B>::topk(Dyn<B> x, std::int64_t k, int axis, bool largest) {
  return call<B>(op::TopK{axis, k, largest}, std::move(x));
}

}  // namespace hearth
