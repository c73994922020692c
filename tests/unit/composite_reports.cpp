// Composites where public bug reports found others wrong: edges, saturation, stability, equations of cells and losses.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "fixtures/composite_fixture.hpp"
#include "hearth/autodiff/autodiff.hpp"
#include "hearth/op/philox.hpp"
#include "hearth/portable.hpp"

namespace {

using namespace hearth;
using B = Portable;
using A = Autodiff<B>;
using Values = std::vector<double>;

template <class S = B>
Dyn<S> values(Shape shape, const Values& v, Dtype dtype = Dtype::f32) {
  return fixture::upload<S>({dtype, shape}, v);
}
Dyn<A> leaf(Shape shape, const Values& v, Dtype dtype = Dtype::f32) { return Dyn<A>(A::track(values<A>(shape, v, dtype).handle)); }
template <class S>
void expect(const Dyn<S>& x, const Values& expected, double tolerance, const std::string& what = "") {
  fixture::expect_values(fixture::download(x), expected, tolerance, what);
}
/// The gradients of sum(y * seed) for leaves.
template <class... Leaves>
std::vector<Dyn<B>> gradients(const Dyn<A>& y, const Values& seed, const Leaves&... leaves) {
  const Dyn<A> loss = reshape(sum(y * values<A>(y.shape(), seed, y.dtype()), all_axes(y.rank())), {});
  const auto found = A::backward(loss.handle);
  std::vector<Dyn<B>> result;
  for (const Dyn<A>* one : {&leaves...}) {
    const auto* g = found.find(one->handle);
    result.push_back(g ? Dyn<B>(*g) : Dyn<B>());
  }
  return result;
}
bool all_finite(const Dyn<B>& x) {
  for (double v : fixture::download(x))
    if (!std::isfinite(v)) return false;
  return true;
}

TEST(CompositeReports, narrow_last_layer_in_all_batch_sizes) {
  const Values w1{.5, -.25, 1, .75, -.5, .125}, b1{.1, -.2, .3};
  const Values rows{1, 2, -1, .5, 0, 0, 3, -2}, expected{-.31662410, .08154569, .31057695, .35019603};
  for (std::int64_t width : {1, 2, 3})
    for (std::int64_t n : {1, 2, 4, 33, 257}) {
      Values x, y, w2, b2;
      for (std::int64_t i = 0; i < n; ++i) {
        x.insert(x.end(), {rows[std::size_t(i % 4 * 2)], rows[std::size_t(i % 4 * 2 + 1)]});
        y.insert(y.end(), std::size_t(width), expected[std::size_t(i % 4)]);
      }
      for (std::int64_t j = 0; j < width; ++j) w2.insert(w2.end(), {1, -.5, .25}), b2.push_back(.05);
      const Dyn<B> hidden = call<B>(op::Linear{Activation::tanh}, values({n, 2}, x), values({3, 2}, w1), values({3}, b1), Dyn<B>());
      expect(call<B>(op::Linear{Activation::tanh}, hidden, values({width, 3}, w2), values({width}, b2), Dyn<B>()), y, 1e-6);
    }
}

TEST(CompositeReports, saturated_activations_of_a_linear_layer) {
  for (Activation activation : {Activation::relu, Activation::sigmoid, Activation::tanh, Activation::gelu, Activation::gelu_tanh, Activation::silu}) {
    const Dyn<A> x = leaf({4, 1}, {1000, -1000, 90, -90});
    const Dyn<A> y = call<A>(op::Linear{activation}, x, values<A>({1, 1}, {1}), Dyn<A>(), Dyn<A>());
    const auto g = gradients(y, {1, 1, 1, 1}, x);
    const bool flat = activation == Activation::sigmoid || activation == Activation::tanh;
    expect(y, {flat ? 1. : 1000., activation == Activation::tanh ? -1. : 0., flat ? 1. : 90., activation == Activation::tanh ? -1. : 0.}, 1e-6);
    expect(g[0], {flat ? 0. : 1., 0, flat ? 0. : 1., 0}, 1e-6);
  }
}

TEST(CompositeReports, fused_ops_keep_the_graph) {
  Dyn<A> x = leaf({3}, {1, 2, 3});
  expect(gradients(call<A>(op::Softmax{}, x), {1, 0, 0}, x)[0], {.08192507, -.02203305, -.05989202}, 1e-7);
  x = leaf({3}, {1, 2, 4});
  expect(gradients(call<A>(op::LayerNorm{}, x, Dyn<A>(), Dyn<A>()), {1, 10, 100}, x)[0], {8.246647, -12.370399, 4.123745}, 1e-5);
}

TEST(CompositeReports, log_softmax_and_cross_entropy) {
  expect(call<B>(op::LogSoftmax{}, values({3}, {1000, 0, -1000})), {0, -1000, -2000}, 0);
  const auto loss = [](Dyn<A> x, const Values& targets, op::CrossEntropy op, Dyn<A> weights = {}) {
    return call<A>(op, std::move(x), values<A>({std::int64_t(targets.size())}, targets, Dtype::i64), std::move(weights));
  };
  Dyn<A> x = leaf({1, 3}, {1000, 0, -1000});
  Dyn<A> y = loss(x, {1}, {});
  expect(y, {1000}, 0);
  expect(gradients(y, {1}, x)[0], {1, -1, 0}, 0);

  x = leaf({2, 3}, {1, 2, 3, 1, 2, 3});
  y = loss(x, {2, -100}, {Reduction::mean, -100});
  expect(y, {.40760596}, 1e-6);
  const Values g = fixture::download(gradients(y, {1}, x)[0]);
  EXPECT_EQ((Values{g[3], g[4], g[5]}), (Values{0, 0, 0}));
  expect(loss(x, {2, -100}, {Reduction::none, -100}), {.40760596, 0}, 1e-6);
  // None counts: 0, but the mean of nothing is NaN; the gradients are 0 all the same.
  expect(loss(x, {-100, -100}, {Reduction::none, -100}), {0, 0}, 0);
  expect(loss(x, {-100, -100}, {Reduction::sum, -100}), {0}, 0);
  y = loss(x, {-100, -100}, {Reduction::mean, -100});
  expect(y, {std::nan("")}, 0);
  expect(gradients(y, {1}, x)[0], Values(6, 0), 0);
  // A valid class that is ignored leaves out rows, not its logit.
  expect(loss(leaf({2, 3}, {0, 1, 1, 0, 1, 1}), {1, 2}, {Reduction::mean, 0}), {.86199480}, 1e-6);

  const Values logits{.1735, .2191, -.1377, .3467, -.2162, .2021, -.1177, .2157, -.1232, .2620, -.1578, .4038, -.0209, .3298, -.0639, .2317, -.3914, .2106, -.4211, .3420};
  const Values targets{0, -1, 0, 0, 0, 0, 0, 0, -1, 0};
  expect(loss(leaf({10, 2}, logits), targets, {Reduction::mean, -1, .1}, values<A>({2}, {1, 16})), {1.2842268}, 1e-6);
  Values wrong = targets;
  wrong[3] = -4;
  EXPECT_THROW(loss(leaf({10, 2}, logits), wrong, {Reduction::mean, -1, .1}), Error);
  // -100 is no u8: every row counts.
  const Dyn<B> bytes = values({2}, {156, 1}, Dtype::u8);
  const Dyn<B> wide = values({2, 157}, Values(314, 0));
  expect(call<B>(op::CrossEntropy{Reduction::none, -100}, wide, bytes, Dyn<B>()), {std::log(157), std::log(157)}, 1e-6);
}

TEST(CompositeReports, layer_and_group_norm) {
  const auto norm = [](const Values& x, double epsilon, Dtype dtype = Dtype::f32) {
    return call<B>(op::LayerNorm{1, epsilon}, values({std::int64_t(x.size())}, x, dtype), Dyn<B>(), Dyn<B>());
  };
  expect(norm({0, .001}, 1e-5), {-.15617377, .15617377}, 1e-6);
  expect(norm({40000, 40001, 40002, 40003}, 1e-5), {-1.3416354, -.4472118, .4472118, 1.3416354}, 1e-4);
  for (Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16}) expect(norm({5, 5, 5}, 1e-5, dtype), {0, 0, 0}, 0);
  expect(call<B>(op::GroupNorm{1, 1e-5}, values({1, 5}, {1, 2, 3, 4, 5}), Dyn<B>(), Dyn<B>()), {-1.4142100, -.7071050, 0, .7071050, 1.4142100}, 1e-6);
  for (const Dyn<B>& y : {norm({8000, 7992, 8016, 8008}, 1e-5, Dtype::f16), call<B>(op::RmsNorm{}, values({4}, {8000, -7992, 8016, 8008}, Dtype::f16), Dyn<B>())})
    EXPECT_TRUE(all_finite(y));
  // Deviations -8, -16, 8, 0 from the mean 8008... of values that f16 holds exactly.
  expect(norm({8000, 7992, 8016, 8008}, 1e-5, Dtype::f16), {-4 / std::sqrt(80.), -12 / std::sqrt(80.), 12 / std::sqrt(80.), 4 / std::sqrt(80.)}, 1e-3);
}

