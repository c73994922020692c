// backend/decompositions/rope: rotary position embedding (Su et al. 2021).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "common.hpp"

namespace hearth {

namespace detail {
/// Where the halves of each pair of features lie: Slice{start, size, step} of the first or the second of them.
struct RopeHalves {
  Shape start, size, step;
  RopeHalves(const Shape& shape, bool interleaved) : start(Shape::filled(shape.size(), 0)), size(shape), step(Shape::filled(shape.size(), 1)) {
    size[-1] /= 2;
    if (interleaved) step[-1] = 2;
    second = interleaved ? 1 : size[-1];
  }
  template <class B>
  Dyn<B> of(Dyn<B> x, bool of_second) const {
    Shape from = start;
    if (of_second) from[-1] = second;
    return Dyn<B>::slice(std::move(x), from, size, step);
  }
  /// The array that has these halves.
  template <class B>
  Dyn<B> join(Dyn<B> a, Dyn<B> b) const {
    if (step[-1] == 1) return concat(std::vector<Dyn<B>>{std::move(a), std::move(b)}, size.size() - 1);
    Spec whole = a.spec();
    whole.shape[-1] *= 2;
    Shape from = start;
    from[-1] = second;
    auto x = Dyn<B>::full(a.device(), whole, 0);
    x = call<B>(op::SliceAssign{start, size, step}, std::move(x), std::move(a));
    return call<B>(op::SliceAssign{from, size, step}, std::move(x), std::move(b));
  }
  std::int64_t second = 0;
};
}  // namespace detail

template <>
struct Decomposition<op::Rope> {
  template <class B>
  static std::array<Dyn<B>, 1> run(const op::Rope& op, std::array<Dyn<B>, 3> in) {
    using namespace detail;
    const Dtype dtype = in[0].dtype();
    const RopeHalves halves(in[0].shape(), op.interleaved);
    auto x = accumulated(std::move(in[0])), cosine = accumulated(std::move(in[1])), sine = accumulated(std::move(in[2]));
    auto a = halves.of(x, false), b = halves.of(std::move(x), true);
    auto first = a * cosine - b * sine;
    auto second = std::move(b) * std::move(cosine) + std::move(a) * std::move(sine);
    return {converted(halves.join(std::move(first), std::move(second)), dtype)};
  }
};

}  // namespace hearth
