// backend/decompositions/softmax: the normalised exponential and its logarithm, with the maximum taken off first.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "common.hpp"

namespace hearth {

namespace detail {
template <class B>
Dyn<B> less_maximum(Dyn<B> x, int axis) {
  auto largest = reduce(ReduceCode::max, x, {axis});
  return std::move(x) - std::move(largest);
}
template <class B>
Dyn<B> softmax(Dyn<B> x, int axis) {
  if (element_count(x.shape()) == 0) return x;  // an empty axis has no maximum
  auto powers = exp(less_maximum(std::move(x), axis));
  auto total = sum(powers, {axis});
  return std::move(powers) / std::move(total);
}
template <class B>
Dyn<B> log_softmax(Dyn<B> x, int axis) {
  if (element_count(x.shape()) == 0) return x;
  x = less_maximum(std::move(x), axis);
  auto total = log(sum(exp(x), {axis}));
  return std::move(x) - std::move(total);
}
}  // namespace detail

template <>
struct Decomposition<op::Softmax> {
  template <class B>
  static std::array<Dyn<B>, 1> run(const op::Softmax& op, std::array<Dyn<B>, 1> in) {
    const Dtype dtype = in[0].dtype();
    return {detail::converted(detail::softmax(detail::accumulated(std::move(in[0])), op.axis), dtype)};
  }
};

template <>
struct Decomposition<op::LogSoftmax> {
  template <class B>
  static std::array<Dyn<B>, 1> run(const op::LogSoftmax& op, std::array<Dyn<B>, 1> in) {
    const Dtype dtype = in[0].dtype();
    return {detail::converted(detail::log_softmax(detail::accumulated(std::move(in[0])), op.axis), dtype)};
  }
};

}  // namespace hearth
