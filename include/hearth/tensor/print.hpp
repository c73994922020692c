// tensor/print: tensors as text, laid out as NumPy does: aligned columns, few digits, long ones summarised.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <iosfwd>

#include "kinds.hpp"

namespace hearth {

struct PrintOptions {
  int precision = 8;            ///< at most so many digits behind the point
  std::int64_t threshold = 1000;  ///< with more elements than this, only the edges are shown
  std::int64_t edge_items = 3;  ///< how many at each end of a summarised axis, 1 at least
  int line_width = 75;
};
/// What printing uses when nothing is said. Thread-safe.
PrintOptions print_options();
void set_print_options(const PrintOptions& options);

namespace detail {
/// Text of row-major host elements. Axis a was cut after `edge_items` elements where cut[a] is 1.
std::string format_elements(Dtype dtype, const Shape& shape, const void* elements, const Axes& cut, const PrintOptions& options);
std::ostream& write(std::ostream& stream, const std::string& text);
}  // namespace detail

/// Compiled per stack.
template <class B>
struct PrintFunctions {
  static std::string text(Dyn<B> x, const PrintOptions& options);
};

/// "[[1. 2.]\n [3. 4.]]". Reads from the device what it shows.
template <class B, int R, class K>
std::string to_string(const Tensor<B, R, K>& x, const PrintOptions& options = print_options()) {
  return PrintFunctions<B>::text(x.dyn, options);
}
template <class B, int R, class K>
std::ostream& operator<<(std::ostream& stream, const Tensor<B, R, K>& x) {
  return detail::write(stream, to_string(x));
}

}  // namespace hearth
