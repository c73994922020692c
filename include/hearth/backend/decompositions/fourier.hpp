// backend/decompositions/fourier: transforms of real signals, through the complex one.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "common.hpp"

namespace hearth {

namespace detail {
/// x cut or padded with zeros to `length` along `axis`.
template <class B>
Dyn<B> resized(Dyn<B> x, int axis, std::int64_t length) {
  const std::int64_t size = x.size(axis);
  if (size > length) return narrow(std::move(x), axis, 0, length);
  if (size == length) return x;
  op::Pad pad{Shape::filled(x.rank(), 0), Shape::filled(x.rank(), 0)};
  pad.after[axis] = length - size;
  return call<B>(pad, std::move(x));
}
}  // namespace detail

template <>
struct Decomposition<op::RealFft> {
  template <class B>
  static std::array<Dyn<B>, 1> run(const op::RealFft& op, std::array<Dyn<B>, 1> in) {
    auto x = std::move(in[0]);
    const int axis = normalize_axis("RealFft", op.axis, x.rank());
    const std::int64_t length = op.length < 0 ? x.size(axis) : op.length;
    x = detail::resized(std::move(x), axis, length);
    op::Pad imaginary{Shape::filled(x.rank() + 1, 0), Shape::filled(x.rank() + 1, 0)};
    imaginary.after[-1] = 1;
    auto z = call<B>(imaginary, unsqueeze(std::move(x), -1));
    z = call<B>(op::Fft{axis, false, op.norm}, std::move(z));
    return {narrow(std::move(z), axis, 0, length / 2 + 1)};
  }
};

template <>
struct Decomposition<op::InverseRealFft> {
  template <class B>
  static std::array<Dyn<B>, 1> run(const op::InverseRealFft& op, std::array<Dyn<B>, 1> in) {
    auto z = std::move(in[0]);
    const int rank = z.rank(), axis = normalize_axis("InverseRealFft", op.axis, rank - 1);
    const std::int64_t length = op.length < 0 ? 2 * (z.size(axis) - 1) : op.length;
    const std::int64_t half = length / 2 + 1;
    z = detail::resized(std::move(z), axis, half);
    if (length > half) {  // value k of the other half is the conjugate of value length - k
      Shape start = Shape::filled(rank, 0), size = z.shape(), step = Shape::filled(rank, 1);
      start[axis] = length - half;
      size[axis] = length - half;
      step[axis] = -1;
      auto signs = Dyn<B>::iota(z.device(), {z.dtype(), {2}}, 0, 1, -2);
      auto other = Dyn<B>::slice(z, start, size, step) * std::move(signs);
      z = concat(std::vector<Dyn<B>>{std::move(z), std::move(other)}, axis);
    }
    z = call<B>(op::Fft{axis, true, op.norm}, std::move(z));
    return {squeeze(narrow(std::move(z), rank - 1, 0, 1), {-1})};
  }
};

}  // namespace hearth
