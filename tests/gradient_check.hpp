// tests/gradient_check: gradients and second derivatives against central differences, in f64.
// A function under test is written once for any stack; it runs on Portable for the differences, on Autodiff<Portable> for gradients
// and on Autodiff<Autodiff<Portable>> for the gradients of gradients.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>

#include "hearth/autodiff/autodiff.hpp"
#include "portable_arrays.hpp"

namespace hearth::test {

using P = Portable;
using A1 = Autodiff<P>;
using A2 = Autodiff<A1>;
template <class S>
using Values = std::vector<Dyn<S>>;

/// The same function on the three stacks.
struct Function {
  std::string name;
  std::function<Values<P>(Values<P>)> plain;
  std::function<Values<A1>(Values<A1>)> once;
  std::function<Values<A2>(Values<A2>)> twice;
};
/// f: any callable that takes Values<S> and returns Values<S>, for every S.
template <class F>
Function function(std::string name, F f) {
  return {std::move(name), [f](Values<P> in) { return f(std::move(in)); }, [f](Values<A1> in) { return f(std::move(in)); },
          [f](Values<A2> in) { return f(std::move(in)); }};
}
/// One op, its float results.
template <class Op>
Function function(const Op& op) {
  return function(to_string(op), [op]<class S>(Values<S> in) {
    Operands<Op, HandleOf<S>> operands{};
    if constexpr (Op::inputs == many) operands.resize(in.size());
    for (std::size_t i = 0; i < operands.size(); ++i) operands[i] = std::move(in[i].handle);
    Values<S> out;
    for (auto& result : apply<S>(op, std::move(operands))) out.push_back(Dyn<S>(std::move(result)));
    return out;
  });
}

/// Numbers in [low, high], each different, in no order. Even steps apart: no two are closer than (high - low) / (2 count).
inline Handle spread(const Shape& shape, double low, double high, int seed = 1) {
  const std::int64_t count = element_count(shape);
  std::int64_t step = count * 5 / 8 + 1;  // coprime to the count, so that i * step mod count permutes
  auto coprime = [&](std::int64_t a) {
    for (std::int64_t b = count; b;) std::swap(a, b), b %= a;
    return a == 1;
  };
  while (!coprime(step)) ++step;
  std::vector<double> numbers;
  for (std::int64_t i = 0; i < count; ++i)
    numbers.push_back(low + (high - low) * (double((i * step + seed * 7) % count) + 0.25 + 0.01 * (i % 3)) / double(count));
  return from_doubles(Dtype::f64, shape, numbers);
}

struct CheckOptions {
  double step = 1e-5, tolerance = 2e-7;  ///< of the differences; relative to 1 + |expected|
  bool second = true;
  std::vector<int> constant;  ///< operands that are not differentiated though they are floats
};

namespace detail {

inline bool varies(const std::vector<Handle>& in, std::size_t i, const CheckOptions& options) {
  for (int c : options.constant)
    if (std::size_t(c) == i) return false;
  return in[i] && is_float(in[i]->spec.dtype);
}
/// Weights for the elements of a result or gradient, so that no error cancels.
inline std::vector<double> weights(std::int64_t count, int seed) {
  std::vector<double> result;
  for (std::int64_t i = 0; i < count; ++i) result.push_back(0.5 + double((i * 29 + seed * 13 + 5) % 17) / 16);
  return result;
}
inline Handle weights_like(const Spec& spec, int seed) { return from_doubles(spec.dtype, spec.shape, weights(element_count(spec.shape), seed)); }

/// The weighted sum of all float results.
template <class S, class Wrap>
Dyn<S> total(const Values<S>& out, int seed, Wrap wrap) {
  Dyn<S> sum_of_all;
  for (const auto& result : out) {
    if (!is_float(result.dtype())) continue;
    Dyn<S> weighted = result * Dyn<S>(wrap(weights_like(result.spec(), seed++)));
    Dyn<S> sum_of_one = reshape(sum(std::move(weighted), all_axes(result.rank())), {});
    sum_of_all = sum_of_all ? sum_of_all + sum_of_one : sum_of_one;
  }
  return sum_of_all;
}
inline A1::Handle wrap1(Handle x) { return A1::from_inner(std::move(x)); }
inline A2::Handle wrap2(Handle x) { return A2::from_inner(wrap1(std::move(x))); }

inline double loss(const Function& f, const std::vector<Handle>& in) {
  Values<P> operands;
  for (auto& x : in) operands.push_back(Dyn<P>(x));
  return doubles(total<P>(f.plain(operands), 1, [](Handle x) { return x; }).handle)[0];
}
/// Gradients of the weighted sum, null for constants.
inline std::vector<Handle> gradients(const Function& f, const std::vector<Handle>& in, const CheckOptions& options) {
  Values<A1> operands;
  for (std::size_t i = 0; i < in.size(); ++i) {
    A1::Handle x = in[i] ? wrap1(in[i]) : A1::Handle{};
    operands.push_back(Dyn<A1>(varies(in, i, options) ? A1::track(std::move(x)) : x));
  }
  const auto sum_of_all = total<A1>(f.once(operands), 1, wrap1);
  const auto found = A1::backward(sum_of_all.handle);
  std::vector<Handle> result;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const Handle* g = varies(in, i, options) ? found.find(operands[i].handle) : nullptr;
    EXPECT_EQ(bool(g), varies(in, i, options)) << f.name << ": gradient of operand " << i;
    if (g) {
      EXPECT_EQ((*g)->spec, in[i]->spec) << f.name << ": gradient of operand " << i;
    }
    result.push_back(g ? *g : Handle{});
  }
  return result;
}
/// The sum of all gradients, each weighted.
inline double gradient_loss(const Function& f, const std::vector<Handle>& in, const CheckOptions& options) {
  double result = 0;
  const auto all = gradients(f, in, options);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i]) {
      const auto g = doubles(all[i]), w = weights(std::int64_t(g.size()), 20 + int(i));
      for (std::size_t k = 0; k < g.size(); ++k) result += g[k] * w[k];
    }
  return result;
}
/// d(gradient_loss)/d(operands), by backward of backward.
inline std::vector<Handle> second_derivatives(const Function& f, const std::vector<Handle>& in, const CheckOptions& options) {
  Values<A2> operands;
  std::vector<A1::Handle> inner;
  for (std::size_t i = 0; i < in.size(); ++i) {
    inner.push_back(in[i] ? wrap1(in[i]) : A1::Handle{});
    if (varies(in, i, options)) inner.back() = A1::track(inner.back());
    A2::Handle x = A2::from_inner(inner.back());
    operands.push_back(Dyn<A2>(varies(in, i, options) ? A2::track(std::move(x)) : x));
  }
  const auto found = A2::backward(total<A2>(f.twice(operands), 1, wrap2).handle);
  Dyn<A1> sum_of_all;
  for (std::size_t i = 0; i < in.size(); ++i)
    if (const A1::Handle* g = varies(in, i, options) ? found.find(operands[i].handle) : nullptr) {
      const Dyn<A1> gradient(*g);
      const Dyn<A1> weighted = sum(gradient * Dyn<A1>(wrap1(weights_like(gradient.spec(), 20 + int(i)))), all_axes(gradient.rank()));
      sum_of_all = sum_of_all ? sum_of_all + reshape(weighted, {}) : reshape(weighted, {});
    }
  std::vector<Handle> result(in.size());
  if (!sum_of_all.handle.node) return result;  // the gradients are constants
  const auto second = A1::backward(sum_of_all.handle);
  for (std::size_t i = 0; i < in.size(); ++i)
    if (const Handle* g = second.find(inner[i])) result[i] = *g;
  return result;
}

