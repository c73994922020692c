// tests/unit/cpu_matmul: products of Cpu against plain loops, against Portable, and the cases of public reports.
// SPDX-License-Identifier: Apache-2.0
#include "cpu_arrays.hpp"

using namespace hearth;
using namespace hearth::test;

namespace {

using Numbers = std::vector<double>;
using Handle = Cpu::Handle;

Handle matmul(const Handle& a, const Handle& b) { return Cpu::run(op::MatMul{}, {a, b})[0]; }

/// a [m, k] times b [k, n] in double.
Numbers product(const Numbers& a, const Numbers& b, std::int64_t m, std::int64_t n, std::int64_t k) {
  Numbers c(std::size_t(m * n), 0.0);
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t x = 0; x < k; ++x)
      for (std::int64_t j = 0; j < n; ++j) c[std::size_t(i * n + j)] += a[std::size_t(i * k + x)] * b[std::size_t(x * n + j)];
  return c;
}
Numbers transposed(const Numbers& a, std::int64_t m, std::int64_t n) {
  Numbers result(a.size());
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) result[std::size_t(j * m + i)] = a[std::size_t(i * n + j)];
  return result;
}
Handle transpose(const Handle& a) { return Cpu::run(op::Permute{{1, 0}}, {a})[0]; }

// Every way through the packed product: sizes around the tiles (12 x 32, 6 x 16, 6 x 8), one and several blocks of the inner
// index, both orders of storage on both sides.
TEST(cpu_matmul, equals_plain_loops_at_every_edge) {
  Random random(1);
  const std::vector<std::int64_t> sides = {1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 16, 17, 31, 32, 33, 40, 65}, depths = {1, 2, 15, 16, 33, 255, 257, 520};
  for (Dtype dtype : {Dtype::f32, Dtype::f64}) {
    for (std::int64_t m : sides)
      for (std::int64_t n : sides) {
        const std::int64_t k = depths[random() % depths.size()];
        const Numbers a = whole_numbers(random, m * k), b = whole_numbers(random, k * n), expected = product(a, b, m, n, k);
        const Handle rows = upload<Cpu>({dtype, {m, k}}, a), columns = transpose(upload<Cpu>({dtype, {k, m}}, transposed(a, m, k)));
        const Handle b_rows = upload<Cpu>({dtype, {k, n}}, b), b_columns = transpose(upload<Cpu>({dtype, {n, k}}, transposed(b, k, n)));
        for (const Handle& left : {rows, columns})
          for (const Handle& right : {b_rows, b_columns}) ASSERT_EQ(numbers(matmul(left, right)), expected) << m << " x " << n << " x " << k;
      }
  }
}

TEST(cpu_matmul, equals_plain_loops_over_several_blocks) {
  Random random(2);
  for (const auto& [m, n, k] : std::vector<std::array<std::int64_t, 3>>{{300, 700, 600}, {1000, 70, 40}, {50, 1100, 300}, {3, 900, 9000}, {900, 2, 5000}, {7, 9, 30000}, {1, 1, 100000}}) {
    const Numbers a = whole_numbers(random, m * k), b = whole_numbers(random, k * n), expected = product(a, b, m, n, k);
    for (Dtype dtype : {Dtype::f32, Dtype::f64}) {
      const Handle left = upload<Cpu>({dtype, {m, k}}, a), right = upload<Cpu>({dtype, {k, n}}, b);
      ASSERT_EQ(numbers(matmul(left, right)), expected) << m << " x " << n << " x " << k;
      ASSERT_EQ(numbers(matmul(left, transpose(upload<Cpu>({dtype, {n, k}}, transposed(b, k, n))))), expected);
      ASSERT_EQ(numbers(matmul(strided({dtype, {m, k}}, a, random), strided({dtype, {k, n}}, b, random))), expected);
    }
  }
}

TEST(cpu_matmul, equals_portable_in_every_dtype) {
  Random random(3);
  for (int round = 0; round < 20; ++round)
    for (Dtype dtype : number_dtypes) {
      // Batches of up to three axes, each in both operands, in one, or stretched.
      Shape a, b;
      const int axes = int(pick(random, 0, 3));
      for (int i = 0; i < axes; ++i) {
        const std::int64_t size = pick(random, 1, 3);
        const auto way = pick(random, 0, 3);
        if (way == 0 && a.empty()) {
          b.push(size);
          continue;
        }
        a.push(way == 1 ? 1 : size);
        b.push(way == 2 ? 1 : size);
      }
      const std::int64_t m = pick(random, 1, 40), n = pick(random, 1, 40), k = pick(random, 0, 70);
      for (std::int64_t size : {m, k}) a.push(size);
      for (std::int64_t size : {k, n}) b.push(size);
      compare_with_portable(op::MatMul{}, {{{dtype, a}, whole_numbers(random, element_count(a))}, {{dtype, b}, whole_numbers(random, element_count(b))}}, 0,
                            random);
      if (HasFatalFailure()) return;
    }
}

