// tests/unit/cpu_conv: convolutions of Cpu against Portable, at sizes that split into several blocks, and the cases of public reports.
// SPDX-License-Identifier: Apache-2.0
#include "cpu_arrays.hpp"

using namespace hearth;
using namespace hearth::test;

namespace {

using Numbers = std::vector<double>;
using Handle = Cpu::Handle;

Numbers counted(std::int64_t from, std::int64_t to) {
  Numbers result;
  for (std::int64_t i = from; i <= to; ++i) result.push_back(double(i));
  return result;
}

/// A convolution of random geometry, with all that its three ops take.
struct Example {
  ConvGeometry geometry;
  Shape x, weight, y;
};
Example random_example(Random& random, int spatial, std::int64_t largest) {
  while (true) {
    Example e;
    e.geometry.groups = pick(random, 1, 3);
    const bool depthwise = random() % 4 == 0;
    const std::int64_t in = depthwise ? 1 : pick(random, 1, 5), out = depthwise ? pick(random, 1, 2) : pick(random, 1, 14);
    if (depthwise) e.geometry.groups = pick(random, 2, 9);
    e.x = {pick(random, 1, 4), in * e.geometry.groups};
    e.weight = {out * e.geometry.groups, in};
    e.y = {e.x[0], e.weight[0]};
    bool empty = false;
    for (int i = 0; i < spatial; ++i) {
      const std::int64_t size = pick(random, 1, largest), kernel = pick(random, 1, 4);
      e.geometry.stride.push(pick(random, 1, 3));
      e.geometry.dilation.push(pick(random, 1, 3));
      e.geometry.before.push(pick(random, 0, 3));
      e.geometry.after.push(pick(random, 0, 3));
      const std::int64_t room = size + e.geometry.before[i] + e.geometry.after[i] - e.geometry.dilation[i] * (kernel - 1) - 1;
      empty = empty || room < 0;
      e.x.push(size);
      e.weight.push(kernel);
      e.y.push(room / e.geometry.stride[i] + 1);
    }
    if (!empty) return e;
  }
}
Shape spatial_part(const Shape& shape) {
  Shape result;
  for (int i = 2; i < shape.size(); ++i) result.push(shape[i]);
  return result;
}

TEST(cpu_conv, all_three_equal_portable_on_random_geometry) {
  Random random(1);
  for (int round = 0; round < 240; ++round) {
    const int spatial = 1 + round % 3;
    const Example e = random_example(random, spatial, spatial == 1 ? 60 : spatial == 2 ? 14 : 6);
    const Dtype dtype = number_dtypes[random() % number_dtypes.size()];
    const auto operand = [&](const Shape& shape) { return Operand{{dtype, shape}, whole_numbers(random, element_count(shape), -2, 2)}; };
    const Operand x = operand(e.x), weight = operand(e.weight), g = operand(e.y), bias = operand({e.weight[0]});
    compare_with_portable(op::Conv{e.geometry}, {x, weight, bias}, 0, random);
    compare_with_portable(op::ConvInputGrad{e.geometry, spatial_part(e.x)}, {g, weight}, 0, random);
    // Sums that pass what 16 bits hold exactly are rounded at once here, and in parts elsewhere.
    compare_with_portable(op::ConvWeightGrad{e.geometry, spatial_part(e.weight)}, {x, g}, dtype == Dtype::f16 || dtype == Dtype::bf16 ? epsilon_of(dtype) : 0, random);
    if (HasFatalFailure()) return;
  }
}

TEST(cpu_conv, equals_portable_where_work_is_cut_into_blocks) {
  Random random(2);
  struct Case {
    Shape x, weight;
    std::int64_t stride, padding, groups;
  };
  for (const Case& c : std::vector<Case>{{{3, 40, 33, 35}, {30, 40, 3, 3}, 1, 1, 1},    // inner index over several blocks
                                         {{40, 1, 28, 28}, {32, 1, 3, 3}, 1, 0, 1},     // one channel, many images
                                         {{2, 64, 28, 28}, {20, 64, 1, 1}, 1, 0, 1},    // a plain product
                                         {{2, 12, 40, 41}, {24, 12, 5, 5}, 2, 2, 1},    // phases
                                         {{5, 48, 19, 19}, {48, 1, 3, 3}, 1, 1, 48},    // depthwise
                                         {{2, 40, 20, 20}, {60, 10, 3, 3}, 2, 1, 4}}) {
    ConvGeometry geometry{{c.stride, c.stride}, {1, 1}, {c.padding, c.padding}, {c.padding, c.padding}, c.groups};
    Shape y{c.x[0], c.weight[0]};
    for (int i = 2; i < 4; ++i) y.push((c.x[i] + 2 * c.padding - c.weight[i]) / c.stride + 1);
    const auto operand = [&](const Shape& shape) { return Operand{{Dtype::f32, shape}, whole_numbers(random, element_count(shape), -2, 2)}; };
    const Operand x = operand(c.x), weight = operand(c.weight), g = operand(y);
    compare_with_portable(op::Conv{geometry}, {x, weight, operand({c.weight[0]})}, 0, random);
    compare_with_portable(op::ConvInputGrad{geometry, spatial_part(c.x)}, {g, weight}, 0, random);
    compare_with_portable(op::ConvWeightGrad{geometry, spatial_part(c.weight)}, {x, g}, 0, random);
    if (HasFatalFailure()) return;
  }
}

TEST(cpu_conv, sums_images_in_turns_when_their_copies_are_large) {
  // 9 images of 16 channels with a border: more than is copied at once.
  Random random(3);
  const ConvGeometry geometry{{1, 1}, {1, 1}, {1, 1}, {1, 1}, 1};
  for (Dtype dtype : {Dtype::f32, Dtype::f16}) {
    const Operand x{{dtype, {9, 16, 130, 130}}, whole_numbers(random, 9 * 16 * 130 * 130, -1, 1)}, g{{dtype, {9, 2, 130, 130}}, whole_numbers(random, 9 * 2 * 130 * 130, -1, 1)};
    compare_with_portable(op::ConvWeightGrad{geometry, {3, 3}}, {x, g}, dtype == Dtype::f16 ? epsilon_of(dtype) : 0, random);
    compare_with_portable(op::Conv{geometry}, {x, {{dtype, {2, 16, 3, 3}}, whole_numbers(random, 2 * 16 * 9, -1, 1)}, {{dtype, {2}}, {1, 2}}}, 0, random);
    if (HasFatalFailure()) return;
  }
}

TEST(cpu_conv, empty_batches_and_channels) {
  const ConvGeometry geometry{{1, 1}, {1, 1}, {1, 1}, {1, 1}, 1};
  const auto zeros = [](const Shape& shape) { return upload<Cpu>({Dtype::f32, shape}, Numbers(std::size_t(element_count(shape)), 1)); };
  EXPECT_EQ(Cpu::spec(Cpu::run(op::Conv{geometry}, {zeros({0, 2, 4, 4}), zeros({3, 2, 3, 3}), {}})[0]).shape, (Shape{0, 3, 4, 4}));
  EXPECT_EQ(numbers(Cpu::run(op::ConvWeightGrad{geometry, {3, 3}}, {zeros({0, 2, 4, 4}), zeros({0, 3, 4, 4})})[0]), Numbers(54, 0.0));
  EXPECT_EQ(numbers(Cpu::run(op::Conv{geometry}, {zeros({1, 0, 2, 2}), zeros({1, 0, 3, 3}), zeros({1})})[0]), Numbers(4, 1.0));
  EXPECT_EQ(numbers(Cpu::run(op::ConvInputGrad{geometry, {2, 2}}, {zeros({1, 0, 2, 2}), zeros({0, 1, 3, 3})})[0]), Numbers(4, 0.0));
}

// The gradient of a weight for no images at all: images were once taken 0 at a time, without an end.
TEST(cpu_conv, weight_gradient_of_an_empty_batch_ends) {
  for (const Dtype dtype : {Dtype::f32, Dtype::i64, Dtype::bf16}) {
    const op::ConvWeightGrad grad{{{1}, {1}, {0}, {0}, 1}, {2}};
    const Handle weight = Cpu::run(grad, {upload<Cpu>({dtype, {0, 2, 3}}, {}), upload<Cpu>({dtype, {0, 2, 2}}, {})})[0];
    ASSERT_EQ(Cpu::spec(weight), (Spec{dtype, {2, 2, 2}}));
    std::vector<std::byte> bytes(8 * size_of(dtype), std::byte(1));
    Cpu::download(weight, bytes.data());
    EXPECT_EQ(bytes, std::vector<std::byte>(bytes.size(), std::byte(0)));
  }
}

TEST(cpu_conv, empty_weight_gradient_keeps_its_dtype) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16}) {
    const op::ConvWeightGrad grad{{{1}, {1}, {0}, {0}, 1}, {2}};
    const Handle weight = Cpu::run(grad, {upload<Cpu>({dtype, {1, 0, 3}}, {}), upload<Cpu>({dtype, {1, 2, 2}}, Numbers(4, 1))})[0];
    EXPECT_EQ(Cpu::spec(weight), (Spec{dtype, {2, 0, 2}}));
  }
}

