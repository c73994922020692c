// tests/unit/portable_view: Reshape, Permute, Expand, Slice, Unfold and Fold on Portable.
// SPDX-License-Identifier: Apache-2.0
#include "portable.hpp"

namespace hearth::test {
namespace {

bool shares(const Array& a, const Array& b) { return a->buffer == b->buffer; }

TEST(PortableView, ReshapeKeepsRowMajorOrder) {
  const Shape shapes[] = {{24}, {4, 6}, {2, 3, 4}, {2, 1, 3, 2, 2}, {1, 24, 1}, {8, 3}, {3, 8}, {2, 2, 2, 3}};
  for (const Shape& from : shapes)
    for (const Array& x : layouts(Dtype::i32, from, counting({24})))
      for (const Shape& to : shapes) expect(run(op::Reshape{to}, x), {Dtype::i32, to}, counting({24}));
}

TEST(PortableView, ReshapeIsFreeWhereStridesAllow) {
  const Array x = array({4, 6}, counting({4, 6}));
  EXPECT_TRUE(shares(x, run(op::Reshape{{2, 2, 3, 2}}, x)));
  EXPECT_TRUE(shares(x, run(op::Reshape{{-1}}, x)));
  // Every second row: the rows can be cut but not joined.
  const Array rows = run(op::Slice{{0, 0}, {2, 6}, {2, 1}}, x);
  const Array cut = run(op::Reshape{{2, 3, 2}}, rows), joined = run(op::Reshape{{12}}, rows);
  EXPECT_TRUE(shares(x, cut));
  EXPECT_FALSE(shares(x, joined));
  expect(cut, {Dtype::f32, {2, 3, 2}}, {0, 1, 2, 3, 4, 5, 12, 13, 14, 15, 16, 17});
  expect(joined, {Dtype::f32, {12}}, {0, 1, 2, 3, 4, 5, 12, 13, 14, 15, 16, 17});
  // A reversed array can be cut as it lies.
  const Array reversed = run(op::Slice{{3, 5}, {4, 6}, {-1, -1}}, x);
  EXPECT_TRUE(shares(x, run(op::Reshape{{24}}, reversed)));
}

TEST(PortableView, ReshapeOfBroadcastScalarAndEmpty) {
  const Array x = run(op::Expand{{3, 2}}, array({3, 1}, {1, 2, 3}));
  expect(run(op::Reshape{{6}}, x), {Dtype::f32, {6}}, {1, 1, 2, 2, 3, 3});
  expect(run(op::Reshape{{3, 2, 1}}, x), {Dtype::f32, {3, 2, 1}}, {1, 1, 2, 2, 3, 3});
  expect(run(op::Reshape{{-1}}, run(op::Expand{{2, 2}}, array({}, {7}))), {Dtype::f32, {4}}, {7, 7, 7, 7});
  expect(run(op::Reshape{{1, 1}}, array({}, {7})), {Dtype::f32, {1, 1}}, {7});
  expect(run(op::Reshape{{}}, array({1, 1}, {7})), {Dtype::f32, {}}, {7});
  expect(run(op::Reshape{{4, 0}}, array({2, 0, 3}, {})), {Dtype::f32, {4, 0}}, {});
}

TEST(PortableView, PermuteMovesAxes) {
  const Array x = array({2, 3}, {1, 2, 3, 4, 5, 6});
  const Array y = run(op::Permute{{1, 0}}, x);
  EXPECT_TRUE(shares(x, y));
  expect(y, {Dtype::f32, {3, 2}}, {1, 4, 2, 5, 3, 6});
  expect(run(op::Permute{{-1, -2}}, x), {Dtype::f32, {3, 2}}, {1, 4, 2, 5, 3, 6});
  expect(run(op::Permute{{1, 0}}, y), {Dtype::f32, {2, 3}}, {1, 2, 3, 4, 5, 6});
  // numpy: arange(6).reshape(1, 2, 3).transpose(2, 0, 1)
  expect(run(op::Permute{{2, 0, 1}}, array({1, 2, 3}, counting({6}))), {Dtype::f32, {3, 1, 2}}, {0, 3, 1, 4, 2, 5});
  expect(run(op::Permute{{}}, array({}, {7})), {Dtype::f32, {}}, {7});
  expect(run(op::Permute{{1, 0}}, array({0, 2}, {})), {Dtype::f32, {2, 0}}, {});
}

TEST(PortableView, ExpandStretches) {
  const Array x = array({2, 1}, {1, 2});
  const Array y = run(op::Expand{{2, 2, 3}}, x);
  EXPECT_TRUE(shares(x, y));
  expect(y, {Dtype::f32, {2, 2, 3}}, {1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2});
  expect(run(op::Expand{{0, 2, 1}}, x), {Dtype::f32, {0, 2, 1}}, {});
  expect(run(op::Expand{{2, 0}}, x), {Dtype::f32, {2, 0}}, {});
  expect(run(op::Expand{{2}}, array({}, {5})), {Dtype::f32, {2}}, {5, 5});
}

TEST(PortableView, SliceStepsEitherWay) {
  const Array x = array({6}, counting({6}));
  const auto slice = [&](std::int64_t start, std::int64_t size, std::int64_t step) { return run(op::Slice{{start}, {size}, {step}}, x); };
  EXPECT_TRUE(shares(x, slice(1, 2, 2)));
  expect(slice(1, 2, 2), {Dtype::f32, {2}}, {1, 3});
  expect(slice(5, 6, -1), {Dtype::f32, {6}}, {5, 4, 3, 2, 1, 0});
  expect(slice(4, 2, -3), {Dtype::f32, {2}}, {4, 1});
  expect(slice(6, 0, 1), {Dtype::f32, {0}}, {});
  expect(run(op::Slice{{1}, {2}, {-1}}, slice(5, 3, -2)), {Dtype::f32, {2}}, {3, 5});
  for (const Array& y : layouts(Dtype::u8, {3, 4}, counting({12})))
    expect(run(op::Slice{{2, 1}, {2, 2}, {-2, 2}}, y), {Dtype::u8, {2, 2}}, {9, 11, 1, 3});
}

// cases.md B 13
TEST(PortableView, ReshapePermuteSliceOfAWholeAxis) {
  const Array permuted = run(op::Permute{{0, 3, 1, 2}}, run(op::Reshape{{1, 2, 4, 3}}, array({24}, counting({24}))));
  Numbers expected, shorter;
  for (int channel = 0; channel < 3; ++channel)
    for (int i = 0; i < 8; ++i) expected.push_back(3 * i + channel);
  const Shape ones{1, 1, 1, 1}, zeros{0, 0, 0, 0};
  expect(run(op::Reshape{{-1}}, run(op::Slice{zeros, {1, 3, 2, 4}, ones}, permuted)), {Dtype::f32, {24}}, expected);
  for (int channel = 0; channel < 2; ++channel)
    for (int i : {0, 1, 2}) shorter.push_back(3 * i + channel);
  expect(run(op::Reshape{{-1}}, run(op::Slice{zeros, {1, 2, 1, 3}, ones}, permuted)), {Dtype::f32, {6}}, shorter);
}

TEST(PortableView, UnfoldSlidesWindows) {
  for (const Array& x : layouts(Dtype::f32, {7}, counting({7}))) {
    const Array y = run(op::Unfold{0, 3, 2, 1}, x);
    EXPECT_TRUE(shares(x, y));
    expect(y, {Dtype::f32, {3, 3}}, {0, 1, 2, 2, 3, 4, 4, 5, 6});
    expect(run(op::Unfold{0, 3, 1, 2}, x), {Dtype::f32, {3, 3}}, {0, 2, 4, 1, 3, 5, 2, 4, 6});
  }
  expect(run(op::Unfold{0, 2, 1, 1}, array({3, 2}, counting({6}))), {Dtype::f32, {2, 2, 2}}, {0, 2, 1, 3, 2, 4, 3, 5});
}

TEST(PortableView, FoldAddsWindowsBack) {
  for (Dtype dtype : all_dtypes)
    if (!is_bool(dtype))
      for (const Array& x : layouts(dtype, {3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9})) {
        expect(run(op::Fold{0, 7, 2, 1}, x), {dtype, {7}}, {1, 2, 3 + 4, 5, 6 + 7, 8, 9});
        expect(run(op::Fold{0, 8, 2, 1}, x), {dtype, {8}}, {1, 2, 3 + 4, 5, 6 + 7, 8, 9, 0});
        expect(run(op::Fold{-1, 7, 1, 2}, x), {dtype, {7}}, {1, 4, 2 + 7, 5, 3 + 8, 6, 9});
      }
  // windows of rows: x [1 window, 2 columns, 2 rows] on an axis of 3
  expect(run(op::Fold{0, 3, 1, 2}, array({1, 2, 2}, {1, 2, 3, 4})), {Dtype::f32, {3, 2}}, {1, 3, 0, 0, 2, 4});
  expect(run(op::Fold{1, 2, 1, 1}, array({0, 1, 2}, {})), {Dtype::f32, {0, 2}}, {});
}

TEST(PortableView, FoldAccumulatesSixteenBitFloatsWide) {
  // 4096 windows of 1 element each on the same place would stop at 2048 if each step were rounded to f16.
  const Array x = run(op::Expand{{1, 4096}}, array(Dtype::f16, {1, 1}, {1}));
  EXPECT_EQ(values(run(op::Fold{0, 4096, 1, 1}, x)).size(), 4096u);
  const Array windows = run(op::Expand{{3, 2049}}, array(Dtype::f16, {3, 1}, {2048, 1, 1}));
  const Numbers sums = values(run(op::Fold{0, 2051, 1, 1}, windows));
  EXPECT_EQ(sums[0], 2048);
  EXPECT_EQ(sums[1], 2048);  // 2049, a tie, to even
  EXPECT_EQ(sums[2], 2050);  // 2048 + 1 + 1
}

}  // namespace
}  // namespace hearth::test
