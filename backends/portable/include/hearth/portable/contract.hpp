// portable/contract: the matrix product. The other contractions lie in conv.hpp, pool.hpp and interpolate.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "accumulate.hpp"
#include "array.hpp"
#include "hearth/op/op.hpp"

namespace hearth::portable {

/// The strides of x's axes but the last two, where those are stretched to `batch`.
inline Strides batch_strides(const Handle& x, const Shape& batch) {
  Layout layout = x->layout;
  for (int i = 0; i < 2; ++i) {
    layout.shape.pop();
    layout.strides.pop();
  }
  return expanded(layout, batch).strides;
}

inline void kernel(const op::MatMul&, const Operands<op::MatMul, Handle>& in, Results<op::MatMul, Handle>& out) {
  const Handle &a = in[0], &b = in[1];
  Shape batch = out[0]->spec.shape;
  const std::int64_t m = batch[-2], n = batch[-1], inner = a->spec.shape[-1];
  batch.pop();
  batch.pop();
  const std::int64_t a_row = a->layout.strides[-2], a_column = a->layout.strides[-1];
  const std::int64_t b_row = b->layout.strides[-2], b_column = b->layout.strides[-1];
  with_kinds<kinds::F | kinds::I>(a->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* result = data<T>(out[0]);
    std::vector<Accumulator<T>> row;
    walk<2>(batch, {batch_strides(a, batch), batch_strides(b, batch)}, [&](auto& at) {
      const T *left = data<const T>(a) + at[0], *right = data<const T>(b) + at[1];
      for (std::int64_t i = 0; i < m; ++i) {
        row.assign(std::size_t(n), Accumulator<T>(0));
        for (std::int64_t k = 0; k < inner; ++k) {
          const Accumulator<T> factor = Accumulator<T>(left[i * a_row + k * a_column]);
          for (std::int64_t j = 0; j < n; ++j)
            row[std::size_t(j)] = row[std::size_t(j)] + factor * Accumulator<T>(right[k * b_row + j * b_column]);
        }
        for (const Accumulator<T>& sum : row) *result++ = rounded<T>(sum);
      }
    });
  });
}

}  // namespace hearth::portable
