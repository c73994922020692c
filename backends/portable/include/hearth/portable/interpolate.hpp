// portable/interpolate: resampling along one spatial axis after the other, and its adjoint. The weights are op/geometry's.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "array.hpp"
#include "hearth/op/geometry.hpp"
#include "hearth/op/op.hpp"

namespace hearth::portable {

/// Row-major values between two axes, in double so that only the last result is rounded.
struct Samples {
  Shape shape;
  std::vector<double> values;
};

/// Replaces `axis` by as many elements as there are lists of taps, or where `adjoint` those by `size` elements.
inline Samples resample(const Samples& x, int axis, const std::vector<std::vector<Tap>>& taps, std::int64_t size, bool adjoint) {
  Samples y{x.shape, {}};
  y.shape[axis] = adjoint ? size : std::int64_t(taps.size());
  y.values.assign(std::size_t(element_count(y.shape)), 0.0);
  std::int64_t outer = 1, inner = 1;
  for (int i = 0; i < axis; ++i) outer *= x.shape[i];
  for (int i = axis + 1; i < x.shape.size(); ++i) inner *= x.shape[i];
  for (std::int64_t before = 0; before < outer; ++before)
    for (std::size_t output = 0; output < taps.size(); ++output)
      for (const Tap& tap : taps[output])
        for (std::int64_t behind = 0; behind < inner; ++behind) {
          const std::int64_t to = adjoint ? tap.index : std::int64_t(output), from = adjoint ? std::int64_t(output) : tap.index;
          y.values[std::size_t((before * y.shape[axis] + to) * inner + behind)] +=
              tap.weight * x.values[std::size_t((before * x.shape[axis] + from) * inner + behind)];
        }
  return y;
}

/// `sizes` are the spatial sizes of what Interpolate reads.
inline void resample_all(const Resampling& resampling, const Handle& from, const Handle& to, const Shape& sizes, bool adjoint,
                         std::string_view op) {
  if (element_count(to->spec.shape) == 0) return;  // however long the lists of taps would be
  const Handle x = contiguous(from, op);
  if (!x) return;
  with_float(x->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    Samples samples{x->spec.shape, {}};
    const T* source = data<const T>(x);
    for (std::int64_t i = element_count(samples.shape); i > 0; --i) samples.values.push_back(convert<double>(*source++));
    for (int axis = 0; axis < sizes.size(); ++axis)
      samples = resample(samples, axis + 2, resampling_taps(resampling, axis, sizes[axis]), sizes[axis], adjoint);
    T* target = data<T>(to);
    for (double v : samples.values) *target++ = convert<T>(v);
  });
}

inline void kernel(const op::Interpolate& op, const Operands<op::Interpolate, Handle>& in, Results<op::Interpolate, Handle>& out) {
  Shape sizes;
  for (int axis = 2; axis < in[0]->spec.shape.size(); ++axis) sizes.push(in[0]->spec.shape[axis]);
  resample_all(op.resampling, in[0], out[0], sizes, false, "interpolate");
}

inline void kernel(const op::InterpolateGrad& op, const Operands<op::InterpolateGrad, Handle>& in,
                   Results<op::InterpolateGrad, Handle>& out) {
  resample_all(op.resampling, in[0], out[0], op.size, true, "interpolate_grad");
}

}  // namespace hearth::portable
