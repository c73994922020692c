// cpu/interpolate: resampling and its adjoint, one axis after the other and planes in parallel. The weights are op/geometry's.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "array.hpp"
#include "hearth/core/convert.hpp"
#include "hearth/op/geometry.hpp"
#include "threads.hpp"

namespace hearth::cpu {

namespace {

using Index = std::int64_t;

/// The taps of all outputs of one axis, one list behind the other.
template <class T>
struct TapTable {
  Index inputs, outputs;
  std::vector<std::size_t> start{0};  ///< taps of output o: start[o] ... start[o + 1]
  std::vector<Index> index;
  std::vector<T> weight;
  bool identity = true;

  TapTable(const Resampling& resampling, int axis, Index size) : inputs(size), outputs(resampling.size[axis]) {
    for (const auto& taps : resampling_taps(resampling, axis, size)) {
      for (const Tap& tap : taps) {
        index.push_back(tap.index);
        weight.push_back(T(tap.weight));
      }
      start.push_back(index.size());
      identity = identity && taps.size() == 1 && taps[0].index == Index(start.size()) - 2 && taps[0].weight == 1;
    }
    identity = identity && inputs == outputs;
  }
};

/// Along the middle axis of [outer, inputs, inner]: to [outer, outputs, inner], or back where adjoint.
template <class T>
void resample(const TapTable<T>& table, Index outer, Index inner, bool adjoint, const T* from, T* to) {
  const Index from_size = adjoint ? table.outputs : table.inputs, to_size = adjoint ? table.inputs : table.outputs;
  std::fill(to, to + outer * to_size * inner, T(0));
  for (Index slice = 0; slice < outer; ++slice, from += from_size * inner, to += to_size * inner)
    for (Index o = 0; o < table.outputs; ++o)
      for (std::size_t tap = table.start[std::size_t(o)]; tap < table.start[std::size_t(o) + 1]; ++tap) {
        const T weight = table.weight[tap];
        const T* source = from + (adjoint ? o : table.index[tap]) * inner;
        T* target = to + (adjoint ? table.index[tap] : o) * inner;
        if (inner == 1) *target += weight * *source;
        else
          for (Index i = 0; i < inner; ++i) target[i] += weight * source[i];
      }
}

/// `sizes`: the spatial sizes of what Interpolate reads.
template <class S>
void resample_planes(const Resampling& resampling, const Handle& x, const Handle& y, const Shape& sizes, bool adjoint) {
  using T = Compute<S>;
  std::vector<TapTable<T>> tables;
  Index from_plane = 1, to_plane = 1, most = 1;
  for (int axis = 0; axis < sizes.size(); ++axis) {
    tables.emplace_back(resampling, axis, sizes[axis]);
    if (pending_error()) return;
    const Index inputs = tables.back().inputs, outputs = tables.back().outputs;
    from_plane *= adjoint ? outputs : inputs;
    to_plane *= adjoint ? inputs : outputs;
    most *= std::max(inputs, outputs);
  }
  const Index planes = x->spec.shape[0] * x->spec.shape[1];
  parallel_for(planes, row_grain(2 * (from_plane + to_plane)), [&](Index begin, Index end) {
    const Scratch<T> first(most), second(most);
    for (Index plane = begin; plane < end; ++plane) {
      const S* source = data_of<const S>(x) + plane * from_plane;
      T *values = first.data(), *next = second.data();
      for (Index i = 0; i < from_plane; ++i) values[i] = T(source[i]);
      Index outer = 1, inner = from_plane;
      for (const TapTable<T>& table : tables) {
        inner /= adjoint ? table.outputs : table.inputs;
        if (!table.identity) {
          resample(table, outer, inner, adjoint, values, next);
          std::swap(values, next);
        }
        outer *= adjoint ? table.inputs : table.outputs;
      }
      S* target = data_of<S>(y) + plane * to_plane;
      for (Index i = 0; i < to_plane; ++i) target[i] = convert<S>(values[i]);
    }
  });
}

std::array<Handle, 1> resampled(const Resampling& resampling, const Handle& operand, const Spec& spec, const Shape& sizes, bool adjoint) {
  const Handle x = contiguous(operand), y = allocate(spec);
  if (!x || !y) return {};
  if (count_of(*y) == 0) return {y};
  with_float(spec.dtype, [&](auto tag) { resample_planes<typename decltype(tag)::type>(resampling, x, y, sizes, adjoint); });
  return {y};
}

}  // namespace

std::array<Handle, 1> execute(const op::Interpolate& op, std::array<Handle, 1> in, const std::array<Spec, 1>& specs) {
  Shape sizes;
  for (int axis = 2; axis < in[0]->spec.shape.size(); ++axis) sizes.push(in[0]->spec.shape[axis]);
  return resampled(op.resampling, in[0], specs[0], sizes, false);
}

std::array<Handle, 1> execute(const op::InterpolateGrad& op, std::array<Handle, 1> in, const std::array<Spec, 1>& specs) {
  return resampled(op.resampling, in[0], specs[0], op.size, true);
}

}  // namespace hearth::cpu
