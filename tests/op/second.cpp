// op/second: second derivatives of every op and row that has a gradient, in f64, where the suite's cases are smooth: along random
// directions u and v, d<gradient, v>/du by the tape of a tape against differences of gradients, which suite.cpp holds to differences of
// values. On Portable: the rules are the same over every backend. That no op is left out is op_coverage's every_gradient_has_a_case.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cases.hpp"
#include "second_order.hpp"

namespace hearth::test {

namespace {

using P = Portable;
using A1 = Autodiff<P>;
using Maybe = std::optional<TensorData>;
template <class B>
using Values = std::vector<Dyn<B>>;
using Directions = std::vector<std::vector<double>>;

template <class B>
Values<B> run(const AnyOp& any, std::vector<HandleOf<B>> in) {
  return visit(any, [&]<class Op>(const Op& op) -> Values<B> {
    Values<B> values;
    if constexpr (Op::inputs != 0) {
      Operands<Op, HandleOf<B>> operands{};
      if constexpr (Op::inputs == many) operands.resize(in.size());
      for (std::size_t i = 0; i < operands.size(); ++i) operands[i] = std::move(in[i]);
      for (auto& handle : apply<B>(op, std::move(operands))) values.push_back(Dyn<B>(std::move(handle)));
    }
    return values;
  });
}
template <class B>
Dyn<B> uploaded(const TensorData& data) {
  return Dyn<B>(B::upload({}, data.spec, data.bytes.data()));
}
template <class B>
Dyn<B> weighted_sum(const Dyn<B>& x, const std::vector<double>& weights) {
  return reshape(sum(x * uploaded<B>(TensorData::from<double>(weights, x.shape())), all_axes(x.rank())), {});
}
std::vector<double> numbers(const HandleOf<P>& x) {
  std::vector<double> result(std::size_t(element_count(P::spec(x).shape)));
  P::download(x, result.data());
  return result;
}
double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double result = 0;
  for (std::size_t i = 0; i < a.size(); ++i) result += a[i] * b[i];
  return result;
}

/// The gradient of x^0 is 0 for any x, so that it has no slope in the exponent there (docs/numerics.md).
TensorData without_zeros(const TensorData& exponents) {
  auto numbers = exponents.to_vector<double>();
  std::replace(numbers.begin(), numbers.end(), 0.0, 0.25);
  return TensorData::from<double>(numbers, exponents.spec.shape);
}

/// A case in f64, and the directions. Operands that are not differentiated have empty ones.
struct Problem {
  AnyOp op;
  std::vector<Maybe> at;
  std::vector<bool> tracked;
  Directions weights;  // of the results; empty for those that may have any values or signs
  Directions u, v;

  explicit Problem(const Case& c) : op(c.op(Dtype::f64)) {
    std::uint64_t counter = 0;
    const auto direction = [&](const Shape& shape) {
      std::vector<double> result(std::size_t(element_count(shape)));
      for (double& x : result) x = std::sin(double(++counter) * 1.7);
      return result;
    };
    for (std::size_t i = 0; i < c.in.size(); ++i) {
      at.push_back(c.in[i].role == CaseArray::Role::absent ? Maybe() : operand(c.in[i], Dtype::f64));
      if (i == 1 && c.subject() == "Binary.pow") at[i] = without_zeros(*at[i]);
      tracked.push_back(at[i] && is_float(at[i]->spec.dtype) && std::find(c.constant.begin(), c.constant.end(), int(i)) == c.constant.end());
      const Shape shape = tracked[i] ? at[i]->spec.shape : Shape{0};
      u.push_back(direction(shape));
      v.push_back(direction(shape));
    }
    for (const CaseArray& out : c.out) {
      const bool counts = out.role == CaseArray::Role::varies || (out.role == CaseArray::Role::fixed && out.data.spec.dtype == Dtype::f64);
      weights.push_back(counts ? direction(out.data.spec.shape) : std::vector<double>());
    }
  }
};

/// Gradients, on backend B, of the weighted sum of all results; null where nothing arrives.
template <class B>
Values<B> gradients(const Problem& p, const Values<B>& operands) {
  using A = Autodiff<B>;
  std::vector<HandleOf<A>> in;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    HandleOf<A> x = operands[i] ? A::from_inner(operands[i].handle) : HandleOf<A>{};
    in.push_back(p.tracked[i] ? A::track(std::move(x)) : std::move(x));
  }
  const Values<A> out = run<A>(p.op, in);
  Dyn<A> loss;
  for (std::size_t o = 0; o < out.size(); ++o) {
    if (p.weights[o].empty() || !A::tracked(out[o].handle)) continue;
    const Dyn<A> part = weighted_sum<A>(out[o], p.weights[o]);
    loss = loss ? loss + part : part;
  }
  Values<B> result(operands.size());
  if (!loss || !A::tracked(loss.handle)) return result;
  const auto found = A::backward(loss.handle);
  for (std::size_t i = 0; i < in.size(); ++i)
    if (const HandleOf<B>* g = p.tracked[i] ? found.find(in[i]) : nullptr) result[i] = Dyn<B>(*g);
  return result;
}

