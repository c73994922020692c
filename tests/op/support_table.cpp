// op/support_table: the lines, and writing them when all tests have run.
// SPDX-License-Identifier: Apache-2.0
#include "support_table.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "gradients.hpp"
#include "stack.hpp"

namespace hearth::test {

namespace {

class Writer : public testing::Environment {
 public:
  void TearDown() override {
    const char* path = std::getenv("HEARTH_SUPPORT_TABLE");
    if (path) std::ofstream(path, std::ios::app) << support_table().text(tested().plain.name);
  }
};
const testing::Environment* const writer = testing::AddGlobalTestEnvironment(new Writer);

}  // namespace

SupportTable& support_table() {
  static SupportTable table;
  return table;
}

void SupportTable::add(const std::string& subject, Dtype dtype, bool passed) {
  Line& line = lines_[subject];
  line.seen |= 1u << unsigned(dtype);
  if (!passed) line.failed |= 1u << unsigned(dtype);
}
void SupportTable::add_gradient(const std::string& subject, bool passed) {
  lines_[subject].gradient_seen = true;
  if (!passed) lines_[subject].gradient_failed = true;
}

std::string SupportTable::text(const std::string& backend) const {
  std::string result;
  for (const auto& [subject, line] : lines_) {
    std::string dtypes;
    for (int d = 0; d < dtype_count; ++d)
      if ((line.seen & ~line.failed) >> d & 1u) dtypes.append(dtypes.empty() ? "" : ",").append(name_of(Dtype(d)));
    std::string word = line.seen ? gradient_word(subject) : "no: the op is not supported";
    if (!word.starts_with("no") && (line.gradient_failed || (!line.gradient_seen && gradient_elsewhere(subject).empty()))) word = "no: its check failed or did not run";
    result += subject + '\t' + backend + '\t' + dtypes + '\t' + word + '\n';
  }
  return result;
}

}  // namespace hearth::test
