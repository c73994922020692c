// cpu/targets: which of the compiled instruction sets may be used. Highway chooses the best that the processor has; the environment variable
// HEARTH_SIMD says "no better than": scalar, sse4, avx2 or avx512. It is for tests of the others and for finding faults.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <hwy/highway.h>

namespace hearth::cpu {

/// Obeys HEARTH_SIMD. True if it is set; an Error where it names no instruction set.
bool limit_targets();

/// Once per process, before the first choice.
inline void obey_limit() {
  static const bool limited = limit_targets();
  (void)limited;
}

/// The kernels of both floats that vectors have: what one choice of the target finds.
template <template <class> class Kernels>
struct BothFloats {
  Kernels<float> f32;
  Kernels<double> f64;
};

// HWY_DYNAMIC_DISPATCH, within the limit.
#define HEARTH_DISPATCH(function) (obey_limit(), HWY_DYNAMIC_DISPATCH(function))

}  // namespace hearth::cpu
