// tensor/print-inl: reads what is shown of a tensor, and no more.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "data.hpp"
#include "print.hpp"
#include "shape-inl.hpp"

namespace hearth {

template <class B>
std::string PrintFunctions<B>::text(Dyn<B> x, const PrintOptions& options) {
  if (const Error* error = x.error()) return std::string("error: ") + error->what();
  PrintOptions shown = options;
  if (shown.edge_items < 1) shown.edge_items = 1;
  Axes cut = Axes::filled(x.rank(), 0);
  if (element_count(x.shape()) > options.threshold) {
    for (int axis = 0; axis < x.rank(); ++axis) {
      const std::int64_t size = x.size(axis), edge = shown.edge_items;
      if (edge >= size || size - edge <= edge) continue;
      x = Dyn<B>::concat({ShapeFunctions<B>::narrow(x, axis, 0, edge), ShapeFunctions<B>::narrow(x, axis, size - edge, edge)}, axis);
      cut[axis] = 1;
    }
  }
  const Spec spec = x.spec();
  std::vector<std::byte> elements(std::size_t(element_count(spec.shape)) * size_of(spec.dtype));
  if (!DataFunctions<B>::read(x, spec.dtype, elements.data())) return "error: the elements could not be read";
  return detail::format_elements(spec.dtype, spec.shape, elements.data(), cut, shown);
}

}  // namespace hearth
