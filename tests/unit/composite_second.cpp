// Decompositions can be differentiated without their rules, and rules can be differentiated again.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "fixtures/composite_cases.hpp"
#include "fixtures/composite_fixture.hpp"
#include "hearth/autodiff/autodiff-inl.hpp"
#include "hearth/backend/apply-inl.hpp"
#include "hearth/portable.hpp"

namespace {

using namespace hearth;
using B = Portable;

/// The gradients (of inner backend X) of the seeded sum of results, for those operands that are floats; null for the others.
template <bool whole, class X, class Op>
std::vector<Dyn<X>> gradients_of(const std::string& name, const Op& op, const std::vector<Dyn<X>>& operands) {
  using A = Autodiff<X>;
  Operands<Op, typename A::Handle> in{};
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] = A::from_inner(operands[i].handle);
    if (operands[i] && is_float(operands[i].dtype())) in[i] = A::track(in[i]);
  }
  Results<Op, typename A::Handle> out;
  if constexpr (whole) out = apply<A>(op, in);
  else out = decompose<A>(op, in);
  Dyn<A> loss;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Dyn<A> y(out[i]), seed = fixture::operand<A>(name + ".seed" + std::to_string(i), Dtype::f64);
    auto part = reshape(sum(y * seed, all_axes(y.rank())), {});
    loss = loss ? loss + part : part;
  }
  auto found = A::backward(loss.handle);
  std::vector<Dyn<X>> result;
  for (const auto& handle : in) {
    const auto* g = handle && A::tracked(handle) ? found.find(handle) : nullptr;
    result.push_back(g ? Dyn<X>(*g) : Dyn<X>());
  }
  return result;
}

template <class X>
std::vector<Dyn<X>> operands_of(const std::string& name, const fixture::Names& names) {
  std::vector<Dyn<X>> operands;
  for (const std::string& full : fixture::full_names(name, names)) operands.push_back(fixture::operand<X>(full, Dtype::f64));
  return operands;
}

TEST(CompositeSecond, decompositions_are_differentiable) {
  fixture::each_case([](const std::string& name, const auto& op, const fixture::Names& names) {
    // At a kink between two padded elements Clamp and PyTorch's border padding may differ; none of the fixtures has one.
    const auto gradients = gradients_of<false, B>(name, op, operands_of<B>(name, names));
    for (std::size_t i = 0; i < names.size(); ++i)
      if (gradients[i]) fixture::expect_fixture(gradients[i], name + ".d_" + names[i], 1e-8);
  });
}

double dot(const Dyn<B>& a, const std::vector<double>& b) {
  double total = 0;
  const auto values = fixture::download(a);
  for (std::size_t i = 0; i < values.size(); ++i) total += values[i] * b[i];
  return total;
}

// With directions u and v: the derivative along u of <gradient, v>, by the tape of the tape and by central differences.
TEST(CompositeSecond, rules_are_differentiable) {
  fixture::each_case([](const std::string& name, const auto& op, const fixture::Names& names) {
    using A = Autodiff<B>;
    if (name.ends_with(".large")) return;  // of 1e4, where differences have no digits
    const auto start = operands_of<B>(name, names);
    std::vector<std::vector<double>> u(start.size()), v(start.size());
    std::uint64_t counter = 0;
    for (std::size_t i = 0; i < start.size(); ++i)
      for (std::int64_t k = start[i] ? element_count(start[i].shape()) : 0; k > 0; --k)
        for (auto* direction : {&u[i], &v[i]}) direction->push_back(std::sin(double(++counter) * 1.7));

    std::vector<Dyn<A>> leaves;
    for (const Dyn<B>& x : start) {
      auto leaf = A::from_inner(x.handle);
      leaves.push_back(Dyn<A>(x && is_float(x.dtype()) ? A::track(leaf) : leaf));
    }
    const auto first = gradients_of<true, A>(name, op, leaves);
    Dyn<A> product;
    for (std::size_t i = 0; i < first.size(); ++i) {
      if (!first[i]) continue;
      auto part = reshape(sum(first[i] * fixture::upload<A>(first[i].spec(), v[i]), all_axes(first[i].rank())), {});
      product = product ? product + part : part;
    }
    double by_tape = 0;
    if (A::tracked(product.handle)) {
      const auto second = A::backward(product.handle);
      for (std::size_t i = 0; i < leaves.size(); ++i)
        if (const auto* g = second.find(leaves[i].handle)) by_tape += dot(Dyn<B>(*g), u[i]);
    }

    const auto along = [&](double step) {
      auto operands = start;
      for (std::size_t i = 0; i < operands.size(); ++i)
        if (operands[i] && is_float(operands[i].dtype())) operands[i] = operands[i] + fixture::upload<B>(operands[i].spec(), u[i]) * step;
      const auto g = gradients_of<true, B>(name, op, operands);
      double total = 0;
      for (std::size_t i = 0; i < g.size(); ++i)
        if (g[i]) total += dot(g[i], v[i]);
      return total;
    };
    const double step = 1e-5, by_differences = (along(step) - along(-step)) / (2 * step);
    EXPECT_NEAR(by_tape, by_differences, 1e-5 * std::max(1.0, std::abs(by_differences))) << name;
  });
}

}  // namespace
