// tests/unit/cpu_fft: Fourier transforms of Cpu against the definition and against Portable.
// SPDX-License-Identifier: Apache-2.0
#include "cpu_arrays.hpp"

using namespace hearth;
using namespace hearth::test;

namespace {

using Numbers = std::vector<double>;

/// The definition, in long double, of one line of complex numbers.
Numbers transformed(const Numbers& x, bool inverse) {
  const std::size_t n = x.size() / 2;
  Numbers y(x.size());
  const long double pi = 3.14159265358979323846264338327950288L;
  for (std::size_t k = 0; k < n; ++k) {
    long double real = 0, imaginary = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const long double angle = (inverse ? 2 : -2) * pi * (long double)(j * k % n) / (long double)n, c = std::cos(angle), s = std::sin(angle);
      real += x[2 * j] * c - x[2 * j + 1] * s;
      imaginary += x[2 * j] * s + x[2 * j + 1] * c;
    }
    y[2 * k] = double(real);
    y[2 * k + 1] = double(imaginary);
  }
  return y;
}

TEST(cpu_fft, equals_the_definition_at_many_lengths) {
  Random random(1);
  for (std::int64_t n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 20, 25, 27, 30, 31, 32, 36, 45, 49, 60, 64, 77, 97, 100, 120, 125, 127, 128, 210, 243, 256, 257, 360, 509, 512, 625, 1000}) {
    const Numbers x = reals(random, 2 * n);
    for (bool inverse : {false, true}) {
      const Numbers expected = transformed(x, inverse);
      double size = 0;
      for (double v : expected) size = std::max(size, std::abs(v));
      for (Dtype dtype : {Dtype::f64, Dtype::f32}) {
        const Numbers got = numbers(Cpu::run(op::Fft{0, inverse, Norm::none}, {upload<Cpu>({dtype, {n, 2}}, x)})[0]);
        for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], expected[i], size * (dtype == Dtype::f64 ? 2e-15 : 2e-7) * (1 + std::log2(double(n)))) << n << " " << i;
      }
    }
  }
}

TEST(cpu_fft, equals_portable_along_any_axis) {
  Random random(2);
  for (int round = 0; round < 60; ++round) {
    Shape shape;
    const int rank = int(pick(random, 1, 4));
    for (int i = 0; i < rank; ++i) shape.push(pick(random, 1, 14));
    shape.push(2);
    const Dtype dtype = random() % 2 ? Dtype::f64 : Dtype::f32;
    const op::Fft op{int(pick(random, -rank, rank - 1)), random() % 2 == 0, Norm(random() % 3)};
    compare_with_portable(op, {{{dtype, shape}, reals(random, element_count(shape))}}, 20 * epsilon_of(dtype), random);
    if (HasFatalFailure()) return;
  }
}

TEST(cpu_fft, long_lines_come_back) {
  Random random(3);
  for (std::int64_t n : {4096, 30030, 65537, 131072}) {
    const Numbers x = reals(random, 2 * n);
    const auto there = Cpu::run(op::Fft{-1, false, Norm::orthogonal}, {upload<Cpu>({Dtype::f64, {n, 2}}, x)})[0];
    expect_close(numbers(Cpu::run(op::Fft{-1, true, Norm::orthogonal}, {there})[0]), x, 1e-13, std::to_string(n));
  }
}

TEST(cpu_fft, by_hand) {
  const auto x = upload<Cpu>({Dtype::f32, {4, 2}}, {1, 0, 2, 0, 3, 0, 4, 0});
  EXPECT_EQ(numbers(Cpu::run(op::Fft{0, false, Norm::none}, {x})[0]), (Numbers{10, 0, -2, 2, -2, 0, -2, -2}));
  EXPECT_EQ(numbers(Cpu::run(op::Fft{0, true, Norm::none}, {x})[0]), (Numbers{10, 0, -2, -2, -2, 0, -2, 2}));
  EXPECT_EQ(numbers(Cpu::run(op::Fft{0, false, Norm::forward}, {x})[0]), (Numbers{2.5, 0, -.5, .5, -.5, 0, -.5, -.5}));
  EXPECT_EQ(Cpu::spec(Cpu::run(op::Fft{0, false, Norm::none}, {upload<Cpu>({Dtype::f32, {0, 2}}, {})})[0]).shape, (Shape{0, 2}));
}

}  // namespace
