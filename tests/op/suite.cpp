// op/suite: every case on the backend of this program: each dtype, each layout, operands kept and given away, under Autodiff,
// Checked and Profile, and gradients against differences. It is compiled once; backend.cpp says which backend it runs on.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cases.hpp"
#include "gradients.hpp"
#include "hearth/core/enum_names.hpp"
#include "hearth/profile/profile.hpp"
#include "layouts.hpp"
#include "support_table.hpp"

namespace hearth::test {

namespace {

/// What the cases (only those where gradients may be checked, if `smooth`) are about, each once.
std::vector<std::string> subjects(bool smooth = false) {
  std::vector<std::string> names;
  for (const Case& c : all_cases())
    if ((c.smooth || !smooth) && std::find(names.begin(), names.end(), c.subject()) == names.end()) names.push_back(c.subject());
  return names;
}
std::vector<const Case*> cases_of(const std::string& subject) {
  std::vector<const Case*> cases;
  for (const Case& c : all_cases())
    if (c.subject() == subject) cases.push_back(&c);
  return cases;
}

/// "Unary.exp" as the name of a test.
std::string test_name(const testing::TestParamInfo<std::string>& subject) {
  std::string name = subject.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}
class OpSuite : public testing::TestWithParam<std::string> {};
class OpGradients : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, OpSuite, testing::ValuesIn(subjects()), test_name);
INSTANTIATE_TEST_SUITE_P(All, OpGradients, testing::ValuesIn(subjects(true)), test_name);

/// What goes wrong with one case in one dtype and layout; "" if nothing does.
std::string trouble(const Stack& stack, const Case& c, Dtype dtype, Layouts layout, Operand how) {
  try {
    std::vector<Array> in;
    std::vector<TensorData> before;
    for (const CaseArray& array : c.in) {
      before.push_back(array.role == CaseArray::Role::absent ? TensorData{} : operand(array, dtype));
      in.push_back(array.role == CaseArray::Role::absent ? Array() : place(stack, before.back(), layout));
    }
    std::vector<TensorData> got;
    for (const Array& x : stack.run(c.op(dtype), in, how)) got.push_back(stack.download(x));
    if (std::string text = difference(c, dtype, got); !text.empty()) return text;
    for (std::size_t i = 0; how == Operand::kept && i < in.size(); ++i)
      if (in[i] && stack.download(in[i]).bytes != before[i].bytes) return "operand " + std::to_string(i) + " was written into though it was kept";
    return {};
  } catch (const Error& error) {
    return std::string("an error: ") + error.what();
  }
}

/// Does the layout change anything for this case?
bool applies(const Case& c, Dtype dtype, Layouts layout) {
  for (const CaseArray& array : c.in)
    if (array.role != CaseArray::Role::absent && has_layout(operand(array, dtype), layout)) return true;
  return layout == Layouts::contiguous;
}

std::string where(const Stack& stack, const Case& c, Dtype dtype, Layouts layout, Operand how) {
  return stack.name + ", " + c.name + ": " + to_string(c.op(dtype)) + ", " + std::string(name_of(dtype)) + ", " +
         std::string(reflect::enum_name(layout)) + (how == Operand::given ? ", operands given away" : "") + ": ";
}

/// One failure per case and dtype is enough to read.
bool check(const Stack& stack, const Case& c, Dtype dtype, const std::vector<Layouts>& layouts) {
  for (Layouts layout : layouts) {
    if (!applies(c, dtype, layout)) continue;
    for (Operand how : {Operand::kept, Operand::given})
      if (const std::string text = trouble(stack, c, dtype, layout, how); !text.empty()) {
        ADD_FAILURE() << where(stack, c, dtype, layout, how) << text;
        return false;
      }
  }
  return true;
}

const std::vector<Layouts> every_layout = {Layouts::contiguous, Layouts::permuted, Layouts::sliced, Layouts::stepped, Layouts::reversed, Layouts::stretched};

TEST_P(OpSuite, equals_the_fixture) {
  for (const Case* c : cases_of(GetParam()))
    for (Dtype dtype : c->dtypes) support_table().add(GetParam(), dtype, check(tested().plain, *c, dtype, every_layout));
}

TEST_P(OpSuite, equals_the_fixture_under_autodiff) {
  for (const Case* c : cases_of(GetParam()))
    for (Dtype dtype : c->dtypes)
      if (!gradient_refused(GetParam())) check(tested().autodiff, *c, dtype, {Layouts::contiguous, Layouts::reversed});
      else
        EXPECT_NE(trouble(tested().autodiff, *c, dtype, Layouts::contiguous, Operand::kept).find("has no gradient"), std::string::npos);
}

// Checked waits for each op and would stop at a NaN that a case is about: one dtype of a kind is enough, and cases without NaN.
TEST_P(OpSuite, equals_the_fixture_under_checked) {
  for (const Case* c : cases_of(GetParam()))
    if (!c->at_edges())
      for (Dtype dtype : c->dtypes)
        if (size_of(dtype) >= 4 || is_bool(dtype)) check(tested().checked, *c, dtype, {Layouts::contiguous, Layouts::permuted});
}

// Profile changes nothing, and has one line for the op: its name, one call, and the bytes of all operands and results.
TEST_P(OpSuite, equals_the_fixture_under_profile) {
  const Stack& stack = tested().profiled;
  for (const Case* c : cases_of(GetParam()))
    for (Dtype dtype : c->dtypes) {
      const AnyOp op = c->op(dtype);
      SCOPED_TRACE(where(stack, *c, dtype, Layouts::contiguous, Operand::kept));
      std::vector<Array> in;
      std::size_t bytes = 0;
      for (const CaseArray& array : c->in) {
        const bool absent = array.role == CaseArray::Role::absent;
        in.push_back(absent ? Array() : stack.upload(operand(array, dtype)));
        if (!absent) bytes += operand(array, dtype).bytes.size();
      }
      reset_profile();
      const auto out = stack.run(op, in, Operand::kept);
      const auto entries = profile_entries();
      std::vector<TensorData> got;
      for (const Array& x : out) {
        got.push_back(stack.download(x));
        bytes += got.back().bytes.size();
      }
      EXPECT_EQ(difference(*c, dtype, got), "");
      ASSERT_EQ(entries.size(), 1u);
      EXPECT_EQ(entries[0].op, to_string(op).substr(0, to_string(op).find('{')));
      EXPECT_EQ(entries[0].calls, 1);
      EXPECT_EQ(entries[0].bytes, double(bytes));
      EXPECT_GT(entries[0].seconds, 0);
    }
}

TEST(OpsWithoutCases, are_not_supported) {
  for (const AnyOp& op : ops_without_cases())
    for (const Stack* stack : {&tested().plain, &tested().autodiff}) {
      EXPECT_FALSE(stack->supports(op)) << stack->name << ": " << to_string(op);
      support_table().add_unsupported(to_string(op).substr(0, to_string(op).find('{')));
    }
}

/// Weights for the elements of a result, so that no error cancels.
TensorData weights_like(const Spec& spec, int seed) {
  std::vector<double> numbers;
  for (std::int64_t i = 0; i < element_count(spec.shape); ++i) numbers.push_back(0.5 + double((i * 29 + seed * 13 + 5) % 17) / 16);
  return TensorData::from<double>(numbers, spec.shape);
}
/// Is the result one of f64 where the case runs in f64, and not free?
bool weighted(const CaseArray& out) {
  return out.role == CaseArray::Role::varies || (out.role == CaseArray::Role::fixed && out.data.spec.dtype == Dtype::f64);
}

/// The sum of all results, each times its weights.
double loss(const Stack& stack, const AnyOp& op, const std::vector<Maybe>& operands, const std::vector<Maybe>& weights) {
  std::vector<Array> in;
  for (const Maybe& x : operands) in.push_back(x ? stack.upload(*x) : Array());
  const auto out = stack.run(op, in, Operand::given);
  double sum = 0;
  for (std::size_t o = 0; o < out.size(); ++o) {
    if (!weights[o]) continue;
    const auto y = stack.download(out[o]).to_vector<double>(), w = weights[o]->to_vector<double>();
    for (std::size_t k = 0; k < y.size(); ++k) sum += y[k] * w[k];
  }
  return sum;
}

/// Compares the gradients with central differences (of two step lengths, so that the error of the fourth order goes) at up to 24
/// elements of each operand.
std::string gradient_trouble(const Case& c, Layouts layout) {
  const AnyOp op = c.op(Dtype::f64);
  std::vector<Maybe> operands, weights;
  std::vector<bool> tracked;
  std::vector<Array> in;
  for (std::size_t i = 0; i < c.in.size(); ++i) {
    const bool absent = c.in[i].role == CaseArray::Role::absent;
    operands.push_back(absent ? Maybe() : operand(c.in[i], Dtype::f64));
    in.push_back(absent ? Array() : place(tested().autodiff, *operands[i], layout));
    tracked.push_back(!absent && is_float(operands[i]->spec.dtype) && std::find(c.constant.begin(), c.constant.end(), int(i)) == c.constant.end());
  }
  for (std::size_t o = 0; o < c.out.size(); ++o)
    weights.push_back(weighted(c.out[o]) ? weights_like({Dtype::f64, c.out[o].data.spec.shape}, int(o) + 1) : Maybe());
  const auto gradients = tested().autodiff.gradients(op, in, tracked, weights);
  constexpr double h = 1e-5;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!tracked[i]) continue;
    if (!gradients[i]) return "operand " + std::to_string(i) + " has no gradient";
    if (!(gradients[i]->spec == operands[i]->spec)) return "the gradient of operand " + std::to_string(i) + " is " + to_string(gradients[i]->spec);
    const auto x = operands[i]->to_vector<double>(), g = gradients[i]->to_vector<double>();
    const std::size_t step = x.size() / 24 + 1;
    for (std::size_t k = 0; k < x.size(); k += step) {
      const auto moved = [&](double by) {
        auto at = operands;
        auto numbers = x;
        numbers[k] += by;
        at[i] = TensorData::from<double>(numbers, operands[i]->spec.shape);
        return loss(tested().plain, op, at, weights);
      };
      const double expected = (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h);
      if (!(std::abs(g[k] - expected) <= 5e-7 * (1 + std::abs(expected))))
        return "the gradient of operand " + std::to_string(i) + ", element " + std::to_string(k) + ", is " + to_string(Scalar(g[k])) + ", differences give " +
               to_string(Scalar(expected));
    }
  }
  return {};
}

TEST_P(OpGradients, equal_differences) {
  for (const Case* c : cases_of(GetParam())) {
    if (!c->smooth) continue;
    for (Layouts layout : {Layouts::contiguous, Layouts::permuted, Layouts::stepped}) {
      std::string text;
      try {
        text = gradient_trouble(*c, layout);
      } catch (const Error& error) {
        text = std::string("an error: ") + error.what();
      }
      EXPECT_EQ(text, "") << where(tested().autodiff, *c, Dtype::f64, layout, Operand::kept);
      support_table().add_gradient(GetParam(), text.empty());
    }
  }
}

}  // namespace
}  // namespace hearth::test
