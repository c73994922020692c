// Tensors from nothing, from numbers in the program and from memory; and back.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "tensor_stacks.hpp"

namespace hearth::test {
namespace {

using Floats = std::vector<float>;
using Ints = std::vector<std::int64_t>;
using Bools = std::vector<bool>;

template <class B>
struct Create : testing::Test {};
TYPED_TEST_SUITE(Create, Stacks);

TYPED_TEST(Create, BracesGiveRankAndKind) {
  using B = TypeParam;
  auto a = tensor<B>({{1.5, 2}, {3, 4}, {5, 6}});
  static_assert(std::is_same_v<decltype(a), Tensor<B, 2, Float>>);
  EXPECT_EQ(a.spec(), (Spec{Dtype::f32, {3, 2}}));
  EXPECT_EQ(a.to_vector(), (Floats{1.5f, 2, 3, 4, 5, 6}));
  auto b = tensor<B>({1, 2, 3});
  static_assert(std::is_same_v<decltype(b), Tensor<B, 1, Int>>);
  EXPECT_EQ(b.dtype(), Dtype::i64);
  EXPECT_EQ(b.to_vector(), (Ints{1, 2, 3}));
  auto c = tensor<B>({{{true, false}}});
  static_assert(std::is_same_v<decltype(c), Tensor<B, 3, Bool>>);
  EXPECT_EQ(c.to_vector(), (Bools{true, false}));
  auto d = tensor<B>(2.5);
  static_assert(std::is_same_v<decltype(d), Tensor<B, 0, Float>>);
  EXPECT_EQ(d.item(), 2.5f);
  auto e = tensor<B, Float>({{1, 2}, {3, 4}}, {}, Dtype::f64);
  EXPECT_EQ(e.dtype(), Dtype::f64);
  EXPECT_EQ(e.template to_vector<int>(), (std::vector<int>{1, 2, 3, 4}));
  EXPECT_EQ((tensor<B>({{{{7}}}}).shape()), (Shape{1, 1, 1, 1}));
  expect_error([] { (void)tensor<B>({{1, 2}, {3}}); }, "tensor: lists of 2 and of 1 elements side by side");
}

TYPED_TEST(Create, Filled) {
  using B = TypeParam;
  EXPECT_EQ((zeros<B>({2, 2}).to_vector()), (Floats{0, 0, 0, 0}));
  EXPECT_EQ((ones<B, Int>({3}).to_vector()), (Ints{1, 1, 1}));
  EXPECT_EQ((ones<B, Int>({3}, {}, Dtype::u8).dtype()), Dtype::u8);
  EXPECT_EQ((full<B>({2}, 2.5).to_vector()), (Floats{2.5f, 2.5f}));
  EXPECT_EQ((full<B, Bool>({2}, true).to_vector()), (Bools{true, true}));
  EXPECT_EQ((zeros<B, 0>(Shape{}).item()), 0);
  EXPECT_EQ((zeros<B>({2, 0, 3}).to_vector()), Floats{});
  EXPECT_EQ((full<B, 2>(Shape{1, 2}, 3).to_vector()), (Floats{3, 3}));
  EXPECT_EQ((full<B, 1, Int>(Shape{2}, 3.9).to_vector()), (Ints{3, 3}));
  auto x = tensor<B>({{1., 2.}});
  EXPECT_EQ(zeros_like(x).to_vector(), (Floats{0, 0}));
  EXPECT_EQ(ones_like(x).shape(), (Shape{1, 2}));
  EXPECT_EQ(full_like(tensor<B>({1, 2}), 7).to_vector(), (Ints{7, 7}));
  expect_error([] { (void)zeros<B>({2}, {}, Dtype::i32); }, "a tensor of kind Float cannot have dtype i32");
  expect_error([] { (void)zeros<B, 2>(Shape{2}); }, "the shape [2] is not of rank 2");
}

TYPED_TEST(Create, Ranges) {
  using B = TypeParam;
  EXPECT_EQ((arange<B>(4).to_vector()), (Ints{0, 1, 2, 3}));
  EXPECT_EQ((arange<B>(2, 9, 3).to_vector()), (Ints{2, 5, 8}));
  EXPECT_EQ((arange<B>(3, -3, -2).to_vector()), (Ints{3, 1, -1}));
  EXPECT_EQ((arange<B>(3, 3).to_vector()), Ints{});
  EXPECT_EQ((arange<B>(0., 1., .25).to_vector()), (Floats{0, .25f, .5f, .75f}));
  EXPECT_EQ((arange<B, Float>(3).to_vector()), (Floats{0, 1, 2}));
  EXPECT_EQ((arange<B>(3, {}, Dtype::i32).dtype()), Dtype::i32);
  expect_error([] { (void)arange<B>(0, 3, 0); }, "the step is 0");
  expect_error([] { (void)arange<B>(INT64_MIN, INT64_MAX); }, "more than 2^63 - 1 elements");
  EXPECT_EQ((linspace<B>(0, 1, 5).to_vector()), (Floats{0, .25f, .5f, .75f, 1}));
  EXPECT_EQ((linspace<B>(-2, 3, 2).to_vector()), (Floats{-2, 3}));
  EXPECT_EQ((linspace<B>(4, 9, 1).to_vector()), (Floats{4}));
  EXPECT_EQ((linspace<B>(4, 9, 0).to_vector()), Floats{});
  EXPECT_THROW((void)(linspace<B>(0, 1, INT64_MAX)), Error);
  // The distance between the ends may pass the largest number.
  EXPECT_EQ((linspace<B>(1e308, -1e308, 3, {}, Dtype::f64).template to_vector<double>()), (std::vector<double>{1e308, 0, -1e308}));
  EXPECT_EQ((linspace<B>(1.5e308, -1.5e308, 2, {}, Dtype::f64).template to_vector<double>()), (std::vector<double>{1.5e308, -1.5e308}));
  expect_error([] { (void)linspace<B>(0, std::numeric_limits<double>::infinity(), 3); }, "both ends must be finite");
  expect_error([] { (void)linspace<B>(std::nan(""), 1, 3); }, "both ends must be finite");
  expect_error([] { (void)arange<B, Int>(0.5, 3.0, 0.5); }, "is no whole number");
  const auto tenths = linspace<B>(0, 1, 11).to_vector();
  for (int i = 0; i <= 10; ++i) EXPECT_FLOAT_EQ(tenths[std::size_t(i)], float(i) / 10);
  EXPECT_EQ((eye<B>(2).to_vector()), (Floats{1, 0, 0, 1}));
  EXPECT_EQ((eye<B, Int>(2, 3).to_vector()), (Ints{1, 0, 0, 0, 1, 0}));
  EXPECT_EQ((eye<B>(3, 1).to_vector()), (Floats{1, 0, 0}));
}

TYPED_TEST(Create, OneHot) {
  using B = TypeParam;
  EXPECT_EQ(one_hot(tensor<B>({1, 0}), 3).to_vector(), (Ints{0, 1, 0, 1, 0, 0}));
  EXPECT_EQ(one_hot<Float>(tensor<B>({{2}}), 3).to_vector(), (Floats{0, 0, 1}));
  EXPECT_EQ(one_hot(tensor<B>(1), 2).to_vector(), (Ints{0, 1}));
  expect_error([] { (void)one_hot(tensor<B>({3}), 3).to_vector(); }, "3");
  expect_error([] { (void)one_hot(tensor<B>({-1}), 3).to_vector(); }, "-1");
}

TYPED_TEST(Create, FromMemory) {
  using B = TypeParam;
  const std::vector<double> list{1, 2, 3, 4, 5, 6};
  EXPECT_EQ(tensor<B>(list).to_vector(), (Floats{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(tensor<B>(list, {2, 3}).shape(), (Shape{2, 3}));
  EXPECT_EQ(tensor<B>(list, {2, 3}, {}, Dtype::f64).dtype(), Dtype::f64);
  expect_error([&] { (void)tensor<B>(list, {2, 2}); }, "6 elements for the shape [2, 2], which has 4");
  const std::array<long long, 2> wide{1ll << 40, -3};
  EXPECT_EQ(tensor<B>(wide).to_vector(), (Ints{1ll << 40, -3}));
  const std::array<Half, 2> halves{Half(1.5f), Half(-2.f)};
  EXPECT_EQ(tensor<B>(halves).to_vector(), (Floats{1.5f, -2}));
  const unsigned char bytes[] = {1, 2, 3, 4};
  EXPECT_EQ(from_memory<B>(bytes, {2, 2}).to_vector(), (Ints{1, 2, 3, 4}));
  EXPECT_EQ(from_memory<B>(bytes, {4}, {}, Dtype::u8).dtype(), Dtype::u8);
  EXPECT_EQ((from_memory<B, Float>(bytes, {4}).to_vector()), (Floats{1, 2, 3, 4}));
  // Column-major 2 x 3, and the same backward.
  const float columns[] = {1, 4, 2, 5, 3, 6};
  EXPECT_EQ(from_strided<B>(columns, {2, 3}, {1, 2}).to_vector(), (Floats{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(from_strided<B>(columns + 5, {2, 3}, {-1, -2}).to_vector(), (Floats{6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(from_strided<B>(columns, {2, 2}, {0, 1}).to_vector(), (Floats{1, 4, 1, 4}));
}

TYPED_TEST(Create, Read) {
  using B = TypeParam;
  for (const auto& x : layouts(tensor<B>({{1., 2., -3.7}, {4.2, 300., 1e20}}))) {
    EXPECT_EQ(x.template to_vector<double>(), (std::vector<double>{1, 2, double(-3.7f), double(4.2f), 300, double(1e20f)}));
    EXPECT_EQ(x.template to_vector<int>(), (std::vector<int>{1, 2, -3, 4, 300, INT32_MAX}));
    EXPECT_EQ(x.template to_vector<std::uint8_t>(), (std::vector<std::uint8_t>{1, 2, 0, 4, 255, 255}));
    EXPECT_EQ(x.template to_vector<bool>(), (Bools{true, true, true, true, true, true}));
    std::array<float, 6> to{};
    x.copy_to(to);
    EXPECT_EQ(to[1], 2);
    EXPECT_EQ(to[4], 300);
    expect_error([&] { x.copy_to(std::vector<float>(5)); }, "5 elements for the shape [2, 3], which has 6");
  }
  EXPECT_EQ(tensor<B>({{{42}}}).item(), 42);
  EXPECT_EQ(tensor<B>({2.75}).template item<int>(), 2);
  EXPECT_TRUE(tensor<B>(true).item());
  expect_error([] { (void)tensor<B>({1, 2}).item(); }, "a tensor of shape [2] has not one element");
}

TYPED_TEST(Create, Cast) {
  using B = TypeParam;
  for (const auto& x : layouts(tensor<B>({-1.5, 0., 2.9, 1e10}))) {
    EXPECT_EQ(x.to_int().to_vector(), (Ints{-1, 0, 2, 10000000000}));
    EXPECT_EQ(x.to_int(Dtype::i32).to_vector(), (Ints{-1, 0, 2, INT32_MAX}));
    EXPECT_EQ(x.to_bool().to_vector(), (Bools{true, false, true, true}));
    EXPECT_EQ(x.cast(Dtype::f64).dtype(), Dtype::f64);
    expect_error([&] { (void)x.cast(Dtype::i32); }, "a tensor of kind Float cannot have dtype i32");
  }
  EXPECT_EQ(tensor<B>({300, -1}).cast(Dtype::u8).to_vector(), (Ints{44, 255}));
  EXPECT_EQ(tensor<B>({true, false}).to_float().to_vector(), (Floats{1, 0}));
}

// A tensor that was never made, or moved from, says so whatever it is asked for.
TYPED_TEST(Create, NothingIsAnError) {
  using B = TypeParam;
  const Tensor<B, 1> nothing;
  for (const auto& ask : std::vector<std::function<void()>>{[&] { (void)nothing.shape(); }, [&] { (void)nothing.dtype(); }, [&] { (void)nothing.device(); },
                                                            [&] { (void)nothing.item(); }, [&] { (void)nothing.to_vector(); }, [&] { (void)nothing.to({}); },
                                                            [&] { (void)nothing.sum(); }, [&] { (void)(nothing + 1); }, [&] { (void)to_string(nothing); }}) {
    try {
      ask();
      ADD_FAILURE() << "nothing answered";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind, ErrorKind::user) << error.what();
    }
  }
}

TYPED_TEST(Create, DevicesAndFacts) {
  using B = TypeParam;
  auto x = tensor<B>({{1., 2., 3.}});
  static_assert(decltype(x)::rank == 2);
  EXPECT_TRUE(x.defined());
  EXPECT_FALSE((Tensor<B, 3>().defined()));
  EXPECT_EQ(x.element_count(), 3);
  EXPECT_EQ(x.size(-1), 3);
  EXPECT_EQ(x.size(0), 1);
  expect_error([&] { (void)x.size(2); }, "size");
  EXPECT_EQ(x.to(x.device()).to_vector(), (Floats{1, 2, 3}));
  if constexpr (SeveralDevices<B>) {
    const DeviceOf<B> other{1};
    EXPECT_TRUE(x.to(other).device() == other);
    EXPECT_EQ(x.to(other).to_vector(), (Floats{1, 2, 3}));
    EXPECT_TRUE((zeros<B>({2}, other).device() == other));
  }
  EXPECT_EQ((as_tensor<2>(x.dyn).to_vector()), (Floats{1, 2, 3}));
  expect_error([&] { (void)as_tensor<1>(x.dyn); }, "f32[1, 3] is not a tensor of rank 1 and kind Float");
  expect_error([&] { (void)as_tensor<2, Int>(x.dyn); }, "f32[1, 3] is not a tensor of rank 2 and kind Int");
}

}  // namespace
}  // namespace hearth::test
