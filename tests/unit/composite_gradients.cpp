// Gradients of every composite, by its rule or its decomposition, against PyTorch's; and the composites that compute gradients whole.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "fixtures/composite_cases.hpp"
#include "fixtures/composite_fixture.hpp"
#include "hearth/autodiff/autodiff.hpp"
#include "hearth/op/philox.hpp"
#include "hearth/portable.hpp"

namespace {

using namespace hearth;
using B = Portable;
using A = Autodiff<B>;

/// The sum over all results of result * seed: its gradients are those that PyTorch computed.
template <class Results>
Dyn<A> seeded_loss(const Results& out, const std::string& name) {
  Dyn<A> loss;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Dyn<A> seed = fixture::operand<A>(name + ".seed" + std::to_string(i), out[i].dtype());
    auto part = reshape(sum(out[i] * seed, all_axes(out[i].rank())), {});
    loss = loss ? loss + part : part;
  }
  return loss;
}

Dyn<B> gradient_of(const Gradients<B>& gradients, const A::Handle& leaf) {
  const auto* found = gradients.find(leaf);
  return found ? Dyn<B>(*found) : Dyn<B>();
}

/// Runs the case with the operands in `tracked` (bits) tracked, and compares their gradients.
template <class Op>
void expect_gradients(const std::string& name, const Op& op, const fixture::Names& names, unsigned tracked, Dtype dtype, double tolerance) {
  const fixture::Names full = fixture::full_names(name, names);
  Operands<Op, A::Handle> operands{};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    operands[i] = fixture::operand<A>(full[i], dtype).handle;
    if (operands[i] && is_float(A::spec(operands[i]).dtype) && (tracked >> i & 1u)) operands[i] = A::track(operands[i]);
  }
  const auto out = map_list(apply<A>(op, operands), [](auto& handle) { return Dyn<A>(handle); });
  Gradients<B> gradients = A::backward(seeded_loss(out, name).handle);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!A::tracked(operands[i])) continue;
    const Dyn<B> g = gradient_of(gradients, operands[i]);
    ASSERT_TRUE(bool(g)) << name << " has no gradient of " << names[i];
    EXPECT_EQ(g.dtype(), dtype) << name;
    fixture::expect_fixture(g, name + ".d_" + names[i], tolerance);
  }
}

TEST(CompositeGradients, agree_with_pytorch_in_f64) {
  fixture::each_case([](const std::string& name, const auto& op, const fixture::Names& names) {
    expect_gradients(name, op, names, ~0u, Dtype::f64, 1e-9);
  });
}
// What a rule saves depends on which operands want gradients.
TEST(CompositeGradients, of_one_operand_alone) {
  fixture::each_case([](const std::string& name, const auto& op, const fixture::Names& names) {
    const fixture::Names full = fixture::full_names(name, names);
    for (std::size_t i = 0; i < names.size(); ++i)
      if (!names[i].empty() && is_float(fixture::array(full[i]).spec.dtype)) expect_gradients(name, op, names, 1u << i, Dtype::f64, 1e-9);
  });
}
TEST(CompositeGradients, agree_with_pytorch_in_f32) {
  fixture::each_case([](const std::string& name, const auto& op, const fixture::Names& names) {
    expect_gradients(name, op, names, ~0u, Dtype::f32, 1e-4);
  });
}
TEST(CompositeGradients, keep_the_dtype_in_16_bits) {
  fixture::each_case([](const std::string& name, const auto& op, const fixture::Names& names) {
    using Op = std::remove_cvref_t<decltype(op)>;
    if constexpr (!std::is_same_v<Op, op::RealFft> && !std::is_same_v<Op, op::InverseRealFft>) {
      if (name.starts_with("grid") || name.starts_with("deform")) return;  // rounding a position may cross a kink
      expect_gradients(name, op, names, ~0u, Dtype::bf16, 0.1);
    }
  });
}