TEST(cpu_matmul, is_accurate) {
  Random random(4);
  for (const auto& [m, n, k] : std::vector<std::array<std::int64_t, 3>>{{64, 64, 4096}, {1, 64, 4096}, {5, 3, 20000}}) {
    const Numbers a = reals(random, m * k), b = reals(random, k * n);
    for (Dtype dtype : float_dtypes) {
      const Handle left = upload<Cpu>({dtype, {m, k}}, a), right = upload<Cpu>({dtype, {k, n}}, b);
      const Numbers expected = product(numbers(left), numbers(right), m, n, k);
      // A walk of rounding errors: 256 products are summed in order, the blocks one after another.
      const bool half = dtype == Dtype::f16 || dtype == Dtype::bf16;
      const double scale = epsilon_of(half ? Dtype::f32 : dtype) * 8 * std::sqrt(double(k)) + (half ? epsilon_of(dtype) : 0);
      expect_close(numbers(matmul(left, right)), expected, scale, std::string(name_of(dtype)));
    }
  }
}

TEST(cpu_matmul, integers_wrap) {
  const auto one = [](Dtype dtype, double a, double b) { return numbers(matmul(upload<Cpu>({dtype, {1, 1}}, {a}), upload<Cpu>({dtype, {1, 1}}, {b})))[0]; };
  EXPECT_EQ(one(Dtype::i32, 1 << 30, 2), -2147483648.0);
  EXPECT_EQ(one(Dtype::i8, 100, 3), 44);
  EXPECT_EQ(one(Dtype::u16, 65535, 65535), 1);
  EXPECT_EQ(numbers(matmul(upload<Cpu>({Dtype::u8, {1, 2}}, {200, 100}), upload<Cpu>({Dtype::u8, {2, 1}}, {2, 1})))[0], 244);
}

TEST(cpu_matmul, infinities_and_nan_pass_through) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Numbers y = numbers(matmul(upload<Cpu>({Dtype::f32, {2, 2}}, {infinity, 0, 1, 2}), upload<Cpu>({Dtype::f32, {2, 2}}, {1, 0, 1, std::nan("")})));
  EXPECT_EQ(y[0], infinity);
  EXPECT_TRUE(std::isnan(y[1]));
  EXPECT_EQ(y[2], 3);
  EXPECT_TRUE(std::isnan(y[3]));
  // f16: 60000 * 2 passes the largest half but not f32 sums that come back.
  EXPECT_EQ(numbers(matmul(upload<Cpu>({Dtype::f16, {1, 2}}, {60000, 60000}), upload<Cpu>({Dtype::f16, {2, 1}}, {2, -1.5})))[0], 30000);
}

// cases.md 6
TEST(cpu_matmul, inner_size_0_gives_zeros) {
  for (Dtype dtype : number_dtypes) {
    { const Handle nan = upload<Cpu>({dtype, {4, 4}}, Numbers(16, std::nan(""))); }
    EXPECT_EQ(numbers(matmul(upload<Cpu>({dtype, {4, 0}}, {}), upload<Cpu>({dtype, {0, 4}}, {}))), Numbers(16, 0.0));
  }
  EXPECT_EQ(Cpu::spec(matmul(upload<Cpu>({Dtype::f32, {0, 3}}, {}), upload<Cpu>({Dtype::f32, {3, 2}}, Numbers(6, 1)))).shape, (Shape{0, 2}));
}

