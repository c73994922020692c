// op/geometry: where windows lie. Output sizes, window bounds and resampling weights follow from here alone, for inference
// and for every backend.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>
#include <vector>

#include "contract.hpp"

namespace hearth {

/// floor((size + before + after - dilation (kernel - 1) - 1) / stride) + 1, at least 0. Errors name `op`.
std::int64_t conv_output_size(std::string_view op, std::int64_t size, std::int64_t kernel, std::int64_t stride,
                              std::int64_t dilation, std::int64_t before, std::int64_t after);
/// The same for a pool; with ceil_mode rounded up, less a last window that would start behind the input and the padding ahead of it.
std::int64_t pool_output_size(std::string_view op, const PoolGeometry& geometry, int axis, std::int64_t size);

/// Window `index` along one axis: elements first, first + step, ... below last lie inside the input.
struct Window {
  std::int64_t first = 0, last = 0, step = 1;
  std::int64_t padded = 0;  ///< elements of the window inside the input and its padding, what AvgPool divides by when it counts padding
};
Window pool_window(const PoolGeometry& geometry, int axis, std::int64_t size, std::int64_t index);

/// Element `output` of a resampled axis is the sum of weight * input[index] over its taps.
struct Tap {
  std::int64_t index;
  double weight;
};
/// The taps of each output element along one axis, as PyTorch's interpolate has them (linear, cubic with a = -0.75, area as
/// adaptive mean, antialiased filters as in Pillow; lanczos with 3 lobes).
std::vector<std::vector<Tap>> resampling_taps(const Resampling& resampling, int axis, std::int64_t size);

}  // namespace hearth