/// d<gradient, v>/du by the tape of the tape.
double by_tape(const Problem& p) {
  Values<A1> leaves;
  for (std::size_t i = 0; i < p.at.size(); ++i) {
    Dyn<A1> x = p.at[i] ? uploaded<A1>(*p.at[i]) : Dyn<A1>();
    leaves.push_back(p.tracked[i] ? Dyn<A1>(A1::track(x.handle)) : x);
  }
  const Values<A1> first = gradients<A1>(p, leaves);
  Dyn<A1> product;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (!first[i]) continue;
    const Dyn<A1> part = weighted_sum<A1>(first[i], p.v[i]);
    product = product ? product + part : part;
  }
  double result = 0;
  if (!product || !A1::tracked(product.handle)) return result;  // the gradients are constants
  const auto second = A1::backward(product.handle);
  for (std::size_t i = 0; i < leaves.size(); ++i)
    if (const HandleOf<P>* g = p.tracked[i] ? second.find(leaves[i].handle) : nullptr) result += dot(numbers(*g), p.u[i]);
  return result;
}

/// <gradient, v> with the operands moved along u.
double along(const Problem& p, double step) {
  Values<P> operands;
  for (std::size_t i = 0; i < p.at.size(); ++i) {
    if (!p.at[i]) {
      operands.emplace_back();
    } else if (!p.tracked[i]) {
      operands.push_back(uploaded<P>(*p.at[i]));
    } else {
      auto x = p.at[i]->to_vector<double>();
      for (std::size_t k = 0; k < x.size(); ++k) x[k] += step * p.u[i][k];
      operands.push_back(uploaded<P>(TensorData::from<double>(x, p.at[i]->spec.shape)));
    }
  }
  const Values<P> first = gradients<P>(p, operands);
  double result = 0;
  for (std::size_t i = 0; i < first.size(); ++i)
    if (first[i]) result += dot(numbers(first[i].handle), p.v[i]);
  return result;
}

/// Subjects with smooth cases.
std::vector<std::string> subjects() {
  std::vector<std::string> names;
  for (const Case& c : all_cases())
    if (c.smooth && std::find(names.begin(), names.end(), c.subject()) == names.end()) names.push_back(c.subject());
  return names;
}

class SecondDerivatives : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, SecondDerivatives, testing::ValuesIn(subjects()), [](const auto& subject) {
  std::string name = subject.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

TEST_P(SecondDerivatives, equal_differences_of_gradients) {
  constexpr double h = 1e-5;
  for (const Case& c : all_cases()) {
    if (!c.smooth || c.subject() != GetParam()) continue;
    const Problem p(c);
    const double expected = (8 * (along(p, h) - along(p, -h)) - (along(p, 2 * h) - along(p, -2 * h))) / (12 * h);
    // Gradients are rounded numbers: so far may their differences be off.
    const double rounding = std::abs(along(p, 0)) * 1e-10;
    EXPECT_NEAR(by_tape(p), expected, 2e-6 * (1 + std::abs(expected)) + rounding) << c.name << ": " << to_string(p.op);
  }
}

// By hand: of sum w exp(x) it is sum w exp(x) u v.
TEST(SecondDerivatives, of_exp_by_hand) {
  const auto& cases = all_cases();
  const auto exp = std::find_if(cases.begin(), cases.end(), [](const Case& c) { return c.name == "unary.exp"; });
  ASSERT_NE(exp, cases.end());
  const Problem p(*exp);
  const auto x = p.at[0]->to_vector<double>();
  double expected = 0;
  for (std::size_t i = 0; i < x.size(); ++i) expected += p.weights[0][i] * std::exp(x[i]) * p.u[0][i] * p.v[0][i];
  EXPECT_GT(std::abs(expected), 0.1);
  EXPECT_NEAR(by_tape(p), expected, 1e-10);
}

// x^0 is 1 for every x, so its gradient of x is 0, and stays so when the exponent is asked next.
TEST(SecondDerivatives, of_a_power_whose_exponent_is_0) {
  using A2 = Autodiff<A1>;
  const auto leaf = [](double x) { return A1::track(uploaded<A1>(TensorData::from<double>(std::vector<double>{x}, {1})).handle); };
  const auto base = leaf(2), exponent = leaf(0);
  const auto x = A2::track(A2::from_inner(base)), e = A2::track(A2::from_inner(exponent));
  const Values<A2> y = run<A2>(op::Binary{BinaryCode::pow}, {x, e});
  const auto first = A2::backward(y[0].handle);
  ASSERT_TRUE(first.find(x) && first.find(e));
  EXPECT_EQ(numbers(first.find(x)->value), std::vector<double>{0});
  EXPECT_NEAR(numbers(first.find(e)->value)[0], std::log(2.0), 1e-15);
  ASSERT_TRUE(A1::tracked(*first.find(x)));
  const auto second = A1::backward(*first.find(x));
  ASSERT_TRUE(second.find(exponent));
  EXPECT_EQ(numbers(*second.find(exponent)), std::vector<double>{0});
}

}  // namespace
}  // namespace hearth::test
