// nn/summary: the table of a model.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace hearth::detail {

std::string summary_table(const std::vector<std::array<std::string, 4>>& rows, std::int64_t parameters, std::int64_t trained);

namespace {
/// 1234567 as "1,234,567"
std::string with_commas(const std::string& digits) {
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}
}  // namespace

std::string summary_table(const std::vector<std::array<std::string, 4>>& rows, std::int64_t parameters, std::int64_t trained) {
  std::vector<std::array<std::string, 4>> all{{"field", "what", "shape", "numbers"}};
  for (auto row : rows) {
    // Indented by depth, and named by the last step of the path.
    const auto depth = std::size_t(std::count(row[0].begin(), row[0].end(), '.'));
    const std::size_t point = row[0].rfind('.');
    row[0] = row[0].empty() ? "(model)" : std::string(2 * depth + 2, ' ') + (point == std::string::npos ? row[0] : row[0].substr(point + 1));
    row[3] = with_commas(row[3]);
    all.push_back(std::move(row));
  }
  std::array<std::size_t, 4> width{};
  for (const auto& row : all)
    for (std::size_t c = 0; c < 4; ++c) width[c] = std::max(width[c], row[c].size());
  std::string text;
  for (const auto& row : all) {
    for (std::size_t c = 0; c < 3; ++c) text += row[c] + std::string(width[c] - row[c].size() + 2, ' ');
    text += std::string(width[3] - row[3].size(), ' ') + row[3] + "\n";
  }
  return text + with_commas(std::to_string(parameters)) + " parameters, " + with_commas(std::to_string(trained)) + " of them trained\n";
}

}  // namespace hearth::detail
