// backend/decompositions/steps: one step of an optimiser, over lists of parameters, as PyTorch defines it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>

#include "common.hpp"

namespace hearth {

namespace detail {

/// Operands that follow one another in lists of `count`: operand i of list l.
template <class B>
struct StepLists {
  std::vector<Dyn<B>> in;
  std::size_t count;

  Dyn<B>& at(std::size_t list, std::size_t i) { return in[list * count + i]; }
  /// Taken out, in the dtype that it is computed in.
  Dyn<B> take(std::size_t list, std::size_t i) { return accumulated(std::move(at(list, i))); }
};

/// The gradient with weight decay as a penalty on the parameter.
template <class B>
Dyn<B> decayed(Dyn<B> gradient, const Dyn<B>& parameter, double weight_decay) {
  return weight_decay != 0 ? std::move(gradient) + parameter * weight_decay : gradient;
}
/// (1 - rate) * average + rate * x
template <class B>
Dyn<B> moved_average(Dyn<B> average, Dyn<B> x, double rate) {
  return std::move(average) * (1 - rate) + std::move(x) * rate;
}

}  // namespace detail

template <>
struct Decomposition<op::SgdStep> {
  template <class B>
  static std::vector<Dyn<B>> run(const op::SgdStep& op, std::vector<Dyn<B>> in) {
    using namespace detail;
    const std::size_t count = std::size_t(op.count);
    StepLists<B> lists{std::move(in), count};
    std::vector<Dyn<B>> out(op.momentum != 0 ? 2 * count : count);
    for (std::size_t i = 0; i < count; ++i) {
      const Dtype dtype = lists.at(0, i).dtype();
      auto parameter = lists.take(0, i);
      auto change = decayed(lists.take(1, i), parameter, op.weight_decay);
      if (op.momentum != 0) {
        const Dtype momentum_dtype = lists.at(2, i).dtype();
        auto momentum = op.first ? change : lists.take(2, i) * op.momentum + change * (1 - op.dampening);
        change = op.nesterov ? std::move(change) + momentum * op.momentum : momentum;
        out[count + i] = converted(std::move(momentum), momentum_dtype);
      }
      out[i] = converted(std::move(parameter) - std::move(change) * op.rate, dtype);
    }
    return out;
  }
};

template <>
struct Decomposition<op::AdamStep> {
  template <class B>
  static std::vector<Dyn<B>> run(const op::AdamStep& op, std::vector<Dyn<B>> in) {
    using namespace detail;
    const std::size_t count = std::size_t(op.count);
    const double correction1 = 1 - std::pow(op.beta1, double(op.step)), correction2 = 1 - std::pow(op.beta2, double(op.step));
    StepLists<B> lists{std::move(in), count};
    std::vector<Dyn<B>> out(3 * count);
    for (std::size_t i = 0; i < count; ++i) {
      const Dtype dtype = lists.at(0, i).dtype(), first_dtype = lists.at(2, i).dtype(), second_dtype = lists.at(3, i).dtype();
      auto parameter = lists.take(0, i), gradient = lists.take(1, i);
      if (!op.decoupled) gradient = decayed(std::move(gradient), parameter, op.weight_decay);
      else if (op.weight_decay != 0) parameter = std::move(parameter) * (1 - op.rate * op.weight_decay);
      auto first = moved_average(lists.take(2, i), gradient, 1 - op.beta1);
      auto second = moved_average(lists.take(3, i), square(std::move(gradient)), 1 - op.beta2);
      auto scale = sqrt(second) / std::sqrt(correction2) + op.epsilon;
      out[i] = converted(std::move(parameter) - first * (op.rate / correction1) / std::move(scale), dtype);
      out[count + i] = converted(std::move(first), first_dtype);
      out[2 * count + i] = converted(std::move(second), second_dtype);
    }
    return out;
  }
};

template <>
struct Decomposition<op::RmsPropStep> {
  template <class B>
  static std::vector<Dyn<B>> run(const op::RmsPropStep& op, std::vector<Dyn<B>> in) {
    using namespace detail;
    const std::size_t count = std::size_t(op.count);
    const std::size_t momenta = op.centered ? 4 : 3;  // which list they are; in the results one list less comes before
    StepLists<B> lists{std::move(in), count};
    std::vector<Dyn<B>> out(lists.in.size() - count);
    for (std::size_t i = 0; i < count; ++i) {
      const Dtype dtype = lists.at(0, i).dtype(), square_dtype = lists.at(2, i).dtype();
      auto parameter = lists.take(0, i);
      auto gradient = decayed(lists.take(1, i), parameter, op.weight_decay);
      auto squares = moved_average(lists.take(2, i), square(gradient), 1 - op.alpha);
      auto variance = squares;
      out[count + i] = converted(std::move(squares), square_dtype);
      if (op.centered) {
        const Dtype mean_dtype = lists.at(3, i).dtype();
        auto average = moved_average(lists.take(3, i), gradient, 1 - op.alpha);
        variance = std::move(variance) - square(average);
        out[2 * count + i] = converted(std::move(average), mean_dtype);
      }
      auto change = std::move(gradient) / (sqrt(std::move(variance)) + op.epsilon);
      if (op.momentum > 0) {
        const Dtype momentum_dtype = lists.at(momenta, i).dtype();
        change = lists.take(momenta, i) * op.momentum + std::move(change);
        out[(momenta - 1) * count + i] = converted(change, momentum_dtype);
      }
      out[i] = converted(std::move(parameter) - std::move(change) * op.rate, dtype);
    }
    return out;
  }
};

}  // namespace hearth
