// portable/fft: the Fourier transform along one axis of complex numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "array.hpp"
#include "fourier.hpp"
#include "hearth/op/op.hpp"
#include "solve.hpp"

namespace hearth::portable {

inline void kernel(const op::Fft& op, const Operands<op::Fft, Handle>& in, Results<op::Fft, Handle>& out) {
  const Layout &x = in[0]->layout, &y = out[0]->layout;
  const int axis = normalize_axis("fft", op.axis, x.shape.size() - 1);
  const std::int64_t n = x.shape[axis];
  if (element_count(x.shape) == 0) return;
  const Fourier fourier(n, op.inverse ? 1 : -1);
  double factor = 1;
  if (op.norm == Norm::orthogonal) factor = 1 / std::sqrt(double(n));
  if (op.norm == Norm::forward && !op.inverse) factor = 1 / double(n);
  Shape lines = x.shape;
  lines[axis] = lines[-1] = 1;
  with_real(in[0]->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* source = data<const T>(in[0]);
    T* target = data<T>(out[0]);
    std::vector<Complex> line(static_cast<std::size_t>(n));
    walk<2>(lines, {x.strides, y.strides}, [&](auto& at) {
      for (std::int64_t i = 0; i < n; ++i) {
        const T* from = source + at[0] + i * x.strides[axis];
        line[std::size_t(i)] = {double(from[0]), double(from[x.strides[-1]])};
      }
      fourier(line);
      for (std::int64_t i = 0; i < n; ++i) {
        T* to = target + at[1] + i * y.strides[axis];
        to[0] = T(factor * line[std::size_t(i)].real);
        to[y.strides[-1]] = T(factor * line[std::size_t(i)].imaginary);
      }
    });
  });
}

}  // namespace hearth::portable
