// core/match: patterns over names, and names that are nearly the same.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "config.hpp"

namespace hearth {

/// Does a name match a pattern? '*' stands for any text, points included: "encoder.*", "*.bias".
bool matches(std::string_view pattern, std::string_view name);

/// If `name` matches `from`, `to` with its stars replaced by what the stars of `from` stood for; else the name itself.
/// renamed("blocks.*.w", "layers.*.weight", "blocks.3.w") is "layers.3.weight".
std::string renamed(std::string_view from, std::string_view to, std::string_view name);

/// The candidate with the smallest edit distance (Levenshtein 1966) to `name`, if it is at most a third of the name's length; else "".
std::string_view nearest(std::string_view name, std::span<const std::string> candidates);

}  // namespace hearth
