// portable/make: arrays out of nothing: one value, arithmetic sequences, random numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "execute.hpp"
#include "hearth/op/random.hpp"
#include "hearth/op/scalar_math.hpp"

namespace hearth::portable {

inline void kernel(const op::Full& op, const Handle& out) {
  with_type(out->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* y = data<T>(out);
    const T value = op.value.to<T>();
    for (std::int64_t i = 0, count = element_count(out->spec.shape); i < count; ++i) y[i] = value;
  });
}

inline void kernel(const op::Iota& op, const Handle& out) {
  with_kinds<kinds::F | kinds::I>(out->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using V = typename FormulaType<Compute<T>>::type;
    const V start = op.start.to<Compute<T>>(), step = op.step.to<Compute<T>>();
    const int rank = out->spec.shape.size(), axis = rank == 0 ? 0 : normalize_axis("iota", op.axis, rank);
    T* y = data<T>(out);
    each_index(out->spec.shape, [&](const Shape& index) { *y++ = T(rank == 0 ? start : start + step * V(Compute<T>(index[axis]))); });
  });
}

inline void kernel(const op::Random& op, const Handle& out) {
  with_type(out->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* y = data<T>(out);
    for (std::int64_t i = 0, count = element_count(out->spec.shape); i < count; ++i)
      y[i] = draw<T>(op.distribution, philox(op.key, op.offset + std::uint64_t(i)), op.a, op.b);
  });
}

}  // namespace hearth::portable
