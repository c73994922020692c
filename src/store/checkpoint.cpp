// store/checkpoint: numbers as text that reads back exactly, and the file.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/store/checkpoint.hpp"

#include <algorithm>
#include <charconv>

namespace hearth::detail {

bool CheckpointFile::begin(std::string_view section) {
  if (std::find(sections.begin(), sections.end(), section) != sections.end())
    return fail("checkpoint", "there is a section \"" + std::string(section) + "\" already");
  sections.emplace_back(section);
  return true;
}

void CheckpointFile::add_number(std::string_view section, std::string_view name, const Scalar& value) {
  numbers.emplace_back(std::string(section) + "/" + std::string(name), to_string(value));
}

void CheckpointFile::save(const std::string& path) const {
  std::vector<SafetensorsEntry> entries;
  for (std::size_t i = 0; i < names.size(); ++i) entries.push_back({names[i], data[i].spec, data[i].bytes});
  write_safetensors(path, entries, numbers);
}

Scalar parse_scalar(std::string_view text) {
  if (text == "none") return {};
  if (text == "true" || text == "false") return text == "true";
  const char *begin = text.data(), *end = begin + text.size();
  if (text.ends_with('u')) {
    std::uint64_t value = 0;
    if (auto [stop, error] = std::from_chars(begin, end - 1, value); error == std::errc() && stop == end - 1) return value;
  } else if (text.find_first_of(".einf") == std::string_view::npos) {
    std::int64_t value = 0;
    if (auto [stop, error] = std::from_chars(begin, end, value); error == std::errc() && stop == end) return value;
  } else {
    double value = 0;
    if (auto [stop, error] = std::from_chars(begin, end, value); error == std::errc() && stop == end) return value;
  }
  return fail(Error(ErrorKind::file, "checkpoint", "\"" + std::string(text.substr(0, 64)) + "\" is not a number"));
}

}  // namespace hearth::detail
