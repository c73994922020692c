// op/gradients: the answers follow from the rules and the tables.
// SPDX-License-Identifier: Apache-2.0
#include "gradients.hpp"

#include "cases.hpp"
#include "hearth/autodiff/rules.hpp"
#include "hearth/backend/decompositions.hpp"
#include "hearth/op/formula.hpp"

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

// What is rounded has steps; its gradient passes straight through them.
std::string gradient_elsewhere(const std::string& subject) { return subject == "FakeQuantize" ? "unit/composite_gradients.cpp" : ""; }

}  // namespace hearth::test
