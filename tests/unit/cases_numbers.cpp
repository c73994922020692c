// unit/cases_numbers: reported cases of reductions, edges and casts (1 to 10), on every stack and through every layout. Values by hand.
// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <limits>

#include "tensor_stacks.hpp"

namespace hearth::test {
namespace {

using Floats = std::vector<float>;
using Ints = std::vector<std::int64_t>;
constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();

template <class B>
struct CasesOfNumbers : testing::Test {};
TYPED_TEST_SUITE(CasesOfNumbers, Stacks);

// 1: candle#1944, pytorch#5863, sonots/cumo PR#224.
TYPED_TEST(CasesOfNumbers, IntegerSumsWiden) {
  using B = TypeParam;
  for (const auto& x : layouts(full<B, Int>({5000}, 1, {}, Dtype::u8))) EXPECT_EQ(x.sum().item(), 5000);
  for (const auto& x : layouts(full<B, Int>({4}, 1 << 30, {}, Dtype::i32))) EXPECT_EQ(x.sum().item(), 4294967296);
  for (const auto& x : layouts(arange<B>(100000, {}, Dtype::i32))) EXPECT_EQ(x.sum().item(), 4999950000);
  for (const auto& x : layouts(full<B, Int>({5}, 100, {}, Dtype::u8))) EXPECT_EQ(x.cumsum(0).to_vector(), (Ints{100, 200, 300, 400, 500}));
  const auto wide = full<B, Int>({1}, 1, {}, Dtype::u8).expand({5000});  // one element, stretched
  EXPECT_EQ(wide.sum().item(), 5000);
}

// 2: burn#1427.
TYPED_TEST(CasesOfNumbers, ExtremesStartFromTheElements) {
  using B = TypeParam;
  for (const auto& x : layouts(tensor<B>({32768., 32767.}))) {
    EXPECT_EQ(x.min().item(), 32767);
    EXPECT_EQ(x.argmin().item(), 1);
  }
  for (const auto& x : layouts(tensor<B>({-32768., -32767.}))) {
    EXPECT_EQ(x.max().item(), -32767);
    EXPECT_EQ(x.argmax().item(), 1);
  }
  for (const auto& x : layouts(tensor<B>({-inf, -inf}))) {
    EXPECT_EQ(x.max().item(), -inf);
    EXPECT_EQ(x.argmax().item(), 0);
  }
  for (const auto& x : layouts(tensor<B>({-(std::int64_t(1) << 40)}))) EXPECT_EQ(x.max(0).item(), -(std::int64_t(1) << 40));
}

// 3: burn#4814, PR#5155, PR#4859. Row lengths on both sides of a vector's.
TYPED_TEST(CasesOfNumbers, NanWins) {
  using B = TypeParam;
  for (const std::int64_t length : {3, 4, 600}) {
    Floats middle(std::size_t(length), 1), ends(std::size_t(length), 1);
    middle[1] = nan;
    middle[2] = 3;
    ends[0] = ends[2] = nan;
    for (const auto& x : layouts(tensor<B>(middle, {1, length}))) {
      EXPECT_TRUE(std::isnan(x.max(1).item())) << length;
      EXPECT_TRUE(std::isnan(x.min(1).item())) << length;
      EXPECT_EQ(x.argmax(1).item(), 1) << length;
      EXPECT_EQ(x.argmin(1).item(), 1) << length;
      EXPECT_TRUE(std::isnan(x.transpose().max(0).item())) << length;
    }
    for (const auto& x : layouts(tensor<B>(ends, {1, length}))) EXPECT_EQ(x.argmax(1).item(), 0) << length;
  }
  for (const auto& x : layouts(tensor<B>({1.f, nan, 5.f}))) {
    const auto running = x.cummax(0);
    expect_near(running.values.to_vector(), Floats{1, nan, nan}, 0);
    EXPECT_EQ(running.indices.to_vector(), (Ints{0, 1, 1}));
    expect_near(maximum(x, tensor<B>({nan, 2.f, 4.f})).to_vector(), Floats{nan, nan, 5}, 0);
    expect_near(x.cumsum(0).to_vector(), Floats{1, nan, nan}, 0);
  }
  for (const auto& x : layouts(tensor<B>({2., 1., 2.}))) EXPECT_EQ(x.argmax().item(), 0);
  for (const auto& x : layouts(tensor<B>({2., 1., 1.}))) EXPECT_EQ(x.argmin().item(), 1);
}

// 4: pytorch#1810, #16762, onnx PR#7754, openvino#35898. A NaN is the largest, whatever its sign bit.
TYPED_TEST(CasesOfNumbers, NanIsSortedLast) {
  using B = TypeParam;
  for (const float missing : {nan, std::copysign(nan, -1.f)}) {
    for (const auto& x : layouts(tensor<B>({missing, 1.f, -inf, 2.f}))) {
      const auto [values, places] = x.sort();
      expect_near(values.to_vector(), Floats{-inf, 1, 2, nan}, 0);
      EXPECT_EQ(places.to_vector(), (Ints{2, 1, 3, 0}));
    }
    for (const auto& x : layouts(tensor<B>({-1.f, missing, 2.f, 1.f}))) {
      const auto most = x.topk(1), least = x.topk(2, 0, smallest);
      EXPECT_TRUE(std::isnan(most.values.item()));
      EXPECT_EQ(most.indices.item(), 1);
      EXPECT_EQ(least.values.to_vector(), (Floats{-1, 1}));
      EXPECT_EQ(least.indices.to_vector(), (Ints{0, 3}));
    }
  }
  for (const auto& x : layouts(tensor<B>({2., 1., 2., 1.}))) {
    EXPECT_EQ(x.argsort().to_vector(), (Ints{1, 3, 0, 2}));
    EXPECT_EQ(x.argsort(0, descending).to_vector(), (Ints{0, 2, 1, 3}));
  }
}

// 5: pytorch#34907, #71629, pytorch/xla#888, tensorflow#3510.
TYPED_TEST(CasesOfNumbers, NothingIsReduced) {
  using B = TypeParam;
  for (const auto& x : layouts(zeros<B>({2, 0, 4}))) {
    EXPECT_EQ(x.sum().item(), 0);
    EXPECT_EQ(x.prod().item(), 1);
    EXPECT_TRUE(std::isnan(x.mean().item()));
    EXPECT_EQ(x.sum(1).shape(), (Shape{2, 4}));
    EXPECT_EQ(x.sum(1).to_vector(), Floats(8, 0));
    EXPECT_EQ(x.mean(1).shape(), (Shape{2, 4}));
    expect_near(x.mean(1).to_vector(), Floats(8, nan), 0);
  }
  for (const auto& x : layouts(zeros<B>({0, 4}))) {
    EXPECT_EQ(x.max(1).shape(), (Shape{0}));
    expect_error([&] { (void)x.max(0); }, "axis 0");
    expect_error([&] { (void)x.max(); }, "axis 0");
    expect_error([&] { (void)x.argmin(0); }, "axis 0");
  }
}

// 6: apache/tvm#19578.
TYPED_TEST(CasesOfNumbers, MatMulOverNothingIsZero) {
  using B = TypeParam;
  for (const auto& a : layouts(zeros<B>({4, 0})))
    for (const auto& b : layouts(zeros<B>({0, 4}))) {
      EXPECT_EQ(full<B>({4, 4}, nan).shape(), (Shape{4, 4}));  // its buffer is free again, and full of NaN
      EXPECT_EQ(matmul(a, b).to_vector(), Floats(16, 0));
    }
}

// 8: pytorch#180159, #87556, #140347, mlx#2015, tensorflow#59702.
TYPED_TEST(CasesOfNumbers, FloatToIntSaturates) {
  using B = TypeParam;
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max(), least = std::numeric_limits<std::int32_t>::min();
  for (const auto& x : layouts(tensor<B>({nan, inf, -inf, 3e9f, -3e9f, 2.9f, -2.9f}))) EXPECT_EQ(x.to_int(Dtype::i32).to_vector(), (Ints{0, most, least, most, least, 2, -2}));
  for (const auto& x : layouts(tensor<B>({-1.f, 300.f, nan}))) EXPECT_EQ(x.to_int(Dtype::u8).to_vector(), (Ints{0, 255, 0}));
  for (const auto& x : layouts(tensor<B>({-3.f}))) EXPECT_EQ(x.to_int(Dtype::u32).to_vector(), (Ints{0}));
}

template <class B, int R>
std::vector<std::uint16_t> bits(const Tensor<B, R>& x) {
  std::vector<std::uint16_t> pattern(std::size_t(x.element_count()));
  B::download(x.dyn.handle, pattern.data());
  return pattern;
}

// 10: llama.cpp PR#7843, PR#27016, pytorch#66707.
TYPED_TEST(CasesOfNumbers, SixteenBits) {
  using B = TypeParam;
  const float tie = std::ldexp(1.f, -25);
  for (const auto& x : layouts(tensor<B>({65519.99f, 65520.f, std::ldexp(1.f, -24), tie, std::nextafter(tie, 1.f), 3 * tie, 2049.f, 2051.f})))
    EXPECT_EQ(bits(x.cast(Dtype::f16)), (std::vector<std::uint16_t>{0x7bff, 0x7c00, 1, 0, 1, 2, 0x6800, 0x6802}));
  Floats from;
  for (const std::uint32_t pattern : {0x007fffffu, 0x00008000u, 0x00008001u, 0x00018000u, 0x3f808000u, 0x3f818000u, 0x3f808001u, 0x7f7f7fffu, 0x7f7f8000u})
    from.push_back(std::bit_cast<float>(pattern));
  for (const auto& x : layouts(tensor<B>(from)))
    EXPECT_EQ(bits(x.cast(Dtype::bf16)), (std::vector<std::uint16_t>{0x0080, 0x0000, 0x0001, 0x0002, 0x3f80, 0x3f82, 0x3f81, 0x7f7f, 0x7f80}));
  for (const auto& x : layouts(tensor<B>(Floats{std::bit_cast<float>(0x7f800001u), std::bit_cast<float>(0xff800001u)})))
    for (const float value : x.cast(Dtype::bf16).to_vector()) EXPECT_TRUE(std::isnan(value));
  for (const auto& x : layouts(ones<B>({4096}, {}, Dtype::f16))) EXPECT_EQ(x.sum().item(), 4096);
  for (const auto& x : layouts(ones<B>({70000}, {}, Dtype::f16))) EXPECT_EQ(x.mean().item(), 1);
  for (const auto& x : layouts(full<B>({8}, 60000, {}, Dtype::f16))) EXPECT_EQ(x.mean().item(), 60000);
}

}  // namespace
}  // namespace hearth::test
