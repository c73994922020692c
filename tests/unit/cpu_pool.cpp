// tests/unit/cpu_pool: pools and resampling of Cpu against Portable, and values by hand.
// SPDX-License-Identifier: Apache-2.0
#include "cpu_arrays.hpp"
#include "hearth/op/geometry.hpp"

using namespace hearth;
using namespace hearth::test;

namespace {

using Numbers = std::vector<double>;
const double nan = std::nan("");

struct Example {
  PoolGeometry geometry;
  Shape x, y;
};
Example random_example(Random& random, int spatial) {
  while (true) {
    Example e;
    const bool adaptive = random() % 3 == 0;
    e.geometry.ceil_mode = random() % 2;
    e.x = {pick(random, 1, 3), pick(random, 1, 4)};
    for (int i = 0; i < spatial; ++i) {
      e.x.push(pick(random, 1, spatial == 1 ? 40 : spatial == 2 ? 12 : 6));
      if (adaptive) {
        e.geometry.adaptive.push(pick(random, 1, 7));
        continue;
      }
      const std::int64_t kernel = pick(random, 1, 4), dilation = pick(random, 1, 2);
      e.geometry.kernel.push(kernel);
      e.geometry.dilation.push(dilation);
      e.geometry.stride.push(pick(random, 1, 3));
      const std::int64_t most = (kernel - 1) * dilation / 2;
      e.geometry.before.push(pick(random, 0, most));
      e.geometry.after.push(pick(random, 0, most));
    }
    try {
      const Spec x{Dtype::f32, e.x};
      e.y = infer(op::MaxPool{e.geometry}, {&x})[0].shape;
    } catch (const Error&) {
      continue;  // a window without an element
    }
    if (element_count(e.y) > 0) return e;
  }
}
Shape spatial_part(const Shape& shape) {
  Shape result;
  for (int i = 2; i < shape.size(); ++i) result.push(shape[i]);
  return result;
}

TEST(cpu_pool, equals_portable_on_random_geometry) {
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    const Example e = random_example(random, 1 + round % 3);
    const Dtype dtype = number_dtypes[random() % number_dtypes.size()], real = float_dtypes[random() % 4];
    // Few different values: many ties; and NaN among floats.
    Numbers values = whole_numbers(random, element_count(e.x), 0, 4);
    if (is_float(dtype) && random() % 2)
      for (double& value : values) value = random() % 8 == 0 ? nan : value - 2;
    compare_with_portable(op::MaxPool{e.geometry}, {{{dtype, e.x}, values}}, 0, random);
    const bool count_padding = random() % 2;
    compare_with_portable(op::AvgPool{e.geometry, count_padding}, {{{real, e.x}, reals(random, element_count(e.x))}}, 2 * epsilon_of(real), random);
    compare_with_portable(op::AvgPoolGrad{e.geometry, count_padding, spatial_part(e.x)}, {{{real, e.y}, reals(random, element_count(e.y))}}, 4 * epsilon_of(real), random);
    if (HasFatalFailure()) return;
  }
}

// Windows that halve a plane have a loop of their own, by vectors of several widths.
TEST(cpu_pool, halving_equals_portable) {
  Random random(3);
  const PoolGeometry two{{2, 2}, {2, 2}, {1, 1}, {0, 0}, {0, 0}, false, {}};
  for (std::int64_t width = 2; width < 75; ++width)
    for (Dtype dtype : {Dtype::f32, Dtype::f64}) {
      const Shape shape{2, 2, pick(random, 2, 7), width};
      Numbers values = whole_numbers(random, element_count(shape), -2, 2);
      for (double& value : values)
        if (random() % 8 == 0) value = random() % 2 ? nan : -INFINITY;
      compare_with_portable(op::MaxPool{two}, {{{dtype, shape}, values}}, 0, random);
      if (HasFatalFailure()) return;
    }
}

TEST(cpu_pool, max_by_hand) {
  const PoolGeometry two{{2, 2}, {2, 2}, {1, 1}, {0, 0}, {0, 0}, false, {}};
  const auto [values, indices] = Cpu::run(op::MaxPool{two}, {upload<Cpu>({Dtype::f32, {1, 1, 2, 6}}, {1, 3, 5, nan, 0, 0, 3, 2, nan, 7, 0, 0})});
  const Numbers got = numbers(values);
  EXPECT_EQ(got[0], 3);
  EXPECT_TRUE(std::isnan(got[1]));
  EXPECT_EQ(got[2], 0);
  EXPECT_EQ(numbers(indices), (Numbers{1, 3, 4}));  // the first of equals, the first NaN in row-major order
  const auto lowest = Cpu::run(op::MaxPool{two}, {upload<Cpu>({Dtype::f32, {1, 1, 2, 2}}, Numbers(4, -INFINITY))});
  EXPECT_EQ(numbers(lowest[0])[0], -INFINITY);
  EXPECT_EQ(numbers(lowest[1])[0], 0);
}