TEST(CompositeReports, recurrent_cells_carry_their_state) {
  // GRU of the report: gates r, z, n; one unit; reset after the product.
  const Dyn<B> w = values({3, 2}, {.5, -.5, .25, .75, 1, -1}), u = values({3, 1}, {.5, -.5, 2});
  const Dyn<B> b = values({3}, {.1, .2, .3}), c = values({3}, {-.1, 0, .5});
  Dyn<B> h = values({1, 1}, {0});
  const Values inputs{1, 2, 3, -1}, expected{-.0586525, .4101608};
  for (std::size_t t = 0; t < 2; ++t) {
    const Dyn<B> x = values({1, 2}, {inputs[2 * t], inputs[2 * t + 1]});
    h = call<B>(op::GruCell{}, call<B>(op::Linear{}, x, w, b, Dyn<B>()), call<B>(op::Linear{}, h, u, c, Dyn<B>()), h);
    expect(h, {expected[t]}, 1e-6);
  }
  const Dyn<B> lw = values({4, 1}, {1, -1, .5, 2}), lu = values({4, 1}, {.1, .2, .3, .4}), lb = values({4}, {0, 1, 0, -1});
  Dyn<B> cell = values({1, 1}, {0}), hidden = cell;
  for (const auto& [x, out] : {std::pair{1., .2379910}, std::pair{-2., .0016884}}) {
    const Dyn<B> gates = call<B>(op::Linear{}, values({1, 1}, {x}), lw, lb, call<B>(op::Linear{}, hidden, lu, Dyn<B>(), Dyn<B>()));
    auto [next_hidden, next_cell] = call<B>(op::LstmCell{}, gates, cell);
    hidden = next_hidden, cell = next_cell;
    expect(hidden, {out}, 1e-6);
  }
  expect(cell, {.2336719}, 1e-6);
}

