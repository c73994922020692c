// core/match: patterns with stars, renaming, and near names.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hearth/core/match.hpp"

#include <vector>

using namespace hearth;

namespace {

TEST(Match, stars_stand_for_any_text) {
  EXPECT_TRUE(matches("", ""));
  EXPECT_FALSE(matches("", "a"));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("*", "encoder.0.weight"));
  EXPECT_TRUE(matches("a.b", "a.b"));
  EXPECT_FALSE(matches("a.b", "axb"));  // a point is a point
  EXPECT_FALSE(matches("a.b", "a.bc"));
  EXPECT_TRUE(matches("encoder.*", "encoder.0.weight"));
  EXPECT_FALSE(matches("encoder.*", "encoder"));
  EXPECT_TRUE(matches("*.bias", "head.bias"));
  EXPECT_FALSE(matches("*.bias", "bias"));
  EXPECT_TRUE(matches("*.norm*.weight", "layers.3.norm2.weight"));
  EXPECT_TRUE(matches("a*b*c", "aXbYbZc"));  // the first b is not the one: come back
  EXPECT_FALSE(matches("a*b*c", "aXbYbZ"));
  EXPECT_TRUE(matches("**", "x"));
}

TEST(Match, many_stars_take_no_exponential_time) {
  const std::string name(5000, 'a');
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "a*";
  EXPECT_FALSE(matches(pattern + "b", name));
  EXPECT_TRUE(matches(pattern, name));
}

TEST(Match, renaming_carries_over_what_stars_stood_for) {
  EXPECT_EQ(renamed("blocks.*.w", "layers.*.weight", "blocks.3.w"), "layers.3.weight");
  EXPECT_EQ(renamed("blocks.*.w", "layers.*.weight", "blocks.3.b"), "blocks.3.b");
  EXPECT_EQ(renamed("*.gamma", "*.weight", "a.b.gamma"), "a.b.weight");
  EXPECT_EQ(renamed("*.*", "*/*", "a.b.c"), "a/b.c");
  EXPECT_EQ(renamed("x", "y", "x"), "y");
  EXPECT_EQ(renamed("*", "model.*", "w"), "model.w");
  EXPECT_EQ(renamed("a.*", "b", "a.1"), "b");     // fewer stars
  EXPECT_EQ(renamed("a", "b*", "a"), "b");        // a star that stands for nothing
  EXPECT_EQ(renamed("a*", "*", "a"), "");
}

TEST(Match, near_names) {
  const std::vector<std::string> candidates{"head.weight", "head.bias", "encoder.weight"};
  EXPECT_EQ(nearest("head.wieght", candidates), "head.weight");
  EXPECT_EQ(nearest("heads.bias", candidates), "head.bias");
  EXPECT_EQ(nearest("head.weight", candidates), "head.weight");
  EXPECT_EQ(nearest("something.else.entirely", candidates), "");
  EXPECT_EQ(nearest("", candidates), "");
  EXPECT_EQ(nearest("x", {}), "");
}

}  // namespace
