// tests/unit/cpu_rows: Softmax, LogSoftmax, LayerNorm, RmsNorm and their gradients as Cpu runs them, against the decomposition, over
// dtypes, layouts, axes, instruction sets and numbers of threads; and against sums in long double.
// SPDX-License-Identifier: Apache-2.0
#include "unit/cpu_claims.hpp"

namespace hearth::testing {
namespace {

::testing::AssertionResult close(const Both& result, double factor = 1) {
  const Dtype dtype = result.spec().dtype;
  return same(result, ulps_for(dtype) * factor, absolute_for(dtype) * factor);
}

template <class Op>
void expect_softmax(const Op& op, const Both& x, const std::string& what) {
  const bool narrow = size_of(x.spec().dtype) == 2, last = op.axis == -1 || op.axis == x.spec().shape.size() - 1;
  EXPECT_TRUE(close(composite(op, {x}, last || !narrow)[0])) << what << ", axis " << op.axis;
}

TEST(CpuRows, SoftmaxOfAllLayoutsAndAxes) {
  Numbers numbers(1);
  on_each_target([&] {
    for (Dtype dtype : float_dtypes)
      for (Look look : looks)
        for (const Shape& shape : {Shape{7}, Shape{3, 5}, Shape{2, 40, 19}, Shape{5, 1, 131}, Shape{2, 18, 301}})
          for (int axis = -shape.size(); axis < 0; ++axis) {
            const Both x = laid_out(look, dtype, shape, numbers, -20, 20);
            expect_softmax(op::Softmax{axis}, x, name_of(look));
            expect_softmax(op::LogSoftmax{axis}, x, name_of(look));
          }
  });
}

TEST(CpuRows, SoftmaxAtTheEdges) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  const std::vector<std::vector<float>> rows = {{1e4f, -1e4f, 0}, {-1e4f, -1e4f, -1e4f}, {inf, 0, 1},   {-inf, 0, 1},
                                                {-inf, -inf, -inf}, {nan, 0, 1},         {1, nan, inf}, {0, 1, nan}, {88, 89, 104}};
  on_each_target([&] {
    for (const auto& row : rows)
      for (std::int64_t repeat : {1, 9, 50}) {
        std::vector<float> values;
        for (std::int64_t i = 0; i < repeat; ++i) values.insert(values.end(), row.begin(), row.end());
        const Shape shape{1, std::int64_t(values.size())};
        const Both x{array<Cpu>(shape, values), array<Portable>(shape, values)};
        expect_softmax(op::Softmax{}, x, ::testing::PrintToString(row));
        expect_softmax(op::LogSoftmax{}, x, ::testing::PrintToString(row));
        const Both column{hearth::apply<Cpu>(op::Reshape{{shape[1], 1, 1}}, {x.cpu})[0], hearth::apply<Portable>(op::Reshape{{shape[1], 1, 1}}, {x.portable})[0]};
        const Both columns = run(op::Expand{{shape[1], 1, 3}}, column);
        expect_softmax(op::Softmax{0}, columns, ::testing::PrintToString(row));
        expect_softmax(op::LogSoftmax{0}, columns, ::testing::PrintToString(row));
      }
  });
  // By hand: exp(-20000) is 0, so all weight lies on the first.
  const auto y = values_of<float, Cpu>(hearth::apply<Cpu>(op::Softmax{}, {array<Cpu, float>({3}, {1e4f, -1e4f, -1e4f})})[0]);
  EXPECT_EQ(y, (std::vector<float>{1, 0, 0}));
  const auto z = values_of<float, Cpu>(hearth::apply<Cpu>(op::LogSoftmax{}, {array<Cpu, float>({3}, {1e4f, -1e4f, -1e4f})})[0]);
  EXPECT_EQ(z, (std::vector<float>{0, -2e4f, -2e4f}));
}

TEST(CpuRows, SoftmaxIsAccurateAndSumsToOne) {
  Numbers numbers(2);
  for (std::int64_t length : {1, 10, 1000, 100003}) {
    std::vector<float> values(static_cast<std::size_t>(length));
    for (float& v : values) v = float(numbers.uniform(-5, 5));
    const auto got = values_of<float, Cpu>(hearth::apply<Cpu>(op::Softmax{}, {array<Cpu>({length}, values)})[0]);
    long double total = 0, sum = 0;
    for (float v : values) total += std::exp((long double)v);
    for (std::size_t i = 0; i < got.size(); ++i) {
      // x less the largest, up to 10 away, is rounded by half a unit of 8: 8 units of the result.
      ASSERT_LE(distance(Dtype::f32, got[i], double(std::exp((long double)values[i]) / total)), 12) << i << " of " << length;
      sum += (long double)got[i];
    }
    EXPECT_NEAR(double(sum), 1, 1e-6);
  }
}

TEST(CpuRows, NormsOfAllLayouts) {
  Numbers numbers(3);
  on_each_target([&] {
    for (Dtype dtype : float_dtypes)
      for (Look look : looks)
        for (const Shape& shape : {Shape{3, 5}, Shape{2, 3, 67}, Shape{150, 33}})
          for (int axes : {1, 2})
            for (bool parameters : {true, false}) {
              Shape last;
              for (int i = shape.size() - axes; i < shape.size(); ++i) last.push(look == Look::empty && i == 0 ? 0 : shape[i]);
              const Dtype wide = is_float(dtype) && size_of(dtype) == 2 && axes == 1 ? Dtype::f32 : dtype;  // f32 beside 16 bits too
              const Both x = laid_out(look, dtype, shape, numbers, 3, 9), g = laid_out(look, dtype, shape, numbers, -1, 1);
              Both scale, bias;
              if (parameters) {
                const Look flat = look == Look::empty ? Look::contiguous : look;
                scale = laid_out(flat, wide, last, numbers, -2, 2), bias = laid_out(flat, wide, last, numbers, -2, 2);
              }
              const std::string what = std::string(name_of(look)) + " " + to_string(Spec{dtype, shape}) + " " + std::to_string(axes);
              EXPECT_TRUE(close(composite(op::LayerNorm{axes, 1e-5}, {x, scale, bias})[0], 2)) << what;
              EXPECT_TRUE(close(composite(op::RmsNorm{axes, 1e-6}, {x, scale})[0], 2)) << what;
              // What rounds x - mean adds up over the rows.
              for (const Both& part : composite(op::LayerNormGrad{axes, 1e-5}, {g, x, scale})) EXPECT_TRUE(close(part, 32)) << what;
              for (const Both& part : composite(op::RmsNormGrad{axes, 1e-6}, {g, x, scale})) EXPECT_TRUE(close(part, 32)) << what;
            }
  });
}

TEST(CpuRows, NormsKeepTheDigitsOfALargeMeanAndStayFinite) {
  // Two passes: 1e4 and 1e4 + 1 have variance 1/4; one pass in f32 would lose it. Equal elements: epsilon inside the root, so 0.
  const auto norm = [](std::vector<float> values) {
    const Shape shape{1, std::int64_t(values.size())};
    return values_of<float, Cpu>(hearth::apply<Cpu>(op::LayerNorm{1, 0.75}, {array<Cpu>(shape, values), {}, {}})[0]);
  };
  EXPECT_EQ(norm({1e4f, 1e4f + 1, 1e4f, 1e4f + 1}), (std::vector<float>{-0.5f, 0.5f, -0.5f, 0.5f}));
  EXPECT_EQ(norm({-1e4f, -1e4f}), (std::vector<float>{0, 0}));
  const auto rms = values_of<float, Cpu>(hearth::apply<Cpu>(op::RmsNorm{1, 0}, {array<Cpu, float>({1, 2}, {1e4f, -1e4f}), {}})[0]);
  EXPECT_EQ(rms, (std::vector<float>{1, -1}));
  const auto zero = values_of<float, Cpu>(hearth::apply<Cpu>(op::RmsNorm{1, 1e-6}, {array<Cpu, float>({1, 3}, {0, 0, 0}), {}})[0]);
  EXPECT_EQ(zero, (std::vector<float>{0, 0, 0}));
}

TEST(CpuRows, NotANumberStaysInItsRow) {
  Numbers numbers(4);
  const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
  for (float odd : {nan, inf, -inf}) {
    std::vector<float> values(4 * 21);
    for (float& v : values) v = float(numbers.uniform(-3, 3));
    values[2 * 21 + 20] = odd;
    const Both x{array<Cpu>({4, 21}, values), array<Portable>({4, 21}, values)};
    EXPECT_TRUE(close(composite(op::LayerNorm{}, {x, {}, {}})[0], 2));
    EXPECT_TRUE(close(composite(op::RmsNorm{}, {x, {}})[0], 2));
    const auto y = values_of<float, Cpu>(hearth::apply<Cpu>(op::LayerNorm{}, {x.cpu, {}, {}})[0]);
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(std::isnan(y[i]), i / 21 == 2);
  }
}

TEST(CpuRows, EmptyRowsAndNoRows) {
  for (const Shape& shape : {Shape{0, 4}, Shape{4, 0}, Shape{0, 0}}) {
    const std::vector<std::byte> nothing;
    const Both x = both({Dtype::f32, shape}, nothing);
    EXPECT_TRUE(close(composite(op::Softmax{0}, {x})[0]));
    EXPECT_TRUE(close(composite(op::LogSoftmax{1}, {x})[0]));
    EXPECT_TRUE(close(composite(op::LayerNorm{}, {x, {}, {}})[0]));
    for (const Both& part : composite(op::LayerNormGrad{}, {x, x, {}})) EXPECT_TRUE(close(part));
    for (const Both& part : composite(op::RmsNormGrad{}, {x, x, {}})) EXPECT_TRUE(close(part));
  }
}

// Long arrays, so that there is something to share among threads; to the last bit.
TEST(CpuRows, ResultsDoNotDependOnThreads) {
  Numbers numbers(5);
  const Both x = laid_out(Look::contiguous, Dtype::f32, {700, 333}, numbers), g = laid_out(Look::contiguous, Dtype::f32, {700, 333}, numbers);
  const Both scale = laid_out(Look::contiguous, Dtype::f32, {333}, numbers);
  const auto all = [&] {
    std::vector<std::vector<std::byte>> results;
    const auto add = [&](const auto& handles) {
      for (const Cpu::Handle& handle : handles) results.push_back(bytes_of<Cpu>(handle));
    };
    add(hearth::apply<Cpu>(op::Softmax{}, {x.cpu}));
    add(hearth::apply<Cpu>(op::Softmax{0}, {x.cpu}));
    add(hearth::apply<Cpu>(op::LogSoftmax{}, {x.cpu}));
    add(hearth::apply<Cpu>(op::LayerNorm{}, {x.cpu, scale.cpu, scale.cpu}));
    add(hearth::apply<Cpu>(op::LayerNormGrad{}, {g.cpu, x.cpu, scale.cpu}));
    add(hearth::apply<Cpu>(op::RmsNormGrad{}, {g.cpu, x.cpu, scale.cpu}));
    return results;
  };
  same_on_threads(all);
}

// A row's buffer is written over where nobody else sees it, and left alone where somebody does.
TEST(CpuRows, WriteOverWhatTheyOwn) {
  const Cpu::Handle x = array<Cpu, float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto before = bytes_of<Cpu>(x);
  (void)hearth::apply<Cpu>(op::Softmax{}, {x});
  (void)hearth::apply<Cpu>(op::LayerNorm{}, {x, {}, {}});
  EXPECT_EQ(bytes_of<Cpu>(x), before);
  Cpu::Handle given = array<Cpu, float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const void* const address = given.get();
  EXPECT_EQ(hearth::apply<Cpu>(op::Softmax{}, {std::move(given)})[0].get(), address);
}

}  // namespace
}  // namespace hearth::testing
