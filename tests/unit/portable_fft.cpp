// tests/unit/portable_fft: Portable's Fourier transform against the sum that defines it.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "portable_arrays.hpp"

using namespace hearth;
using namespace hearth::test;

namespace {

/// x and the result as real, imaginary, real, ...
std::vector<double> by_definition(const std::vector<double>& x, bool inverse, double factor) {
  const std::size_t n = x.size() / 2;
  std::vector<double> y(2 * n);
  std::vector<long double> cosine, sine;
  for (std::size_t k = 0; k < n; ++k) {
    const long double angle = (inverse ? 2 : -2) * 3.14159265358979323846264338327950288L * (long double)k / (long double)n;
    cosine.push_back(std::cos(angle));
    sine.push_back(std::sin(angle));
  }
  for (std::size_t j = 0; j < n; ++j) {
    long double real = 0, imaginary = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const long double c = cosine[j * k % n], s = sine[j * k % n];
      real += x[2 * k] * c - x[2 * k + 1] * s;
      imaginary += x[2 * k] * s + x[2 * k + 1] * c;
    }
    y[2 * j] = double(real * factor);
    y[2 * j + 1] = double(imaginary * factor);
  }
  return y;
}
Handle fft(const Handle& x, const op::Fft& op) { return Portable::run(op, {x})[0]; }

TEST(portable_fft, every_length) {
  std::vector<std::int64_t> lengths = {97, 128, 1000};
  for (std::int64_t n = 1; n <= 40; ++n) lengths.push_back(n);
  for (std::int64_t n : lengths)
    for (bool inverse : {false, true}) {
      const Handle x = patterned(Dtype::f64, {n, 2}, 1);
      const std::vector<double> expected = by_definition(doubles(x), inverse, 1);
      expect_near(doubles(fft(x, {-1, inverse, Norm::none})), expected, 1e-14 * double(n + 10), "length " + std::to_string(n));
      const Handle single = patterned(Dtype::f32, {n, 2}, 1);
      expect_near(doubles(fft(single, {0, inverse, Norm::none})), expected, 1e-6 * double(n + 10), "f32 length " + std::to_string(n));
    }
}

TEST(portable_fft, factors) {
  const Handle x = patterned(Dtype::f64, {12, 2}, 1);
  for (bool inverse : {false, true}) {
    expect_near(doubles(fft(x, {-1, inverse, Norm::forward})), by_definition(doubles(x), inverse, inverse ? 1 : 1.0 / 12), 1e-13);
    expect_near(doubles(fft(x, {-1, inverse, Norm::orthogonal})), by_definition(doubles(x), inverse, 1 / std::sqrt(12.0)), 1e-13);
  }
  for (Norm norm : {Norm::forward, Norm::orthogonal})
    expect_near(doubles(fft(fft(x, {-1, false, norm}), {-1, true, norm})), doubles(x), 1e-14);
}

TEST(portable_fft, any_axis_and_layout) {
  const Shape shape = {3, 4, 5, 2};
  const Handle dense = patterned(Dtype::f64, shape, 1);
  const std::vector<double> x = doubles(dense);
  for (const Handle& view : {dense, strided(dense)})
    for (int axis = -3; axis < 3; ++axis) {
      const Handle y = fft(view, {axis, false, Norm::none});
      ASSERT_EQ(y->spec.shape, shape);
      const std::vector<double> result = doubles(y);
      const int positive = axis < 0 ? axis + 3 : axis;
      const std::int64_t n = shape[positive], stride = contiguous_strides(shape)[positive];
      for (std::int64_t start = 0; start < 120; start += 2) {
        if (start / stride % n != 0) continue;
        std::vector<double> line, got;
        for (std::int64_t i = 0; i < n; ++i)
          for (int part = 0; part < 2; ++part) {
            line.push_back(x[std::size_t(start + i * stride + part)]);
            got.push_back(result[std::size_t(start + i * stride + part)]);
          }
        expect_near(got, by_definition(line, false, 1), 1e-13);
      }
    }
}

TEST(portable_fft, empty_and_wrong) {
  EXPECT_EQ(fft(from_doubles(Dtype::f32, {0, 2}, {}), {})->spec.shape, (Shape{0, 2}));
  EXPECT_EQ(fft(from_doubles(Dtype::f32, {3, 0, 2}, {}), {0, false, Norm::none})->spec.shape, (Shape{3, 0, 2}));
  EXPECT_THROW(fft(patterned(Dtype::f32, {4, 3}, 1), {}), Error);
  EXPECT_THROW(fft(patterned(Dtype::f32, {4, 2}, 1), {1, false, Norm::none}), Error);
}

}  // namespace