TEST(CompositeReports, attention_rows_with_nothing_to_attend_to) {
  // The second query is masked whole, the third by a bias of -infinity; keys are far apart.
  const double infinity = std::numeric_limits<double>::infinity();
  const Dyn<A> q = leaf({1, 1, 3, 2}, {1e4, -1e4, 1, 2, 3, 4}), k = leaf({1, 1, 2, 2}, {1, 2, -3, 1e4}), v = leaf({1, 1, 2, 1}, {5, 7});
  const Dyn<A> mask = values<A>({3, 2}, {1, 1, 0, 0, 1, 1}, Dtype::boolean), bias = leaf({3, 2}, {0, 0, 0, 0, -infinity, -infinity});
  const Dyn<A> y = call<A>(op::Attention{}, q, k, v, mask, bias);
  expect(y, {5, 0, 0}, 1e-6);
  const auto g = gradients(y, {1, 1, 1}, q, k, v, bias);
  for (const Dyn<B>& one : g) EXPECT_TRUE(all_finite(one));
  expect(g[2], {1, 0}, 1e-6);

  // No keys at all.
  const Dyn<B> none = call<B>(op::Attention{}, values({1, 2, 3, 4}, Values(24, 1)), values({1, 1, 0, 4}, {}), values({1, 1, 0, 2}, {}), Dyn<B>(), Dyn<B>());
  EXPECT_EQ(none.shape(), (Shape{1, 2, 3, 2}));
  expect(none, Values(12, 0), 0);
  const auto grads = call<B>(op::AttentionGrad{}, values({1, 2, 3, 2}, Values(12, 1)), values({1, 2, 3, 4}, Values(24, 1)), values({1, 1, 0, 4}, {}),
                             values({1, 1, 0, 2}, {}), Dyn<B>(), Dyn<B>());
  expect(grads[0], Values(24, 0), 0);
}