TEST(CompositeGradients, ctc_behind_log_softmax) {
  Dyn<A> x(A::track(fixture::operand<A>("ctc.zeroed.x", Dtype::f64).handle));
  const auto get = [](const char* name) { return fixture::operand<A>(std::string("ctc.zeroed.") + name, Dtype::f64); };
  const Dyn<A> loss = call<A>(op::CtcLoss{0, true}, call<A>(op::LogSoftmax{-1}, x), get("target"), get("input_lengths"), get("target_lengths"));
  Gradients<B> gradients = A::backward(seeded_loss(std::array{loss}, "ctc.zeroed").handle);
  fixture::expect_fixture(gradient_of(gradients, x.handle), "ctc.zeroed.d_x", 1e-9);
}

TEST(CompositeGradients, fake_quantize_passes_straight_through) {
  const auto fake = [](const std::string& name, const QuantScheme& scheme, Dyn<A> zero_point) {
    Dyn<A> x(A::track(fixture::operand<A>("fake." + name + ".x", Dtype::f32).handle));
    Dyn<A> scale(A::track(fixture::operand<A>("fake." + name + ".scale", Dtype::f32).handle));
    const Dyn<A> y = call<A>(op::FakeQuantize{scheme}, x, scale, zero_point);
    Gradients<B> gradients = A::backward(seeded_loss(std::array{y}, "fake." + name).handle);
    fixture::expect_fixture(gradient_of(gradients, x.handle), "fake." + name + ".d_x", 1e-6);
    fixture::expect_fixture(gradient_of(gradients, scale.handle), "fake." + name + ".d_scale", 1e-4);
  };
  fake("tensor", {.storage = Storage::i4}, {});
  fake("zero_point", {.storage = Storage::u8, .symmetric = false}, fixture::upload<A>({Dtype::i32, {1}}, {100}));
  fake("channel", {.storage = Storage::i8, .axis = 0}, {});

  // One scale for every 3 of 7 elements: y / scale - x / scale inside the range, the bound outside; summed by block.
  Dyn<A> x(A::track(fixture::upload<A>({Dtype::f64, {7}}, {0.3, 0.9, 100, -2.2, 1.6, 0.4, -50}).handle));
  Dyn<A> scale(A::track(fixture::upload<A>({Dtype::f64, {3}}, {0.5, 1, 2}).handle));
  const Dyn<A> y = call<A>(op::FakeQuantize{{.storage = Storage::i4, .axis = 0, .block = 3}}, x, scale, Dyn<A>());
  fixture::expect_values(fixture::download(y), {0.5, 1, 3.5, -2, 2, 0, -16}, 1e-12, "blocks");
  Gradients<B> gradients = A::backward(sum(y, {0}).handle);
  fixture::expect_values(fixture::download(gradient_of(gradients, x.handle)), {1, 1, 0, 1, 1, 1, 0}, 0, "blocks, x");
  fixture::expect_values(fixture::download(gradient_of(gradients, scale.handle)), {(1 - 0.6) + (2 - 1.8) + 7, (-2 + 2.2) + (2 - 1.6) + (0 - 0.4), -8}, 1e-12,
                         "blocks, scale");
}

TEST(CompositeGradients, of_floats_beside_quantised_weights) {
  Dyn<A> x(A::track(fixture::operand<A>("qmm4.x", Dtype::f64).handle));
  const op::QuantizedMatMul product{{}, {.storage = Storage::i4, .axis = 1, .block = 2}, {}, {4, 6}, Dtype::f64};
  const Dyn<A> y = call<A>(product, x, Dyn<A>(), Dyn<A>(), fixture::operand<A>("qmm4.packed", Dtype::f64), fixture::operand<A>("qmm4.scale", Dtype::f64), Dyn<A>());
  Gradients<B> gradients = A::backward(seeded_loss(std::array{y}, "qmm4").handle);
  fixture::expect_fixture(gradient_of(gradients, x.handle), "qmm4.d_x", 1e-10);
}

