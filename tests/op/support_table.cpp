// op/support_table: the lines, and the words for gradients, which follow from the rules and the tables.
// SPDX-License-Identifier: Apache-2.0
#include "support_table.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "cases.hpp"
#include "hearth/autodiff/rules.hpp"
#include "hearth/backend/decompositions.hpp"
#include "hearth/op/formula.hpp"
#include "stack.hpp"

namespace hearth::test {

namespace {

/// Do the rows of the tables take floats? Ops without rows do.
bool takes_floats(const AnyOp& any) {
  return visit(any, []<class Op>(const Op& op) {
    if constexpr (requires { kinds_of(op.code); }) return (kinds_of(op.code) & kinds::F) != 0;
    else return true;
  });
}

template <class Op>
std::string word_of() {
  if constexpr (Op::inputs == 0) {
    return "no: it has no operands";
  } else if constexpr (!HasRule<Op>) {
    return "composite";
  } else if constexpr (std::is_base_of_v<NoGradient, Rule<Op>>) {
    return "no: its results are integers or bool";
  } else if constexpr (std::is_base_of_v<GradientRefused, Rule<Op>>) {
    return "no: " + std::string(Rule<Op>::reason);
  } else {
    return "yes";
  }
}

template <class Op>
constexpr bool is_refused() {
  if constexpr (Op::inputs != 0 && HasRule<Op>) return std::is_base_of_v<GradientRefused, Rule<Op>>;
  else return false;
}

class Writer : public testing::Environment {
 public:
  void TearDown() override {
    const char* path = std::getenv("HEARTH_SUPPORT_TABLE");
    if (path) std::ofstream(path, std::ios::app) << support_table().text(tested().plain.name);
  }
};
const testing::Environment* const writer = testing::AddGlobalTestEnvironment(new Writer);

}  // namespace

std::string gradient_word(const std::string& subject) {
  for (const Case& c : all_cases()) {
    if (c.subject() != subject) continue;
    const AnyOp op = c.op(c.dtypes[0]);
    if (!takes_floats(op)) return "no: it takes no floats";
    return visit(op, []<class Op>(const Op&) { return word_of<Op>(); });
  }
  return "no: it has no case";
}

bool gradient_refused(const std::string& subject) {
  return visit(parse_op(subject.substr(0, subject.find('.')) + "{}"), []<class Op>(const Op&) { return is_refused<Op>(); });
}

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
    std::string word = gradient_word(subject);
    if (!word.starts_with("no") && (line.gradient_failed || !line.gradient_seen)) word = "no: its check failed or did not run";
    result += subject + '\t' + backend + '\t' + dtypes + '\t' + word + '\n';
  }
  return result;
}

}  // namespace hearth::test
