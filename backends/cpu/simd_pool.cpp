// cpu/simd_pool: maximum over windows that halve a plane, for each target. Without branches, which no processor could foretell.
// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd_pool.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "pool_kernels.hpp"
#include "targets.hpp"

HWY_BEFORE_NAMESPACE();
namespace hearth::cpu::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
/// A row of results.
struct Row {
  const float* upper;
  std::int64_t row, position;
  float* values;
  std::int64_t* indices;
};

/// As many results from `i` on as d has lanes.
template <class D>
HWY_INLINE void halve_lanes(D d, const Row& to, std::int64_t i) {
  const std::int64_t places[4] = {0, 1, to.row, to.row + 1};
  hn::VFromD<D> best, code = hn::Zero(d), elements[3];
  hn::LoadInterleaved2(d, to.upper + 2 * i, best, elements[0]);
  hn::LoadInterleaved2(d, to.upper + to.row + 2 * i, elements[1], elements[2]);
  for (int k = 0; k < 3; ++k) {
    const auto v = elements[k];
    const auto take = hn::And(hn::Eq(best, best), hn::Or(hn::Gt(v, best), hn::Not(hn::Eq(v, v))));
    best = hn::IfThenElse(take, v, best);
    code = hn::IfThenElse(take, hn::Set(d, float(k + 1)), code);
  }
  const hn::RebindToSigned<D> integers;
  std::int32_t codes[HWY_MAX_BYTES / sizeof(float)];  // which of the four
  hn::StoreU(best, d, to.values + i);
  hn::StoreU(hn::ConvertTo(integers, code), integers, codes);
  for (std::int64_t k = 0; k < std::int64_t(hn::Lanes(d)); ++k) to.indices[i + k] = to.position + 2 * (i + k) + places[codes[k]];
}
#endif

void halve(const float* x, std::int64_t row, std::int64_t count, std::int64_t position, float* values, std::int64_t* indices) {
  std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const Row to{x, row, position, values, indices};
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 4> four;
  const std::int64_t lanes = std::int64_t(hn::Lanes(d)), few = std::int64_t(hn::Lanes(four));
  for (; i + lanes <= count; i += lanes) halve_lanes(d, to, i);
  for (; i + few <= count; i += few) halve_lanes(four, to, i);
  if (i < count && count >= few) return halve_lanes(four, to, count - few);  // some once more
#endif
  for (; i < count; ++i) {
    const std::int64_t places[4] = {0, 1, row, row + 1};
    const float* const from = x + 2 * i;
    std::int64_t place = 0;
    for (int k = 1; k < 4; ++k) {
      const float best = from[place], v = from[places[k]];
      place = ((best == best) & ((v > best) | (v != v))) ? places[k] : place;
    }
    values[i] = from[place];
    indices[i] = position + 2 * i + place;
  }
}

HalvingKernel find_halving() { return &halve; }

}  // namespace
}  // namespace hearth::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hearth::cpu {

HWY_EXPORT(find_halving);
HalvingKernel halving_kernel() { return HEARTH_DISPATCH(find_halving)(); }

}  // namespace hearth::cpu
#endif