TEST(cpu_conv, wide_padding_costs_no_memory) {
  // A kernel of two taps far apart over a short signal in a million zeros: outputs 0, 1 see the second tap, the last ones the first.
  const ConvGeometry geometry{{1}, {1000000000}, {1000000000}, {2}, 1};
  const Handle y = Cpu::run(op::Conv{geometry}, {upload<Cpu>({Dtype::f32, {1, 1, 3}}, {1, 2, 3}), upload<Cpu>({Dtype::f32, {1, 1, 2}}, {10, 100}), {}})[0];
  EXPECT_EQ(numbers(y), (Numbers{100, 200, 300, 0, 0}));
}

// cases.md 28
TEST(cpu_conv, dilated_with_padding) {
  const Handle y = Cpu::run(op::Conv{{{1}, {3}, {2}, {2}, 1}}, {upload<Cpu>({Dtype::f32, {1, 4, 3}}, Numbers(12, 1)), upload<Cpu>({Dtype::f32, {8, 4, 3}}, Numbers(96, 1)), {}})[0];
  EXPECT_EQ(Cpu::spec(y).shape, (Shape{1, 8, 1}));
  EXPECT_EQ(numbers(y), Numbers(8, 4));
}
TEST(cpu_conv, groups) {
  const Handle x = upload<Cpu>({Dtype::f32, {1, 2, 3, 3}}, counted(1, 18)), w = upload<Cpu>({Dtype::f32, {2, 1, 2, 2}}, {1, 2, 3, 4, 10, 0, 0, -10});
  const ConvGeometry plain{{1, 1}, {1, 1}, {0, 0}, {0, 0}, 2}, padded{{2, 2}, {1, 1}, {1, 1}, {1, 1}, 2};
  EXPECT_EQ(numbers(Cpu::run(op::Conv{plain}, {x, w, {}})[0]), (Numbers{37, 47, 67, 77, -40, -40, -40, -40}));
  EXPECT_EQ(numbers(Cpu::run(op::Conv{padded}, {x, w, {}})[0]), (Numbers{4, 18, 36, 77, -100, -120, -160, -40}));
  const Handle g = upload<Cpu>({Dtype::f32, {1, 2, 2, 2}}, Numbers(8, 1));
  EXPECT_EQ(numbers(Cpu::run(op::ConvWeightGrad{plain, {2, 2}}, {x, g})[0]), (Numbers{12, 16, 24, 28, 48, 52, 60, 64}));
  EXPECT_EQ(numbers(Cpu::run(op::ConvInputGrad{plain, {3, 3}}, {g, w})[0]), (Numbers{1, 3, 2, 4, 10, 6, 3, 7, 4, 10, 10, 0, 10, 0, -10, 0, -10, -10}));

  const Handle y = Cpu::run(op::Conv{{{1}, {1}, {0}, {0}, 2}}, {upload<Cpu>({Dtype::f32, {1, 4, 2}}, counted(1, 8)), upload<Cpu>({Dtype::f32, {4, 2, 1}}, counted(1, 8)), {}})[0];
  EXPECT_EQ(numbers(y), (Numbers{7, 10, 15, 22, 67, 78, 91, 106}));
}

