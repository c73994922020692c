// unit/autodiff_vocabulary: every op says what its gradient is: by a rule, by a decomposition, or by saying that there is none.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "hearth/autodiff/rules.hpp"
#include "hearth/backend/decompositions.hpp"

namespace hearth {
namespace {

using Names = std::set<std::string>;

/// The names of the ops that satisfy a condition on their type.
template <class Condition>
Names ops_that(Condition condition) {
  Names names;
  auto ask = [&]<class Op>(TypeTag<Op>) {
    if (condition(TypeTag<Op>{})) names.insert(std::string(op_name<Op>));
  };
#define HEARTH_OP(Name) ask(TypeTag<op::Name>{});
#define HEARTH_MAKE_OP(Name)
#include "hearth/op/ops.def"
  return names;
}
template <class Op, bool known = HasRule<Op>>
constexpr bool is_no_gradient = false;
template <class Op>
constexpr bool is_no_gradient<Op, true> = std::is_base_of_v<NoGradient, Rule<Op>>;
template <class Op, bool known = HasRule<Op>>
constexpr bool is_refused = false;
template <class Op>
constexpr bool is_refused<Op, true> = std::is_base_of_v<GradientRefused, Rule<Op>>;

TEST(Vocabulary, every_op_has_a_rule_or_a_decomposition) {
  EXPECT_EQ(ops_that([]<class Op>(TypeTag<Op>) { return !HasRule<Op> && !Composite<Op>; }), Names{});
  // A rule is one of three things.
  EXPECT_EQ(ops_that([]<class Op>(TypeTag<Op>) { return HasRule<Op> && int(HasGradient<Op>) + int(is_no_gradient<Op>) + int(is_refused<Op>) != 1; }), Names{});
}

TEST(Vocabulary, ops_without_gradient_are_few_and_said) {
  EXPECT_EQ(ops_that([]<class Op>(TypeTag<Op>) { return is_no_gradient<Op>; }),
            (Names{"ArgReduce", "ArgScan", "Compare", "CompareScalar", "NonZero", "Quantize"}));
  EXPECT_EQ(ops_that([]<class Op>(TypeTag<Op>) { return is_refused<Op>; }), (Names{"Eig", "Launch"}));
}

// What an op without gradient makes is never a float: nothing is cut silently.
TEST(Vocabulary, ops_without_gradient_make_integers_or_bool) {
  const Spec x{Dtype::f32, {2, 3}}, scale{Dtype::f32, {1}};
  EXPECT_EQ(infer(op::Compare{}, {&x, &x})[0].dtype, Dtype::boolean);
  EXPECT_EQ(infer(op::CompareScalar{CompareCode::lt, 1.0}, {&x})[0].dtype, Dtype::boolean);
  EXPECT_EQ(infer(op::ArgReduce{ArgCode::max, 0}, {&x})[0].dtype, Dtype::i64);
  EXPECT_EQ(infer(op::ArgScan{ArgCode::max, 0, false}, {&x})[0].dtype, Dtype::i64);
  EXPECT_EQ(infer(op::NonZero{}, {&x})[0].dtype, Dtype::i64);
  EXPECT_EQ(infer(op::Quantize{}, {&x, &scale, nullptr})[0].dtype, Dtype::i8);
}

// What a row's gradient saves follows from its formula.
TEST(Vocabulary, rows_save_what_their_formulas_read) {
  auto saves = [](UnaryCode code) { return Rule<op::Unary>::saves({code}, 1); };
  EXPECT_EQ(saves(UnaryCode::neg).inputs | saves(UnaryCode::neg).outputs, 0u);
  EXPECT_EQ(saves(UnaryCode::exp).inputs, 0u);
  EXPECT_EQ(saves(UnaryCode::exp).outputs, 1u);
  EXPECT_EQ(saves(UnaryCode::sin).inputs, 1u);
  EXPECT_EQ(saves(UnaryCode::sin).outputs, 0u);
  EXPECT_EQ(saves(UnaryCode::relu).outputs, 1u);
  const op::Binary mul{BinaryCode::mul};
  EXPECT_EQ(Rule<op::Binary>::saves(mul, 0b01).inputs, 0b10u);
  EXPECT_EQ(Rule<op::Binary>::saves(mul, 0b10).inputs, 0b01u);
  EXPECT_EQ(Rule<op::Binary>::saves({BinaryCode::add}, 0b11).inputs, 0u);
  EXPECT_EQ(Rule<op::MatMul>::saves({}, 0b01).inputs, 0b10u);
}

}  // namespace
}  // namespace hearth
