// cpu/gather: elements picked by index along one axis, and whole slices picked by tuples of indices.
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "indices.hpp"
#include "loops.hpp"
#include "threads.hpp"

namespace hearth::cpu {

namespace {

/// y[j] = x[j * step + index[j] * along]
template <class T>
void gather_row(const T* x, const std::int64_t* index, T* y, std::int64_t step, std::int64_t along, std::int64_t count) {
  for (std::int64_t j = 0; j < count; ++j) y[j] = x[j * step + index[j] * along];
}

template <class T>
void gather_elements(const Array& x, const Array& index, const Array& y, int axis) {
  const Shape& shape = y.spec.shape;
  const T* const from = data_of<const T>(x);
  const std::int64_t* const picked = data_of<const std::int64_t>(index);
  T* const to = data_of<T>(y);
  // y and index are contiguous and alike; the loops keep the axis apart, whose own stride in x the index replaces.
  Loops<2> loops;
  for (int i = 0; i < shape.size(); ++i) loops.push(shape[i], {i == axis ? 0 : x.strides[i], y.strides[i]});
  if (loops.rank == 0) loops.add_axis();
  const int last = loops.rank - 1;
  const std::int64_t row = loops.size[last], along = x.strides[axis];
  parallel_for(loops.count(0, last), row_grain(row), [&](std::int64_t begin, std::int64_t end) {
    Odometer<2> at(loops, 0, last, begin);
    for (std::int64_t i = begin; i < end; ++i, at.next())
      gather_row(from + at.offset[0], picked + at.offset[1], to + at.offset[1], loops.stride[last][0], along, row);
  });
}

template <class T>
void gather_slices(const Array& x, const Array& index, const Array& y) {
  const int k = int(index.spec.shape[-1]);
  Loops<2> slice;
  std::int64_t size = 1;
  const int rows_rank = index.spec.shape.size() - 1;
  for (int i = k; i < x.spec.shape.size(); ++i) {
    slice.push(x.spec.shape[i], {x.strides[i], y.strides[rows_rank + i - k]});
    size *= x.spec.shape[i];
  }
  const T* const from = data_of<const T>(x);
  const std::int64_t* const picked = data_of<const std::int64_t>(index);
  T* const to = data_of<T>(y);
  const std::int64_t rows = k == 0 ? 0 : count_of(index) / k;
  const bool whole = slice.rank == 0 || (slice.rank == 1 && slice.stride[0][0] == 1);
  parallel_for(rows, row_grain(size), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      std::int64_t first = 0;
      for (int axis = 0; axis < k; ++axis) first += picked[row * k + axis] * x.strides[axis];
      T* target = to + row * size;
      if (slice.rank == 0) {
        *target = from[first];
      } else if (whole) {
        std::memcpy(target, from + first, std::size_t(size) * sizeof(T));
      } else {
        const int last = slice.rank - 1;
        Odometer<2> at(slice, 0, last, 0);
        for (std::int64_t i = slice.count(0, last); i > 0; --i, at.next())
          for (std::int64_t j = 0; j < slice.size[last]; ++j)
            target[at.offset[1] + j * slice.stride[last][1]] = from[first + at.offset[0] + j * slice.stride[last][0]];
      }
    }
  });
}

}  // namespace

Results<op::Gather, Handle> execute(const op::Gather& op, Operands<op::Gather, Handle> in, const Results<op::Gather, Spec>& specs) {
  const Array& x = *in[0];
  const int axis = normalize_axis("gather", op.axis, x.spec.shape.size());
  const Handle index = checked_indices("gather", in[1], x.spec.shape, {axis});
  if (!index) return {};
  Handle result = allocate(specs[0]);
  if (!result) return {};
  if (count_of(*result) > 0) with_size(size_of(x.spec.dtype), [&](auto zero) { gather_elements<decltype(zero)>(x, *index, *result, axis); });
  return {std::move(result)};
}

Results<op::GatherNd, Handle> execute(const op::GatherNd&, Operands<op::GatherNd, Handle> in, const Results<op::GatherNd, Spec>& specs) {
  const Array& x = *in[0];
  const Handle index = checked_indices("gather_nd", in[1], x.spec.shape, all_axes(int(in[1]->spec.shape[-1])));
  if (!index) return {};
  Handle result = allocate(specs[0]);
  if (!result) return {};
  if (count_of(*result) > 0) with_size(size_of(x.spec.dtype), [&](auto zero) { gather_slices<decltype(zero)>(x, *index, *result); });
  return {std::move(result)};
}

}  // namespace hearth::cpu