// cases.md 20
TEST(cpu_matmul, batches_broadcast) {
  const Handle c = matmul(upload<Cpu>({Dtype::f32, {3, 1, 2, 4}}, Numbers(24, 1)), upload<Cpu>({Dtype::f32, {1, 5, 4, 6}}, Numbers(120, 1)));
  EXPECT_EQ(Cpu::spec(c).shape, (Shape{3, 5, 2, 6}));
  EXPECT_EQ(numbers(c), Numbers(180, 4));
}
TEST(cpu_matmul, wide_by_narrow_fifty_times) {
  Numbers a, b;
  for (int i = 0; i < 512; ++i)
    for (int k = 0; k < 128; ++k) a.push_back((i + k) % 5);
  for (int k = 0; k < 128; ++k)
    for (int j = 0; j < 7; ++j) b.push_back((k * j) % 3);
  const Numbers expected = product(a, b, 512, 7, 128);
  const Handle left = upload<Cpu>({Dtype::f32, {512, 128}}, a), right = upload<Cpu>({Dtype::f32, {128, 7}}, b);
  for (int i = 0; i < 50; ++i) ASSERT_EQ(numbers(matmul(left, right)), expected);
}

TEST(cpu_matmul, errors_name_the_sizes) {
  const auto message = [](const Shape& a, const Shape& b) -> std::string {
    try {
      matmul(upload<Cpu>({Dtype::f32, a}, Numbers(std::size_t(element_count(a)), 0)), upload<Cpu>({Dtype::f32, b}, Numbers(std::size_t(element_count(b)), 0)));
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message({64, 784}, {512, 10}), "matmul: inner sizes differ: [64, 784] x [512, 10]");
}

// Linear in one pass, against its meaning: activation(x w^T + bias + residual).
TEST(cpu_linear, equals_its_parts) {
  Random random(5);
  const auto activated = [](Activation activation, double x) {
    switch (activation) {
      case Activation::none: return x;
      case Activation::relu: return std::max(x, 0.0);
      case Activation::sigmoid: return 1 / (1 + std::exp(-x));
      case Activation::tanh: return std::tanh(x);
      case Activation::gelu: return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
      case Activation::gelu_tanh: return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
      case Activation::silu: return x / (1 + std::exp(-x));
    }
    return x;
  };
  for (int round = 0; round < 60; ++round) {
    const Activation activation = Activation(round % 7);
    const Dtype dtype = float_dtypes[random() % 4];
    const Shape lead = round % 3 == 0 ? Shape{} : round % 3 == 1 ? Shape{pick(random, 1, 50)} : Shape{pick(random, 1, 4), pick(random, 1, 9)};
    const std::int64_t in = pick(random, 0, 600), out = pick(random, 1, 70), m = element_count(lead);
    const bool biased = random() % 2, residual = random() % 2;
    Shape x_shape = lead, y_shape = lead;
    x_shape.push(in);
    y_shape.push(out);
    const auto make = [&](const Shape& shape, double size) { return strided({dtype, shape}, reals(random, element_count(shape), -size, size), random); };
    const Handle x = make(x_shape, 1), w = make({out, in}, 0.3);
    const Handle b = biased ? make({out}, 1) : Handle(), r = residual ? make(y_shape, 1) : Handle();
    Numbers expected = product(numbers(x), transposed(numbers(w), out, in), m, out, in);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (biased) expected[i] += numbers(b)[i % std::size_t(out)];
      if (residual) expected[i] += numbers(r)[i];
      expected[i] = activated(activation, expected[i]);
    }
    const Operands<op::Linear, const Spec*> specs{&Cpu::spec(x), &Cpu::spec(w), nullptr, nullptr};
    ASSERT_TRUE(Cpu::claims(op::Linear{activation}, specs));
    const Handle y = Cpu::run(op::Linear{activation}, {x, w, b, r})[0];
    expect_close(numbers(y), expected, dtype == Dtype::f64 ? 1e-13 : dtype == Dtype::f32 ? 1e-5 : 2 * epsilon_of(dtype), std::string(name_of(dtype)) + " round " + std::to_string(round));
    if (HasFatalFailure()) return;
  }
}

TEST(cpu_matmul, gives_the_same_bits_on_any_number_of_threads) {
  Random random(6);
  const int threads = Cpu::threads();
  for (const auto& [m, n, k] : std::vector<std::array<std::int64_t, 3>>{{257, 513, 700}, {2, 3000, 5000}, {9, 40, 50000}, {1, 5, 70000}, {100, 1, 3000}}) {
    const Handle a = upload<Cpu>({Dtype::f32, {m, k}}, reals(random, m * k)), b = upload<Cpu>({Dtype::f32, {k, n}}, reals(random, k * n));
    Cpu::set_threads(1);
    const Numbers expected = numbers(matmul(a, b));
    for (int count : {2, 5, 16}) {
      Cpu::set_threads(count);
      ASSERT_EQ(numbers(matmul(a, b)), expected) << count << " threads";
    }
  }
  Cpu::set_threads(threads);
}

}  // namespace
