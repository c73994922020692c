// unit/core_shape: lists, shapes, axes and broadcasting.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hearth/core/error.hpp"
#include "hearth/core/shape.hpp"

namespace {

using namespace hearth;

std::string message_of(auto call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(InlineList, GrowsShrinksAndCountsFromTheEnd) {
  Shape shape{2, 3, 4};
  EXPECT_EQ(shape[-1], 4);
  EXPECT_EQ(shape[-3], 2);
  shape.insert(1, 7);
  EXPECT_EQ(shape, (Shape{2, 7, 3, 4}));
  shape.erase(0);
  EXPECT_EQ(shape, (Shape{7, 3, 4}));
  shape.pop();
  EXPECT_EQ(shape, (Shape{7, 3}));
  shape.push(9);
  EXPECT_EQ(to_string(shape), "[7, 3, 9]");
  EXPECT_EQ(Shape::filled(3, 1), (Shape{1, 1, 1}));
  EXPECT_NE((Shape{1}), (Shape{1, 1}));
  EXPECT_EQ(to_string(Shape{}), "[]");
  EXPECT_EQ(to_string(Axes{0, -1}), "[0, -1]");
}

TEST(InlineList, RefusesANinthEntry) {
  Shape shape = Shape::filled(8, 1);
  EXPECT_EQ(message_of([&] { shape.push(1); }), "shape: more than 8 dimensions (hint: Hearth's arrays have at most 8 dimensions)");
  EXPECT_EQ(shape.size(), 8);
  EXPECT_THROW(shape.insert(0, 1), Error);
}

TEST(Shape, CountsElements) {
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({2, 3, 4}), 24);
  EXPECT_EQ(element_count({0, std::int64_t(1) << 62, 8}), 0);
  EXPECT_EQ(element_count({std::int64_t(1) << 62}), std::int64_t(1) << 62);
  EXPECT_EQ(message_of([] { element_count({4611686018427387904, 4}); }),
            "shape: the element count of [4611686018427387904, 4] passes 2^63 - 1");
  EXPECT_EQ(message_of([] { element_count({2, -1}); }), "shape: a size is negative: [2, -1]");
}

TEST(Shape, StridesAreRowMajor) {
  EXPECT_EQ(contiguous_strides({2, 3, 4}), (Strides{12, 4, 1}));
  EXPECT_EQ(contiguous_strides({}), Strides{});
  EXPECT_TRUE(is_contiguous({2, 3, 4}, {12, 4, 1}));
  EXPECT_TRUE(is_contiguous({2, 1, 4}, {4, 999, 1}));  // the stride of one element is free
  EXPECT_TRUE(is_contiguous({1, 1}, {0, -5}));
  EXPECT_TRUE(is_contiguous({3, 0}, {-7, 2}));
  EXPECT_TRUE(is_contiguous({}, {}));
  EXPECT_FALSE(is_contiguous({2, 3}, {1, 2}));
  EXPECT_FALSE(is_contiguous({2, 3}, {0, 1}));
  EXPECT_FALSE(is_contiguous({3}, {-1}));
}

TEST(Shape, BroadcastsAsNumPyDoes) {
  EXPECT_EQ(broadcast("add", {2, 3}, {2, 3}), (Shape{2, 3}));
  EXPECT_EQ(broadcast("add", {2, 3}, {3}), (Shape{2, 3}));
  EXPECT_EQ(broadcast("add", {3}, {2, 1}), (Shape{2, 3}));
  EXPECT_EQ(broadcast("add", {}, {4}), (Shape{4}));
  EXPECT_EQ(broadcast("add", {8, 1, 6, 1}, {7, 1, 5}), (Shape{8, 7, 6, 5}));
  EXPECT_EQ(broadcast("add", {0}, {1}), (Shape{0}));
  EXPECT_EQ(broadcast("add", {1}, {2, 0}), (Shape{2, 0}));
  EXPECT_EQ(message_of([] { broadcast("add", {2, 3}, {4, 3}); }),
            "add: shapes do not broadcast: [2, 3] and [4, 3] (hint: sizes of an axis must be equal or 1, counted from the last axis)");
  EXPECT_THROW(broadcast("add", {0}, {2}), Error);
}

TEST(Shape, BroadcastableHasADirection) {
  EXPECT_TRUE(broadcastable({1, 3}, {2, 3}));
  EXPECT_TRUE(broadcastable({3}, {2, 3}));
  EXPECT_TRUE(broadcastable({}, {}));
  EXPECT_TRUE(broadcastable({1}, {0}));
  EXPECT_FALSE(broadcastable({2, 3}, {1, 3}));
  EXPECT_FALSE(broadcastable({2, 3}, {3}));
  EXPECT_FALSE(broadcastable({0}, {1}));
}

TEST(Axes, AreNormalized) {
  EXPECT_EQ(normalize_axis("sum", -1, 3), 2);
  EXPECT_EQ(normalize_axis("sum", 0, 3), 0);
  EXPECT_EQ(message_of([] { normalize_axis("sum", 3, 3); }), "sum: axis 3 is outside an array of rank 3");
  EXPECT_EQ(message_of([] { normalize_axis("sum", -4, 3); }), "sum: axis -4 is outside an array of rank 3");
  EXPECT_EQ(message_of([] { normalize_axis("sum", 0, 0); }), "sum: axis 0 is outside an array of rank 0");
  EXPECT_EQ(normalize_axes("sum", {-1, 0}, 3), (Axes{0, 2}));
  EXPECT_EQ(normalize_axes("sum", {}, 3), Axes{});
  EXPECT_EQ(message_of([] { normalize_axes("sum", {1, -2}, 3); }), "sum: axis 1 is named twice in [1, -2]");
  EXPECT_EQ(all_axes(3), (Axes{0, 1, 2}));
}

}  // namespace
