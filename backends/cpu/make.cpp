// cpu/make: arrays out of nothing: one value, arithmetic sequences.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "array.hpp"
#include "hearth/op/scalar_math.hpp"
#include "threads.hpp"

namespace hearth::cpu {

Handle execute(const op::Full& op, const Spec& spec) {
  Handle result = allocate(spec);
  if (!result) return {};
  with_type(spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T value = op.value.to<T>();
    T* const y = data_of<T>(result);
    parallel_for(count_of(*result), task_elements, [=](std::int64_t begin, std::int64_t end) { std::fill(y + begin, y + end, value); });
  });
  return result;
}

Handle execute(const op::Iota& op, const Spec& spec) {
  Handle result = allocate(spec);
  if (!result) return {};
  const int rank = spec.shape.size(), axis = rank == 0 ? 0 : normalize_axis("iota", op.axis, rank);
  const std::int64_t length = rank == 0 ? 1 : spec.shape[axis];
  std::int64_t inner = 1;
  for (int i = axis + 1; i < rank; ++i) inner *= spec.shape[i];
  with_type(spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!std::is_same_v<T, bool>) {
      using V = typename FormulaType<Compute<T>>::type;
      const V start = op.start.to<Compute<T>>(), step = op.step.to<Compute<T>>();
      T* const y = data_of<T>(result);
      parallel_for(count_of(*result), task_elements, [&](std::int64_t begin, std::int64_t end) {
        // i counts along the axis; each value fills `inner` elements.
        for (std::int64_t i = begin / inner; begin < end; ++i) {
          const std::int64_t last = std::min(end, (i + 1) * inner);
          std::fill(y + begin, y + last, T(rank == 0 ? start : start + step * V(Compute<T>(i % length))));
          begin = last;
        }
      });
    }
  });
  return result;
}

}  // namespace hearth::cpu
