// tests/unit/portable_contract: matrix products and convolutions of Portable.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "fixtures/portable_windows.hpp"
#include "portable_arrays.hpp"

using namespace hearth;
using namespace hearth::test;

namespace {

Handle matmul(const Handle& a, const Handle& b) { return Portable::run(op::MatMul{}, {a, b})[0]; }
Handle conv(const ConvGeometry& geometry, const Handle& x, const Handle& weight, const Handle& bias = {}) {
  return Portable::run(op::Conv{geometry}, {x, weight, bias})[0];
}
Handle input_grad(const ConvGeometry& geometry, const Shape& size, const Handle& g, const Handle& weight) {
  return Portable::run(op::ConvInputGrad{geometry, size}, {g, weight})[0];
}
Handle weight_grad(const ConvGeometry& geometry, const Shape& size, const Handle& x, const Handle& g) {
  return Portable::run(op::ConvWeightGrad{geometry, size}, {x, g})[0];
}
/// Every element is `value`.
Handle filled(Dtype dtype, const Shape& shape, double value) {
  return from_doubles(dtype, shape, std::vector<double>(std::size_t(element_count(shape)), value));
}
Shape spatial(const Shape& shape) {
  Shape result;
  for (int i = 2; i < shape.size(); ++i) result.push(shape[i]);
  return result;
}

const std::vector<Dtype> number_dtypes = {Dtype::f64, Dtype::f32, Dtype::f16, Dtype::bf16, Dtype::i64, Dtype::i32,
                                          Dtype::i16, Dtype::i8,  Dtype::u64, Dtype::u32,  Dtype::u16, Dtype::u8};

TEST(portable_matmul, small_product_in_every_dtype_and_layout) {
  for (Dtype dtype : number_dtypes) {
    const Handle a = from_doubles(dtype, {2, 3}, {1, 2, 3, 4, 5, 6}), b = from_doubles(dtype, {3, 2}, {1, 0, 2, 1, 0, 3});
    for (const Handle& left : {a, strided(a)})
      for (const Handle& right : {b, strided(b)}) {
        const Handle y = matmul(left, right);
        EXPECT_EQ(y->spec, (Spec{dtype, {2, 2}}));
        EXPECT_EQ(doubles(y), (std::vector<double>{5, 11, 14, 23})) << name_of(dtype);
      }
  }
}

TEST(portable_matmul, integers_wrap) {
  auto product = []<class T>(const std::vector<T>& a, const std::vector<T>& b) {
    const std::int64_t inner = std::int64_t(a.size());
    return values<T>(matmul(array<T>({1, inner}, a), array<T>({inner, 1}, b)))[0];
  };
  using Limits32 = std::numeric_limits<std::int32_t>;
  using Limits64 = std::numeric_limits<std::int64_t>;
  EXPECT_EQ(product(std::vector<std::uint8_t>{200, 100}, {2, 1}), 244);  // 500 - 256
  EXPECT_EQ(product(std::vector<std::int32_t>{1 << 30}, {2}), Limits32::min());
  EXPECT_EQ(product(std::vector<std::int64_t>{Limits64::max(), 1}, {1, 1}), Limits64::min());
}

TEST(portable_matmul, sixteen_bit_floats_accumulate_in_float) {
  const std::vector<double> ones(4096, 1);
  EXPECT_EQ(doubles(matmul(from_doubles(Dtype::f16, {1, 4096}, ones), from_doubles(Dtype::f16, {4096, 1}, ones)))[0], 4096);
  EXPECT_EQ(doubles(matmul(from_doubles(Dtype::bf16, {1, 4096}, ones), from_doubles(Dtype::bf16, {4096, 1}, ones)))[0], 4096);
}

// cases.md 6
TEST(portable_matmul, inner_size_0_gives_zeros) {
  { const Handle nan = filled(Dtype::f32, {4, 4}, std::nan("")); }
  const Handle y = matmul(from_doubles(Dtype::f32, {4, 0}, {}), from_doubles(Dtype::f32, {0, 4}, {}));
  EXPECT_EQ(y->spec.shape, (Shape{4, 4}));
  EXPECT_EQ(doubles(y), std::vector<double>(16, 0.0));
  EXPECT_EQ(matmul(from_doubles(Dtype::f32, {0, 3}, {}), patterned(Dtype::f32, {3, 2}, 1))->spec.shape, (Shape{0, 2}));
  EXPECT_EQ(matmul(from_doubles(Dtype::f32, {0, 2, 3}, {}), patterned(Dtype::f32, {3, 2}, 1))->spec.shape, (Shape{0, 2, 2}));
}

// cases.md 20
TEST(portable_matmul, batch_axes_broadcast) {
  const Handle ones = matmul(filled(Dtype::f32, {3, 1, 2, 4}, 1), filled(Dtype::f32, {1, 5, 4, 6}, 1));
  EXPECT_EQ(ones->spec.shape, (Shape{3, 5, 2, 6}));
  EXPECT_EQ(doubles(ones), std::vector<double>(180, 4));

  const Handle a = patterned(Dtype::f64, {2, 1, 2, 3}, 1), b = patterned(Dtype::f64, {4, 3, 2}, 2);
  for (const Handle& left : {a, strided(a)})
    for (const Handle& right : {b, strided(b)}) {
      const Handle y = matmul(left, right);
      ASSERT_EQ(y->spec.shape, (Shape{2, 4, 2, 2}));
      const std::vector<double> x = doubles(a), z = doubles(b), result = doubles(y);
      for (int n = 0; n < 2; ++n)
        for (int m = 0; m < 4; ++m)
          for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 2; ++j) {
              double sum = 0;
              for (int k = 0; k < 3; ++k) sum += x[std::size_t(n * 6 + i * 3 + k)] * z[std::size_t(m * 6 + k * 2 + j)];
              EXPECT_EQ(result[std::size_t(n * 16 + m * 4 + i * 2 + j)], sum);
            }
    }
}

