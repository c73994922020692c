// nn: every loss against PyTorch: values and gradients in every reduction, with weights, smoothing, ignored rows and soft targets.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "fixtures.hpp"
#include "hearth/autodiff/autodiff.hpp"
#include "hearth/nn/loss.hpp"
#include "hearth/cpu.hpp"
#include "hearth/portable.hpp"

using namespace hearth;
using namespace hearth::test;

namespace {

template <class B>
class Losses : public testing::Test {};
using Stacks = testing::Types<Autodiff<Portable>, Autodiff<Cpu>>;
TYPED_TEST_SUITE(Losses, Stacks);

constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// f(x) against loss/<name>: the value, and the gradient of its sum.
template <class B, int R, class F>
void check(const std::string& name, const F& f) {
  SCOPED_TRACE(name);
  using I = typename B::Inner;
  auto x = require_gradient(fixture<B, R>("nn", "loss/" + name + "/input"));
  auto y = f(x);
  constexpr int rank = decltype(y)::rank;
  EXPECT_TRUE(close(y, fixture<B, rank>("nn", "loss/" + name + "/output"), 2e-6));
  auto gradients = backward(y, ones<B, rank>(y.shape()));
  EXPECT_TRUE(close(gradient_of(x, gradients), fixture<I, R>("nn", "loss/" + name + "/grad_input"), 2e-6));
}
/// A loss of two inputs, both with gradients: each of the three reductions. `each` and `joined` are the two forms.
template <class B, class Each, class Joined>
void check_pairs(const std::string& name, const Each& each, const Joined& joined) {
  using I = typename B::Inner;
  auto one = [&](const std::string& key, const auto& f) {
    SCOPED_TRACE(key);
    auto a = require_gradient(fixture<B, 2>("nn", key + "/input")), b = require_gradient(fixture<B, 2>("nn", key + "/input1"));
    auto y = f(a, b);
    constexpr int rank = decltype(y)::rank;
    EXPECT_TRUE(close(y, fixture<B, rank>("nn", key + "/output"), 2e-6));
    auto gradients = backward(y, ones<B, rank>(y.shape()));
    EXPECT_TRUE(close(gradient_of(a, gradients), fixture<I, 2>("nn", key + "/grad_input"), 2e-6));
    EXPECT_TRUE(close(gradient_of(b, gradients), fixture<I, 2>("nn", key + "/grad_input1"), 2e-6));
  };
  one("loss/" + name + "_none", each);
  one("loss/" + name + "_mean", [&](const auto& a, const auto& b) { return joined(a, b, Reduction::mean); });
  one("loss/" + name + "_sum", [&](const auto& a, const auto& b) { return joined(a, b, Reduction::sum); });
}

const std::pair<const char*, Reduction> reductions[] = {{"mean", Reduction::mean}, {"sum", Reduction::sum}};

template <class B>
auto targets_of(const std::string& name) {
  return fixture<B, 1, Int>("nn", "loss/" + name + "/constant");
}
template <class B>
auto weights_of(const std::string& name) {
  return fixture<B, 1>("nn", "loss/" + name + "/constant1");
}

TYPED_TEST(Losses, cross_entropy) {
  using B = TypeParam;
  for (auto [word, reduction] : reductions) {
    std::string name = std::string("cross_entropy_") + word;
    check<B, 2>(name, [&, r = reduction](const auto& x) { return cross_entropy(x, targets_of<B>(name), {.reduction = r}); });
    name = std::string("cross_entropy_weights_") + word;
    check<B, 2>(name, [&, r = reduction](const auto& x) { return cross_entropy(x, targets_of<B>(name), {.reduction = r}, weights_of<B>(name)); });
    name = std::string("cross_entropy_smoothing_") + word;
    check<B, 2>(name, [&, r = reduction](const auto& x) { return cross_entropy(x, targets_of<B>(name), {.reduction = r, .smoothing = 0.1}); });
    name = std::string("cross_entropy_all_") + word;
    check<B, 2>(name, [&, r = reduction](const auto& x) {
      return cross_entropy(x, targets_of<B>(name), {.reduction = r, .ignore = 1, .smoothing = 0.2}, weights_of<B>(name));
    });
  }
  check<B, 2>("cross_entropy_none", [&](const auto& x) { return cross_entropy_each(x, targets_of<B>("cross_entropy_none")); });
  check<B, 2>("cross_entropy_weights_none", [&](const auto& x) {
    return cross_entropy_each(x, targets_of<B>("cross_entropy_weights_none"), {}, weights_of<B>("cross_entropy_weights_none"));
  });
  check<B, 2>("cross_entropy_smoothing_none",
              [&](const auto& x) { return cross_entropy_each(x, targets_of<B>("cross_entropy_smoothing_none"), {.smoothing = 0.1}); });
  check<B, 2>("cross_entropy_all_none", [&](const auto& x) {
    return cross_entropy_each(x, targets_of<B>("cross_entropy_all_none"), {.ignore = 1, .smoothing = 0.2}, weights_of<B>("cross_entropy_all_none"));
  });
  check<B, 3>("cross_entropy_2d", [&](const auto& x) { return cross_entropy(x, fixture<B, 2, Int>("nn", "loss/cross_entropy_2d/constant")); });
  check<B, 3>("cross_entropy_2d_all", [&](const auto& x) {
    return cross_entropy(x, fixture<B, 2, Int>("nn", "loss/cross_entropy_2d_all/constant"), {.ignore = 1, .smoothing = 0.2}, weights_of<B>("cross_entropy_2d_all"));
  });
}

TYPED_TEST(Losses, cross_entropy_against_probabilities) {
  using B = TypeParam;
  check<B, 2>("cross_entropy_soft", [&](const auto& x) { return soft_cross_entropy(x, fixture<B, 2>("nn", "loss/cross_entropy_soft/constant")); });
  for (auto [word, reduction] : reductions) {
    const std::string name = std::string("cross_entropy_soft_all_") + word;
    check<B, 2>(name, [&, r = reduction](const auto& x) {
      return soft_cross_entropy(x, fixture<B, 2>("nn", "loss/" + name + "/constant"), r, 0.2, weights_of<B>(name));
    });
  }
  check<B, 2>("cross_entropy_soft_all_none", [&](const auto& x) {
    return soft_cross_entropy_each(x, fixture<B, 2>("nn", "loss/cross_entropy_soft_all_none/constant"), 0.2, weights_of<B>("cross_entropy_soft_all_none"));
  });
  check<B, 3>("cross_entropy_soft_2d", [&](const auto& x) { return soft_cross_entropy(x, fixture<B, 3>("nn", "loss/cross_entropy_soft_2d/constant")); });
  // Probabilities that are all on one class are a class index: same value, with weights and smoothing too (F.cross_entropy of PyTorch).
  auto x = tensor<B>({{1.f, 2.f, 3.f}, {0.f, -1.f, 2.f}});
  auto hot = tensor<B>({{0.f, 0.f, 1.f}, {1.f, 0.f, 0.f}});
  auto target = tensor<B>({2, 0});
  EXPECT_TRUE(close(soft_cross_entropy_each(x, hot), cross_entropy_each(x, target), 1e-6));
  auto weights = tensor<B>({0.5f, 1.f, 2.f});
  EXPECT_TRUE(close(soft_cross_entropy(x, hot, Reduction::sum, 0.25, weights), cross_entropy(x, target, {.reduction = Reduction::sum, .smoothing = 0.25}, weights), 1e-6));
  EXPECT_THROW((void)soft_cross_entropy(x, hot, Reduction::mean, 0, tensor<B>({1.f})), Error);
}

TYPED_TEST(Losses, distances) {
  using B = TypeParam;
  check_pairs<B>("mse", [](const auto& a, const auto& b) { return mse_loss_each(a, b); }, [](const auto& a, const auto& b, Reduction r) { return mse_loss(a, b, r); });
  check_pairs<B>("l1", [](const auto& a, const auto& b) { return l1_loss_each(a, b); }, [](const auto& a, const auto& b, Reduction r) { return l1_loss(a, b, r); });
  check_pairs<B>(
      "huber", [](const auto& a, const auto& b) { return huber_loss_each(a, b, 0.7); },
      [](const auto& a, const auto& b, Reduction r) { return huber_loss(a, b, 0.7, r); });
}

TYPED_TEST(Losses, binary_cross_entropy) {
  using B = TypeParam;
  for (auto [word, reduction] : reductions) {
    const std::string name = std::string("bce_with_logits_") + word;
    check<B, 2>(name, [&, r = reduction](const auto& x) { return bce_with_logits(x, fixture<B, 2>("nn", "loss/" + name + "/constant"), r); });
  }
  check<B, 2>("bce_with_logits_none", [&](const auto& x) { return bce_with_logits_each(x, fixture<B, 2>("nn", "loss/bce_with_logits_none/constant")); });
  check<B, 2>("bce_with_logits_weights", [&](const auto& x) {
    return bce_with_logits(x, fixture<B, 2>("nn", "loss/bce_with_logits_weights/constant"), Reduction::mean, fixture<B, 1>("nn", "loss/bce_with_logits_weights/constant1"));
  });
}

// Case 24 of the bug log: far from zero.
TYPED_TEST(Losses, binary_cross_entropy_of_large_logits) {
  using B = TypeParam;
  using I = typename B::Inner;
  auto x = require_gradient(tensor<B>({1000.f, -1000.f, 0.f}));
  auto y = bce_with_logits_each(x, tensor<B>({0.f, 1.f, 0.5f}));
  EXPECT_TRUE(close(y, tensor<B>({1000.f, 1000.f, 0.69314718f}), 1e-6));
  EXPECT_TRUE(close(gradient_of(x, backward(y.sum())), tensor<I>({1.f, -1.f, 0.f}), 1e-6));
  auto right = require_gradient(tensor<B>({1e4f, -1e4f}));
  auto zero = bce_with_logits_each(right, tensor<B>({1.f, 0.f}));
  EXPECT_TRUE(equal(zero, tensor<B>({0.f, 0.f})));
  EXPECT_TRUE(equal(gradient_of(right, backward(zero.sum())), tensor<I>({0.f, 0.f})));
}

// log(1 + exp(-15)) and sigmoid(-15) keep their digits: nothing cancels.
TYPED_TEST(Losses, binary_cross_entropy_of_sure_logits) {
  using B = TypeParam;
  using I = typename B::Inner;
  auto x = require_gradient(tensor<B>({-15.f, 15.f, -10.f}));
  auto y = bce_with_logits_each(x, tensor<B>({0.f, 1.f, 0.f}));
  EXPECT_TRUE(close(y * 1e6, tensor<B>({0.30590227f, 0.30590227f, 45.398899f}), 1e-5));
  EXPECT_TRUE(close(gradient_of(x, backward(y.sum())) * 1e6, tensor<I>({0.30590222f, -0.30590222f, 45.397869f}), 1e-5));
}

TYPED_TEST(Losses, negative_log_likelihood) {
  using B = TypeParam;
  for (auto [word, reduction] : reductions) {
    const std::string name = std::string("nll_") + word;
    check<B, 2>(name, [&, r = reduction](const auto& x) { return nll_loss(x, targets_of<B>(name), {.reduction = r}, weights_of<B>(name)); });
  }
  check<B, 2>("nll_none", [&](const auto& x) { return nll_loss_each(x, targets_of<B>("nll_none"), weights_of<B>("nll_none")); });

  check<B, 3>("nll_2d", [&](const auto& x) { return nll_loss(x, fixture<B, 2, Int>("nn", "loss/nll_2d/constant"), {.ignore = 3}, weights_of<B>("nll_2d")); });

  // By hand: rows count unless ignored; -100 is no class of an u8 target, so nothing is ignored there.
  auto x = tensor<B>({{-1.f, -2.f}, {-3.f, -4.f}, {-5.f, -6.f}});
  auto target = tensor<B>({0, -100, 1});
  EXPECT_TRUE(equal(nll_loss_each(x, target, {}, -100), tensor<B>({1.f, 0.f, 6.f})));
  EXPECT_FLOAT_EQ(nll_loss(x, target, {.ignore = -100}).item(), 3.5f);
  EXPECT_FLOAT_EQ(nll_loss(x, target, {.ignore = -100}, tensor<B>({3.f, 1.f})).item(), (3 * 1 + 1 * 6) / 4.f);
  EXPECT_FLOAT_EQ(nll_loss(x, tensor<B>({0, 1, 1}).cast(Dtype::u8), {.ignore = -100}).item(), 11 / 3.f);
  EXPECT_THROW((void)nll_loss(x, target), Error);
  EXPECT_THROW((void)nll_loss(x, tensor<B>({0, 1, 2})), Error);
  EXPECT_THROW((void)nll_loss(x, tensor<B>({0, 1})), Error);
  EXPECT_THROW((void)nll_loss(x, tensor<B>({0, 1, 1}), {}, tensor<B>({1.f, 1.f, 1.f})), Error);
  EXPECT_THROW((void)nll_loss(x, tensor<B>({0, 1, 1}), {.reduction = Reduction::none}), Error);
}

TYPED_TEST(Losses, divergence) {
  using B = TypeParam;
  auto target = [](const std::string& name) { return fixture<B, 2>("nn", "loss/" + name + "/constant"); };
  check<B, 2>("kl_batchmean", [&](const auto& x) { return kl_div(x, target("kl_batchmean")); });
  check<B, 2>("kl_sum", [&](const auto& x) { return kl_div(x, target("kl_sum"), KlReduction::sum); });
  check<B, 2>("kl_none", [&](const auto& x) { return kl_div_each(x, target("kl_none")); });
  // The same from the logarithm of the target, and 0 where the target is 0.
  check<B, 2>("kl_none", [&](const auto& x) { return kl_div_each(x, log(target("kl_none")), true); });
  EXPECT_TRUE(close(kl_div_each(tensor<B>({-1.f, -2.f}), tensor<B>({0.f, 1.f})), tensor<B>({0.f, 2.f}), 1e-6));
  EXPECT_FLOAT_EQ(kl_div(tensor<B>({-1.f, -2.f}), tensor<B>({0.f, 1.f}), KlReduction::mean).item(), 1.f);
  // Also where the logarithms are infinite; what has no probability has no gradient.
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const auto x = require_gradient(tensor<B>({-infinity, -1.f, -infinity}));
  const auto from_log = kl_div_each(x, tensor<B>({-infinity, 0.f, 0.f}), true), plain = kl_div_each(x, tensor<B>({0.f, 1.f, 1.f}));
  for (const auto& each : {from_log, plain}) {
    EXPECT_TRUE(equal(each, tensor<B>({0.f, 1.f, infinity})));
    EXPECT_TRUE(equal(gradient_of(x, backward(each.sum())), tensor<typename B::Inner>({0.f, -1.f, -1.f})));
  }
}

// Case 31 of the bug log.
TYPED_TEST(Losses, log_softmax_and_cross_entropy_at_the_edges) {
  using B = TypeParam;
  using I = typename B::Inner;
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(equal(log_softmax(tensor<B>({1000.f, 0.f, -1000.f}), 0), tensor<B>({0.f, -1000.f, -2000.f})));
  auto x = require_gradient(tensor<B>({{1000.f, 0.f, -1000.f}}));
  auto loss = cross_entropy(x, tensor<B>({1}));
  EXPECT_FLOAT_EQ(loss.item(), 1000.f);
  EXPECT_TRUE(close(gradient_of(x, backward(loss)), tensor<I>({{1.f, -1.f, 0.f}}), 1e-6));

  EXPECT_EQ(tensor<B>({-infinity, -infinity}).logsumexp(0).item(), -infinity);
  auto edge = require_gradient(tensor<B>({-infinity, 1.f}));
  auto sum = edge.logsumexp(0);
  EXPECT_FLOAT_EQ(sum.item(), 1.f);
  EXPECT_TRUE(equal(gradient_of(edge, backward(sum)), tensor<I>({0.f, 1.f})));
  EXPECT_NEAR(tensor<B>({1000.f, 1000.f}).logsumexp(0).item(), 1000.69318, 1e-4);
}

TYPED_TEST(Losses, cross_entropy_of_ignored_rows) {
  using B = TypeParam;
  using I = typename B::Inner;
  auto logits = require_gradient(tensor<B>({{1.f, 2.f, 3.f}, {1.f, 2.f, 3.f}}));
  auto target = tensor<B>({2, -1});
  auto loss = cross_entropy(logits, target, {.ignore = -1});
  EXPECT_NEAR(loss.item(), .40760596, 1e-6);
  auto gradient = gradient_of(logits, backward(loss));
  EXPECT_TRUE(equal(gradient[1], tensor<I>({0.f, 0.f, 0.f})));
  EXPECT_NEAR(gradient(0, 2).item(), std::exp(-.40760596) - 1, 1e-6);
  EXPECT_TRUE(close(cross_entropy_each(logits, target, {.ignore = -1}), tensor<B>({.40760596f, 0.f}), 1e-6));

  // All ignored: 0 per row and in sum, NaN as a mean of nothing; the gradient is 0 in every case.
  auto all = tensor<B>({-1, -1});
  EXPECT_TRUE(equal(cross_entropy_each(logits, all, {.ignore = -1}), tensor<B>({0.f, 0.f})));
  EXPECT_EQ(cross_entropy(logits, all, {.reduction = Reduction::sum, .ignore = -1}).item(), 0);
  auto mean = cross_entropy(logits, all, {.ignore = -1});
  EXPECT_TRUE(std::isnan(mean.item()));
  EXPECT_TRUE(equal(gradient_of(logits, backward(mean)), tensor<I>({{0.f, 0.f, 0.f}, {0.f, 0.f, 0.f}})));
  EXPECT_TRUE(std::isnan(nll_loss(logits, all, {.ignore = -1}).item()));
  EXPECT_EQ(nll_loss(logits, all, {.reduction = Reduction::sum, .ignore = -1}).item(), 0);

  // An ignored class stays in the denominator of the rows that count.
  EXPECT_NEAR(cross_entropy(tensor<B>({{0.f, 1.f, 1.f}, {0.f, 1.f, 1.f}}), tensor<B>({1, 2}), {.ignore = 0}).item(), .86199480, 1e-6);

  auto many = tensor<B>({{.1735f, .2191f}, {-.1377f, .3467f}, {-.2162f, .2021f}, {-.1177f, .2157f}, {-.1232f, .2620f}, {-.1578f, .4038f}, {-.0209f, .3298f},
                         {-.0639f, .2317f}, {-.3914f, .2106f}, {-.4211f, .3420f}});
  auto labels = tensor<B>({0, -1, 0, 0, 0, 0, 0, 0, -1, 0});
  EXPECT_NEAR(cross_entropy(many, labels, {.ignore = -1, .smoothing = .1}, tensor<B>({1.f, 16.f})).item(), 1.2842268, 1e-6);
}

TYPED_TEST(Losses, targets_out_of_range_are_errors) {
  using B = TypeParam;
  auto logits = tensor<B>({{1.f, 2.f, 3.f}, {1.f, 2.f, 3.f}});
  for (std::int64_t wrong : {std::int64_t(-4), std::int64_t(3), std::int64_t(1) << 33}) {
    try {
      (void)cross_entropy(logits, tensor<B>(std::vector<std::int64_t>{0, wrong}), {.ignore = -1}).item();
      ADD_FAILURE() << wrong;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind, ErrorKind::user);
      EXPECT_NE(std::string(error.what()).find(std::to_string(wrong)), std::string::npos) << error.what();
    }
  }
  EXPECT_NEAR(cross_entropy(logits, tensor<B>({2, 2})).item(), .40760596, 1e-6);
}

TYPED_TEST(Losses, shapes_and_arguments_that_do_not_fit) {
  using B = TypeParam;
  auto a = tensor<B>({1.f, 2.f, 3.f}), b = tensor<B>({1.f});
  EXPECT_THROW((void)mse_loss(a, b), Error);
  EXPECT_THROW((void)l1_loss(a, b), Error);
  EXPECT_THROW((void)huber_loss(a, b), Error);
  EXPECT_THROW((void)huber_loss(a, a, 0), Error);
  EXPECT_THROW((void)huber_loss(a, a, none), Error);
  EXPECT_THROW((void)bce_with_logits(a, b), Error);
  EXPECT_THROW((void)kl_div(a, b), Error);
  EXPECT_THROW((void)mse_loss(a, a, Reduction::none), Error);
  // Of nothing: a mean is NaN, a sum 0.
  auto empty = zeros<B>({0, 3});
  EXPECT_TRUE(std::isnan(mse_loss(empty, empty).item()));
  EXPECT_EQ(mse_loss(empty, empty, Reduction::sum).item(), 0);
}

}  // namespace
