// families: one op of each family on each backend that Hearth was built with, and a word on each that it was built without. A program
// linked in any of the ways that tests/package/run.sh tries must find all of them: no op may hang on something that a linker drops.
//   families [backend that must be there...]
// SPDX-License-Identifier: Apache-2.0
#include <hearth/hearth.hpp>
#include <hearth/infer.hpp>
#include <hearth/serve.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

using namespace hearth;

namespace {

int failures = 0;
void check(const char* family, double value, double expected) {
  if (std::abs(value - expected) <= 1e-5) return;
  std::printf("%s gives %g, not %g\n", family, value, expected);
  ++failures;
}

template <class B>
void each_family() {
  const auto x = tensor<B>({{1., 2.}, {3., 4.}});
  check("make", full<B>({2, 3}, 2).sum().item(), 12);
  manual_seed<B>(1);
  check("random", randn<B>({4}).size(0), 4);
  check("elementwise", exp(x - x).sum().item(), 4);
  check("view", x.permute({1, 0})[0].sum().item(), 4);
  check("move", concat({x, x}, 0).gather(0, zeros<B, Int>({1, 2})).sum().item(), 3);
  check("reduce", x.mean().item(), 2.5);
  check("scan", x.cumsum(0)[1].sum().item(), 10);
  check("sort", x.sort(1, descending).values[0][0].item(), 2);
  check("matmul", matmul(x, x).sum().item(), 54);
  check("convolution", conv2d(x.reshape({1, 1, 2, 2}), ones<B>({1, 1, 2, 2})).sum().item(), 10);
  check("pool", max_pool2d(x.reshape({1, 1, 2, 2}), 2).sum().item(), 4);
  check("solve", cholesky(matmul(x.transpose(), x))[0][0].item(), std::sqrt(10.));
  check("transform", as_tensor<2>(call<B>(op::RealFft{}, ones<B>({4}).dyn)).sum().item(), 4);
  check("value-sized", double(nonzero(x - 1).size(0)), 3);
  check("low bits", as_tensor<1>(call<B>(op::FakeQuantize{}, tensor<B>({0.5, 300.}).dyn, tensor<B>(1.).dyn, Dyn<B>())).sum().item(), 127);
  check("composite", softmax(x, 1).sum().item(), 2);
}

template <class B>
void backend() {
  each_family<B>();
  using A = Autodiff<B>;
  each_family<A>();
  auto w = require_gradient(tensor<A>({1., 2.}));
  check("gradient", gradient_of(w, backward((w * w).sum())).sum().item(), 6);
  std::printf("%s runs one op of each family\n", B::name().c_str());
}

}  // namespace

int main(int count, char** arguments) try {
#define HEARTH_BUILT(name, Backend) backend<Backend>();
  HEARTH_BUILT_BACKENDS(HEARTH_BUILT)
  // Whoever is not there says why.
  const auto known = backends();
  for (const BackendStatus& status : known) {
    std::printf("%s: %s\n", status.name.c_str(), status.available ? "available" : status.reason.c_str());
    if (!status.available && status.reason.empty()) ++failures;
  }
  for (int i = 1; i < count; ++i)
    if (std::none_of(known.begin(), known.end(), [&](const auto& status) { return status.available && status.name == arguments[i]; })) {
      std::printf("%s is not available\n", arguments[i]);
      ++failures;
    }
  return failures;
} catch (const Error& error) {
  std::printf("families: %s\n", error.what());
  return 1;
}
