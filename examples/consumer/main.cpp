// consumer: what a project does that has Hearth installed: tensors and training on a shipped backend, the same code on a backend of its
// own, and second derivatives.
// SPDX-License-Identifier: Apache-2.0
#include <hearth/cpu.hpp>
#include <hearth/hearth.hpp>

#include <cmath>
#include <iostream>

#include "my_backend.hpp"

using namespace hearth;

/// Fits y = 2 x0 - 3 x1 + 1 and returns how far the weights are from that.
template <Backend B>
double fit() {
  const auto x = tensor<B>({{0., 0.}, {1., 0.}, {0., 1.}, {1., 1.}, {2., 1.}, {1., 2.}});
  const auto y = 2 * x[{index::s(), index::s(0, 1)}] - 3 * x[{index::s(), index::s(1, 2)}] + 1;
  manual_seed<B>(3);
  auto model = make_linear<B>(2, 1);
  Optimizer optimizer(Sgd{.rate = 0.1, .momentum = 0.9}, model);
  for (int step = 0; step < 300; ++step) optimizer.step(model, backward(mse_loss(model(x), y)));
  const auto weight = model.weight.to_vector();
  return std::abs(weight[0] - 2) + std::abs(weight[1] + 3) + std::abs(model.bias->template item<float>() - 1);
}

/// The second derivative of x^3 + sin(x).
template <Backend B>
double second_derivative(double at) {
  using Outer = Autodiff<Autodiff<B>>;
  auto x = require_gradient(tensor<Autodiff<B>>(at));
  auto y = require_gradient(from_inner(x));
  const auto first = gradient_of(y, backward(y * y * y + sin(y)));
  static_assert(std::same_as<decltype(y), Tensor<Outer, 0>>);
  return gradient_of(x, backward(first)).item();
}

int main() try {
  const double on_cpu = fit<Autodiff<Cpu>>(), on_mine = fit<Autodiff<mine::Backend>>();
  std::cout << "fitted to within " << on_cpu << " on " << Cpu::name() << " and " << on_mine << " on " << mine::Backend::name() << ", which ran "
            << mine::Backend::ops << " ops\n";

  const double second = second_derivative<Cpu>(0.5), expected = 6 * 0.5 - std::sin(0.5);
  std::cout << "second derivative " << second << ", by hand " << expected << '\n';
  return on_cpu < 1e-3 && on_mine < 1e-3 && mine::Backend::ops > 1000 && std::abs(second - expected) < 1e-5 ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << "consumer: " << error.what() << '\n';
  return 1;
}