/// `got` against the differences of `loss` over each element of each operand; a null gradient stands for zeros.
inline void compare(const std::string& what, const std::vector<Handle>& in, const std::vector<Handle>& got, const CheckOptions& options,
                    const std::function<double(const std::vector<Handle>&)>& loss_of) {
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (!varies(in, i, options)) continue;
    const auto x = doubles(in[i]);
    const auto g = got[i] ? doubles(got[i]) : std::vector<double>(x.size(), 0);
    for (std::size_t k = 0; k < x.size(); ++k) {
      auto moved = [&](double by) {
        auto changed = x;
        changed[k] += by;
        auto operands = in;
        operands[i] = from_doubles(in[i]->spec.dtype, in[i]->spec.shape, changed);
        return loss_of(operands);
      };
      // Two step lengths: the error of the fourth order goes.
      const double h = options.step;
      const double expected = (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h);
      ASSERT_NEAR(g[k], expected, options.tolerance * (1 + std::abs(expected))) << what << ", operand " << i << ", element " << k;
    }
  }
}

}  // namespace detail

/// Gradients and, unless told otherwise, second derivatives; operands as they are and under awkward strides.
inline void check_gradients(const Function& f, const std::vector<Handle>& in, CheckOptions options = {}) {
  const auto first = detail::gradients(f, in, options);
  detail::compare(f.name, in, first, options, [&](const std::vector<Handle>& at) { return detail::loss(f, at); });
  if (::testing::Test::HasFatalFailure()) return;

  std::vector<Handle> views;
  for (auto& x : in) views.push_back(x ? strided(x) : x);
  const auto of_views = detail::gradients(f, views, options);
  for (std::size_t i = 0; i < in.size(); ++i)
    if (first[i]) expect_near(doubles(of_views[i]), doubles(first[i]), 1e-12, f.name + " through a view, operand " + std::to_string(i));

  if (!options.second) return;
  options.tolerance *= 10;
  const auto second = detail::second_derivatives(f, in, options);
  detail::compare("second derivative of " + f.name, in, second, options, [&](const std::vector<Handle>& at) { return detail::gradient_loss(f, at, options); });
}

}  // namespace hearth::test