TEST(portable_matmul, tall_product_is_exact_in_integers) {
  std::vector<double> a, b;
  for (int i = 0; i < 512; ++i)
    for (int k = 0; k < 128; ++k) a.push_back((i + k) % 5);
  for (int k = 0; k < 128; ++k)
    for (int j = 0; j < 7; ++j) b.push_back((k * j) % 3);
  const std::vector<double> y = doubles(matmul(from_doubles(Dtype::f32, {512, 128}, a), from_doubles(Dtype::f32, {128, 7}, b)));
  for (int i = 0; i < 512; ++i)
    for (int j = 0; j < 7; ++j) {
      int sum = 0;
      for (int k = 0; k < 128; ++k) sum += (i + k) % 5 * ((k * j) % 3);
      ASSERT_EQ(y[std::size_t(i * 7 + j)], sum);
    }
}

TEST(portable_matmul, shape_and_dtype_errors) {
  EXPECT_THROW(matmul(patterned(Dtype::f32, {2, 3}, 1), patterned(Dtype::f32, {2, 3}, 1)), Error);
  EXPECT_THROW(matmul(patterned(Dtype::f32, {2, 3}, 1), patterned(Dtype::f64, {3, 2}, 1)), Error);
}

ConvGeometry geometry(const Shape& stride, const Shape& dilation, const Shape& padding, std::int64_t groups) {
  return {stride, dilation, padding, padding, groups};
}

// cases.md 28
TEST(portable_conv, dilated_window_that_just_fits) {
  const Handle x = filled(Dtype::f32, {1, 4, 3}, 1), weight = filled(Dtype::f32, {8, 4, 3}, 1);
  const Handle y = conv(geometry({1}, {3}, {2}, 1), x, weight);
  EXPECT_EQ(y->spec.shape, (Shape{1, 8, 1}));
  EXPECT_EQ(doubles(y), std::vector<double>(8, 4));
}
TEST(portable_conv, groups_and_their_gradients) {
  std::vector<double> numbers;
  for (int i = 1; i <= 18; ++i) numbers.push_back(i);
  for (Dtype dtype : {Dtype::f32, Dtype::f64, Dtype::f16, Dtype::bf16, Dtype::i32}) {
    const Handle dense = from_doubles(dtype, {1, 2, 3, 3}, numbers), kernel = from_doubles(dtype, {2, 1, 2, 2}, {1, 2, 3, 4, 10, 0, 0, -10});
    for (const Handle& x : {dense, strided(dense)})
      for (const Handle& weight : {kernel, strided(kernel)}) {
        const ConvGeometry plain = geometry({1, 1}, {1, 1}, {0, 0}, 2);
        EXPECT_EQ(doubles(conv(plain, x, weight)), (std::vector<double>{37, 47, 67, 77, -40, -40, -40, -40}));
        EXPECT_EQ(doubles(conv(geometry({2, 2}, {1, 1}, {1, 1}, 2), x, weight)),
                  (std::vector<double>{4, 18, 36, 77, -100, -120, -160, -40}));
        const Handle g = filled(dtype, {1, 2, 2, 2}, 1);
        EXPECT_EQ(doubles(weight_grad(plain, {2, 2}, x, g)), (std::vector<double>{12, 16, 24, 28, 48, 52, 60, 64}));
        EXPECT_EQ(doubles(input_grad(plain, {3, 3}, strided(g), weight)),
                  (std::vector<double>{1, 3, 2, 4, 10, 6, 3, 7, 4, 10, 10, 0, 10, 0, -10, 0, -10, -10}));
      }
  }
}
TEST(portable_conv, pointwise_groups) {
  const std::vector<double> numbers = {1, 2, 3, 4, 5, 6, 7, 8};
  const Handle x = from_doubles(Dtype::f32, {1, 4, 2}, numbers), weight = from_doubles(Dtype::f32, {4, 2, 1}, numbers);
  EXPECT_EQ(doubles(conv(geometry({1}, {1}, {0}, 2), x, weight)), (std::vector<double>{7, 10, 15, 22, 67, 78, 91, 106}));
}

TEST(portable_conv, one_to_three_axes_as_pytorch) {
  for (const ConvCase& c : conv_cases) {
    for (Dtype dtype : {Dtype::f64, Dtype::f32}) {
      const Handle x = strided(patterned(dtype, c.x, 1)), weight = patterned(dtype, c.weight, 2);
      const Handle bias = strided(patterned(dtype, {c.weight[0]}, 3)), g = strided(patterned(dtype, c.y, 4));
      const Handle y = conv(c.geometry, x, weight, bias);
      EXPECT_EQ(y->spec, (Spec{dtype, c.y}));
      EXPECT_EQ(doubles(y), c.out);
      EXPECT_EQ(doubles(input_grad(c.geometry, spatial(c.x), g, weight)), c.x_grad);
      EXPECT_EQ(doubles(weight_grad(c.geometry, spatial(c.weight), x, g)), c.weight_grad);
    }
  }
}

TEST(portable_conv, empty_batch) {
  const ConvGeometry plain = geometry({1}, {1}, {0}, 1);
  const Handle x = from_doubles(Dtype::f32, {0, 2, 3}, {}), weight = patterned(Dtype::f32, {1, 2, 2}, 1);
  EXPECT_EQ(conv(plain, x, weight)->spec.shape, (Shape{0, 1, 2}));
  EXPECT_EQ(doubles(weight_grad(plain, {2}, x, from_doubles(Dtype::f32, {0, 1, 2}, {}))), (std::vector<double>{0, 0, 0, 0}));
}

}  // namespace