TEST(CompositeReports, attention_drops_weights_by_its_counter) {
  // Scores are all 0: each of 4 keys weighs 1/4, so a result is the kept values' sum / 4 / (1 - p).
  AttentionOptions options{.dropout = 0.5, .key = 3, .offset = 40};
  const Dyn<A> q = leaf({1, 2, 3, 1}, Values(6, 0)), k = leaf({1, 2, 4, 1}, Values(8, 1));
  const Dyn<A> v = leaf({1, 2, 4, 1}, {1, 2, 4, 8, 16, 32, 64, 128});
  Values expected(6, 0), dv(8, 0);
  for (std::size_t row = 0; row < 6; ++row)
    for (std::size_t key = 0; key < 4; ++key) {
      const bool kept = uniform_float(philox(3, 40 + row * 4 + key)[0]) >= 0.5f;
      const std::size_t at = row / 3 * 4 + key;
      if (kept) expected[row] += std::pow(2, double(at)) / 4 / 0.5, dv[at] += 0.5;
    }
  const Dyn<A> y = call<A>(op::Attention{options}, q, k, v, Dyn<A>(), Dyn<A>());
  expect(y, expected, 1e-5);
  expect(gradients(y, Values(6, 1), v)[0], dv, 1e-6);
}

TEST(CompositeReports, stable_at_ten_thousand) {
  const Values wide{1e4, -1e4, 3, 1e4, 9999, -2};
  for (Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16}) {
    const Dyn<A> x = leaf({2, 3}, wide, dtype);
    const Dyn<A> one = values<A>({3}, {1, 1, 1}, dtype);
    const Dyn<A> t = values<A>({2}, {1, 2}, Dtype::i32);
    for (const Dyn<A>& y : {call<A>(op::Softmax{}, x), call<A>(op::LayerNorm{}, x, one, one), call<A>(op::RmsNorm{}, x, one),
                            call<A>(op::GroupNorm{3, 1e-5}, x, one, one), call<A>(op::BatchNormTraining{}, x, one, one)[0]}) {
      EXPECT_TRUE(all_finite(Dyn<B>(y.handle.value)));
      EXPECT_TRUE(all_finite(gradients(y, Values(6, 1), x)[0]));
    }
    const Dyn<A> loss = call<A>(op::CrossEntropy{}, x, t, Dyn<A>());
    EXPECT_TRUE(all_finite(Dyn<B>(loss.handle.value)));
    EXPECT_TRUE(all_finite(gradients(loss, {1}, x)[0]));
  }
}

TEST(CompositeReports, grids_that_lie_nowhere) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Dyn<B> x = values({1, 1, 2, 2}, {1, 2, 3, 4});
  const Dyn<B> grid = values({1, 1, 4, 2}, {infinity, 0, std::nan(""), 0, 1e30, -1e30, -infinity, infinity});
  for (InterpolateMode mode : {InterpolateMode::nearest, InterpolateMode::linear, InterpolateMode::cubic})
    expect(call<B>(op::GridSample{mode, GridPadding::zeros, false}, x, grid), {0, 0, 0, 0}, 0);
}

TEST(CompositeReports, empty_arrays) {
  const auto shape = [](const auto& out) { return out.shape(); };
  EXPECT_EQ(shape(call<B>(op::Softmax{1}, values({2, 0}, {}))), (Shape{2, 0}));
  EXPECT_EQ(shape(call<B>(op::LogSoftmax{0}, values({2, 0}, {}))), (Shape{2, 0}));
  EXPECT_EQ(shape(call<B>(op::LayerNorm{}, values({0, 3}, {}), Dyn<B>(), Dyn<B>())), (Shape{0, 3}));
  EXPECT_EQ(shape(call<B>(op::GroupNorm{2, 1e-5}, values({0, 4, 3}, {}), Dyn<B>(), Dyn<B>())), (Shape{0, 4, 3}));
  EXPECT_EQ(shape(call<B>(op::Linear{}, values({0, 2}, {}), values({3, 2}, Values(6, 1)), Dyn<B>(), Dyn<B>())), (Shape{0, 3}));
  // No features: what is left is the bias.
  expect(call<B>(op::Linear{}, values({2, 0}, {}), values({3, 0}, {}), values({3}, {1, 2, 3}), Dyn<B>()), {1, 2, 3, 1, 2, 3}, 0);
  expect(call<B>(op::CrossEntropy{Reduction::sum}, values({0, 3}, {}), values({0}, {}, Dtype::i64), Dyn<B>()), {0}, 0);
  expect(call<B>(op::CrossEntropy{}, values({0, 3}, {}), values({0}, {}, Dtype::i64), Dyn<B>()), {std::nan("")}, 0);
  EXPECT_EQ(shape(call<B>(op::GridSample{}, values({2, 3, 4, 4}, Values(96, 1)), values({2, 0, 5, 2}, {}))), (Shape{2, 3, 0, 5}));
}

}  // namespace
