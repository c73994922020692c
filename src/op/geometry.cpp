// op/geometry: sizes and bounds of windows. Sums of attributes are formed in 128 bits, so that hostile ones cannot overflow.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/op/geometry.hpp"

#include <limits>
#include <string>

#include "hearth/core/error.hpp"

namespace hearth {

namespace {

__extension__ typedef __int128 Wide;
constexpr Wide largest = std::numeric_limits<std::int64_t>::max();

Wide floor_divided(Wide a, Wide b) { return a / b - (a % b != 0 && a < 0); }

bool window_is_legal(std::string_view op, std::int64_t kernel, std::int64_t stride, std::int64_t dilation, std::int64_t before,
                     std::int64_t after) {
  constexpr std::int64_t most = std::int64_t(1) << 31;  // products of two stay below 2^63, in backends too
  const auto legal = [&](const char* what, std::int64_t value, std::int64_t least) -> bool {
    if (value >= least && value <= most) return true;
    return fail(op, std::string(what) + " must be " + std::to_string(least) + " to 2^31, not " + std::to_string(value));
  };
  return legal("the window size", kernel, 1) && legal("the stride", stride, 1) && legal("the dilation", dilation, 1) &&
         legal("the padding ahead", before, 0) && legal("the padding behind", after, 0);
}

std::int64_t window_count(std::string_view op, std::int64_t size, std::int64_t kernel, std::int64_t stride, std::int64_t dilation,
                          std::int64_t before, std::int64_t after, bool ceil_mode) {
  if (!window_is_legal(op, kernel, stride, dilation, before, after)) return 0;
  const Wide room = Wide(size) + before + after - Wide(dilation) * (kernel - 1) - 1;
  Wide count = floor_divided(room + (ceil_mode ? stride - 1 : 0), stride) + 1;
  if (ceil_mode && (count - 1) * stride >= Wide(size) + before) --count;
  if (count <= 0) return 0;
  if (count > largest) return fail(op, "the output size passes 2^63 - 1");
  return std::int64_t(count);
}

}  // namespace

std::int64_t conv_output_size(std::string_view op, std::int64_t size, std::int64_t kernel, std::int64_t stride,
                              std::int64_t dilation, std::int64_t before, std::int64_t after) {
  return window_count(op, size, kernel, stride, dilation, before, after, false);
}

std::int64_t pool_output_size(std::string_view op, const PoolGeometry& geometry, int axis, std::int64_t size) {
  if (!geometry.adaptive.empty()) {
    if (geometry.adaptive[axis] < 0) return fail(op, "the output size is negative: " + to_string(geometry.adaptive));
    return geometry.adaptive[axis];
  }
  return window_count(op, size, geometry.kernel[axis], geometry.stride[axis], geometry.dilation[axis], geometry.before[axis],
                      geometry.after[axis], geometry.ceil_mode);
}

Window pool_window(const PoolGeometry& geometry, int axis, std::int64_t size, std::int64_t index) {
  Window window;
  if (!geometry.adaptive.empty()) {
    const Wide outputs = geometry.adaptive[axis];
    window.first = std::int64_t(Wide(index) * size / outputs);
    window.last = std::int64_t(((Wide(index) + 1) * size + outputs - 1) / outputs);
    window.padded = window.last - window.first;
    return window;
  }
  const Wide step = geometry.dilation[axis], start = Wide(index) * geometry.stride[axis] - geometry.before[axis];
  const Wide end = start + step * (geometry.kernel[axis] - 1) + 1;  // just behind the last element of the window
  const Wide skipped = start < 0 ? (-start + step - 1) / step : 0;  // elements in the padding ahead
  const Wide padded_end = Wide(size) + geometry.after[axis];
  window.step = std::int64_t(step);
  window.first = std::int64_t(start + skipped * step);
  window.last = std::int64_t(end < size ? end : Wide(size));
  if (window.last < window.first) window.last = window.first;
  window.padded = std::int64_t(((end < padded_end ? end : padded_end) - start + step - 1) / step);
  return window;
}

}  // namespace hearth
