// tests/unit/portable_windows: pools and resampling of Portable.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "fixtures/portable_windows.hpp"
#include "portable_arrays.hpp"

using namespace hearth;
using namespace hearth::test;

namespace {

Shape spatial(const Shape& shape) {
  Shape result;
  for (int i = 2; i < shape.size(); ++i) result.push(shape[i]);
  return result;
}
double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

TEST(portable_pool, maxima_and_means_as_pytorch) {
  for (const PoolCase& c : pool_cases)
    for (Dtype dtype : {Dtype::f64, Dtype::f32, Dtype::bf16}) {
      const double tolerance = dtype == Dtype::f64 ? 1e-15 : dtype == Dtype::f32 ? 1e-6 : 2e-2;
      const Handle dense = patterned(dtype, c.x, 5);
      for (const Handle& x : {dense, strided(dense)}) {
        const auto [max, indices] = Portable::run(op::MaxPool{c.geometry}, {x});
        EXPECT_EQ(max->spec, (Spec{dtype, c.y}));
        EXPECT_EQ(doubles(max), c.max);
        EXPECT_EQ(values<std::int64_t>(indices), c.indices);
        if (!c.has_mean) continue;
        expect_near(doubles(Portable::run(op::AvgPool{c.geometry, true}, {x})[0]), c.mean_with_padding, tolerance);
        expect_near(doubles(Portable::run(op::AvgPool{c.geometry, false}, {x})[0]), c.mean_without, tolerance);
      }
      if (!c.has_mean) continue;
      const Handle g = strided(patterned(dtype, c.y, 6));
      expect_near(doubles(Portable::run(op::AvgPoolGrad{c.geometry, true, spatial(c.x)}, {g})[0]), c.grad_with_padding, tolerance);
      expect_near(doubles(Portable::run(op::AvgPoolGrad{c.geometry, false, spatial(c.x)}, {g})[0]), c.grad_without, tolerance);
    }
}

TEST(portable_pool, nan_wins_and_ties_go_to_the_first) {
  const double nan = std::nan("");
  const PoolGeometry pairs{{2}, {2}, {1}, {0}, {0}, false, {}};
  const auto [max, indices] = Portable::run(op::MaxPool{pairs}, {from_doubles(Dtype::f32, {1, 1, 8}, {nan, 1, 2, nan, 3, 3, nan, nan})});
  expect_near(doubles(max), {nan, nan, 3, nan}, 0);
  EXPECT_EQ(values<std::int64_t>(indices), (std::vector<std::int64_t>{0, 3, 4, 6}));
}
TEST(portable_pool, padding_is_never_the_maximum) {
  const PoolGeometry padded{{3}, {2}, {1}, {1}, {1}, false, {}};
  const auto [max, indices] = Portable::run(op::MaxPool{padded}, {from_doubles(Dtype::f32, {1, 1, 3}, {-5, -INFINITY, -7})});
  EXPECT_EQ(doubles(max), (std::vector<double>{-5, -7}));
  EXPECT_EQ(values<std::int64_t>(indices), (std::vector<std::int64_t>{0, 2}));
  const auto [lowest, first] = Portable::run(op::MaxPool{padded}, {from_doubles(Dtype::i8, {1, 1, 3}, {-128, -128, -128})});
  EXPECT_EQ(doubles(lowest), (std::vector<double>{-128, -128}));
  EXPECT_EQ(values<std::int64_t>(first), (std::vector<std::int64_t>{0, 1}));
}
TEST(portable_pool, dilated_and_unevenly_padded_mean) {
  // x = 1 2 4 8 with one zero ahead and two behind: windows of elements i, i + 2 from -1 on.
  const Handle x = from_doubles(Dtype::f64, {1, 1, 4}, {1, 2, 4, 8});
  const PoolGeometry geometry{{2}, {1}, {2}, {1}, {2}, false, {}};
  EXPECT_EQ(doubles(Portable::run(op::AvgPool{geometry, true}, {x})[0]), (std::vector<double>{1, 2.5, 5, 2, 4}));
  EXPECT_EQ(doubles(Portable::run(op::AvgPool{geometry, false}, {x})[0]), (std::vector<double>{2, 2.5, 5, 4, 8}));
  const Handle g = patterned(Dtype::f64, {1, 1, 5}, 3);
  for (bool count : {true, false}) {
    const std::vector<double> y = doubles(Portable::run(op::AvgPool{geometry, count}, {x})[0]);
    const std::vector<double> back = doubles(Portable::run(op::AvgPoolGrad{geometry, count, {4}}, {g})[0]);
    EXPECT_NEAR(dot(y, doubles(g)), dot(back, doubles(x)), 1e-12);
  }
}
TEST(portable_pool, half_means_accumulate_in_float) {
  const PoolGeometry whole{{}, {}, {}, {}, {}, false, {1}};
  const Handle x = from_doubles(Dtype::f16, {1, 1, 8}, std::vector<double>(8, 60000));
  EXPECT_EQ(doubles(Portable::run(op::AvgPool{whole, true}, {x})[0])[0], 60000);
}

TEST(portable_interpolate, as_pytorch) {
  int number = 0;
  for (const InterpolateCase& c : interpolate_cases) {
    for (Dtype dtype : {Dtype::f64, Dtype::f32}) {
      // PyTorch keeps antialiasing weights in f32 in places.
      const double tolerance = dtype == Dtype::f32 || c.resampling.antialias ? 2e-6 : 1e-14;
      const std::string what = "case " + std::to_string(number);
      const Handle y = Portable::run(op::Interpolate{c.resampling}, {strided(patterned(dtype, c.x, 7))})[0];
      EXPECT_EQ(y->spec, (Spec{dtype, c.y}));
      expect_near(doubles(y), c.out, tolerance, what);
      const Handle back = Portable::run(op::InterpolateGrad{c.resampling, spatial(c.x)}, {strided(patterned(dtype, c.y, 8))})[0];
      EXPECT_EQ(back->spec, (Spec{dtype, c.x}));
      expect_near(doubles(back), c.x_grad, tolerance, what);
    }
    ++number;
  }
}
TEST(portable_interpolate, constants_stay_and_the_gradient_is_the_adjoint) {
  for (InterpolateMode mode : {InterpolateMode::nearest, InterpolateMode::nearest_exact, InterpolateMode::linear, InterpolateMode::cubic,
                               InterpolateMode::lanczos, InterpolateMode::area})
    for (std::int64_t size : {1, 3, 7, 12}) {
      const Resampling resampling{mode, {size, 5}, {}, false, false};
      const Handle x = patterned(Dtype::f64, {2, 1, 6, 4}, 1), g = patterned(Dtype::f64, {2, 1, size, 5}, 2);
      const std::vector<double> y = doubles(Portable::run(op::Interpolate{resampling}, {x})[0]);
      const std::vector<double> back = doubles(Portable::run(op::InterpolateGrad{resampling, {6, 4}}, {g})[0]);
      EXPECT_NEAR(dot(y, doubles(g)), dot(back, doubles(x)), 1e-11);
      const Handle ones = from_doubles(Dtype::f64, {1, 1, 6, 4}, std::vector<double>(24, 1));
      expect_near(doubles(Portable::run(op::Interpolate{resampling}, {ones})[0]), std::vector<double>(std::size_t(size) * 5, 1), 1e-14);
    }
}

// An array without elements has no need of the weights of a million million positions.
TEST(portable_interpolate, of_nothing_costs_nothing) {
  const std::int64_t far = std::int64_t(1) << 40;
  for (InterpolateMode mode : {InterpolateMode::nearest, InterpolateMode::lanczos, InterpolateMode::area}) {
    const Resampling resampling{mode, {far}, {}, false, false};
    const Handle y = Portable::run(op::Interpolate{resampling}, {from_doubles(Dtype::f32, {0, 2, 3}, {})})[0];
    EXPECT_EQ(Portable::spec(y), (Spec{Dtype::f32, {0, 2, far}}));
    const Resampling back{mode, {3}, {}, false, false};
    const Handle x = Portable::run(op::InterpolateGrad{back, {far}}, {from_doubles(Dtype::f32, {0, 2, 3}, {})})[0];
    EXPECT_EQ(Portable::spec(x), (Spec{Dtype::f32, {0, 2, far}}));
  }
}

TEST(portable_pool, of_nothing_costs_nothing) {
  const std::int64_t far = std::int64_t(1) << 40;
  PoolGeometry adaptive;
  adaptive.adaptive = {far};
  const Handle x = from_doubles(Dtype::f32, {0, 2, 3}, {});
  EXPECT_EQ(Portable::spec(Portable::run(op::MaxPool{adaptive}, {x})[1]), (Spec{Dtype::i64, {0, 2, far}}));
  EXPECT_EQ(Portable::spec(Portable::run(op::AvgPool{adaptive}, {x})[0]), (Spec{Dtype::f32, {0, 2, far}}));
  const Handle g = Portable::run(op::AvgPool{adaptive}, {x})[0];
  EXPECT_EQ(Portable::spec(Portable::run(op::AvgPoolGrad{adaptive, true, {3}}, {g})[0]), (Spec{Dtype::f32, {0, 2, 3}}));
  // A convolution whose padding makes an axis long, of no channels and of no images.
  const ConvGeometry padded{{1}, {1}, {1 << 30}, {1 << 30}, 1};
  const Handle images = from_doubles(Dtype::f32, {0, 1, 1}, {}), weight = from_doubles(Dtype::f32, {1, 1, 1}, {1});
  EXPECT_EQ(Portable::spec(Portable::run(op::Conv{padded}, {images, weight, {}})[0]), (Spec{Dtype::f32, {0, 1, (std::int64_t(1) << 31) + 1}}));
  const Handle y = Portable::run(op::Conv{padded}, {images, weight, {}})[0];
  EXPECT_EQ(doubles(Portable::run(op::ConvWeightGrad{padded, {1}}, {images, y})[0]), std::vector<double>{0});
  // No input channels: the bias alone.
  const ConvGeometry plain{{1}, {1}, {0}, {0}, 1};
  const Handle bias = from_doubles(Dtype::f32, {2}, {3, 4});
  EXPECT_EQ(doubles(Portable::run(op::Conv{plain}, {from_doubles(Dtype::f32, {1, 0, 2}, {}), from_doubles(Dtype::f32, {2, 0, 1}, {}), bias})[0]),
            (std::vector<double>{3, 3, 4, 4}));
}

// What lies between two axes may be far larger than operand and result: a terabyte here. (A sanitizer ends the process instead.)
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(portable_interpolate, out_of_memory_between_axes_is_a_device_error) {
  const Handle x = Portable::make({}, op::Full{{Dtype::f32, {1, 1, 1, std::int64_t(1) << 21}}, 1});
  try {
    Portable::run(op::Interpolate{{InterpolateMode::nearest, {1 << 16, 1}, {}, false, false}}, {x});
    FAIL() << "a terabyte was there";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::device) << error.what();
  }
}
#endif

}  // namespace
