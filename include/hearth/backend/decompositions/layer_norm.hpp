// backend/decompositions/layer_norm: norms over the last axes.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "normalize.hpp"

namespace hearth {

namespace detail {
inline Shape last_sizes(const Shape& shape, int axes) {
  Shape last;
  for (int i = shape.size() - axes; i < shape.size(); ++i) last.push(shape[i]);
  return last;
}
}  // namespace detail

template <>
struct Decomposition<op::LayerNorm> {
  template <class B>
  static std::array<Dyn<B>, 1> run(const op::LayerNorm& op, std::array<Dyn<B>, 3> in) {
    using namespace detail;
    const Dtype dtype = in[0].dtype();
    const Axes axes = axes_between(in[0].rank() - op.axes, in[0].rank());
    auto n = normalized(accumulated(std::move(in[0])), axes, op.epsilon);
    auto y = affine(std::move(n.value), accumulated(std::move(in[1])), accumulated(std::move(in[2])));
    return {converted(std::move(y), dtype)};
  }
};

template <>
struct Decomposition<op::LayerNormGrad> {
  template <class B>
  static std::array<Dyn<B>, 3> run(const op::LayerNormGrad& op, std::array<Dyn<B>, 3> in) {
    using namespace detail;
    const Dtype dtype = in[1].dtype(), scale_dtype = in[2] ? in[2].dtype() : dtype;
    const Shape last = last_sizes(in[1].shape(), op.axes);
    const Axes axes = axes_between(in[1].rank() - op.axes, in[1].rank());
    auto g = accumulated(std::move(in[0]));
    auto n = normalized(accumulated(std::move(in[1])), axes, op.epsilon);
    auto dscale = sum_to(g * n.value, last), dbias = sum_to(g, last);
    if (in[2]) g = std::move(g) * accumulated(std::move(in[2]));
    auto dx = normalized_grad(std::move(g), std::move(n), axes, true);
    return {converted(std::move(dx), dtype), converted(std::move(dscale), scale_dtype), converted(std::move(dbias), scale_dtype)};
  }
};

template <>
struct Decomposition<op::RmsNorm> {
  template <class B>
  static std::array<Dyn<B>, 1> run(const op::RmsNorm& op, std::array<Dyn<B>, 2> in) {
    using namespace detail;
    const Dtype dtype = in[0].dtype();
    const Axes axes = axes_between(in[0].rank() - op.axes, in[0].rank());
    auto n = scaled_to_unit(accumulated(std::move(in[0])), axes, op.epsilon);
    return {converted(affine(std::move(n.value), accumulated(std::move(in[1])), Dyn<B>()), dtype)};
  }
};

template <>
struct Decomposition<op::RmsNormGrad> {
  template <class B>
  static std::array<Dyn<B>, 2> run(const op::RmsNormGrad& op, std::array<Dyn<B>, 3> in) {
    using namespace detail;
    const Dtype dtype = in[1].dtype(), scale_dtype = in[2] ? in[2].dtype() : dtype;
    const Shape last = last_sizes(in[1].shape(), op.axes);
    const Axes axes = axes_between(in[1].rank() - op.axes, in[1].rank());
    auto g = accumulated(std::move(in[0]));
    auto n = scaled_to_unit(accumulated(std::move(in[1])), axes, op.epsilon);
    auto dscale = sum_to(g * n.value, last);
    if (in[2]) g = std::move(g) * accumulated(std::move(in[2]));
    auto dx = normalized_grad(std::move(g), std::move(n), axes, false);
    return {converted(std::move(dx), dtype), converted(std::move(dscale), scale_dtype)};
  }
};

}  // namespace hearth