TEST(cpu_pool, averages_by_hand) {
  const PoolGeometry padded{{3}, {2}, {1}, {1}, {1}, false, {}};
  const auto x = upload<Cpu>({Dtype::f32, {1, 1, 5}}, {1, 2, 3, 4, 5});
  EXPECT_EQ(numbers(Cpu::run(op::AvgPool{padded, false}, {x})[0]), (Numbers{1.5, 3, 4.5}));
  EXPECT_EQ(numbers(Cpu::run(op::AvgPool{padded, true}, {x})[0]), (Numbers{1, 3, 3}));
  EXPECT_EQ(numbers(Cpu::run(op::AvgPoolGrad{padded, true, {5}}, {upload<Cpu>({Dtype::f32, {1, 1, 3}}, {3, 6, 9})})[0]), (Numbers{1, 3, 2, 5, 3}));
  const PoolGeometry adaptive{{}, {}, {}, {}, {}, false, {2}};
  EXPECT_EQ(numbers(Cpu::run(op::AvgPool{adaptive, true}, {x})[0]), (Numbers{2, 4}));  // windows [0, 3) and [2, 5)
  // The mean of a large plane: in f32 a running sum would stall.
  const std::int64_t size = 1 << 12;
  const PoolGeometry whole{{}, {}, {}, {}, {}, false, {1, 1}};
  EXPECT_EQ(numbers(Cpu::run(op::AvgPool{whole, true}, {upload<Cpu>({Dtype::f32, {1, 1, size, size}}, Numbers(std::size_t(size * size), 3))})[0]), Numbers{3});
}

TEST(cpu_pool, empty_batch) {
  const PoolGeometry two{{2}, {2}, {1}, {0}, {0}, false, {}};
  EXPECT_EQ(Cpu::spec(Cpu::run(op::MaxPool{two}, {upload<Cpu>({Dtype::f32, {0, 3, 4}}, {})})[1]), (Spec{Dtype::i64, {0, 3, 2}}));
}

TEST(cpu_interpolate, equals_portable) {
  Random random(2);
  for (int round = 0; round < 200; ++round) {
    const int spatial = 1 + round % 3;
    Resampling resampling;
    resampling.mode = InterpolateMode(random() % 6);
    const bool smooth = resampling.mode == InterpolateMode::linear || resampling.mode == InterpolateMode::cubic || resampling.mode == InterpolateMode::lanczos;
    resampling.align_corners = smooth && random() % 2;
    resampling.antialias = smooth && random() % 2;
    Shape x{pick(random, 1, 3), pick(random, 1, 3)}, y = x;
    for (int i = 0; i < spatial; ++i) {
      x.push(pick(random, 1, 9));
      y.push(random() % 3 == 0 ? x[-1] : pick(random, 1, 12));
      resampling.size.push(y[-1]);
    }
    const Dtype dtype = float_dtypes[random() % 4];
    compare_with_portable(op::Interpolate{resampling}, {{{dtype, x}, reals(random, element_count(x))}}, 8 * epsilon_of(dtype), random);
    compare_with_portable(op::InterpolateGrad{resampling, spatial_part(x)}, {{{dtype, y}, reals(random, element_count(y))}}, 64 * epsilon_of(dtype), random);
    if (HasFatalFailure()) return;
  }
}

TEST(cpu_interpolate, by_hand) {
  const auto x = upload<Cpu>({Dtype::f32, {1, 1, 2, 2}}, {1, 2, 3, 4});
  Resampling nearest{InterpolateMode::nearest, {4, 4}, {}, false, false}, linear{InterpolateMode::linear, {3, 3}, {}, true, false};
  EXPECT_EQ(numbers(Cpu::run(op::Interpolate{nearest}, {x})[0]), (Numbers{1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4}));
  EXPECT_EQ(numbers(Cpu::run(op::Interpolate{linear}, {x})[0]), (Numbers{1, 1.5, 2, 2, 2.5, 3, 3, 3.5, 4}));
  EXPECT_EQ(numbers(Cpu::run(op::InterpolateGrad{nearest, {2, 2}}, {upload<Cpu>({Dtype::f32, {1, 1, 4, 4}}, Numbers(16, 1))})[0]), Numbers(4, 4));
}

}  // namespace
