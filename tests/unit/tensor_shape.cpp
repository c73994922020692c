// New shapes for the same elements, and tensors joined, cut, repeated and padded. Values by hand.
// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "tensor_stacks.hpp"

namespace hearth::test {
namespace {

using Floats = std::vector<float>;
using Ints = std::vector<std::int64_t>;

template <class B>
struct Shapes : testing::Test {};
TYPED_TEST_SUITE(Shapes, Stacks);

template <class B>
std::vector<Tensor<B, 2, Int>> matrices() {
  return layouts(tensor<B>({{1, 2, 3}, {4, 5, 6}}));
}

TYPED_TEST(Shapes, Reshape) {
  using B = TypeParam;
  for (const auto& x : matrices<B>()) {
    auto y = x.reshape({3, -1});
    static_assert(std::is_same_v<decltype(y), Tensor<B, 2, Int>>);
    EXPECT_EQ(y.shape(), (Shape{3, 2}));
    EXPECT_EQ(y.to_vector(), (Ints{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(x.reshape({1, 2, 1, 3}).shape(), (Shape{1, 2, 1, 3}));
    EXPECT_EQ(reshape<1>(x, Shape{6}).to_vector(), (Ints{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(x.flatten().shape(), (Shape{6}));
    EXPECT_EQ((flatten<0, 1>(x).shape()), (Shape{6}));
    EXPECT_EQ((x.transpose().flatten().to_vector()), (Ints{1, 4, 2, 5, 3, 6}));
    expect_error([&] { (void)x.reshape({4, 2}); }, "reshape");
    expect_error([&] { (void)x.template reshape<1>(Shape{2, 3}); }, "the shape [2, 3] is not of rank 1");
  }
  auto z = zeros<B>({2, 3, 4, 5}).template flatten<1, -2>();
  static_assert(std::is_same_v<decltype(z), Tensor<B, 3>>);
  EXPECT_EQ(z.shape(), (Shape{2, 12, 5}));
  EXPECT_EQ((zeros<B>({2, 3, 4}).template flatten<1>().shape()), (Shape{2, 12}));
  EXPECT_EQ(tensor<B>(5).reshape({1, 1}).shape(), (Shape{1, 1}));
  EXPECT_EQ((tensor<B>({5}).template reshape<0>(Shape{}).item()), 5);
  EXPECT_EQ((zeros<B>({0, 3}).reshape({3, 0, 2}).shape()), (Shape{3, 0, 2}));
}

TYPED_TEST(Shapes, Permute) {
  using B = TypeParam;
  for (const auto& x : layouts(arange<B>(24).reshape({2, 3, 4}))) {
    EXPECT_EQ(x.permute({2, 0, 1}).shape(), (Shape{4, 2, 3}));
    EXPECT_EQ(x.permute({2, 0, 1})(1, 1, 2).item(), 21);
    EXPECT_EQ(x.permute({-1, 0, 1})(1, 1, 2).item(), 21);
    EXPECT_EQ(x.transpose().shape(), (Shape{2, 4, 3}));
    EXPECT_EQ(x.transpose()(1, 2, 0).item(), 14);
    EXPECT_EQ(x.swap_axes(0, -1).shape(), (Shape{4, 3, 2}));
    EXPECT_EQ(x.swap_axes(0, -1)(3, 1, 0).item(), 7);
    EXPECT_EQ(x.move_axis(0, -1).shape(), (Shape{3, 4, 2}));
    EXPECT_EQ(x.move_axis(-1, 0)(3, 1, 2).item(), 23);
    expect_error([&] { (void)x.permute({0, 0, 1}); }, "permute");
    expect_error([&] { (void)x.swap_axes(0, 3); }, "swap_axes");
  }
}

TYPED_TEST(Shapes, SqueezeAndUnsqueeze) {
  using B = TypeParam;
  for (const auto& x : matrices<B>()) {
    auto y = x.unsqueeze({0, 2, -1});
    static_assert(std::is_same_v<decltype(y), Tensor<B, 5, Int>>);
    EXPECT_EQ(y.shape(), (Shape{1, 2, 1, 3, 1}));
    EXPECT_EQ(x.unsqueeze(-1).shape(), (Shape{2, 3, 1}));
    EXPECT_EQ(x.unsqueeze(1).shape(), (Shape{2, 1, 3}));
    EXPECT_EQ(y.squeeze({0, -1}).shape(), (Shape{2, 1, 3}));
    EXPECT_EQ(y.squeeze(2).shape(), (Shape{1, 2, 3, 1}));
    EXPECT_EQ((squeeze<2>(y).to_vector()), (Ints{1, 2, 3, 4, 5, 6}));
    expect_error([&] { (void)x.squeeze(0); }, "squeeze: axis 0 has size 2, not 1, in [2, 3]");
    expect_error([&] { (void)y.template squeeze<3>(); }, "has 2 axes whose size is not 1, and rank 3 is asked for");
    expect_error([&] { (void)x.unsqueeze(3); }, "unsqueeze");
  }
}

TYPED_TEST(Shapes, Expand) {
  using B = TypeParam;
  for (const auto& x : layouts(tensor<B>({{1}, {2}}))) {
    EXPECT_EQ(x.expand({2, 3}).to_vector(), (Ints{1, 1, 1, 2, 2, 2}));
    EXPECT_EQ(x.expand({2, -1, 2}).to_vector(), (Ints{1, 1, 2, 2, 1, 1, 2, 2}));
    EXPECT_EQ(x.broadcast_to({-1, 2}).to_vector(), (Ints{1, 1, 2, 2}));
    EXPECT_EQ(x.expand_as(zeros<B>({3, 2, 2})).shape(), (Shape{3, 2, 2}));
    EXPECT_EQ(x.expand({2, 0}).shape(), (Shape{2, 0}));
    expect_error([&] { (void)x.expand({3, 3}); }, "expand");
    expect_error([&] { (void)x.expand({-1, 2, 1}); }, "a new axis needs a size");
  }
}

TYPED_TEST(Shapes, Join) {
  using B = TypeParam;
  for (const auto& x : matrices<B>()) {
    EXPECT_EQ(concat({x, x}, 0).shape(), (Shape{4, 3}));
    EXPECT_EQ(concat({x, tensor<B>({{7}, {8}})}, 1).to_vector(), (Ints{1, 2, 3, 7, 4, 5, 6, 8}));
    EXPECT_EQ(concat(std::vector<Tensor<B, 2, Int>>{x, x.narrow(1, 0, 0)}, -1).to_vector(), (Ints{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(concat({x}, 0).to_vector(), x.to_vector());
    auto y = stack({x, x + 10}, 1);
    static_assert(std::is_same_v<decltype(y), Tensor<B, 3, Int>>);
    EXPECT_EQ(y.shape(), (Shape{2, 2, 3}));
    EXPECT_EQ(y.to_vector(), (Ints{1, 2, 3, 11, 12, 13, 4, 5, 6, 14, 15, 16}));
    EXPECT_EQ(stack({x, x}, -1).shape(), (Shape{2, 3, 2}));
    expect_error([&] { (void)concat({x, x.transpose()}, 0); }, "concat");
    expect_error([&] { (void)stack({x, x.transpose()}, 0); }, "stack: shapes differ: [2, 3] and [3, 2]");
    expect_error([&] { (void)concat({x}, 2); }, "concat");
  }
  expect_error([] { (void)concat(std::vector<Tensor<B, 1>>{}, 0); }, "concat");
  EXPECT_EQ(stack({tensor<B>(1), tensor<B>(2)}, 0).to_vector(), (Ints{1, 2}));
  const auto [rows, columns] = meshgrid(arange<B>(3), arange<B>(-3, -1));
  EXPECT_EQ(rows.to_vector(), (Ints{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(columns.to_vector(), (Ints{-3, -2, -3, -2, -3, -2}));
}

TYPED_TEST(Shapes, Cut) {
  using B = TypeParam;
  for (const auto& x : layouts(arange<B>(10).reshape({2, 5}))) {
    const auto parts = x.split(2, 1);
    ASSERT_EQ(parts.size(), 3u);
    EXPECT_EQ(parts[1].to_vector(), (Ints{2, 3, 7, 8}));
    EXPECT_EQ(parts[2].to_vector(), (Ints{4, 9}));
    const auto uneven = x.split({1, 0, 4}, -1);
    ASSERT_EQ(uneven.size(), 3u);
    EXPECT_EQ(uneven[1].shape(), (Shape{2, 0}));
    EXPECT_EQ(uneven[2].to_vector(), (Ints{1, 2, 3, 4, 6, 7, 8, 9}));
    expect_error([&] { (void)x.split({1, 2}, 1); }, "sizes add up to 3, axis 1 of [2, 5] has 5");
    expect_error([&] { (void)x.split(0, 1); }, "split");
    // As PyTorch: 5 into 4 gives pieces of 2, 2, 1.
    const auto chunks = x.chunk(4, 1);
    ASSERT_EQ(chunks.size(), 3u);
    EXPECT_EQ(chunks[2].shape(), (Shape{2, 1}));
    const auto [left, right] = chunk<2>(x.transpose(), -1);
    EXPECT_EQ(right.to_vector(), (Ints{5, 6, 7, 8, 9}));
    expect_error([&] { (void)chunk<2>(x, 1); }, "5 elements do not part into 2 equal pieces");
    EXPECT_EQ(x.narrow(1, 1, 2).to_vector(), (Ints{1, 2, 6, 7}));
    expect_error([&] { (void)x.narrow(1, 4, 2); }, "slice");
    const auto columns = x.unbind(1);
    ASSERT_EQ(columns.size(), 5u);
    EXPECT_EQ(columns[3].to_vector(), (Ints{3, 8}));
  }
}

TYPED_TEST(Shapes, Reorder) {
  using B = TypeParam;
  for (const auto& x : matrices<B>()) {
    EXPECT_EQ(x.flip(1).to_vector(), (Ints{3, 2, 1, 6, 5, 4}));
    EXPECT_EQ(x.flip({0, -1}).to_vector(), (Ints{6, 5, 4, 3, 2, 1}));
    EXPECT_EQ(x.roll(1, 1).to_vector(), (Ints{3, 1, 2, 6, 4, 5}));
    EXPECT_EQ(x.roll(-1, -1).to_vector(), (Ints{2, 3, 1, 5, 6, 4}));
    EXPECT_EQ(x.roll(7, 1).to_vector(), (Ints{3, 1, 2, 6, 4, 5}));
    EXPECT_EQ(x.roll(2, 0).to_vector(), x.to_vector());
    EXPECT_EQ(x.tile({2}).to_vector(), (Ints{1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6}));
    EXPECT_EQ(x.tile({2, 1}).to_vector(), (Ints{1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}));
    auto deep = x.repeat({2, 1, 2});
    static_assert(std::is_same_v<decltype(deep), Tensor<B, 3, Int>>);
    EXPECT_EQ(deep.shape(), (Shape{2, 2, 6}));
    EXPECT_EQ(x.tile({0, 1}).shape(), (Shape{0, 3}));
    EXPECT_EQ(x.repeat_interleave(2, 1).to_vector(), (Ints{1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6}));
    EXPECT_EQ(x.repeat_interleave(2, 0).to_vector(), (Ints{1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6}));
    EXPECT_EQ(x.repeat_interleave(0, 0).shape(), (Shape{0, 3}));
    expect_error([&] { (void)x.tile({-1}); }, "negative number of copies");
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(), least = std::numeric_limits<std::int64_t>::min();
    expect_error([&] { (void)x.tile({most}); }, "tile: 9223372036854775807 copies of an axis of");
    expect_error([&] { (void)x.repeat_interleave(most, -1); }, "pass 2^63 - 1 elements");
    expect_error([&] { (void)x.split({most, most}, 0); }, "more than 2^63 - 1");
    EXPECT_EQ(x.diagonal(least).shape(), (Shape{0}));
    EXPECT_EQ(x.diagonal(most).shape(), (Shape{0}));
    EXPECT_EQ(x.chunk(most, -1).size(), std::size_t(x.shape()[-1]));
  }
  EXPECT_EQ((zeros<B>({1, 1, 1, 1, 1, 1, 1, 2}).tile({3}).shape()), (Shape{1, 1, 1, 1, 1, 1, 1, 6}));
}

TYPED_TEST(Shapes, Pad) {
  using B = TypeParam;
  for (const auto& x : matrices<B>()) {
    EXPECT_EQ(x.pad({{1, 0}, {0, 1}}).to_vector(), (Ints{0, 0, 0, 0, 1, 2, 3, 0, 4, 5, 6, 0}));
    EXPECT_EQ(x.pad({{1, 1}}, 9).to_vector(), (Ints{9, 1, 2, 3, 9, 9, 4, 5, 6, 9}));
    EXPECT_EQ(x.pad({{2, 1}}, PadMode::reflect).to_vector(), (Ints{3, 2, 1, 2, 3, 2, 6, 5, 4, 5, 6, 5}));
    EXPECT_EQ(x.pad({{1, 1}}, PadMode::replicate).to_vector(), (Ints{1, 1, 2, 3, 3, 4, 4, 5, 6, 6}));
    EXPECT_EQ(x.pad({{1, 1}}, PadMode::circular).to_vector(), (Ints{3, 1, 2, 3, 1, 6, 4, 5, 6, 4}));
  }
}

TYPED_TEST(Shapes, WindowsAndTriangles) {
  using B = TypeParam;
  const auto line = arange<B>(6);
  EXPECT_EQ(line.unfold(0, 3, 2).to_vector(), (Ints{0, 1, 2, 2, 3, 4}));
  EXPECT_EQ(line.unfold(0, 2, 1, 3).to_vector(), (Ints{0, 3, 1, 4, 2, 5}));
  for (const auto& x : layouts(arange<B>(1, 10).reshape({3, 3}))) {
    EXPECT_EQ(x.tril().to_vector(), (Ints{1, 0, 0, 4, 5, 0, 7, 8, 9}));
    EXPECT_EQ(x.triu().to_vector(), (Ints{1, 2, 3, 0, 5, 6, 0, 0, 9}));
    EXPECT_EQ(x.tril(-1).to_vector(), (Ints{0, 0, 0, 4, 0, 0, 7, 8, 0}));
    EXPECT_EQ(x.triu(1).to_vector(), (Ints{0, 2, 3, 0, 0, 6, 0, 0, 0}));
    EXPECT_EQ(x.tril(INT64_MAX).to_vector(), x.to_vector());
    EXPECT_EQ(x.triu(INT64_MIN).to_vector(), x.to_vector());
    EXPECT_EQ(x.triu(INT64_MAX).to_vector(), Ints(9, 0));
    EXPECT_EQ(x.tril(INT64_MIN).to_vector(), Ints(9, 0));
    EXPECT_EQ(x.diagonal().to_vector(), (Ints{1, 5, 9}));
    EXPECT_EQ(x.diagonal(1).to_vector(), (Ints{2, 6}));
    EXPECT_EQ(x.diagonal(-2).to_vector(), (Ints{7}));
    EXPECT_EQ(x.diagonal(3).to_vector(), Ints{});
  }
  EXPECT_EQ((ones<B, Bool>({2, 2}).tril().to_vector()), (std::vector<bool>{true, false, true, true}));
  EXPECT_EQ((arange<B>(12).reshape({2, 3, 2}).diagonal().to_vector()), (Ints{0, 3, 6, 9}));
}

}  // namespace
}  // namespace hearth::test
