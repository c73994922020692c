// portable/value_sized: results whose size depends on values. They replace the arrays of the upper bound that they are given.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <vector>

#include "array.hpp"
#include "hearth/op/op.hpp"

namespace hearth::portable {

inline void kernel(const op::NonZero&, const Operands<op::NonZero, Handle>& in, Results<op::NonZero, Handle>& out) {
  const Handle& x = in[0];
  std::vector<std::int64_t> found;
  std::int64_t count = 0;
  with_type(x->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Elements<const T> values = elements<const T>(x);
    each_index(x->spec.shape, [&](const Shape& index) {
      if (!convert<bool>(values[index])) return;
      ++count;
      found.insert(found.end(), index.begin(), index.end());
    });
  });
  out[0] = allocate(x->device, {Dtype::i64, {count, x->spec.shape.size()}}, "nonzero");
  if (out[0]) std::copy(found.begin(), found.end(), data<std::int64_t>(out[0]));
}

/// Equal values are one: 0 and -0, of which the first in row-major order is kept. Each NaN is a value of its own, and they come last.
inline void kernel(const op::Unique&, const Operands<op::Unique, Handle>& in, Results<op::Unique, Handle>& out) {
  const Handle x = contiguous(in[0], "unique");
  if (!x) return;
  with_type(x->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* values = data<const T>(x);
    const std::int64_t size = element_count(x->spec.shape);
    std::vector<std::int64_t> order, counts, kept;
    for (std::int64_t i = 0; i < size; ++i) order.push_back(i);
    auto less = [&](std::int64_t i, std::int64_t j) {
      const Compute<T> a = Compute<T>(values[i]), b = Compute<T>(values[j]);
      if (a == b || (a != a && b != b)) return i < j;
      return a < b || (a == a && b != b);
    };
    std::sort(order.begin(), order.end(), less);
    std::int64_t* position = data<std::int64_t>(out[1]);
    for (std::int64_t i : order) {
      const bool known = !kept.empty() && Compute<T>(values[kept.back()]) == Compute<T>(values[i]);
      if (known) ++counts.back();
      else kept.push_back(i), counts.push_back(1);
      position[i] = std::int64_t(kept.size()) - 1;
    }
    out[0] = allocate(x->device, {x->spec.dtype, {std::int64_t(kept.size())}}, "unique");
    out[2] = allocate(x->device, {Dtype::i64, {std::int64_t(kept.size())}}, "unique");
    if (!out[0] || !out[2]) return;
    std::copy(counts.begin(), counts.end(), data<std::int64_t>(out[2]));
    T* distinct = data<T>(out[0]);
    for (std::int64_t i : kept) *distinct++ = values[i];
  });
}

}  // namespace hearth::portable
