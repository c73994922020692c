#!/bin/sh
# Adding a unary op is one row. In a scratch copy of the tree one is written into unary.def and nothing else is touched; then the op has
# a function, a name, a value on every backend, a gradient, a place in the gradient check, and its line in the reference.
#   sh tests/structure/add_an_op.sh <source dir> <scratch dir> <compiler> <"backend backend..."> [compiler launcher]
# With more than the portable backend the gradient check and the reference are built and run too, which takes minutes.
# SPDX-License-Identifier: Apache-2.0
set -eu
source=$1 scratch=$2 compiler=$3 backends=$4 launcher=${5:-}
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$source"
cp -r CMakeLists.txt README.md cmake include src backends tests docs "$scratch"
cd "$scratch"

# The Gudermannian: gd(x) = 2 atan(tanh(x / 2)), gd'(x) = 1 / cosh(x).
echo 'HEARTH_UNARY(gudermannian, F, -2., 2., 2 * atan(tanh(0.5 * x)), g / cosh(x), "The Gudermannian function of x.")' > row
case $(tail -n 1 include/hearth/op/unary.def) in HEARTH_UNARY*) ;; *) echo "unary.def does not end with a row"; exit 1 ;; esac
cat row >> include/hearth/op/unary.def

cat > program.cpp <<'END'
#include <hearth/built.hpp>
#include <hearth/hearth.hpp>
#include <cmath>
#include <cstdio>
using namespace hearth;
int wrong = 0;
void check(const char* what, double value, double expected, double tolerance) {
  std::printf("%s %.9g, expected %.9g\n", what, value, expected);
  if (!(std::abs(value - expected) <= tolerance)) ++wrong;
}
template <class B>
void on() {
  std::printf("%s\n", B::name().c_str());
  using A = Autodiff<B>;
  // By the textbook: gd(1), gd(-1) = -gd(1), and 1 / cosh(1) for both.
  const double value = 0.86576948323965862, slope = 0.64805427366388540;
  check("value", gudermannian(tensor<B>({1., -1.}))[0].template item<double>(), value, 1e-6);
  check("value in f64", gudermannian(tensor<B>({1., -1.}).cast(Dtype::f64))[1].template item<double>(), -value, 1e-12);
  auto x = require_gradient(tensor<A>({1., -1.}).cast(Dtype::f64));
  const auto gradient = gradient_of(x, backward(gudermannian(x).sum()));
  check("gradient", gradient[0].template item<double>(), slope, 1e-12);
  check("gradient", gradient[1].template item<double>(), slope, 1e-12);
}
int main() {
#define HEARTH_ON(name, Backend) on<Backend>();
  HEARTH_BUILT_BACKENDS(HEARTH_ON)
  const std::string text = to_string(op::Unary{UnaryCode::gudermannian});
  std::printf("%s\n", text.c_str());
  if (text.find("gudermannian") == std::string::npos) ++wrong;
  return wrong;
}
END

# Little optimisation: the library is built to be looked at, not to be fast.
full=OFF
[ "$backends" = portable ] || full=ON
cmake -S . -B build/op -G Ninja -DHEARTH_BACKENDS="$(echo "$backends" | tr ' ' ';')" -DHEARTH_TESTS=$full -DHEARTH_EXAMPLES=OFF -DHEARTH_INSTALL=OFF -DCMAKE_BUILD_TYPE=Debug \
  -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DCMAKE_CXX_COMPILER="$compiler" ${launcher:+"-DCMAKE_CXX_COMPILER_LAUNCHER=$launcher"} > /dev/null
cmake --build build/op -j 1 --target hearth | tail -n 1
includes="-Iinclude -Ibuild/op/include"
for folder in backends/*/include; do includes="$includes -I$folder"; done
libraries="-lz"
[ "$backends" = portable ] || libraries="-ltbb -lhwy -lz"
"$compiler" -std=c++20 $includes program.cpp build/op/libhearth.a $libraries -o program
./program

# In the gradient check, whose rows these are.
"$compiler" -std=c++20 $includes -Itests -E -P tests/unit/autodiff_gradients.cpp | grep -q 'UnaryCode::gudermannian}), {spread'
if [ $full = ON ]; then
  cmake --build build/op -j 1 --target unit_autodiff_gradients | tail -n 1
  ./build/op/tests/unit_autodiff_gradients --gtest_filter='Gradients.unary'
fi
# In the reference: its line is compiled into the program that writes docs/ops.md, and, where that is built, into what it writes.
"$compiler" -std=c++20 $includes -Itests -E -P tests/docs/ops.cpp | grep -q '"The Gudermannian function of x\."'
if [ $full = ON ]; then
  if grep -q gudermannian docs/ops.md; then echo "docs/ops.md knows the op before it is written"; exit 1; fi
  cmake --build build/op -j 1 --target docs_ops | tail -n 1
  ./build/op/tests/docs/docs_ops --write
  grep -q '`gudermannian`.*The Gudermannian function of x\.' docs/ops.md
fi