// Bias, residual and activation in the same pass.
TEST(cpu_conv, with_bias_residual_and_activation) {
  Random random(4);
  for (int round = 0; round < 40; ++round) {
    const Example e = random_example(random, 2, 12);
    const Dtype dtype = float_dtypes[random() % 4];
    const auto make = [&](const Shape& shape) { return strided({dtype, shape}, whole_numbers(random, element_count(shape), -2, 2), random); };
    const bool biased = random() % 2, residual = random() % 2;
    const Handle x = make(e.x), w = make(e.weight), b = biased ? make({e.weight[0]}) : Handle(), r = residual ? make(e.y) : Handle();
    const op::ConvBiasActivation op{e.geometry, random() % 2 ? Activation::relu : Activation::none};
    const Portable::Handle y = Portable::run(op::Conv{e.geometry}, {upload<Portable>(Cpu::spec(x), numbers(x)), upload<Portable>(Cpu::spec(w), numbers(w)), {}})[0];
    Numbers expected = numbers<Portable>(y);
    const std::size_t channels = std::size_t(e.y[1]), plane = expected.size() / channels / std::size_t(e.y[0]);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (biased) expected[i] += numbers(b)[i / plane % channels];
      if (residual) expected[i] += numbers(r)[i];
      if (op.activation == Activation::relu) expected[i] = std::max(expected[i], 0.0);
    }
    expect_close(numbers(Cpu::run(op, {x, w, b, r})[0]), expected, 2 * epsilon_of(dtype), std::string(name_of(dtype)));
    if (HasFatalFailure()) return;
  }
}

}  // namespace
