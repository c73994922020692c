// tests/unit/portable_value_sized: Portable's results whose size depends on values.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "portable_arrays.hpp"

using namespace hearth;
using namespace hearth::test;

namespace {

using Integers = std::vector<std::int64_t>;

TEST(portable_nonzero, indices_in_row_major_order) {
  const Handle dense = array<float>({2, 3}, {0, 1, -0.0f, 2, 0, NAN});
  for (const Handle& x : {dense, strided(dense)}) {
    const Handle found = Portable::run(op::NonZero{}, {x})[0];
    EXPECT_EQ(found->spec, (Spec{Dtype::i64, {3, 2}}));
    EXPECT_EQ(values<std::int64_t>(found), (Integers{0, 1, 1, 0, 1, 2}));
  }
  const bool mask[] = {false, true, true};
  EXPECT_EQ(values<std::int64_t>(Portable::run(op::NonZero{}, {Portable::upload({}, {Dtype::boolean, {3}}, mask)})[0]), (Integers{1, 2}));
  EXPECT_EQ(Portable::run(op::NonZero{}, {array<float>({2}, {0, 0})})[0]->spec.shape, (Shape{0, 1}));
  EXPECT_EQ(Portable::run(op::NonZero{}, {array<float>({0, 4}, {})})[0]->spec.shape, (Shape{0, 2}));
  EXPECT_EQ(Portable::run(op::NonZero{}, {array<float>({}, {5})})[0]->spec.shape, (Shape{1, 0}));
  EXPECT_EQ(Portable::run(op::NonZero{}, {array<float>({}, {0})})[0]->spec.shape, (Shape{0, 0}));
}

TEST(portable_unique, values_positions_counts) {
  const std::vector<double> numbers = {3, 1, 2, 1, 3, 3};
  for (Dtype dtype : {Dtype::f64, Dtype::f16, Dtype::i64, Dtype::u8}) {
    const Handle dense = from_doubles(dtype, {2, 3}, numbers);
    for (const Handle& x : {dense, strided(dense)}) {
      const auto [distinct, position, counts] = Portable::run(op::Unique{}, {x});
      EXPECT_EQ(distinct->spec, (Spec{dtype, {3}}));
      EXPECT_EQ(doubles(distinct), (std::vector<double>{1, 2, 3}));
      EXPECT_EQ(position->spec.shape, (Shape{2, 3}));
      EXPECT_EQ(values<std::int64_t>(position), (Integers{2, 0, 1, 0, 2, 2}));
      EXPECT_EQ(values<std::int64_t>(counts), (Integers{2, 1, 3}));
    }
  }
}
TEST(portable_unique, zeros_nans_and_infinities) {
  const double nan = std::nan("");
  const Handle x = array<double>({7}, {nan, -0.0, INFINITY, 0.0, -nan, -INFINITY, 0.0});
  const auto [distinct, position, counts] = Portable::run(op::Unique{}, {x});
  expect_near(doubles(distinct), {-INFINITY, 0, INFINITY, nan, nan}, 0);
  EXPECT_TRUE(std::signbit(doubles(distinct)[1]));
  EXPECT_EQ(values<std::int64_t>(position), (Integers{3, 1, 2, 1, 4, 0, 1}));
  EXPECT_EQ(values<std::int64_t>(counts), (Integers{1, 3, 1, 1, 1}));
}
TEST(portable_unique, bool_and_empty) {
  const bool mask[] = {true, false, true};
  const auto [distinct, position, counts] = Portable::run(op::Unique{}, {Portable::upload({}, {Dtype::boolean, {3}}, mask)});
  EXPECT_EQ(doubles(distinct), (std::vector<double>{0, 1}));
  EXPECT_EQ(values<std::int64_t>(counts), (Integers{1, 2}));
  const auto none = Portable::run(op::Unique{}, {array<float>({0, 3}, {})});
  EXPECT_EQ(none[0]->spec, (Spec{Dtype::f32, {0}}));
  EXPECT_EQ(none[1]->spec, (Spec{Dtype::i64, {0, 3}}));
  EXPECT_EQ(none[2]->spec, (Spec{Dtype::i64, {0}}));
}

}  // namespace
