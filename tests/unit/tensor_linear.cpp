// Products, convolutions, pools and layers as functions. Values from NumPy, PyTorch or by hand; the rest of each op is tested with
// the backends and the decompositions.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tensor_stacks.hpp"

namespace hearth::test {
namespace {

using Floats = std::vector<float>;
using Ints = std::vector<std::int64_t>;

template <class B>
struct Linear : testing::Test {};
TYPED_TEST_SUITE(Linear, Stacks);

TYPED_TEST(Linear, MatMul) {
  using B = TypeParam;
  const auto vector = tensor<B>({1., 2., 3.}), pair = tensor<B>({1., -1.});
  for (const auto& a : layouts(tensor<B>({{1., 2., 3.}, {4., 5., 6.}}))) {
    EXPECT_EQ(matmul(a, a.transpose()).to_vector(), (Floats{14, 32, 32, 77}));
    auto by_vector = matmul(a, vector);
    static_assert(std::is_same_v<decltype(by_vector), Tensor<B, 1>>);
    EXPECT_EQ(by_vector.to_vector(), (Floats{14, 32}));
    EXPECT_EQ(matmul(pair, a).to_vector(), (Floats{-3, -3, -3}));
    auto batch = matmul(stack({a, a * 2}, 0), vector);
    static_assert(std::is_same_v<decltype(batch), Tensor<B, 2>>);
    EXPECT_EQ(batch.to_vector(), (Floats{14, 32, 28, 64}));
    EXPECT_EQ(matmul(pair, stack({a, a * 2}, 0)).to_vector(), (Floats{-3, -3, -3, -6, -6, -6}));
    EXPECT_EQ(matmul(a, ones<B>({4, 3, 2})).shape(), (Shape{4, 2, 2}));
    expect_error([&] { (void)matmul(a, a); }, "[2, 3]");
    expect_error([&] { (void)matmul(a, pair); }, "matmul");
  }
  auto product = matmul(vector, vector);
  static_assert(std::is_same_v<decltype(product), Tensor<B, 0>>);
  EXPECT_EQ(product.item(), 14);
  EXPECT_EQ(dot(vector, vector).item(), 14);
  EXPECT_EQ(dot(tensor<B>({1, 2}), tensor<B>({3, 4})).item(), 11);
  EXPECT_EQ(outer(vector, pair).to_vector(), (Floats{1, -1, 2, -2, 3, -3}));
  EXPECT_EQ(outer(ones<B>({2, 3}), ones<B>({2, 4})).shape(), (Shape{2, 3, 4}));
  EXPECT_EQ(matmul(zeros<B>({4, 0}), zeros<B>({0, 4})).to_vector(), Floats(16, 0));
}

TYPED_TEST(Linear, BatchesAndLongRuns) {
  using B = TypeParam;
  for (const auto& left : layouts(ones<B>({3, 1, 2, 4}))) {
    const auto y = matmul(left, ones<B>({1, 5, 4, 6}));
    EXPECT_EQ(y.shape(), (Shape{3, 5, 2, 6}));
    EXPECT_EQ(y.to_vector(), Floats(180, 4));
  }
  std::vector<float> a, b, want;
  for (int i = 0; i < 512; ++i)
    for (int k = 0; k < 128; ++k) a.push_back(float((i + k) % 5));
  for (int k = 0; k < 128; ++k)
    for (int j = 0; j < 7; ++j) b.push_back(float((k * j) % 3));
  for (int i = 0; i < 512; ++i)
    for (int j = 0; j < 7; ++j) {
      int sum = 0;
      for (int k = 0; k < 128; ++k) sum += ((i + k) % 5) * ((k * j) % 3);
      want.push_back(float(sum));
    }
  const auto x = tensor<B>(a, {512, 128}), w = tensor<B>(b, {128, 7});
  for (int round = 0; round < 50; ++round) ASSERT_EQ(matmul(x, w).to_vector(), want) << round;
  for (const auto& view : layouts(x)) EXPECT_EQ(matmul(view, w).to_vector(), want);
  for (const auto& view : layouts(w)) EXPECT_EQ(matmul(x, view).to_vector(), want);
}

TYPED_TEST(Linear, Convolutions) {
  using B = TypeParam;
  EXPECT_EQ(conv1d(ones<B>({1, 4, 3}), ones<B>({8, 4, 3}), {}, {.stride = 1, .padding = 2, .dilation = 3}).to_vector(), Floats(8, 4));
  const auto weight = tensor<B>({{{{1., 2.}, {3., 4.}}}, {{{10., 0.}, {0., -10.}}}});
  for (const auto& x : layouts(arange<B, Float>(1, 19).reshape({1, 2, 3, 3}))) {
    EXPECT_EQ(conv2d(x, weight, {}, {.groups = 2}).to_vector(), (Floats{37, 47, 67, 77, -40, -40, -40, -40}));
    EXPECT_EQ(conv2d(x, weight, {}, {.stride = 2, .padding = 1, .groups = 2}).to_vector(), (Floats{4, 18, 36, 77, -100, -120, -160, -40}));
    EXPECT_EQ(conv2d(x, weight, tensor<B>({1., -1.}), {.groups = 2}).to_vector(), (Floats{38, 48, 68, 78, -41, -41, -41, -41}));
    EXPECT_EQ(conv2d(x, weight, {}, {.padding = {1, 0}, .padding_after = {0, 0}, .groups = 2}).shape(), (Shape{1, 2, 3, 2}));
  }
  EXPECT_EQ(conv1d(arange<B, Float>(1, 9).reshape({1, 4, 2}), arange<B, Float>(1, 9).reshape({4, 2, 1}), {}, {.groups = 2}).to_vector(),
            (Floats{7, 10, 15, 22, 67, 78, 91, 106}));
  EXPECT_EQ(conv3d(ones<B>({1, 1, 3, 3, 3}), ones<B>({2, 1, 2, 2, 2})).to_vector(), Floats(16, 8));
  expect_error([] { (void)conv2d(ones<B>({1, 1, 3, 3}), ones<B>({1, 1, 2, 2}), {}, {.stride = {1, 1, 1}}); }, "conv2d: stride has 3 values for 2 spatial axes");
  // Transposed, by hand: each input element adds its multiple of the kernel.
  const auto kernel = tensor<B>({{{1., 2., 3.}}});
  EXPECT_EQ(conv_transpose1d(tensor<B>({{{1., 10.}}}), kernel, {}, {.stride = 2}).to_vector(), (Floats{1, 2, 13, 20, 30}));
  EXPECT_EQ(conv_transpose1d(tensor<B>({{{1., 10.}}}), kernel, tensor<B>({.5}), {.stride = 2, .padding = 1, .output_padding = 1}).to_vector(),
            (Floats{2.5f, 13.5f, 20.5f, 30.5f}));
  EXPECT_EQ(conv_transpose2d(ones<B>({1, 2, 2, 2}), ones<B>({2, 3, 2, 2})).shape(), (Shape{1, 3, 3, 3}));
  EXPECT_EQ(conv_transpose2d(ones<B>({1, 2, 2, 2}), ones<B>({2, 3, 2, 2})).to_vector()[4], 8);
  expect_error([&] { (void)conv_transpose1d(tensor<B>({{{1., 10.}}}), kernel, {}, {.output_padding = 1}); }, "output_padding 1 is not below");
  const std::int64_t far = std::int64_t(1) << 30;
  const auto wide = tensor<B>({{{1.}}}).expand({1, 1, far * 1024});
  expect_error([&] { (void)conv_transpose1d(wide, kernel, {}, {.stride = far}); }, "axis 2 of the result passes 2^63 - 1");
}

TYPED_TEST(Linear, Pools) {
  using B = TypeParam;
  for (const auto& x : layouts(tensor<B>({{{{1., 2., 3., 4.}, {8., 7., 6., 5.}, {9., 10., 11., 12.}, {16., 15., 14., 13.}}}}))) {
    EXPECT_EQ(max_pool2d(x, 2).to_vector(), (Floats{8, 6, 16, 14}));
    const auto [values, indices] = max_pool2d_with_indices(x, 2, {.stride = 1});
    EXPECT_EQ(values.to_vector(), (Floats{8, 7, 6, 10, 11, 12, 16, 15, 14}));
    EXPECT_EQ(indices.to_vector(), (Ints{4, 5, 6, 9, 10, 11, 12, 13, 14}));
    EXPECT_EQ(avg_pool2d(x, 2).to_vector(), (Floats{4.5f, 4.5f, 12.5f, 12.5f}));
    EXPECT_EQ(avg_pool2d(x, 3, {.stride = 3, .padding = 1}).to_vector()[0], 2);
    EXPECT_EQ(avg_pool2d(x, 3, {.stride = 3, .padding = 1, .count_padding = false}).to_vector()[0], 4.5f);
    EXPECT_EQ(max_pool2d(x, {1, 3}, {.stride = {1, 3}, .ceil_mode = true}).shape(), (Shape{1, 1, 4, 2}));
    EXPECT_EQ(adaptive_avg_pool2d(x, 1).to_vector(), (Floats{8.5f}));
    EXPECT_EQ(adaptive_avg_pool2d(x, {1, 2}).to_vector(), (Floats{8.5f, 8.5f}));
    EXPECT_EQ(adaptive_max_pool2d(x, {4, 1}).to_vector(), (Floats{4, 8, 12, 16}));
  }
  EXPECT_EQ(max_pool1d(tensor<B>({{{1., 3., 2., 5.}}}), 2).to_vector(), (Floats{3, 5}));
  EXPECT_EQ(avg_pool1d(tensor<B>({{{1., 3., 2., 5.}}}), 2).to_vector(), (Floats{2, 3.5f}));
  EXPECT_EQ(avg_pool3d(ones<B>({1, 1, 2, 2, 2}), 2).to_vector(), (Floats{1}));
}

TYPED_TEST(Linear, Layers) {
  using B = TypeParam;
  const auto weight = tensor<B>({{1., 2.}, {0., -1.}, {3., 1.}});
  const auto bias = tensor<B>({.5, 0., -20.});
  EXPECT_EQ(linear(tensor<B>({{1., 2.}}), weight, bias).to_vector(), (Floats{5.5f, -2, -15}));
  EXPECT_EQ(linear(tensor<B>({{{1., 2.}}}), weight, bias, Activation::relu).to_vector(), (Floats{5.5f, 0, 0}));
  EXPECT_EQ(linear(tensor<B>({1., 2.}), weight).to_vector(), (Floats{5, -2, 5}));
  EXPECT_EQ(embedding(tensor<B>({{1, 1}, {0, 2}}), weight).to_vector(), (Floats{0, -1, 0, -1, 1, 2, 3, 1}));
  for (const auto& x : layouts(tensor<B>({{1., 2., 3.}, {1000., 0., -1000.}}))) {
    expect_near(softmax(x, 1).to_vector(), Floats{.09003057f, .24472847f, .66524096f, 1, 0, 0}, 1e-6);
    expect_near(log_softmax(x, -1).to_vector(), Floats{-2.40760596f, -1.40760596f, -.40760596f, 0, -1000, -2000}, 1e-6);
    expect_near(softmax(x, 0).to_vector(), Floats{0, .88079708f, 1, 1, .11920292f, 0}, 1e-6);
  }
  expect_near(layer_norm(tensor<B>({{0., .001}})).to_vector(), Floats{-.15617377f, .15617377f}, 1e-6);
  expect_near(layer_norm(tensor<B>({{40000., 40001., 40002., 40003.}})).to_vector(), Floats{-1.3416354f, -.4472118f, .4472118f, 1.3416354f}, 1e-4);
  expect_near(layer_norm<2>(tensor<B>({{{0., 1.}, {2., 3.}}}), tensor<B>({{1., 1.}, {1., 2.}}), tensor<B>({{0., 0.}, {1., 0.}}), 0).to_vector(),
              Floats{-1.34164079f, -.4472136f, 1.4472136f, 2.68328157f}, 1e-6);
  expect_near(rms_norm(tensor<B>({{3., 4.}}), tensor<B>({1., 2.}), 0).to_vector(), Floats{.84852814f, 2.2627417f}, 1e-6);
  expect_near(group_norm(tensor<B>({{1., 2., 3., 4., 5.}}).unsqueeze(-1), 1).to_vector(), Floats{-1.41421f, -.707105f, 0, .707105f, 1.41421f}, 1e-5);
  expect_near(batch_norm(tensor<B>({{1., 10.}}), tensor<B>({0., 8.}), tensor<B>({1., 4.}), tensor<B>({1., 2.}), tensor<B>({0., 1.}), 0).to_vector(), Floats{1, 3}, 1e-6);
  const auto trained = batch_norm_training(tensor<B>({{1., 10.}, {3., 14.}}), {}, {}, 0);
  expect_near(trained.y.to_vector(), Floats{-1, -1, 1, 1}, 1e-6);
  EXPECT_EQ(trained.mean.to_vector(), (Floats{2, 12}));
  EXPECT_EQ(trained.variance.to_vector(), (Floats{1, 4}));
  const auto logits = tensor<B>({{1., 2., 3.}, {1., 2., 3.}});
  EXPECT_NEAR(cross_entropy(logits, tensor<B>({2, 9}), {.ignore = 9}).item(), .40760596f, 1e-6);
  expect_near(cross_entropy_each(logits, tensor<B>({2, 0})).to_vector(), Floats{.40760596f, 2.40760596f}, 1e-6);
  EXPECT_NEAR(cross_entropy(logits, tensor<B>({2, 0}), {.reduction = Reduction::sum}).item(), 2.81521192f, 1e-6);
  expect_error([&] { (void)cross_entropy(logits, tensor<B>({2, 0}), {.reduction = Reduction::none}); }, "cross_entropy_each");
}

TYPED_TEST(Linear, AttentionAndSampling) {
  using B = TypeParam;
  // One query that scores both keys alike, and one that may see the first only.
  const auto q = zeros<B>({1, 1, 2, 2}), k = ones<B>({1, 1, 2, 2}), v = tensor<B>({{{{1., 2.}, {3., 4.}}}});
  EXPECT_EQ(attention(q, k, v).to_vector(), (Floats{2, 3, 2, 3}));
  EXPECT_EQ(attention(q, k, v, {}, {}, {.causal = true}).to_vector(), (Floats{1, 2, 2, 3}));
  EXPECT_EQ(attention(q, k, v, tensor<B>({{false, true}, {false, false}})).to_vector(), (Floats{3, 4, 0, 0}));
  // A quarter turn of (1, 0) is (0, 1).
  expect_near(rope(tensor<B>({{1., 0.}}), tensor<B>({{0.}}), tensor<B>({{1.}})).to_vector(), Floats{0, 1}, 1e-7);
  EXPECT_EQ(interpolate(tensor<B>({{{1., 3.}}}), {.size = 4, .mode = InterpolateMode::nearest}).to_vector(), (Floats{1, 1, 3, 3}));
  EXPECT_EQ(interpolate(tensor<B>({{{1., 3.}}}), {.size = {3}, .align_corners = true}).to_vector(), (Floats{1, 2, 3}));
  EXPECT_EQ(interpolate(tensor<B>({{{1., 3.}}}), {.scale = {2.}}).to_vector(), (Floats{1, 1.5f, 2.5f, 3}));
  EXPECT_EQ(interpolate(ones<B>({1, 1, 4, 4}), {.scale = {.5}}).shape(), (Shape{1, 1, 2, 2}));
  expect_error([] { (void)interpolate(ones<B>({1, 1, 4}), {}); }, "interpolate: takes either a size or a scale");
  // A scale that asks for more than there can be is an error; one so small that nothing would be left is one too.
  expect_error([] { (void)interpolate(ones<B>({1, 1, 4}), {.scale = {1e300}}); }, "interpolate: scale 1e+300 passes 2^62 elements");
  expect_error([] { (void)interpolate(ones<B>({1, 1, 4, 4}), {.scale = {1, 0x1p60}}); }, "passes 2^62 elements");
  expect_error([] { (void)interpolate(ones<B>({1, 1, 4}), {.scale = {HUGE_VAL}}); }, "interpolate: scale inf passes 2^62 elements");
  expect_error([] { (void)interpolate(ones<B>({1, 1, 4}), {.scale = {-1.}}); }, "interpolate: scale -1.0 is not positive");
  expect_error([] { (void)interpolate(ones<B>({1, 1, 4}), {.scale = {std::nan("")}}); }, "interpolate: scale nan is not positive");
  expect_error([] { (void)interpolate(ones<B>({1, 1, 4}), {.scale = {1e-300}}); }, "interpolate: output sizes must be at least 1: [0]");
  const auto image = tensor<B>({{{{1., 2.}, {3., 4.}}}});
  expect_near(grid_sample(image, tensor<B>({{{{0., 0.}, {-.5, -.5}}}})).to_vector(), Floats{2.5f, 1}, 1e-6);
  Generator generator{7};
  const auto dropped = dropout(ones<B>({10000}), .25, generator).to_vector();
  int zeros_seen = 0;
  for (float value : dropped) {
    EXPECT_TRUE(value == 0 || std::abs(value - 4.f / 3) < 1e-6f);
    zeros_seen += value == 0;
  }
  EXPECT_NEAR(zeros_seen, 2500, 200);
  EXPECT_EQ(generator.counter, 10000u);
  const auto [hidden, cell] = lstm_cell(tensor<B>({{1., 1., .5, 1.}}), tensor<B>({{0.}}));
  // sigmoid(1) tanh(.5), then sigmoid(1) tanh of it
  EXPECT_NEAR(cell.item(), .33783470f, 1e-6);
  EXPECT_NEAR(hidden.item(), .23799098f, 1e-6);
  EXPECT_EQ(gru_cell(zeros<B>({1, 3}), zeros<B>({1, 3}), tensor<B>({{4.}})).item(), 2);
}

}  // namespace
}  // namespace hearth::test