TEST(CompositeGradients, dropout_draws_its_mask_again) {
  const op::Dropout op{0.3, 11, 1000};
  Dyn<A> x(A::track(fixture::operand<A>("linear.none.x", Dtype::f64).handle));
  const Dyn<A> y = call<A>(op, x);
  // Kept where the uniform number of the element's counter is at least p.
  const std::int64_t count = element_count(x.shape());
  std::vector<double> mask, value = fixture::download(x);
  for (std::int64_t i = 0; i < count; ++i) mask.push_back(uniform_float(philox(op.key, op.offset + std::uint64_t(i))[0]) >= 0.3f ? 1 / 0.7 : 0);
  for (std::int64_t i = 0; i < count; ++i) value[std::size_t(i)] *= mask[std::size_t(i)];
  fixture::expect_values(fixture::download(y), value, 1e-12, "dropout");
  Gradients<B> gradients = A::backward(reshape(sum(y, all_axes(3)), {}).handle);
  fixture::expect_values(fixture::download(gradient_of(gradients, x.handle)), mask, 1e-12, "its gradient");

  const Dyn<A> all = call<A>(op::Dropout{1, 1, 0}, x), none = call<A>(op::Dropout{0, 1, 0}, x);
  fixture::expect_values(fixture::download(all), std::vector<double>(std::size_t(count), 0), 0, "p = 1");
  fixture::expect_values(fixture::download(none), fixture::download(x), 0, "p = 0");
}

// The composites that compute gradients whole are public ops too: asked directly, they give the same.
TEST(CompositeGradients, as_ops) {
  const auto get = [](const std::string& name) { return fixture::operand<B>(name, Dtype::f64); };
  const auto expect = [&](const auto& out, const std::string& name, const fixture::Names& results) {
    for (std::size_t i = 0; i < results.size(); ++i) fixture::expect_fixture(out[i], name + ".d_" + results[i], 1e-10);
  };
  const auto norm = [&](const auto& op, const std::string& name, const fixture::Names& results) {
    expect(call<B>(op, get(name + ".seed0"), get(name + ".x"), fixture::has(name + ".scale") ? get(name + ".scale") : Dyn<B>()), name, results);
  };
  norm(op::LayerNormGrad{2, 1e-3}, "layer_norm.two", {"x", "scale", "bias"});
  norm(op::LayerNormGrad{1, 1e-5}, "layer_norm.plain", {"x"});
  norm(op::RmsNormGrad{1, 1e-3}, "rms_norm.one", {"x", "scale"});
  norm(op::GroupNormGrad{2, 1e-4}, "group_norm.two", {"x", "scale", "bias"});
  const auto masked = call<B>(op::AttentionGrad{}, get("attention.masked.seed0"), get("attention.masked.q"), get("attention.masked.k"), get("attention.masked.v"),
                              get("attention.masked.mask"), get("attention.masked.bias"));
  expect(masked, "attention.masked", {"q", "k", "v", "bias"});
  EXPECT_EQ(call<B>(op::AttentionGrad{}, get("attention.plain.seed0"), get("attention.plain.q"), get("attention.plain.k"), get("attention.plain.v"), Dyn<B>(), Dyn<B>())[3].shape(),
            Shape{0});
  fixture::expect_fixture(call<B>(op::CrossEntropyGrad{Reduction::mean, 4, 0.2}, get("cross_entropy.mean.seed0"), get("cross_entropy.mean.x"),
                                  get("cross_entropy.mean.target"), get("cross_entropy.mean.weight")), "cross_entropy.mean.d_x", 1e-10);
  expect(call<B>(op::GridSampleGrad{InterpolateMode::cubic, GridPadding::reflection, true}, get("grid.bicubic.reflection.1.seed0"), get("grid.bicubic.reflection.1.x"),
                 get("grid.bicubic.reflection.1.grid")), "grid.bicubic.reflection.1", {"x", "grid"});
  expect(call<B>(op::DeformConvGrad{{{2, 2}, {1, 1}, {1, 1}, {1, 1}, 2}, 2}, get("deform.full.seed0"), get("deform.full.x"), get("deform.full.offset"),
                 get("deform.full.weight"), get("deform.full.mask")), "deform.full", {"x", "offset", "weight", "mask"});
}

}  // namespace
