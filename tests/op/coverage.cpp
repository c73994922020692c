// op/coverage: nothing is left out of the op suite: every op and row, every value of their fields, every dtype that they take, every
// layout, and the gradient of each that has one. What is left out on purpose is named here, with the reason.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "cases.hpp"
#include "gradients.hpp"
#include "hearth/core/enum_names.hpp"
#include "hearth/core/reflect.hpp"
#include "layouts.hpp"

namespace hearth::test {

namespace {

using Names = std::set<std::string>;
using Cases = std::vector<Case>;

/// Ops that have no case, since no array of expected numbers says what they must do, and the test that holds them.
struct Elsewhere {
  const char *op, *reason, *test;
};
constexpr Elsewhere elsewhere[] = {
    {"Launch", "no backend has kernels of users yet: supports() says no", "op/suite.cpp"},
    {"Collective", "no backend has groups yet: supports() says no; its gradient is tested on a backend of the test's own", "unit/autodiff_collective.cpp"},
};

/// Gaps that are there on purpose: what is missing, why.
struct Allowed {
  const char *gap, *reason;
};
constexpr Allowed allowed[] = {
    {"GridSample.mode=nearest_exact", "infer refuses it"},
    {"GridSample.mode=lanczos", "infer refuses it"},
    {"GridSample.mode=area", "infer refuses it"},
    {"GridSampleGrad.mode=nearest_exact", "infer refuses it"},
    {"GridSampleGrad.mode=lanczos", "infer refuses it"},
    {"GridSampleGrad.mode=area", "infer refuses it"},
};

/// Allowed gaps that came up.
Names& used() {
  static Names names;
  return names;
}
Names without_allowed(Names gaps) {
  for (const Allowed& a : allowed)
    if (gaps.erase(a.gap)) used().insert(a.gap);
  return gaps;
}
bool is_elsewhere(std::string_view subject) {
  for (const Elsewhere& e : elsewhere)
    if (subject.substr(0, subject.find('.')) == e.op) return true;
  return false;
}

/// f(op) with every op of the list as it is by default.
template <class F>
void each_op(F f) {
#define HEARTH_ANY_OP(Name) f(op::Name{});
#include "hearth/op/ops.def"
}

/// "MaxPool.geometry.ceil_mode=true": f(what, value, all values) for each field that is a choice, those of structs in it too.
template <class T, class F>
void each_choice(const std::string& prefix, const T& structure, F& f) {
  reflect::each(structure, [&]<class Field>(std::string_view name, const Field& field) {
    const std::string what = prefix + "." + std::string(name);
    if constexpr (std::is_same_v<Field, bool>) {
      f(what, field ? "true" : "false", std::vector<std::string>{"true", "false"});
    } else if constexpr (std::is_enum_v<Field>) {
      // Which dtypes come up is asked of operands; only Cast has one that is a choice.
      if (std::is_same_v<Field, Dtype> && !prefix.starts_with("Cast")) return;
      f(what, std::string(reflect::enum_name(field)), std::vector<std::string>(reflect::enum_names<Field>.begin(), reflect::enum_names<Field>.end()));
    } else if constexpr (std::is_same_v<Field, ConvGeometry> || std::is_same_v<Field, PoolGeometry> || std::is_same_v<Field, Resampling> ||
                         std::is_same_v<Field, QuantScheme> || std::is_same_v<Field, AttentionOptions>) {
      each_choice(what, field, f);
    }
  });
}

/// Ops and rows that no case is about.
Names missing_ops(const Cases& cases) {
  Names found, missing;
  for (const Case& c : cases) found.insert(c.subject());
  each_op([&]<class Op>(const Op& op) {
    if constexpr (requires { op.code; }) {
      for (std::string_view code : reflect::enum_names<decltype(op.code)>) missing.insert(std::string(op_name<Op>) + "." + std::string(code));
    } else {
      missing.insert(std::string(op_name<Op>));
    }
  });
  for (const std::string& name : found) missing.erase(name);
  std::erase_if(missing, is_elsewhere);
  return without_allowed(missing);
}

/// Values of fields that no case has.
Names missing_choices(const Cases& cases) {
  Names found, missing;
  for (const Case& c : cases)
    for (Dtype dtype : c.dtypes)
      visit(c.op(dtype), [&]<class Op>(const Op& op) {
        auto note = [&](const std::string& what, const std::string& value, const auto&) { found.insert(what + "=" + value); };
        each_choice(std::string(op_name<Op>), op, note);
      });
  each_op([&]<class Op>(const Op& op) {
    auto note = [&](const std::string& what, const std::string&, const auto& values) {
      for (const std::string& value : values)
        if (!found.contains(what + "=" + value)) missing.insert(what + "=" + value);
    };
    each_choice(std::string(op_name<Op>), op, note);
  });
  std::erase_if(missing, is_elsewhere);
  return without_allowed(missing);
}

/// Does inference accept the case's operands in this dtype?
bool accepted(const Case& c, Dtype dtype) {
  try {
    visit(c.op(dtype), [&]<class Op>(const Op& op) {
      if constexpr (Op::inputs == 0) {
        (void)infer(op);
      } else {
        std::vector<Spec> specs;
        for (const CaseArray& array : c.in) specs.push_back(array.role == CaseArray::Role::absent ? Spec{} : operand(array, dtype).spec);
        Operands<Op, const Spec*> in{};
        if constexpr (Op::inputs == many) in.resize(specs.size());
        for (std::size_t i = 0; i < in.size(); ++i) in[i] = c.in[i].role == CaseArray::Role::absent ? nullptr : &specs[i];
        (void)infer(op, in);
      }
    });
    return true;
  } catch (const Error&) {
    return false;
  }
}
bool has_dtype_of_its_own(const Case& c) {
  if (c.text.find("$T") != c.text.npos) return true;
  for (const CaseArray& array : c.in)
    if (array.role == CaseArray::Role::varies) return true;
  return false;
}

/// Dtypes that an op takes, and that no case runs in.
Names missing_dtypes(const Cases& cases) {
  Names found, missing;
  const auto key = [](const Case& c, Dtype dtype) { return c.subject() + " " + std::string(name_of(dtype)); };
  for (const Case& c : cases)
    for (Dtype dtype : c.dtypes) found.insert(key(c, dtype));
  for (const Case& c : cases)
    for (int d = 0; d < dtype_count; ++d)
      if (has_dtype_of_its_own(c) && !found.contains(key(c, Dtype(d))) && accepted(c, Dtype(d))) missing.insert(key(c, Dtype(d)));
  return without_allowed(missing);
}

/// Operands that may be f32 beside 16-bit floats (parameters, statistics, moments), and that no case has so.
Names missing_mixtures(const Cases& cases) {
  const auto key = [](const Case& c, std::size_t i) {
    const bool list = visit(c.op(Dtype::f16), []<class Op>(const Op&) { return Op::inputs == many; });
    return c.subject() + (list ? " some operand" : " operand " + std::to_string(i)) + " f32 beside f16";
  };
  Names found, missing;
  for (const Case& c : cases) {
    if (std::find(c.dtypes.begin(), c.dtypes.end(), Dtype::f16) == c.dtypes.end()) continue;
    const auto varying = std::count_if(c.in.begin(), c.in.end(), [](const CaseArray& x) { return x.role == CaseArray::Role::varies; });
    for (std::size_t i = 0; i < c.in.size(); ++i) {
      const CaseArray& array = c.in[i];
      if (array.role == CaseArray::Role::fixed && array.data.spec.dtype == Dtype::f32) found.insert(key(c, i));
      if (array.role != CaseArray::Role::varies || varying == 1) continue;  // beside nothing
      Case mixed = c;
      mixed.in[i] = {CaseArray::Role::fixed, operand(array, Dtype::f32)};
      if (accepted(mixed, Dtype::f16)) missing.insert(key(c, i));
    }
  }
  for (const std::string& name : found) missing.erase(name);
  return without_allowed(missing);
}

/// Layouts (and arrays without elements) that no case of an op has.
Names missing_layouts(const Cases& cases) {
  Names found, missing;
  for (const Case& c : cases) {
    const std::string subject = c.subject();
    missing.insert(subject + " zero_size");
    if (c.zero_size()) found.insert(subject + " zero_size");
    for (std::size_t l = 0; l < reflect::enum_names<Layouts>.size() && !c.in.empty(); ++l) {
      const std::string name = subject + " " + std::string(reflect::enum_names<Layouts>[l]);
      missing.insert(name);
      for (const CaseArray& array : c.in)
        if (array.role != CaseArray::Role::absent && has_layout(operand(array, c.dtypes[0]), Layouts(l))) found.insert(name);
    }
  }
  for (const std::string& name : found) missing.erase(name);
  return without_allowed(missing);
}

/// Ops with a gradient that no case checks.
Names missing_gradients(const Cases& cases) {
  Names found, missing;
  for (const Case& c : cases) {
    if (c.smooth) found.insert(c.subject());
    else if (!gradient_word(c.subject()).starts_with("no")) missing.insert(c.subject());
  }
  for (const std::string& name : found) missing.erase(name);
  Names gaps;
  for (const std::string& name : missing)
    if (gradient_elsewhere(name).empty()) gaps.insert(name + " gradient");
  return without_allowed(gaps);
}

TEST(Coverage, every_op_and_row_has_a_case) { EXPECT_EQ(missing_ops(all_cases()), Names{}); }
TEST(Coverage, every_choice_has_a_case) { EXPECT_EQ(missing_choices(all_cases()), Names{}); }
TEST(Coverage, every_dtype_has_a_case) { EXPECT_EQ(missing_dtypes(all_cases()), Names{}); }
TEST(Coverage, every_mixture_has_a_case) { EXPECT_EQ(missing_mixtures(all_cases()), Names{}); }
TEST(Coverage, every_layout_has_a_case) { EXPECT_EQ(missing_layouts(all_cases()), Names{}); }
TEST(Coverage, every_gradient_has_a_case) { EXPECT_EQ(missing_gradients(all_cases()), Names{}); }

TEST(Coverage, what_is_elsewhere_is_there) {
  for (const Elsewhere& e : elsewhere) EXPECT_TRUE(std::filesystem::exists(std::string("tests/") + e.test)) << e.op;
  EXPECT_TRUE(std::filesystem::exists("tests/" + gradient_elsewhere("FakeQuantize")));
}
// A gap that is allowed must be one, or the list would hide the next.
TEST(Coverage, what_is_allowed_is_missing) {
  (void)(missing_ops(all_cases()), missing_choices(all_cases()), missing_dtypes(all_cases()), missing_mixtures(all_cases()), missing_layouts(all_cases()), missing_gradients(all_cases()));
  for (const Allowed& a : allowed) EXPECT_TRUE(used().contains(a.gap)) << a.gap << ": " << a.reason;
}

// Each of these finds what is taken away.
TEST(Coverage, gaps_are_found) {
  const auto left = [](auto drop) {
    Cases cases;
    for (const Case& c : all_cases())
      if (!drop(c)) cases.push_back(c);
    EXPECT_LT(cases.size(), all_cases().size());
    return cases;
  };
  EXPECT_EQ(missing_ops(left([](const Case& c) { return c.subject() == "Unary.tan"; })), Names{"Unary.tan"});
  EXPECT_EQ(missing_ops(left([](const Case& c) { return c.subject() == "GridSample"; })), Names{"GridSample"});
  EXPECT_EQ(missing_choices(left([](const Case& c) { return c.text.starts_with("Pad{") && c.text.find("mode: circular") != c.text.npos; })), Names{"Pad.mode=circular"});
  EXPECT_EQ(missing_dtypes(left([](const Case& c) { return c.subject() == "Sort" && c.dtypes.back() == Dtype::boolean; })), Names{"Sort bool"});
  EXPECT_EQ(missing_mixtures(left([](const Case& c) { return c.subject() == "AdamStep" && c.name.ends_with(".wide"); })), Names{"AdamStep some operand f32 beside f16"});
  EXPECT_EQ(missing_layouts(left([](const Case& c) { return c.subject() == "TopK" && c.zero_size(); })), Names{"TopK zero_size"});
  EXPECT_EQ(missing_gradients(left([](const Case& c) { return c.subject() == "Clamp" && c.smooth; })), Names{"Clamp gradient"});
}

// So does the comparison.
TEST(Coverage, differences_are_found) {
  const auto& cases = all_cases();
  const auto exp = std::find_if(cases.begin(), cases.end(), [](const Case& c) { return c.name == "unary.exp"; });
  ASSERT_NE(exp, cases.end());
  std::vector<double> numbers = exp->out[0].data.to_vector<double>();
  const auto got = [&] { return std::vector<TensorData>{TensorData::from<double>(numbers, exp->out[0].data.spec.shape)}; };
  EXPECT_EQ(difference(*exp, Dtype::f64, got()), "");
  numbers[7] *= 1 + 1e-13;
  EXPECT_TRUE(difference(*exp, Dtype::f64, got()).starts_with("element 7 is "));
  EXPECT_TRUE(difference(*exp, Dtype::f32, got()).starts_with("f64[3, 67], not f32"));
  EXPECT_EQ(difference(*exp, Dtype::f64, {}), "0 results, not 1");
}

}  // namespace
}  // namespace hearth::test
