// unit/cases_layers: reported cases of layers and losses (28 to 35), on every stack and through every layout. Values by hand or from PyTorch.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "hearth/nn/recurrent.hpp"
#include "tensor_stacks.hpp"

namespace hearth::test {
namespace {

using Floats = std::vector<float>;
constexpr float inf = std::numeric_limits<float>::infinity();

template <class B>
struct CasesOfLayers : testing::Test {};
TYPED_TEST_SUITE(CasesOfLayers, Stacks);

/// f(x) is a number; its gradient, where the stack records, is `want` in every layout.
template <class B, int R, class F>
void expect_gradient(const Tensor<B, R>& x, const F& f, const Floats& want, double tolerance = 0) {
  if constexpr (is_autodiff<B>)
    for (const auto& view : layouts(x)) {
      const auto leaf = require_gradient(view);
      expect_near(gradient_of(leaf, backward(f(leaf))).to_vector(), want, tolerance);
    }
}

// 28: burn#3705, #2286.
TYPED_TEST(CasesOfLayers, ConvolutionGeometry) {
  using B = TypeParam;
  for (const auto& x : layouts(ones<B>({1, 4, 3}))) {
    const auto y = conv1d(x, ones<B>({8, 4, 3}), {}, {.stride = 1, .padding = 2, .dilation = 3});
    EXPECT_EQ(y.shape(), (Shape{1, 8, 1}));
    EXPECT_EQ(y.to_vector(), Floats(8, 4));
  }
  const auto x = arange<B, Float>(1, 19).reshape({1, 2, 3, 3});
  const auto w = tensor<B>({{{{1., 2.}, {3., 4.}}}, {{{10., 0.}, {0., -10.}}}});
  for (const auto& image : layouts(x))
    for (const auto& kernel : layouts(w)) {
      EXPECT_EQ(conv2d(image, kernel, {}, {.groups = 2}).to_vector(), (Floats{37, 47, 67, 77, -40, -40, -40, -40}));
      EXPECT_EQ(conv2d(image, kernel, {}, {.stride = 2, .padding = 1, .groups = 2}).to_vector(), (Floats{4, 18, 36, 77, -100, -120, -160, -40}));
    }
  expect_gradient(w, [&](const auto& v) { return conv2d(x, v, {}, {.groups = 2}).sum(); }, {12, 16, 24, 28, 48, 52, 60, 64});
  expect_gradient(x, [&](const auto& v) { return conv2d(v, w, {}, {.groups = 2}).sum(); }, {1, 3, 2, 4, 10, 6, 3, 7, 4, 10, 10, 0, 10, 0, -10, 0, -10, -10});
  for (const auto& line : layouts(arange<B, Float>(1, 9).reshape({1, 4, 2})))
    EXPECT_EQ(conv1d(line, arange<B, Float>(1, 9).reshape({4, 2, 1}), {}, {.groups = 2}).to_vector(), (Floats{7, 10, 15, 22, 67, 78, 91, 106}));
}

// 31: PAIR-code/tiny-transformers PR#67, pytorch#70348, #116349, #72056, #63004, #12670.
TYPED_TEST(CasesOfLayers, CrossEntropy) {
  using B = TypeParam;
  const auto far = tensor<B>({{1000., 0., -1000.}});
  for (const auto& x : layouts(far)) {
    EXPECT_EQ(log_softmax(x, 1).to_vector(), (Floats{0, -1000, -2000}));
    EXPECT_EQ(cross_entropy(x, tensor<B>({1})).item(), 1000);
  }
  expect_gradient(far, [](const auto& x) { return cross_entropy(x, tensor<B>({1})); }, {1, -1, 0}, 1e-6);
  for (const auto& x : layouts(tensor<B>({{-inf, -inf}, {-inf, 1.f}, {1000.f, 1000.f}}))) expect_near(x.logsumexp(1).to_vector(), Floats{-inf, 1, 1000.69318f}, 1e-4);
  expect_gradient(tensor<B>({-inf, 1.f}), [](const auto& x) { return x.logsumexp(); }, {0, 1});

  const auto logits = tensor<B>({{1., 2., 3.}, {1., 2., 3.}});
  const auto one = tensor<B>({2, -1}), none = tensor<B>({-1, -1});
  for (const auto& x : layouts(logits)) {
    EXPECT_NEAR(cross_entropy(x, one, {.ignore = -1}).item(), .40760596f, 1e-6);
    expect_near(cross_entropy_each(x, one, {.ignore = -1}).to_vector(), Floats{.40760596f, 0}, 1e-6);
    EXPECT_EQ(cross_entropy_each(x, none, {.ignore = -1}).to_vector(), (Floats{0, 0}));
    EXPECT_EQ(cross_entropy(x, none, {.reduction = Reduction::sum, .ignore = -1}).item(), 0);
    EXPECT_TRUE(std::isnan(cross_entropy(x, none, {.ignore = -1}).item()));
    expect_error([&] { (void)cross_entropy(x, tensor<B>({2, -4}), {.ignore = -1}).item(); }, "-4");
  }
  expect_gradient(logits, [&](const auto& x) { return cross_entropy(x, one, {.ignore = -1}); }, {.09003057f, .24472847f, -.33475904f, 0, 0, 0}, 1e-6);
  EXPECT_NEAR(cross_entropy(tensor<B>({{0., 1., 1.}, {0., 1., 1.}}), tensor<B>({1, 2}), {.ignore = 0}).item(), .86199480f, 1e-6);
  const auto many = tensor<B>({{.1735, .2191}, {-.1377, .3467}, {-.2162, .2021}, {-.1177, .2157}, {-.1232, .2620}, {-.1578, .4038}, {-.0209, .3298}, {-.0639, .2317},
                               {-.3914, .2106}, {-.4211, .3420}});
  const auto targets = tensor<B>({0, -1, 0, 0, 0, 0, 0, 0, -1, 0});
  for (const auto& x : layouts(many)) EXPECT_NEAR(cross_entropy(x, targets, {.ignore = -1, .smoothing = .1}, tensor<B>({1., 16.})).item(), 1.2842268f, 1e-6);
}

// 32: burn#2185, onnxruntime#28463, mlx#2238, pytorch#22617, DeepSpeed#581.
TYPED_TEST(CasesOfLayers, Norms) {
  using B = TypeParam;
  for (const auto& x : layouts(tensor<B>({{0., .001}}))) expect_near(layer_norm(x).to_vector(), Floats{-.15617377f, .15617377f}, 1e-6);
  for (const auto& x : layouts(tensor<B>({{40000., 40001., 40002., 40003.}})))
    expect_near(layer_norm(x).to_vector(), Floats{-1.3416354f, -.4472118f, .4472118f, 1.3416354f}, 1e-4);
  for (const Dtype dtype : {Dtype::f32, Dtype::f16})
    for (const auto& x : layouts(full<B>({1, 3}, 5, {}, dtype))) EXPECT_EQ(layer_norm(x).to_vector(), Floats(3, 0));
  for (const auto& x : layouts(tensor<B>({{{1.}, {2.}, {3.}, {4.}, {5.}}})))
    expect_near(group_norm(x, 1).to_vector(), Floats{-1.41421f, -.707105f, 0, .707105f, 1.41421f}, 1e-6);
  // Their squares pass f16's range: 8000 and its neighbours, 4 apart, are ranks -1.5, -0.5, 0.5, 1.5 over sqrt(1.25).
  for (const auto& x : layouts(tensor<B>({{7996., 8000., 8004., 8008.}}).cast(Dtype::f16)))
    expect_near(layer_norm(x).to_vector(), Floats{-1.34164079f, -.4472136f, .4472136f, 1.34164079f}, 1e-3);
}

// 34: pytorch#1368, #571, #196377, onnxruntime#10234, tensorflow#3638, dfdx#455. A negative index is an error as well.
TYPED_TEST(CasesOfLayers, IndexOutOfRange) {
  using B = TypeParam;
  for (const auto& table : layouts(tensor<B>({{1., 2.}, {3., 4.}, {5., 6.}})))
    for (const std::int64_t wrong : {std::int64_t(3), std::int64_t(-1), std::int64_t(1) << 33})
      for (const auto& index : layouts(tensor<B>(std::vector<std::int64_t>{0, wrong}))) {
        try {
          (void)embedding(index, table).to_vector();
          ADD_FAILURE() << "no error for " << wrong;
        } catch (const Error& error) {
          EXPECT_EQ(error.kind, ErrorKind::user);
          EXPECT_NE(std::string(error.what()).find(std::to_string(wrong)), std::string::npos) << error.what();
          EXPECT_NE(std::string(error.what()).find("3"), std::string::npos) << error.what();
        }
        expect_error([&] { (void)table.gather(0, index.unsqueeze(1)).to_vector(); }, std::to_string(wrong).c_str());
        EXPECT_EQ(embedding(tensor<B>({2}), table).to_vector(), (Floats{5, 6}));
      }
}

// 35: burn#2701, pytorch#8153. Gates r, z, n, and i, f, g, o; the state is carried from step to step.
TYPED_TEST(CasesOfLayers, RecurrentEquations) {
  using B = TypeParam;
  auto gru = make_gru<B>(2, 1);
  gru.weights[0] = {.weight_ih = param(tensor<B>({{.5, -.5}, {.25, .75}, {1., -1.}})), .weight_hh = param(tensor<B>({{.5}, {-.5}, {2.}})),
                    .bias_ih = param(tensor<B>({.1, .2, .3})), .bias_hh = param(tensor<B>({-.1, 0., .5}))};
  for (const auto& x : layouts(tensor<B>({{{1., 2.}, {3., -1.}}}))) {
    gru.reset_after = true;
    expect_near(gru(x).output.to_vector(), Floats{-.0586525f, .4101608f}, 1e-6);
    gru.reset_after = false;
    expect_near(gru(x).output.to_vector(), Floats{-.0245838f, .4334677f}, 1e-6);
  }
  auto lstm = make_lstm<B>(1, 1);
  lstm.weights[0] = {.weight_ih = param(tensor<B>({{1.}, {-1.}, {.5}, {2.}})), .weight_hh = param(tensor<B>({{.1}, {.2}, {.3}, {.4}})),
                     .bias_ih = param(tensor<B>({0., 1., 0., -1.})), .bias_hh = param(zeros<B>({4}))};
  for (const auto& x : layouts(tensor<B>({{{1.}, {-2.}}}))) {
    const auto [y, hidden, cell] = lstm(x);
    expect_near(y.to_vector(), Floats{.2379910f, .0016884f}, 1e-6);
    expect_near(cell.to_vector(), Floats{.2336719f}, 1e-6);
  }
}

}  // namespace
}  // namespace hearth::test
