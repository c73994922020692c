// unit/op_geometry: where windows lie, against counting by hand over random geometries and against PyTorch; resampling taps
// against PyTorch and against what any interpolation must keep.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "fixtures/op_geometry.hpp"
#include "hearth/core/error.hpp"
#include "hearth/op/geometry.hpp"

namespace {

using namespace hearth;

struct Axis {
  std::int64_t size, kernel, stride, dilation, before, after;
  std::int64_t start(std::int64_t window) const { return window * stride - before; }
  std::int64_t end(std::int64_t window) const { return start(window) + dilation * (kernel - 1) + 1; }

  PoolGeometry pool(bool ceil_mode) const { return {{kernel}, {stride}, {dilation}, {before}, {after}, ceil_mode, {}}; }
};

/// Windows that end inside the input and its padding, counted one after the other.
std::int64_t whole_windows(const Axis& a) {
  std::int64_t count = 0;
  while (a.end(count) <= a.size + a.after) ++count;
  return count;
}
/// With ceil_mode: one more where elements are left behind the last whole window, if it starts inside the input or the padding ahead.
std::int64_t windows_with_overhang(const Axis& a) {
  std::int64_t count = whole_windows(a);
  // The window before window 0 would end at end(-1); elements are left if that is short of the end.
  const bool left = a.end(count - 1) < a.size + a.after;
  if (left && a.start(count) < a.size) ++count;
  // Several windows may start behind the input where the padding is long; the last is dropped, as PyTorch does.
  else if (!left && count > 0 && a.start(count - 1) >= a.size) --count;
  return count;
}

TEST(Geometry, CountsWindowsAsAWalkDoes) {
  std::mt19937 random(9);
  const auto draw = [&](int low, int high) { return std::int64_t(std::uniform_int_distribution<int>(low, high)(random)); };
  for (int round = 0; round < 5000; ++round) {
    Axis a{draw(0, 20), draw(1, 6), draw(1, 6), draw(1, 3), draw(0, 6), draw(0, 6)};
    const std::int64_t conv = conv_output_size("conv", a.size, a.kernel, a.stride, a.dilation, a.before, a.after);
    ASSERT_EQ(conv, whole_windows(a)) << a.size << " " << a.kernel << " " << a.stride << " " << a.dilation << " " << a.before << " " << a.after;
    ASSERT_EQ(pool_output_size("pool", a.pool(false), 0, a.size), conv);

    a.before = std::min(a.before, a.dilation * (a.kernel - 1));  // a pool's padding is shorter than its window
    a.after = std::min(a.after, a.dilation * (a.kernel - 1));
    const std::int64_t ceil = pool_output_size("pool", a.pool(true), 0, a.size);
    ASSERT_EQ(ceil, windows_with_overhang(a)) << a.size << " " << a.kernel << " " << a.stride << " " << a.dilation << " " << a.before << " " << a.after;

    for (bool ceil_mode : {false, true}) {
      const PoolGeometry geometry = a.pool(ceil_mode);
      for (std::int64_t i = 0, n = pool_output_size("pool", geometry, 0, a.size); i < n; ++i) {
        std::vector<std::int64_t> inside, seen;
        std::int64_t padded = 0;
        for (std::int64_t k = 0; k < a.kernel; ++k) {
          const std::int64_t at = a.start(i) + k * a.dilation;
          if (at >= 0 && at < a.size) inside.push_back(at);
          padded += at < a.size + a.after;
        }
        const Window window = pool_window(geometry, 0, a.size, i);
        for (std::int64_t at = window.first; at < window.last; at += window.step) seen.push_back(at);
        ASSERT_EQ(seen, inside);
        ASSERT_EQ(window.padded, padded);
        ASSERT_EQ((window.last - window.first + window.step - 1) / window.step, std::int64_t(inside.size()));
      }
    }
  }
}

TEST(Geometry, AdaptiveWindowsCoverTheAxis) {
  for (std::int64_t size = 1; size <= 16; ++size)
    for (std::int64_t outputs = 1; outputs <= 20; ++outputs) {
      PoolGeometry geometry;
      geometry.adaptive = {outputs};
      ASSERT_EQ(pool_output_size("pool", geometry, 0, size), outputs);
      for (std::int64_t i = 0; i < outputs; ++i) {
        const Window w = pool_window(geometry, 0, size, i);
        EXPECT_EQ(w.first, std::int64_t(std::floor(double(i) * double(size) / double(outputs) + 1e-9)));
        EXPECT_EQ(w.last, std::int64_t(std::ceil(double(i + 1) * double(size) / double(outputs) - 1e-9)));
        EXPECT_EQ(w.step, 1);
        EXPECT_EQ(w.padded, w.last - w.first);
      }
    }
}

TEST(Geometry, PoolsAsPyTorch) {
  for (const fixtures::Pool& pool : fixtures::pools) {
    const Axis a{pool.size, pool.kernel, pool.stride, 1, pool.padding, pool.padding};
    const PoolGeometry geometry = a.pool(pool.ceil_mode);
    ASSERT_EQ(pool_output_size("pool", geometry, 0, a.size), std::int64_t(pool.counted.size()));
    for (std::size_t i = 0; i < pool.counted.size(); ++i) {
      const Window w = pool_window(geometry, 0, a.size, std::int64_t(i));
      EXPECT_NEAR(double(w.last - w.first) / double(w.padded), pool.counted[i], 1e-15);
      EXPECT_EQ(pool.not_counted[i], 1);
      EXPECT_GT(w.last, w.first);
    }
  }
  for (const fixtures::DilatedPool& pool : fixtures::dilated_pools) {
    const Axis a{pool.size, pool.kernel, pool.stride, pool.dilation, pool.padding, pool.padding};
    const PoolGeometry geometry = a.pool(pool.ceil_mode);
    ASSERT_EQ(pool_output_size("pool", geometry, 0, a.size), std::int64_t(pool.indices.size()));
    for (std::size_t i = 0; i < pool.indices.size(); ++i) {
      const Window w = pool_window(geometry, 0, a.size, std::int64_t(i));
      EXPECT_EQ(w.first + (w.last - 1 - w.first) / w.step * w.step, pool.indices[i]);
    }
  }
}

TEST(Geometry, HostileAttributesAreRefused) {
  constexpr std::int64_t huge = INT64_MAX;
  EXPECT_THROW(conv_output_size("conv", 5, huge, 1, huge, 0, 0), Error);
  EXPECT_THROW(conv_output_size("conv", 5, 3, 0, 1, 0, 0), Error);
  EXPECT_THROW(conv_output_size("conv", 5, 3, 1, -1, 0, 0), Error);
  EXPECT_THROW(conv_output_size("conv", 5, 0, 1, 1, 0, 0), Error);
  EXPECT_THROW(conv_output_size("conv", 5, 3, 1, 1, -1, 0), Error);
  EXPECT_EQ(conv_output_size("conv", huge, 1, 1, 1, 0, 0), huge);
  EXPECT_THROW(conv_output_size("conv", huge, 1, 1, 1, 1, 0), Error);  // one more than fits
  EXPECT_EQ(conv_output_size("conv", 5, std::int64_t(1) << 31, 1, std::int64_t(1) << 31, 0, 0), 0);
}

std::vector<double> resampled(const Resampling& r, const std::vector<double>& x) {
  std::vector<double> y;
  for (const auto& taps : resampling_taps(r, 0, std::int64_t(x.size()))) {
    double sum = 0;
    for (const Tap& tap : taps) sum += tap.weight * x.at(std::size_t(tap.index));
    y.push_back(sum);
  }
  return y;
}

TEST(Resampling, IsPyTorchs) {
  for (const fixtures::Resampled& c : fixtures::resampled) {
    Resampling r;
    r.mode = InterpolateMode(c.mode);
    r.align_corners = c.align_corners;
    r.antialias = c.antialias;
    r.size = {std::int64_t(c.values.size())};
    if (c.scale > 0) r.scale = {c.scale};
    std::vector<double> x;
    for (std::int64_t k = 0; k < c.size; ++k) x.push_back(double((37 * k + 11) % 23) / 4);
    const std::vector<double> y = resampled(r, x);
    ASSERT_EQ(y.size(), c.values.size());
    for (std::size_t i = 0; i < y.size(); ++i)
      EXPECT_NEAR(y[i], c.values[i], 1e-13) << "mode " << c.mode << ", " << c.size << " to " << y.size() << ", element " << i;
  }
}

TEST(Resampling, WeightsSumToOneAndStayInside) {
  for (int mode = 0; mode <= int(InterpolateMode::area); ++mode)
    for (bool antialias : {false, true})
      for (bool align_corners : {false, true})
        for (std::int64_t size : {1, 2, 3, 7, 16})
          for (std::int64_t outputs : {1, 2, 5, 7, 31}) {
            const Resampling r{InterpolateMode(mode), {outputs}, {}, align_corners, antialias};
            const auto all = resampling_taps(r, 0, size);
            ASSERT_EQ(std::int64_t(all.size()), outputs);
            for (const auto& taps : all) {
              double sum = 0;
              ASSERT_FALSE(taps.empty());
              for (const Tap& tap : taps) {
                sum += tap.weight;
                ASSERT_GE(tap.index, 0);
                ASSERT_LT(tap.index, size);
              }
              EXPECT_NEAR(sum, 1, 1e-14);
            }
          }
}

TEST(Resampling, LanczosHasItsWeights) {
  // At whole positions the filter is 1 in its middle and 0 at all other elements.
  const Resampling same{InterpolateMode::lanczos, {9}, {}, false, false};
  for (const auto& taps : resampling_taps(same, 0, 9)) {
    double largest = 0;
    for (const Tap& tap : taps) largest = std::max(largest, tap.weight);
    EXPECT_NEAR(largest, 1, 1e-14);
  }
  // Position 2.5 with 3 lobes: sinc(x) sinc(x / 3) at 0.5, 1.5 and 2.5 on both sides, by hand 0.607927101, -0.135094912, 0.024317084, normalised.
  const Resampling half{InterpolateMode::lanczos, {11}, {}, true, false};
  std::vector<double> weights;
  const auto taps_of_rows = resampling_taps(half, 0, 6);
  for (const Tap& tap : taps_of_rows[5]) weights.push_back(tap.weight);
  const double total = 2 * (0.60792710185402663 - 0.13509491152311703 + 0.024317084074161065);
  const std::vector<double> expected = {0.024317084074161065, -0.13509491152311703, 0.60792710185402663,
                                        0.60792710185402663,  -0.13509491152311703, 0.024317084074161065};
  ASSERT_EQ(weights.size(), expected.size());
  for (std::size_t i = 0; i < weights.size(); ++i) EXPECT_NEAR(weights[i], expected[i] / total, 1e-15);
}

TEST(Resampling, OddScalesStayInside) {
  for (double scale : {1e-300, 1e-9, 0.01, 1e9, 1e300})
    for (int mode = 0; mode < int(InterpolateMode::area); ++mode)
      for (bool antialias : {false, true}) {
        const Resampling r{InterpolateMode(mode), {4}, {scale}, false, antialias};
        for (const auto& taps : resampling_taps(r, 0, 5))
          for (const Tap& tap : taps) {
            EXPECT_TRUE(tap.index >= 0 && tap.index < 5);
            EXPECT_TRUE(std::isfinite(tap.weight)) << scale << " mode " << mode;
          }
      }
}

}  // namespace
