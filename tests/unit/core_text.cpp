// unit/core_text: numbers, specs, field names and enumerators as text.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hearth/core/core.hpp"
#include "hearth/core/enum_names.hpp"

namespace {

using namespace hearth;

TEST(Scalar, KeepsItsKindInText) {
  EXPECT_EQ(to_string(Scalar()), "none");
  EXPECT_EQ(to_string(Scalar(true)), "true");
  EXPECT_EQ(to_string(Scalar(2)), "2");
  EXPECT_EQ(to_string(Scalar(-7)), "-7");
  EXPECT_EQ(to_string(Scalar(2u)), "2u");
  EXPECT_EQ(to_string(Scalar(std::numeric_limits<std::uint64_t>::max())), "18446744073709551615u");
  EXPECT_EQ(to_string(Scalar(std::numeric_limits<std::int64_t>::min())), "-9223372036854775808");
  EXPECT_EQ(to_string(Scalar(1.0)), "1.0");
  EXPECT_EQ(to_string(Scalar(-0.0)), "-0.0");
  EXPECT_EQ(to_string(Scalar(0.5f)), "0.5");
  EXPECT_EQ(to_string(Scalar(0.1)), "0.1");
  EXPECT_EQ(to_string(Scalar(1e-5)), "1e-05");
  EXPECT_EQ(to_string(Scalar(1e300)), "1e+300");
  EXPECT_EQ(to_string(Scalar(1.0 / 3)), "0.3333333333333333");
  EXPECT_EQ(to_string(Scalar(std::nan(""))), "nan");
  EXPECT_EQ(to_string(Scalar(-INFINITY)), "-inf");
  EXPECT_EQ(to_string(Scalar(Half(0.25f))), "0.25");
}

TEST(Scalar, FloatsKeepAllDigits) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 10000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (std::isnan(value) || std::isinf(value)) continue;
    const std::string text = to_string(Scalar(value));
    EXPECT_EQ(std::strtod(text.c_str(), nullptr), value) << text;
    EXPECT_NE(text.find_first_of(".e"), text.npos) << text;
  }
}

TEST(Scalar, ConvertsAsElementsDo) {
  EXPECT_EQ(Scalar(300.7).to<std::uint8_t>(), 255);
  EXPECT_EQ(Scalar(-1).to<std::uint64_t>(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(Scalar(std::numeric_limits<std::uint64_t>::max()).to<double>(), 0x1p64);
  EXPECT_EQ(Scalar(2.5).to<bool>(), true);
  EXPECT_EQ(Scalar(true).to<float>(), 1.0f);
  EXPECT_EQ(Scalar().to<double>(), 0.0);
  EXPECT_FALSE(Scalar());
  EXPECT_TRUE(Scalar(0));
}

TEST(Scalar, EqualityIsOfKindAndBits) {
  EXPECT_EQ(Scalar(std::nan("")), Scalar(std::nan("")));
  EXPECT_NE(Scalar(0.0), Scalar(-0.0));
  EXPECT_NE(Scalar(1), Scalar(1.0));
  EXPECT_NE(Scalar(1), Scalar(1u));
  EXPECT_EQ(Scalar(1.5f), Scalar(1.5));
}

TEST(Spec, ReadsAsDtypeAndShape) {
  EXPECT_EQ(to_string(Spec{Dtype::f32, {2, 3}}), "f32[2, 3]");
  EXPECT_EQ(to_string(Spec{Dtype::boolean, {}}), "bool[]");
}

struct Inner {
  int depth = 0;
};
struct Plain {
  int first = 1;
  double second_field = 2;
  Shape shape;
  Inner inner;
  std::vector<std::string> names;
};

TEST(Reflect, FieldsHaveTheirNames) {
  EXPECT_EQ(reflect::field_count<Plain>, 5u);
  Plain plain;
  std::string names;
  reflect::each(plain, [&](std::string_view name, auto&) { names.append(name) += ' '; });
  EXPECT_EQ(names, "first second_field shape inner names ");
  reflect::get<0>(reflect::tie(plain)) = 8;
  EXPECT_EQ(plain.first, 8);
  EXPECT_EQ((reflect::field_name<const Plain, 1>), "second_field");
  EXPECT_EQ((reflect::field_name<Inner, 0>), "depth");
}

enum class Fruit : unsigned char { apple, pear, fig_tree };

TEST(Reflect, EnumeratorsHaveTheirNames) {
  EXPECT_EQ(reflect::enum_names<Fruit>.size(), 3u);
  EXPECT_EQ(reflect::enum_name(Fruit::fig_tree), "fig_tree");
  EXPECT_EQ(reflect::enum_name(static_cast<Fruit>(7)), "");
  EXPECT_EQ(reflect::enum_named<Fruit>("pear"), Fruit::pear);
  EXPECT_FALSE(reflect::enum_named<Fruit>("Pear"));
  EXPECT_FALSE(reflect::enum_named<Fruit>(""));
  EXPECT_EQ(reflect::enum_names<ErrorKind>.size(), 4u);
  EXPECT_EQ(reflect::enum_name(ErrorKind::internal), "internal");
}

}  // namespace
