// core/match: stars, and edit distance.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/core/match.hpp"

#include <algorithm>
#include <vector>

namespace hearth {

namespace {

/// Matches greedily with one point to come back to, so never in exponential time; notes what each star stood for.
bool match(std::string_view pattern, std::string_view name, std::vector<std::string_view>* stars) {
  std::size_t p = 0, i = 0, star = std::string_view::npos, resume = 0, begin = 0;
  while (i < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      if (star != std::string_view::npos && stars) stars->push_back(name.substr(begin, resume - begin));
      star = p++;
      begin = resume = i;
    } else if (p < pattern.size() && pattern[p] == name[i]) {
      ++p;
      ++i;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      i = ++resume;
    } else {
      return false;
    }
  }
  if (star != std::string_view::npos && stars) stars->push_back(name.substr(begin, resume - begin));
  for (; p < pattern.size() && pattern[p] == '*'; ++p)
    if (stars) stars->push_back({});
  return p == pattern.size();
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

bool matches(std::string_view pattern, std::string_view name) { return match(pattern, name, nullptr); }

std::string renamed(std::string_view from, std::string_view to, std::string_view name) {
  std::vector<std::string_view> stars;
  if (!match(from, name, &stars)) return std::string(name);
  std::string result;
  std::size_t next = 0;
  for (char c : to) {
    if (c != '*') result += c;
    else if (next < stars.size()) result += stars[next++];
  }
  return result;
}

std::string_view nearest(std::string_view name, std::span<const std::string> candidates) {
  std::string_view best;
  std::size_t least = name.size() / 3 + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > name.size() + least || name.size() > candidate.size() + least) continue;
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace hearth
