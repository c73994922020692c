// nn/model-inl: the walkers behind modes, freezing and summaries.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>

#include "../backend/dyn-inl.hpp"
#include "model.hpp"

namespace hearth {

template <class B>
void Walker<B>::param(std::string_view, Dyn<B>&, int) {}
template <class B>
void Walker<B>::buffer(std::string_view, Dyn<B>&, int, Kinds) {}
template <class B>
void Walker<B>::mode(std::string_view, Mode&) {}
template <class B>
void Walker<B>::enter(std::string_view, std::string_view) {}
template <class B>
void Walker<B>::leave(std::string_view) {}

namespace detail {

template <class B>
void ModeSetter<B>::mode(std::string_view, Mode& mode) {
  mode.training = training;
}

template <class B>
void Freezer<B>::param(std::string_view path, Dyn<B>& value, int) {
  if (!value) return;
  const void* identity = leaf_identity(value);
  auto leaf = std::find_if(leaves.begin(), leaves.end(), [&](const Leaf& known) { return known.identity == identity; });
  if (finding) {
    if (leaf != leaves.end() || !matches(pattern, path)) return;
    leaves.push_back({identity, value});
    if constexpr (is_autodiff<B>) {
      auto& handle = leaves.back().now.handle;
      if (freeze) handle = B::detach(std::move(handle));
      else if (!B::tracked(handle)) handle = B::track(std::move(handle));
    }
  } else if (leaf != leaves.end()) {
    value = leaf->now;
  }
}

template <class B>
void Summary<B>::param(std::string_view path, Dyn<B>& value, int) {
  if (!value) return;
  const void* leaf = leaf_identity(value);
  const bool known = std::find(leaves.begin(), leaves.end(), leaf) != leaves.end();
  leaves.push_back(leaf);
  bool trained = true;
  if constexpr (is_autodiff<B>) trained = B::tracked(value.handle);
  lines.push_back({std::string(path), known ? "tied" : trained ? "parameter" : "frozen", to_string(value.spec()), known ? 0 : element_count(value.shape()), trained, true});
}
template <class B>
void Summary<B>::buffer(std::string_view path, Dyn<B>& value, int, Kinds) {
  if (value) lines.push_back({std::string(path), "buffer", to_string(value.spec()), element_count(value.shape()), false, false});
}
template <class B>
void Summary<B>::enter(std::string_view path, std::string_view type) {
  lines.push_back({std::string(path), std::string(type), "", 0, false, false});
}
template <class B>
std::int64_t Summary<B>::parameters() const {
  std::int64_t total = 0;
  for (const Line& line : lines)
    if (line.counts) total += line.count;
  return total;
}

/// Lays the lines out as a table (src/nn/summary.cpp).
std::string summary_table(const std::vector<std::array<std::string, 4>>& rows, std::int64_t parameters, std::int64_t trained);

template <class B>
std::string Summary<B>::text() const {
  std::vector<std::array<std::string, 4>> rows;
  std::int64_t trained = 0;
  for (const Line& line : lines) {
    rows.push_back({line.path, line.type, line.shape, line.shape.empty() ? "" : std::to_string(line.count)});
    if (line.counts && line.trained) trained += line.count;
  }
  return summary_table(rows, parameters(), trained);
}

}  // namespace detail
}  // namespace hearth
