// cpu: decompositions, Fourier transform, value-sized ops and low bits against Portable, in every layout; and where signs are free,
// by what a decomposition promises.
// SPDX-License-Identifier: Apache-2.0
#include "cpu_support.hpp"

using namespace hearth;
using namespace hearth::testing;

namespace {

Both product(const Both& a, const Both& b) { return run(op::MatMul{}, a, b); }
Both transposed(const Both& a) {
  Axes axes = all_axes(a.spec().shape.size());
  std::swap(axes[-1], axes[-2]);
  return run(op::Permute{axes}, a);
}
double largest_difference(const Cpu::Handle& a, const Cpu::Handle& b) {
  const auto x = values_of<double, Cpu>(a), y = values_of<double, Cpu>(b);
  EXPECT_EQ(x.size(), y.size());
  double most = 0;
  for (std::size_t i = 0; i < x.size() && i < y.size(); ++i) most = std::fmax(most, std::fabs(x[i] - y[i]));
  return most;
}
const Shape shapes[] = {{4, 4}, {2, 3, 3}, {1, 1}, {2, 5, 3}, {3, 5}, {2, 0, 0}, {0, 3, 3}};

TEST(CpuSolve, cholesky_lu_and_triangular_solve_equal_portable) {
  Numbers numbers(1);
  for (Dtype dtype : {Dtype::f64, Dtype::f32})
    for (const Shape& shape : {Shape{5, 5}, Shape{2, 3, 3}, Shape{1, 1}, Shape{2, 0, 0}})
      for (Look look : {Look::contiguous, Look::permuted, Look::reversed}) {
        if (element_count(shape) == 0 && look != Look::contiguous) continue;
        const Both a = laid_out(look, dtype, shape, numbers, -1, 1);
        Both spd = product(a, transposed(a));
        const Both identity = both({dtype, {shape[-1], shape[-1]}}, [&] {
          std::vector<std::byte> bytes(std::size_t(shape[-1] * shape[-1]) * size_of(dtype));
          with_type(dtype, [&](auto tag) {
            using T = typename decltype(tag)::type;
            for (std::int64_t i = 0; i < shape[-1]; ++i) {
              const T one = convert<T>(1);
              std::memcpy(bytes.data() + std::size_t(i * shape[-1] + i) * sizeof(T), &one, sizeof(T));
            }
          });
          return bytes;
        }());
        spd = run(op::Binary{BinaryCode::add}, spd, identity);
        const double tolerance = dtype == Dtype::f64 ? 1e-12 : 2e-5;
        for (bool upper : {false, true}) EXPECT_TRUE(same(run(op::Cholesky{upper}, spd), 0, tolerance));
        for (const Both& part : run(op::Lu{}, a)) EXPECT_TRUE(same(part, 0, 100 * tolerance));
        const Both b = laid_out(Look::contiguous, dtype, shape, numbers);
        for (int flags = 0; flags < 16; ++flags) {
          const op::TriangularSolve op{(flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0, (flags & 8) != 0};
          EXPECT_TRUE(same(run(op, run(op::Cholesky{op.upper}, spd), b), 0, 100 * tolerance)) << flags;
        }
      }
}

TEST(CpuSolve, lu_takes_every_shape) {
  Numbers numbers(2);
  for (const Shape& shape : shapes)
    for (const Both& part : run(op::Lu{}, laid_out(Look::contiguous, Dtype::f64, shape, numbers))) EXPECT_TRUE(same(part, 0, 1e-11)) << to_string(shape);
}

TEST(CpuSolve, qr_and_svd_keep_their_promises) {
  Numbers numbers(3);
  for (const Shape& shape : shapes)
    for (bool full : {false, true}) {
      SCOPED_TRACE(to_string(shape) + (full ? " full" : ""));
      const Both a = laid_out(Look::contiguous, Dtype::f64, shape, numbers);
      // With a non-negative diagonal in r nothing is free where the columns are independent.
      auto qr = run(op::Qr{full}, a);
      EXPECT_TRUE(same(qr[1], 0, 1e-11));
      EXPECT_LT(largest_difference(product(qr[0], qr[1]).cpu, a.cpu), 1e-11);
      auto svd = run(op::Svd{full}, a);
      EXPECT_TRUE(same(svd[1], 0, 1e-11));
      EXPECT_EQ(Cpu::spec(svd[0].cpu), Portable::spec(svd[0].portable));
      EXPECT_EQ(Cpu::spec(svd[2].cpu), Portable::spec(svd[2].portable));
      if (full) continue;
      Shape row = Cpu::spec(svd[1].cpu).shape;
      row.insert(row.size() - 1, 1);
      const Both scaled = run(op::Binary{BinaryCode::mul}, svd[0], run(op::Reshape{row}, svd[1]));
      EXPECT_LT(largest_difference(product(scaled, svd[2]).cpu, a.cpu), 1e-11);
    }
}

TEST(CpuSolve, eigenvalues_equal_portable_and_vectors_are_eigenvectors) {
  Numbers numbers(4);
  for (const Shape& shape : {Shape{4, 4}, Shape{2, 3, 3}, Shape{1, 1}, Shape{0, 0}}) {
    const Both a = laid_out(Look::contiguous, Dtype::f64, shape, numbers);
    const Both symmetric = run(op::Binary{BinaryCode::add}, a, transposed(a));
    auto eigh = run(op::Eigh{}, symmetric);
    EXPECT_TRUE(same(eigh[0], 0, 1e-11));
    Shape row = Cpu::spec(eigh[0].cpu).shape;
    row.insert(row.size() - 1, 1);
    const Both right = run(op::Binary{BinaryCode::mul}, eigh[1], run(op::Reshape{row}, eigh[0]));
    EXPECT_LT(largest_difference(product(symmetric, eigh[1]).cpu, right.cpu), 1e-11);
  }
  // A rotation by 90 degrees: eigenvalues i and -i.
  const auto eig = Cpu::run(op::Eig{}, {array<Cpu, double>({2, 2}, {0, -1, 1, 0})});
  const auto values = values_of<double, Cpu>(eig[0]);
  ASSERT_EQ(values.size(), 4u);
  EXPECT_NEAR(std::fabs(values[1]), 1, 1e-14);
  EXPECT_NEAR(values[1], -values[3], 1e-14);
  EXPECT_NEAR(values[0], 0, 1e-14);
}

template <class B, class T>
void expect_huge_and_tiny(T huge) {
  for (const T scale : {huge, T(1), 1 / huge}) {
    SCOPED_TRACE(B::name() + ", " + std::to_string(std::log10(double(scale))));
    const T tolerance = 8 * std::numeric_limits<T>::epsilon();
    const auto input = [&](std::vector<T> values) {
      for (T& v : values) v *= scale;
      return array<B, T>({2, 2}, values);
    };
    const auto expect = [&](const HandleOf<B>& got, const std::vector<double>& want, T unit) {
      const auto values = values_of<T, B>(got);
      ASSERT_EQ(values.size(), want.size());
      for (std::size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(double(values[i] / unit), want[i], tolerance * 8) << i;
    };
    // By hand.
    const auto qr = B::run(op::Qr{}, {input({3, 5, -4, 0})});
    expect(qr[0], {.6, .8, -.8, .6}, 1);
    expect(qr[1], {5, 3, 0, 4}, scale);
    const auto svd = B::run(op::Svd{}, {input({0, -2, 3, 0})});
    expect(svd[1], {3, 2}, scale);
    const auto eigh = B::run(op::Eigh{}, {input({2, 1, 1, 2})});
    expect(eigh[0], {1, 3}, scale);
    const auto eig = B::run(op::Eig{}, {input({0, -2, 2, 0})});
    EXPECT_NEAR(std::fabs(double(values_of<T, B>(eig[0])[1] / scale)), 2, 8 * tolerance);
    const auto lu = B::run(op::Lu{}, {input({1, 2, 4, 4})});
    EXPECT_EQ((values_of<T, B>(lu[0])), (std::vector<T>{4 * scale, 4 * scale, T(.25), scale}));
    // sqrt(scale) is the unit of its factor.
    const auto cholesky = B::run(op::Cholesky{}, {input({4, 2, 2, 5})});
    expect(cholesky[0], {2, 0, 1, 2}, std::sqrt(scale));
  }
}
// Squares of such numbers neither overflow nor vanish on the way.
TEST(CpuSolve, huge_and_tiny_numbers) {
  expect_huge_and_tiny<Cpu>(1e30f);
  expect_huge_and_tiny<Cpu>(1e300);
  expect_huge_and_tiny<Portable>(1e30f);
  expect_huge_and_tiny<Portable>(1e300);
}
// Nor where columns differ by sixty orders of magnitude.
TEST(CpuSolve, qr_of_columns_far_apart) {
  const std::vector<float> values{3e30f, 5e-30f, -4e30f, 0};
  const auto check = [&]<class B>(B) {
    const auto qr = B::run(op::Qr{}, {array<B, float>({2, 2}, values)});
    const auto q = values_of<float, B>(qr[0]), r = values_of<float, B>(qr[1]);
    const std::vector<double> want_q{.6, .8, -.8, .6}, want_r{5, 3, 0, 4};
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(q[i], want_q[i], 1e-6) << i;
      EXPECT_NEAR(double(r[i]) / (i % 2 ? 1e-30 : 1e30), want_r[i], 1e-5) << i;
    }
  };
  check(Cpu{});
  check(Portable{});
}

TEST(CpuSolve, errors_are_typed) {
  const double nan = std::nan("");
  EXPECT_THROW((void)Cpu::run(op::Cholesky{}, {array<Cpu, double>({2, 2}, {1, 2, 2, 1})}), Error);
  EXPECT_THROW((void)Cpu::run(op::Svd{}, {array<Cpu, double>({2, 2}, {1, nan, 2, 1})}), Error);
  EXPECT_THROW((void)Cpu::run(op::Eigh{}, {array<Cpu, double>({2, 2}, {1, 0, nan, 1})}), Error);
  EXPECT_THROW((void)Cpu::run(op::Eig{}, {array<Cpu, double>({2, 2}, {1, 0, nan, 1})}), Error);
}

TEST(CpuFft, equals_portable_at_every_length) {
  Numbers numbers(5);
  for (std::int64_t n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 15, 16, 17, 20, 25, 27, 30, 31, 32, 45, 60, 64, 97, 128, 1000, 1021})
    for (bool inverse : {false, true}) {
      const Both x = laid_out(Look::contiguous, Dtype::f64, {2, n, 2}, numbers);
      EXPECT_TRUE(same(run(op::Fft{-1, inverse, Norm::orthogonal}, x), 0, 1e-11)) << n;
    }
}
TEST(CpuFft, takes_every_axis_layout_and_norm) {
  Numbers numbers(6);
  for (Look look : looks)
    for (Dtype dtype : {Dtype::f64, Dtype::f32})
      for (int axis : {0, 1, 2, -1})
        for (Norm norm : {Norm::none, Norm::forward, Norm::orthogonal})
          EXPECT_TRUE(same(run(op::Fft{axis, norm == Norm::none, norm}, laid_out(look, dtype, {3, 4, 6, 2}, numbers)), 0, dtype == Dtype::f64 ? 1e-12 : 1e-4));
}

TEST(CpuValueSized, equal_portable) {
  Numbers numbers(7);
  for (Dtype dtype : all_dtypes())
    for (Look look : looks) {
      const Both x = laid_out(look, dtype, {3, 4, 2}, numbers, -2, 2, true);
      EXPECT_TRUE(same(run(op::NonZero{}, x))) << name_of(dtype);
      for (const Both& part : run(op::Unique{}, x)) EXPECT_TRUE(same(part)) << name_of(dtype);
    }
}

TEST(CpuLowBits, equal_portable_in_every_storage_and_granularity) {
  Numbers numbers(8);
  const Shape shape{3, 4, 7};
  struct Grain {
    int axis;
    std::int64_t block;
    Shape scales;
  };
  for (Storage storage : {Storage::i8, Storage::u8, Storage::i4, Storage::u4, Storage::i2, Storage::f8_e4m3, Storage::f8_e5m2, Storage::f4_e2m1})
    for (const Grain& grain : {Grain{-1, 0, {}}, Grain{0, 0, {3}}, Grain{1, 0, {4}}, Grain{2, 0, {7}}, Grain{2, 3, {3, 4, 3}}, Grain{1, 3, {3, 2, 7}}, Grain{0, 2, {2, 4, 7}}}) {
      const bool floating = storage == Storage::f8_e4m3 || storage == Storage::f8_e5m2 || storage == Storage::f4_e2m1;
      const Both x = laid_out(Look::reversed, Dtype::f32, shape, numbers, -4, 4, true), scale = laid_out(Look::contiguous, Dtype::f32, grain.scales, numbers, .1, 1);
      for (bool symmetric : {true, false}) {
        if (floating && !symmetric) continue;
        const QuantScheme scheme{storage, symmetric, grain.axis, grain.block};
        const Both zero = symmetric ? Both{} : laid_out(Look::contiguous, Dtype::i32, grain.scales, numbers, 0, 2);
        const Both stored = run(op::Quantize{scheme}, x, scale, zero);
        ASSERT_TRUE(same(stored)) << int(storage) << " axis " << grain.axis << " block " << grain.block;
        EXPECT_TRUE(same(run(op::Dequantize{scheme, Dtype::f32, shape}, stored, scale, zero)));
      }
    }
}

}  // namespace
