// Every composite's decomposition against PyTorch, in f64, f32 and 16 bits, on contiguous operands and on views.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "fixtures/composite_cases.hpp"
#include "fixtures/composite_fixture.hpp"
#include "hearth/backend/apply-inl.hpp"
#include "hearth/backend/shapes.hpp"
#include "hearth/portable.hpp"

namespace {

using namespace hearth;
using B = Portable;

template <class Op>
Results<Op, Dyn<B>> run(const Op& op, const std::string& name, const fixture::Names& names, Dtype floats, bool view = false) {
  const fixture::Names full = fixture::full_names(name, names);
  Operands<Op, HandleOf<B>> operands{};
  for (std::size_t i = 0; i < operands.size(); ++i) operands[i] = fixture::operand<B>(full[i], floats, view).handle;
  return map_list(decompose<B>(op, std::move(operands)), [](auto& handle) { return Dyn<B>(handle); });
}
template <class Out>
void expect_results(const Out& out, const std::string& name, double tolerance) {
  for (std::size_t i = 0; i < out.size(); ++i) fixture::expect_fixture(out[i], name + ".out" + std::to_string(i), tolerance);
}

TEST(CompositeForward, agrees_with_pytorch_in_f64) {
  fixture::each_case([](const std::string& name, const auto& op, const fixture::Names& names) {
    expect_results(run(op, name, names, Dtype::f64), name, 1e-10);
  });
}
TEST(CompositeForward, takes_views) {
  fixture::each_case([](const std::string& name, const auto& op, const fixture::Names& names) {
    expect_results(run(op, name, names, Dtype::f64, true), name, 1e-10);
  });
}
TEST(CompositeForward, agrees_with_pytorch_in_f32) {
  fixture::each_case([](const std::string& name, const auto& op, const fixture::Names& names) {
    expect_results(run(op, name, names, Dtype::f32), name, 2e-5);
  });
}

// In 16 bits a result may differ by the rounding of its operands and of itself, not by that of the statistics on the way.
TEST(CompositeForward, is_accurate_in_16_bits) {
  fixture::each_case([](const std::string& name, const auto& op, const fixture::Names& names) {
    using Op = std::remove_cvref_t<decltype(op)>;
    if constexpr (std::is_same_v<Op, op::RealFft> || std::is_same_v<Op, op::InverseRealFft>) return;  // f32 and f64 only
    else {
      if (name.starts_with("grid.nearest")) return;  // rounding a position may name another element
      for (const auto& [dtype, tolerance] : {std::pair{Dtype::f16, 2e-3}, std::pair{Dtype::bf16, 1.6e-2}}) {
        const fixture::Names full = fixture::full_names(name, names);
        Operands<Op, HandleOf<B>> narrow{}, wide{};
        for (std::size_t i = 0; i < narrow.size(); ++i) {
          Dyn<B> x = fixture::operand<B>(full[i], dtype);
          wide[i] = x ? (is_float(x.dtype()) ? cast(x, Dtype::f64) : x).handle : HandleOf<B>();
          narrow[i] = x.handle;
        }
        const auto got = decompose<B>(op, std::move(narrow)), expected = decompose<B>(op, std::move(wide));
        for (std::size_t i = 0; i < got.size(); ++i) {
          EXPECT_EQ(B::spec(got[i]).dtype, dtype) << name;
          fixture::expect_values(fixture::download<B>(got[i]), fixture::download<B>(expected[i]), tolerance, name + std::string(name_of(dtype)));
        }
      }
    }
  });
}

// The parts of a decomposition fit together to what infer says of the whole.
TEST(CompositeForward, has_the_inferred_specs) {
  fixture::each_case([](const std::string& name, const auto& op, const fixture::Names& names) {
    using Op = std::remove_cvref_t<decltype(op)>;
    const fixture::Names full = fixture::full_names(name, names);
    Operands<Op, Shapes::Handle> operands{};
    for (std::size_t i = 0; i < operands.size(); ++i)
      if (!full[i].empty()) operands[i] = Shapes::upload({}, fixture::array(full[i]).spec, nullptr);
    const auto inferred = infer(op, specs_of<Shapes, Op>(operands));
    const auto out = decompose<Shapes>(op, operands);
    for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(to_string(Shapes::spec(out[i])), to_string(inferred[i])) << name;
  });
}

TEST(CompositeForward, ctc) {
  const Dyn<B> x = call<B>(op::LogSoftmax{-1}, fixture::operand<B>("ctc.zeroed.x", Dtype::f64));
  const Dyn<B> target = fixture::operand<B>("ctc.zeroed.target", Dtype::f64), inputs = fixture::operand<B>("ctc.zeroed.input_lengths", Dtype::f64),
               targets = fixture::operand<B>("ctc.zeroed.target_lengths", Dtype::f64);
  fixture::expect_fixture(call<B>(op::CtcLoss{0, true}, x, target, inputs, targets), "ctc.zeroed.out0", 1e-10);
  fixture::expect_fixture(call<B>(op::CtcLoss{0, false}, x, target, inputs, targets), "ctc.infinite.out0", 1e-10);
  // What pads the targets is not read; a length past the end is an error.
  const Dyn<B> padded = fixture::upload<B>({Dtype::i32, {4, 3}}, {1, 2, 2, 3, 1, -1, -1, -1, -1, 1, 1, 1});
  auto expected = fixture::array("ctc.zeroed.out0").values;
  const Dyn<B> lengths = fixture::upload<B>({Dtype::i32, {4}}, {3, 2, 0, 3});
  fixture::expect_values(fixture::download(call<B>(op::CtcLoss{0, true}, x, padded, cast(inputs, Dtype::i32), lengths)), expected, 1e-10, "padded targets");
  EXPECT_THROW(call<B>(op::CtcLoss{}, x, target, fixture::upload<B>({Dtype::i64, {4}}, {7, 5, 4, 3}), targets), Error);
  EXPECT_THROW(call<B>(op::CtcLoss{}, x, target, inputs, fixture::upload<B>({Dtype::i64, {4}}, {4, 2, 0, 3})), Error);
}

TEST(CompositeForward, optimiser_steps) {
  const auto step = [](const std::string& name, const auto& op, const std::vector<std::string>& states) {
    std::vector<Dyn<B>> operands;
    for (const std::string& list : [&] { auto lists = states; lists.insert(lists.begin(), {"p", "g"}); return lists; }())
      for (const char* i : {"0", "1"}) operands.push_back(fixture::operand<B>(name + "." + list + i, Dtype::f64));
    const auto out = decompose<B>(op, map_list(operands, [](const Dyn<B>& x) { return x.handle; }));
    std::size_t at = 0;
    auto lists = states;
    lists.insert(lists.begin(), "p");
    ASSERT_EQ(out.size(), lists.size() * 2) << name;
    for (const std::string& list : lists)
      for (const char* i : {"0", "1"}) fixture::expect_fixture(Dyn<B>(out[at++]), name + ".new_" + list + i, 1e-11);
  };
  step("sgd.plain", op::SgdStep{.count = 2, .rate = 0.1, .weight_decay = 0.01}, {});
  step("sgd.first", op::SgdStep{.count = 2, .rate = 0.1, .momentum = 0.9, .dampening = 0.5, .first = true}, {"momentum_buffer"});
  step("sgd.momentum", op::SgdStep{.count = 2, .rate = 0.1, .momentum = 0.9, .dampening = 0.25, .weight_decay = 0.01}, {"momentum_buffer"});
  step("sgd.nesterov", op::SgdStep{.count = 2, .rate = 0.1, .momentum = 0.9, .nesterov = true}, {"momentum_buffer"});
  step("adam.first", op::AdamStep{.count = 2, .step = 1, .rate = 0.01}, {"exp_avg", "exp_avg_sq"});
  step("adam.coupled", op::AdamStep{.count = 2, .step = 3, .rate = 0.01, .beta1 = 0.8, .beta2 = 0.95, .epsilon = 1e-3, .weight_decay = 0.1}, {"exp_avg", "exp_avg_sq"});
  step("adam.decoupled", op::AdamStep{.count = 2, .step = 3, .rate = 0.01, .weight_decay = 0.1, .decoupled = true}, {"exp_avg", "exp_avg_sq"});
  step("rms.plain", op::RmsPropStep{.count = 2, .rate = 0.01, .weight_decay = 0.1}, {"square_avg"});
  step("rms.full", op::RmsPropStep{.count = 2, .rate = 0.01, .alpha = 0.9, .epsilon = 1e-3, .momentum = 0.8, .centered = true},
       {"square_avg", "grad_avg", "momentum_buffer"});
}

TEST(CompositeForward, quantised) {
  const auto fake = [](const std::string& name, const QuantScheme& scheme, Dyn<B> scale, Dyn<B> zero_point) {
    const Dyn<B> y = call<B>(op::FakeQuantize{scheme}, fixture::operand<B>("fake." + name + ".x", Dtype::f32), std::move(scale), std::move(zero_point));
    fixture::expect_fixture(y, "fake." + name + ".out0", 1e-6);
  };
  fake("tensor", {.storage = Storage::i4}, fixture::operand<B>("fake.tensor.scale", Dtype::f32), {});
  fake("zero_point", {.storage = Storage::u8, .symmetric = false}, fixture::operand<B>("fake.zero_point.scale", Dtype::f32), fixture::upload<B>({Dtype::i64, {1}}, {100}));
  fake("channel", {.storage = Storage::i8, .axis = 0}, fixture::operand<B>("fake.channel.scale", Dtype::f32), {});

  const auto get = [](const char* name) { return fixture::operand<B>(name, Dtype::f64); };
  op::QuantizedMatMul product{{}, {.storage = Storage::u8, .symmetric = false, .axis = 1}, {2, 3, 8}, {8, 5}, Dtype::f64};
  fixture::expect_fixture(call<B>(product, get("qmm.a"), get("qmm.sa"), Dyn<B>(), get("qmm.b"), get("qmm.sb"), get("qmm.zb")), "qmm.out0", 1e-10);
  op::QuantizedMatMul packed{{}, {.storage = Storage::i4, .axis = 1, .block = 2}, {}, {4, 6}, Dtype::f64};
  fixture::expect_fixture(call<B>(packed, get("qmm4.x"), Dyn<B>(), Dyn<B>(), get("qmm4.packed"), get("qmm4.scale"), Dyn<B>()), "qmm4.out0", 1e-10);
  op::QuantizedConv convolution{{{1, 1}, {1, 1}, {1, 1}, {1, 1}, 1}, {.storage = Storage::u8, .symmetric = false}, {.axis = 0}, {2, 2, 4, 4}, {3, 2, 3, 3}, Dtype::f64};
  fixture::expect_fixture(call<B>(convolution, get("qconv.x"), fixture::upload<B>({Dtype::f64, {}}, {0.25}), fixture::upload<B>({Dtype::i32, {}}, {7}),
                                  get("qconv.weight"), get("qconv.ws"), Dyn<B>(), get("qconv.bias")), "qconv.out0", 1e-10);
}

}  // namespace
