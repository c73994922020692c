// Picking elements and replacing them. Values by hand, or as NumPy has them for the same index.
// SPDX-License-Identifier: Apache-2.0
#include "tensor_stacks.hpp"

namespace hearth::test {
namespace {

using namespace hearth::index;
using Floats = std::vector<float>;
using Ints = std::vector<std::int64_t>;

template <class B>
struct Index : testing::Test {};
TYPED_TEST_SUITE(Index, Stacks);

TYPED_TEST(Index, Ranges) {
  using B = TypeParam;
  for (const auto& x : layouts(arange<B>(10))) {
    EXPECT_EQ((x[{s(2, 5)}].to_vector()), (Ints{2, 3, 4}));
    EXPECT_EQ((x[{s(7)}].to_vector()), (Ints{7, 8, 9}));
    EXPECT_EQ((x[{s(0, end, 4)}].to_vector()), (Ints{0, 4, 8}));
    EXPECT_EQ((x[{s(-3)}].to_vector()), (Ints{7, 8, 9}));
    EXPECT_EQ((x[{s(-3, -1)}].to_vector()), (Ints{7, 8}));
    EXPECT_EQ((x[{s(5, 2)}].to_vector()), Ints{});
    EXPECT_EQ((x[{s(8, 100)}].to_vector()), (Ints{8, 9}));
    EXPECT_EQ((x[{s(-100, 2)}].to_vector()), (Ints{0, 1}));
    EXPECT_EQ((x[{s(20, 30)}].to_vector()), Ints{});
    EXPECT_EQ((x[{s(end, end, -3)}].to_vector()), (Ints{9, 6, 3, 0}));
    EXPECT_EQ((x[{s(-1, end, -1)}].to_vector()), (Ints{9, 8, 7, 6, 5, 4, 3, 2, 1, 0}));
    EXPECT_EQ((x[{s(6, 2, -2)}].to_vector()), (Ints{6, 4}));
    EXPECT_EQ((x[{s(2, 6, -1)}].to_vector()), Ints{});
    EXPECT_EQ((x[{s(3, -100, -1)}].to_vector()), (Ints{3, 2, 1, 0}));
    EXPECT_EQ((x[{s(1, end, INT64_MAX)}].to_vector()), (Ints{1}));
    EXPECT_EQ((x[{s(5, end, INT64_MIN)}].to_vector()), (Ints{5}));
    EXPECT_EQ((x[{s(1, 9, 2)}][{s(-1, end, -2)}].to_vector()), (Ints{7, 3}));
    expect_error([&] { (void)x[{s(0, end, 0)}]; }, "index: the step of a range on axis 0 is 0");
  }
  EXPECT_EQ((zeros<B>({0})[{s(-1, end, -1)}].shape()), (Shape{0}));
}

TYPED_TEST(Index, Mixed) {
  using B = TypeParam;
  for (const auto& x : layouts(arange<B>(24).reshape({2, 3, 4}))) {
    EXPECT_EQ((x[{s(1), s(0, 2)}].to_vector()), (Ints{12, 13, 14, 15, 16, 17, 18, 19}));
    auto slice = x[1];
    static_assert(std::is_same_v<decltype(slice), Tensor<B, 2, Int>>);
    EXPECT_EQ(slice[-1].to_vector(), (Ints{20, 21, 22, 23}));
    EXPECT_EQ(x[0][1][2].item(), 6);
    auto picked = x(s(), 1, newaxis, s(1, 3));
    static_assert(std::is_same_v<decltype(picked), Tensor<B, 3, Int>>);
    EXPECT_EQ(picked.shape(), (Shape{2, 1, 2}));
    EXPECT_EQ(picked.to_vector(), (Ints{5, 6, 17, 18}));
    EXPECT_EQ(x(1, 2, 3).item(), 23);
    EXPECT_EQ(x(-1, -1, -1).item(), 23);
    EXPECT_EQ(x(newaxis, 0).shape(), (Shape{1, 3, 4}));
    EXPECT_EQ(x(s(), s(), 0, newaxis).shape(), (Shape{2, 3, 1}));
    EXPECT_EQ(x().shape(), (Shape{2, 3, 4}));
    EXPECT_EQ(x(s(0, 0)).shape(), (Shape{0, 3, 4}));
    expect_error([&] { (void)x[2]; }, "index: position 2 is outside axis 0 of [2, 3, 4]");
    expect_error([&] { (void)x(0, -4); }, "index: position -4 is outside axis 1 of [2, 3, 4]");
  }
}

TYPED_TEST(Index, Assign) {
  using B = TypeParam;
  for (const auto& original : layouts(zeros<B, Int>({3, 4}))) {
    auto x = original;
    x.assign({s(0, 2), s(0, end, 3)}, tensor<B>({{1, 2}, {3, 4}}));
    EXPECT_EQ(x.to_vector(), (Ints{1, 0, 0, 2, 3, 0, 0, 4, 0, 0, 0, 0}));
    x.assign({2}, 7);
    x.assign({s(), 1}, tensor<B>({5, 6, 8}));
    EXPECT_EQ(x.to_vector(), (Ints{1, 5, 0, 2, 3, 6, 0, 4, 7, 8, 7, 7}));
    x.assign({-1, -1}, tensor<B>(9));
    x.assign({s(-1, end, -1), 0}, tensor<B>({10, 20, 30}));
    EXPECT_EQ(x.to_vector(), (Ints{30, 5, 0, 2, 20, 6, 0, 4, 10, 8, 7, 9}));
    x.assign({s(0, 1), newaxis, s(2)}, tensor<B>({{{-1, -2}}}));
    EXPECT_EQ(x[0].to_vector(), (Ints{30, 5, -1, -2}));
    x.assign({s(5, 9)}, 1);  // nothing
    EXPECT_EQ(original.to_vector(), Ints(12, 0)) << "the tensor it was copied from keeps its value";
    const auto before = x.to_vector();
    expect_error([&] { x.assign({s(0, 2)}, tensor<B>({1, 2, 3})); }, "assign: a value of shape [3] does not fit into [2, 4]");
    expect_error([&] { x.assign({3}, 1); }, "position 3 is outside axis 0 of [3, 4]");
    expect_error([&] { x.assign({0, 0, 0}, 1); }, "more indices than the dimensions of [3, 4]");
    expect_error([&] { x.assign({0}, tensor<B>({1, 2, 3, 4}, {}, Dtype::i32)); }, "i32");
    expect_error([&] { x.assign({0}, tensor<B>({1, 2, 3, 4}, device_number<B>(1))); }, "different devices");
    EXPECT_EQ(x.to_vector(), before);
  }
  // Overlapping: the value is read before it is written over.
  auto y = arange<B>(5);
  y.assign({s(1)}, y[{s(0, 4)}]);
  EXPECT_EQ(y.to_vector(), (Ints{0, 0, 1, 2, 3}));
  auto z = zeros<B>({2, 2});
  z.assign({s()}, 2.5);
  EXPECT_EQ(z.to_vector(), Floats(4, 2.5f));
}

TYPED_TEST(Index, GatherAndScatter) {
  using B = TypeParam;
  for (const auto& x : layouts(tensor<B>({{1, 2, 3}, {4, 5, 6}}))) {
    for (const auto& index : layouts(tensor<B>({{2, 0}, {1, 1}}))) {
      EXPECT_EQ(x.gather(1, index).to_vector(), (Ints{3, 1, 5, 5}));
      EXPECT_EQ(x.gather(-1, index).to_vector(), (Ints{3, 1, 5, 5}));
      EXPECT_EQ(x.scatter(1, index, tensor<B>({{10, 20}, {30, 40}})).to_vector(), (Ints{20, 2, 10, 4, 40, 6}));
      EXPECT_EQ(x.scatter_add(1, index, tensor<B>({{10, 20}, {30, 40}})).to_vector(), (Ints{21, 2, 13, 4, 75, 6}));
      EXPECT_EQ(x.scatter(1, index, tensor<B>({{2, 3}, {4, 5}}), ScatterMode::mul).to_vector(), (Ints{3, 2, 6, 4, 100, 6}));
      EXPECT_EQ(x.scatter(1, index, tensor<B>({{2, 3}, {4, 7}}), ScatterMode::max).to_vector(), (Ints{3, 2, 3, 4, 7, 6}));
    }
    EXPECT_EQ(x.gather(0, tensor<B>({{1, 0, 1}})).to_vector(), (Ints{4, 2, 6}));
    EXPECT_EQ(x.take_along(tensor<B>({{2}}), 1).to_vector(), (Ints{3, 6}));
    EXPECT_EQ(x.take_along(tensor<B>({{0}, {1}, {0}}), 0).to_vector(), (Ints{1, 2, 3, 4, 5, 6, 1, 2, 3}));
    EXPECT_EQ(x.index_select(1, tensor<B>({2, 2, 0})).to_vector(), (Ints{3, 3, 1, 6, 6, 4}));
    EXPECT_EQ(x.index_select(0, tensor<B>({1})).to_vector(), (Ints{4, 5, 6}));
    auto taken = x.take(tensor<B>({{0, 1}, {1, 1}}), 1);
    static_assert(std::is_same_v<decltype(taken), Tensor<B, 3, Int>>);
    EXPECT_EQ(taken.shape(), (Shape{2, 2, 2}));
    EXPECT_EQ(taken.to_vector(), (Ints{1, 2, 2, 2, 4, 5, 5, 5}));
    EXPECT_EQ(x.take(tensor<B>(1)).to_vector(), (Ints{4, 5, 6}));
    EXPECT_EQ(x.index_select(0, zeros<B, Int>({0})).shape(), (Shape{0, 3}));
    EXPECT_EQ(x.index_select(1, tensor<B>({1}, {}, Dtype::u8)).to_vector(), (Ints{2, 5}));
    EXPECT_EQ((x.template gather_nd<2>(tensor<B>({{1, 0}, {0, 2}}))).to_vector(), (Ints{4, 3}));
    EXPECT_EQ((x.template gather_nd<1>(tensor<B>({{1}, {1}}))).to_vector(), (Ints{4, 5, 6, 4, 5, 6}));
    EXPECT_EQ(x.scatter_nd(tensor<B>({{1}}), tensor<B>({{7, 8, 9}})).to_vector(), (Ints{1, 2, 3, 7, 8, 9}));
    EXPECT_EQ(x.scatter_nd(tensor<B>({{0, 0}, {0, 0}}), tensor<B>({5, 6}), ScatterMode::add).to_vector(), (Ints{12, 2, 3, 4, 5, 6}));
    // Outside [0, size): an error that names index and size, never a wrapped or clamped read.
    for (std::int64_t bad : {std::int64_t(3), std::int64_t(-1), std::int64_t(1) << 33}) {
      expect_error([&] { (void)x.gather(1, full<B, Int>({2, 1}, bad)).to_vector(); }, std::to_string(bad).c_str());
      expect_error([&] { (void)x.index_select(1, full<B, Int>({1}, bad)).to_vector(); }, std::to_string(bad).c_str());
      expect_error([&] { (void)x.index_select(0, full<B, Int>({1}, bad)).to_vector(); }, std::to_string(bad).c_str());
      expect_error([&] { (void)x.scatter_add(1, full<B, Int>({2, 1}, bad), ones<B, Int>({2, 1})).to_vector(); }, std::to_string(bad).c_str());
    }
    EXPECT_EQ(x.to_vector(), (Ints{1, 2, 3, 4, 5, 6}));
  }
}

TYPED_TEST(Index, Masks) {
  using B = TypeParam;
  for (const auto& x : layouts(tensor<B>({{1, -2, 3}, {-4, 5, -6}}))) {
    EXPECT_EQ(x.masked_fill(x < 0, 0).to_vector(), (Ints{1, 0, 3, 0, 5, 0}));
    EXPECT_EQ(x.masked_fill(tensor<B>({true, false, false}), 9).to_vector(), (Ints{9, -2, 3, 9, 5, -6}));
    EXPECT_EQ(x[x < 0].to_vector(), (Ints{-2, -4, -6}));
    EXPECT_EQ(x.masked_select(x > 100).to_vector(), Ints{});
    EXPECT_EQ(x.masked_select(tensor<B>({false, true, true})).to_vector(), (Ints{-2, 3, 5, -6}));
    auto places = nonzero(x > 0);
    static_assert(std::is_same_v<decltype(places), Tensor<B, 2, Int>>);
    EXPECT_EQ(places.shape(), (Shape{3, 2}));
    EXPECT_EQ(places.to_vector(), (Ints{0, 0, 0, 2, 1, 1}));
  }
  EXPECT_EQ(nonzero(zeros<B>({2, 2})).shape(), (Shape{0, 2}));
}

TYPED_TEST(Index, Unique) {
  using B = TypeParam;
  for (const auto& x : layouts(tensor<B>({{3, 1, 3}, {2, 1, 3}}))) {
    const auto [values, inverse, counts] = unique(x);
    EXPECT_EQ(values.to_vector(), (Ints{1, 2, 3}));
    EXPECT_EQ(inverse.to_vector(), (Ints{2, 0, 2, 1, 0, 2}));
    EXPECT_EQ(inverse.shape(), (Shape{2, 3}));
    EXPECT_EQ(counts.to_vector(), (Ints{2, 1, 3}));
  }
}

}  // namespace
}  // namespace hearth::test
