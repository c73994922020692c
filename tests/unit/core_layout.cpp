// unit/core_layout: views as arithmetic on strides, against a walk over every index.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "hearth/core/layout.hpp"

namespace {

using namespace hearth;

/// f(index) for all indices of a shape in row-major order.
template <class F>
void walk(const Shape& shape, F f) {
  for (std::int64_t size : shape)
    if (size == 0) return;
  Shape index = Shape::filled(shape.size(), 0);
  for (;;) {
    f(index);
    int axis = shape.size() - 1;
    while (axis >= 0 && ++index[axis] == shape[axis]) index[axis--] = 0;
    if (axis < 0) return;
  }
}
std::int64_t place(const Layout& layout, const Shape& index) {
  std::int64_t at = layout.offset;
  for (int i = 0; i < index.size(); ++i) at += index[i] * layout.strides[i];
  return at;
}
std::vector<std::int64_t> places(const Layout& layout) {
  std::vector<std::int64_t> result;
  walk(layout.shape, [&](const Shape& index) { result.push_back(place(layout, index)); });
  return result;
}

TEST(Layout, PermutesExpandsSlicesAndUnfolds) {
  const Layout x = Layout::contiguous({2, 3, 4});
  EXPECT_TRUE(x.contiguous());
  const Layout p = permuted(x, {2, 0, 1});
  EXPECT_EQ(p.shape, (Shape{4, 2, 3}));
  walk(p.shape, [&](const Shape& i) { EXPECT_EQ(place(p, i), place(x, {i[1], i[2], i[0]})); });
  const Layout e = expanded(Layout::contiguous({3, 1}), {5, 3, 4});
  walk(e.shape, [&](const Shape& i) { EXPECT_EQ(place(e, i), i[1]); });
  const Layout s = sliced(x, {1, 2, 3}, {1, 3, 2}, {1, -1, -2});
  walk(s.shape, [&](const Shape& i) { EXPECT_EQ(place(s, i), place(x, {1 + i[0], 2 - i[1], 3 - 2 * i[2]})); });
  const Layout u = unfolded(x, 2, 2, 1, 2);
  EXPECT_EQ(u.shape, (Shape{2, 3, 2, 2}));
  walk(u.shape, [&](const Shape& i) { EXPECT_EQ(place(u, i), place(x, {i[0], i[1], i[2] + 2 * i[3]})); });
  EXPECT_EQ(unfolded(x, 2, 5, 1, 1).shape, (Shape{2, 3, 0, 5}));
}

TEST(Layout, SingleElementsMayHaveAnyStep) {
  constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max(), low = std::numeric_limits<std::int64_t>::min();
  const Layout x = Layout::contiguous({4, 5});
  EXPECT_EQ(places(sliced(x, {2, 3}, {1, 1}, {huge, low})), (std::vector<std::int64_t>{13}));
  EXPECT_EQ(sliced(x, {huge, 0}, {0, 5}, {low, 1}).offset, 0);
  EXPECT_EQ(places(unfolded(x, 1, 1, std::int64_t(1) << 31, std::int64_t(1) << 31)), (std::vector<std::int64_t>{0, 5, 10, 15}));
}

TEST(Layout, TheReportedReshapePermuteSlice) {
  Layout r;
  ASSERT_TRUE(reshaped(Layout::contiguous({24}), {1, 2, 4, 3}, r));
  const Layout s = sliced(permuted(r, {0, 3, 1, 2}), {0, 0, 0, 0}, {1, 3, 2, 4}, {1, 1, 1, 1});
  std::vector<std::int64_t> expected;
  for (int start = 0; start < 3; ++start)
    for (int i = 0; i < 8; ++i) expected.push_back(start + 3 * i);
  EXPECT_EQ(places(s), expected);
  Layout flat;
  EXPECT_FALSE(reshaped(s, {24}, flat));  // needs a copy
  EXPECT_TRUE(reshaped(s, {3, 8}, flat));
  EXPECT_EQ(places(flat), expected);
}

/// Some layout of at most 4 axes and few elements, as views make them.
Layout random_layout(std::mt19937& random) {
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  Shape shape;
  for (int i = draw(0, 4); i > 0; --i) shape.push(draw(1, 4));
  Layout layout = Layout::contiguous(shape);
  for (int views = draw(0, 3); views > 0; --views) {
    const int rank = layout.shape.size();
    switch (draw(0, 3)) {
      case 0: {
        Axes axes = all_axes(rank);
        std::shuffle(axes.begin(), axes.end(), random);
        layout = permuted(layout, axes);
        break;
      }
      case 1: {
        Shape start, size, step;
        for (std::int64_t n : layout.shape) {
          const int stride = draw(1, 2) * (draw(0, 1) ? 1 : -1), count = n == 0 ? 0 : draw(1, int((n - 1) / std::abs(stride)) + 1);
          size.push(count);
          step.push(stride);
          start.push(stride > 0 ? 0 : n - 1);
        }
        layout = sliced(layout, start, size, step);
        break;
      }
      case 2: {
        Shape to = layout.shape;
        for (auto& n : to)
          if (n == 1 && draw(0, 1)) n = draw(1, 3);
        layout = expanded(layout, to);
        break;
      }
      default:
        if (rank > 0 && rank < 6) {
          const int axis = draw(0, rank - 1);
          if (layout.shape[axis] > 1) layout = unfolded(layout, axis, draw(1, 2), 1, 1);
        }
    }
  }
  return layout;
}

/// Another shape with as many elements.
Shape random_shape(std::int64_t count, std::mt19937& random) {
  Shape shape;
  while (shape.size() < 7 && (count > 1 || std::uniform_int_distribution<int>(0, 2)(random) == 0)) {
    std::vector<std::int64_t> divisors;
    for (std::int64_t d = 1; d <= count; ++d)
      if (count % d == 0) divisors.push_back(d);
    const std::int64_t d = divisors[std::uniform_int_distribution<std::size_t>(0, divisors.size() - 1)(random)];
    shape.push(d);
    count /= d;
  }
  shape.push(count);
  return shape;
}

/// Can strides alone visit these places in row-major order of a shape? The place of one step along an axis says its stride.
bool strided(const Shape& shape, const std::vector<std::int64_t>& wanted) {
  const Strides steps = contiguous_strides(shape);
  Layout layout{shape, Strides::filled(shape.size(), 0), wanted[0]};
  for (int i = 0; i < shape.size(); ++i)
    if (shape[i] > 1) layout.strides[i] = wanted[std::size_t(steps[i])] - wanted[0];
  return places(layout) == wanted;
}

TEST(Layout, ReshapesWithoutACopyExactlyWhereStridesAllow) {
  std::mt19937 random(7);
  int free = 0, copied = 0;
  for (int round = 0; round < 20000; ++round) {
    const Layout layout = random_layout(random);
    const std::vector<std::int64_t> wanted = places(layout);
    const Shape shape = random_shape(std::int64_t(wanted.size()), random);
    Layout result;
    const bool possible = reshaped(layout, shape, result);
    ASSERT_EQ(possible, strided(shape, wanted)) << to_string(layout.shape) << " strides " << to_string(layout.strides) << " to " << to_string(shape);
    if (possible) {
      ASSERT_EQ(places(result), wanted) << to_string(layout.shape) << " strides " << to_string(layout.strides) << " to " << to_string(shape);
    }
    ++(possible ? free : copied);
  }
  EXPECT_GT(free, 2000);
  EXPECT_GT(copied, 2000);
}

TEST(Layout, EmptyArraysReshapeFreely) {
  Layout result;
  EXPECT_TRUE(reshaped(permuted(Layout::contiguous({2, 0, 3}), {2, 1, 0}), {5, 0}, result));
  EXPECT_EQ(result.shape, (Shape{5, 0}));
  EXPECT_TRUE(reshaped(Layout::contiguous({1, 1}), {}, result));
  EXPECT_EQ(result.shape, Shape{});
}

}  // namespace
