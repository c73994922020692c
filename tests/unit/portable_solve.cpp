// tests/unit/portable_solve: Portable's decompositions by their identities, by hand and by NumPy.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "portable_arrays.hpp"

using namespace hearth;
using namespace hearth::test;

namespace {

/// The last two axes of an array, for checks written as sums.
struct View {
  std::vector<double> values;
  std::int64_t rows, columns, count = 1;
  explicit View(const Handle& x) : values(doubles(x)), rows(x->spec.shape[-2]), columns(x->spec.shape[-1]) {
    for (int i = 0; i + 2 < x->spec.shape.size(); ++i) count *= x->spec.shape[i];
  }
  double operator()(std::int64_t n, std::int64_t i, std::int64_t j) const { return values[std::size_t((n * rows + i) * columns + j)]; }
};
/// The largest |a b - c|, over all matrices.
double product_error(const View& a, const View& b, const View& c) {
  EXPECT_EQ(a.columns, b.rows);
  EXPECT_EQ(a.rows, c.rows);
  EXPECT_EQ(b.columns, c.columns);
  double worst = 0;
  for (std::int64_t n = 0; n < c.count; ++n)
    for (std::int64_t i = 0; i < c.rows; ++i)
      for (std::int64_t j = 0; j < c.columns; ++j) {
        double sum = -c(n, i, j);
        for (std::int64_t k = 0; k < a.columns; ++k) sum += a(n, i, k) * b(n, k, j);
        worst = std::max(worst, std::fabs(sum));
        if (std::isnan(sum)) worst = INFINITY;
      }
  return worst;
}
/// The largest |a^T a - 1|: are the columns orthonormal?
double orthonormal_error(const View& a) {
  double worst = 0;
  for (std::int64_t n = 0; n < a.count; ++n)
    for (std::int64_t i = 0; i < a.columns; ++i)
      for (std::int64_t j = 0; j < a.columns; ++j) {
        double sum = i == j ? -1 : 0;
        for (std::int64_t k = 0; k < a.rows; ++k) sum += a(n, k, i) * a(n, k, j);
        worst = std::max(worst, std::fabs(sum));
        if (std::isnan(sum)) worst = INFINITY;
      }
  return worst;
}
View transpose(View a) {
  View result = a;
  std::swap(result.rows, result.columns);
  for (std::int64_t n = 0; n < a.count; ++n)
    for (std::int64_t i = 0; i < a.rows; ++i)
      for (std::int64_t j = 0; j < a.columns; ++j) result.values[std::size_t((n * a.columns + j) * a.rows + i)] = a(n, i, j);
  return result;
}
/// Diagonal matrices [m, n] of vectors.
View diagonal(const Handle& s, std::int64_t m, std::int64_t n, const View& like) {
  View result = like;
  result.rows = m, result.columns = n;
  result.values.assign(std::size_t(like.count * m * n), 0.0);
  const std::vector<double> values = doubles(s);
  const std::int64_t k = s->spec.shape[-1];
  for (std::int64_t i = 0; i < like.count; ++i)
    for (std::int64_t j = 0; j < k; ++j) result.values[std::size_t((i * m + j) * n + j)] = values[std::size_t(i * k + j)];
  return result;
}

struct Case {
  std::string name;
  Shape shape;
  std::vector<double> values;
};
/// Matrices of every kind that decompositions trip over.
std::vector<Case> matrices() {
  std::vector<Case> cases;
  for (const Shape& shape : {Shape{1, 1}, {2, 2}, {3, 3}, {5, 3}, {3, 5}, {1, 4}, {4, 1}, {2, 3, 4, 4}, {3, 6, 2}, {20, 20}, {17, 30}})
    cases.push_back({"pattern " + to_string(shape), shape, pattern(shape, 1)});
  for (const Shape& shape : {Shape{0, 0}, {0, 3}, {3, 0}, {0, 2, 2}, {2, 0, 0}}) cases.push_back({"empty " + to_string(shape), shape, {}});
  for (const Shape& shape : {Shape{1, 1}, {4, 4}, {4, 2}, {2, 4}})
    cases.push_back({"zero " + to_string(shape), shape, std::vector<double>(std::size_t(element_count(shape)), 0.0)});
  for (const Shape& shape : {Shape{5, 5}, {6, 3}, {3, 6}, {40, 40}}) {
    Case rank1{"rank 1 " + to_string(shape), shape, {}}, repeated{"identity times 3 " + to_string(shape), shape, {}};
    for (std::int64_t i = 0; i < shape[0]; ++i)
      for (std::int64_t j = 0; j < shape[1]; ++j) {
        rank1.values.push_back(double((i % 3 - 1) * (j + 1)) / 7);
        repeated.values.push_back(i == j ? 3 : 0);
      }
    cases.push_back(rank1);
    cases.push_back(repeated);
  }
  cases.push_back({"signed permutation", {3, 3}, {0, 0, -1, 1, 0, 0, 0, -1, 0}});
  cases.push_back({"graded", {3, 3}, {1, 1e-8, 1e-16, 1e-8, 1e-16, 1e-24, 1e-16, 1e-24, 1e-32}});
  return cases;
}
double size_of_values(const Case& c) {
  double result = 1;
  for (double v : c.values) result = std::max(result, std::fabs(v));
  return result * double(std::max<std::int64_t>({c.shape[-1], c.shape[-2], 1}));
}
const std::vector<Dtype> reals = {Dtype::f64, Dtype::f32};
double epsilon(Dtype dtype) { return dtype == Dtype::f64 ? 2.3e-16 : 1.2e-7; }

TEST(portable_qr, identities) {
  for (const Case& c : matrices())
    for (Dtype dtype : reals)
      for (bool full : {false, true}) {
        const Handle a = strided(from_doubles(dtype, c.shape, c.values));
        const auto [q, r] = Portable::run(op::Qr{full}, {a});
        const std::int64_t m = c.shape[-2], n = c.shape[-1], k = full ? m : std::min(m, n);
        EXPECT_EQ(q->spec.shape[-2], m);
        EXPECT_EQ(q->spec.shape[-1], k);
        EXPECT_EQ(r->spec.shape[-2], k);
        EXPECT_EQ(r->spec.shape[-1], n);
        const double tolerance = 20 * epsilon(dtype) * size_of_values(c);
        EXPECT_LT(product_error(View(q), View(r), View(a)), tolerance) << c.name;
        EXPECT_LT(orthonormal_error(View(q)), 40 * epsilon(dtype)) << c.name;
        const View upper(r);
        for (std::int64_t b = 0; b < upper.count; ++b)
          for (std::int64_t i = 0; i < k; ++i) {
            if (i < n) {
              EXPECT_GE(upper(b, i, i), 0) << c.name;
            }
            for (std::int64_t j = 0; j < std::min(i, n); ++j) EXPECT_EQ(upper(b, i, j), 0) << c.name;
          }
      }
}
TEST(portable_qr, by_hand) {
  const auto [q, r] = Portable::run(op::Qr{}, {array<double>({2, 2}, {3, 5, -4, 0})});
  expect_near(doubles(q), {0.6, 0.8, -0.8, 0.6}, 1e-15);
  expect_near(doubles(r), {5, 3, 0, 4}, 1e-15);
}

TEST(portable_svd, identities) {
  for (const Case& c : matrices())
    for (Dtype dtype : reals)
      for (bool full : {false, true}) {
        const Handle a = strided(from_doubles(dtype, c.shape, c.values));
        const auto [u, s, v] = Portable::run(op::Svd{full}, {a});
        const std::int64_t m = c.shape[-2], n = c.shape[-1], k = std::min(m, n);
        const View left(u), right(v);
        EXPECT_EQ(left.columns, full ? m : k);
        EXPECT_EQ(right.rows, full ? n : k);
        EXPECT_LT(orthonormal_error(left), 60 * epsilon(dtype)) << c.name;
        EXPECT_LT(orthonormal_error(transpose(right)), 60 * epsilon(dtype)) << c.name;
        const View middle = diagonal(s, left.columns, right.rows, left);
        View scaled = left;
        scaled.columns = right.rows;
        scaled.values.assign(std::size_t(left.count * m * right.rows), 0.0);
        for (std::int64_t b = 0; b < left.count; ++b)
          for (std::int64_t i = 0; i < m; ++i)
            for (std::int64_t j = 0; j < k; ++j) scaled.values[std::size_t((b * m + i) * right.rows + j)] = left(b, i, j) * middle(b, j, j);
        EXPECT_LT(product_error(scaled, right, View(a)), 20 * epsilon(dtype) * size_of_values(c)) << c.name;
        const std::vector<double> values = doubles(s);
        for (std::size_t i = 0; i < values.size(); ++i) {
          EXPECT_GE(values[i], 0) << c.name;
          if (i % std::size_t(k) > 0) {
            EXPECT_LE(values[i], values[i - 1]) << c.name;
          }
        }
      }
}
TEST(portable_svd, by_hand_and_numpy) {
  const auto rank1 = Portable::run(op::Svd{}, {array<double>({2, 2}, {3, 0, 4, 0})});
  expect_near(doubles(rank1[1]), {5, 0}, 1e-15);
  const auto tall = Portable::run(op::Svd{}, {array<double>({3, 2}, {1, 2, 3, 4, 5, 6})});
  expect_near(doubles(tall[1]), {9.525518091565106, 0.5143005806586443}, 1e-14);  // numpy.linalg.svd
  std::vector<double> hilbert;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) hilbert.push_back(1.0 / (i + j + 1));
  const auto steep = Portable::run(op::Svd{}, {array<double>({4, 4}, hilbert)});
  expect_near(doubles(steep[1]), {1.5002142800592426, 0.16914122022145006, 0.006738273605760759, 9.670230402260359e-05}, 1e-15);
}

TEST(portable_svd, huge_and_tiny_numbers) {
  for (double scale : {1e300, 1e-300}) {
    const auto [u, s, v] = Portable::run(op::Svd{}, {array<double>({2, 2}, {3 * scale, 0, 0, -2 * scale})});
    expect_near(doubles(s), {3 * scale, 2 * scale}, 1e-15 * scale);
    EXPECT_LT(orthonormal_error(View(u)), 1e-15);
  }
}

/// a + a^T of the square cases.
Case symmetric(const Case& c) {
  Case result = c;
  const std::int64_t n = c.shape[-1];
  for (std::int64_t b = 0; n > 0 && b < std::int64_t(c.values.size()) / (n * n); ++b)
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        result.values[std::size_t((b * n + i) * n + j)] += c.values[std::size_t((b * n + j) * n + i)];
  return result;
}

TEST(portable_eigh, identities) {
  for (const Case& general : matrices()) {
    if (general.shape[-1] != general.shape[-2]) continue;
    const Case c = symmetric(general);
    for (Dtype dtype : reals) {
      const Handle a = strided(from_doubles(dtype, c.shape, c.values));
      const auto [w, v] = Portable::run(op::Eigh{}, {a});
      const View vectors(v);
      EXPECT_LT(orthonormal_error(vectors), 60 * epsilon(dtype)) << c.name;
      View scaled = vectors;
      const std::vector<double> values = doubles(w);
      const std::int64_t n = c.shape[-1];
      const std::size_t columns = std::size_t(n);
      for (std::size_t i = 0; i < scaled.values.size(); ++i) scaled.values[i] *= values[i / (columns * columns) * columns + i % columns];
      EXPECT_LT(product_error(View(a), vectors, scaled), 30 * epsilon(dtype) * size_of_values(c)) << c.name;
      for (std::size_t i = 1; i < values.size(); ++i)
        if (i % std::size_t(n) > 0) {
          EXPECT_GE(values[i], values[i - 1]) << c.name;
        }
    }
  }
}
TEST(portable_eigh, reads_the_lower_triangle_only) {
  const auto [w, v] = Portable::run(op::Eigh{}, {array<double>({2, 2}, {2, std::nan(""), 1, 2})});
  expect_near(doubles(w), {1, 3}, 1e-15);
  expect_near({std::fabs(doubles(v)[0]), std::fabs(doubles(v)[1])}, {std::sqrt(0.5), std::sqrt(0.5)}, 1e-15);
}

double eigen_error(const Handle& a, const Handle& w, const Handle& v) {
  const View matrix(a);
  const std::int64_t n = matrix.rows;
  const std::vector<double> values = doubles(w), vectors = doubles(v);
  double worst = 0;
  for (std::int64_t b = 0; b < matrix.count; ++b)
    for (std::int64_t k = 0; k < n; ++k) {
      const double* value = &values[std::size_t((b * n + k) * 2)];
      auto at = [&](std::int64_t i, int part) { return vectors[std::size_t((((b * n + i) * n) + k) * 2 + part)]; };
      double length = -1;
      for (std::int64_t i = 0; i < n; ++i) {
        double real = -value[0] * at(i, 0) + value[1] * at(i, 1), imaginary = -value[0] * at(i, 1) - value[1] * at(i, 0);
        for (std::int64_t j = 0; j < n; ++j) {
          real += matrix(b, i, j) * at(j, 0);
          imaginary += matrix(b, i, j) * at(j, 1);
        }
        worst = std::max({worst, std::fabs(real), std::fabs(imaginary)});
        if (std::isnan(real + imaginary)) worst = INFINITY;
        length += at(i, 0) * at(i, 0) + at(i, 1) * at(i, 1);
      }
      worst = std::max(worst, std::fabs(length));
    }
  return worst;
}
TEST(portable_eig, identities) {
  for (const Case& c : matrices()) {
    if (c.shape[-1] != c.shape[-2]) continue;
    for (Dtype dtype : reals) {
      const Handle a = strided(from_doubles(dtype, c.shape, c.values));
      const auto [w, v] = Portable::run(op::Eig{}, {a});
      EXPECT_EQ(w->spec.shape[-1], 2);
      EXPECT_LT(eigen_error(a, w, v), 40 * epsilon(dtype) * size_of_values(c)) << c.name;
    }
  }
}
std::vector<std::vector<double>> sorted_pairs(const Handle& w) {
  const std::vector<double> flat = doubles(w);
  std::vector<std::vector<double>> pairs;
  for (std::size_t i = 0; i < flat.size(); i += 2) pairs.push_back({flat[i], flat[i + 1]});
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}
TEST(portable_eig, by_hand) {
  auto expect = [](const Handle& a, const std::vector<std::vector<double>>& expected, double tolerance) {
    const auto [w, v] = Portable::run(op::Eig{}, {a});
    const auto pairs = sorted_pairs(w);
    for (std::size_t i = 0; i < expected.size(); ++i) expect_near(pairs[i], expected[i], tolerance);
    EXPECT_LT(eigen_error(a, w, v), 1e-13);
  };
  expect(array<double>({2, 2}, {0, -1, 1, 0}), {{0, -1}, {0, 1}}, 1e-15);
  expect(array<double>({3, 3}, {6, -11, 6, 1, 0, 0, 0, 1, 0}), {{1, 0}, {2, 0}, {3, 0}}, 1e-13);  // (x - 1)(x - 2)(x - 3)
  expect(array<double>({2, 2}, {2, 1, 1, 2}), {{1, 0}, {3, 0}}, 1e-15);
  expect(array<double>({3, 3}, {4, 1, 2, 0, 5, 3, 0, 0, 4}), {{4, 0}, {4, 0}, {5, 0}}, 1e-15);
  // x^4 = 1, of which one QR step after the other makes nothing without other shifts
  expect(array<double>({4, 4}, {0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}), {{-1, 0}, {0, -1}, {0, 1}, {1, 0}}, 1e-14);
  // A Jordan block has one direction only; all eigenvectors are that one.
  expect(array<double>({3, 3}, {2, 1, 0, 0, 2, 1, 0, 0, 2}), {{2, 0}, {2, 0}, {2, 0}}, 1e-15);
  // Two equal pairs 1 +- 2i, coupled
  expect(array<double>({4, 4}, {1, 2, 1, 0, -2, 1, 0, 1, 0, 0, 1, 2, 0, 0, -2, 1}), {{1, -2}, {1, -2}, {1, 2}, {1, 2}}, 1e-7);
  expect(array<double>({2, 2}, {1e-200, 2e-200, -2e-200, 1e-200}), {{1e-200, -2e-200}, {1e-200, 2e-200}}, 1e-214);
}
TEST(portable_eig, complex_pairs_are_exact_conjugates) {
  const auto [w, v] = Portable::run(op::Eig{}, {patterned(Dtype::f64, {9, 9}, 4)});
  const std::vector<double> values = doubles(w);
  double sum = 0;
  for (std::size_t i = 0; i < 9; ++i) sum += values[2 * i + 1];
  EXPECT_EQ(sum, 0);
}

TEST(portable_decompositions, infinite_input_is_an_error) {
  for (double bad : {std::nan(""), double(INFINITY)}) {
    const Handle a = array<double>({2, 2}, {1, 2, bad, 1});
    EXPECT_THROW(Portable::run(op::Svd{}, {a}), Error);
    EXPECT_THROW(Portable::run(op::Eigh{}, {a}), Error);
    EXPECT_THROW(Portable::run(op::Eig{}, {a}), Error);
    EXPECT_THROW(Portable::run(op::Cholesky{}, {a}), Error);
  }
}

TEST(portable_cholesky, by_hand_and_identity) {
  // l = [[2, 0, 0], [6, 1, 0], [-8, 5, 3]]
  const std::vector<double> values = {4, 12, -16, 12, 37, -43, -16, -43, 98};
  for (Dtype dtype : reals) {
    const Handle a = strided(from_doubles(dtype, {3, 3}, values));
    EXPECT_EQ(doubles(Portable::run(op::Cholesky{}, {a})[0]), (std::vector<double>{2, 0, 0, 6, 1, 0, -8, 5, 3}));
    EXPECT_EQ(doubles(Portable::run(op::Cholesky{true}, {a})[0]), (std::vector<double>{2, 6, -8, 0, 1, 5, 0, 0, 3}));
  }
  const Handle lower_only = array<double>({2, 2}, {4, std::nan(""), 2, 5});
  EXPECT_EQ(doubles(Portable::run(op::Cholesky{}, {lower_only})[0]), (std::vector<double>{2, 0, 1, 2}));
  EXPECT_EQ(Portable::run(op::Cholesky{}, {from_doubles(Dtype::f32, {3, 0, 0}, {})})[0]->spec.shape, (Shape{3, 0, 0}));
  const Handle batch = array<double>({2, 1, 1}, {9, 16});
  EXPECT_EQ(doubles(Portable::run(op::Cholesky{}, {batch})[0]), (std::vector<double>{3, 4}));
}
TEST(portable_cholesky, not_positive_definite_is_an_error) {
  for (const std::vector<double>& values : {std::vector<double>{1, 2, 2, 1}, {1, 1, 1, 1}, {0, 0, 0, 1}, {1, 0, 0, std::nan("")}}) {
    try {
      Portable::run(op::Cholesky{}, {array<double>({2, 2}, values)});
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind, ErrorKind::user);
      EXPECT_EQ(error.op, "cholesky");
      EXPECT_NE(error.message.find("not positive definite"), std::string::npos);
    }
  }
}

TEST(portable_lu, identities) {
  for (const Case& c : matrices())
    for (Dtype dtype : reals) {
      const Handle a = strided(from_doubles(dtype, c.shape, c.values));
      const auto [lu, order] = Portable::run(op::Lu{}, {a});
      const View packed(lu), matrix(a);
      const std::int64_t m = packed.rows, n = packed.columns, k = std::min(m, n);
      const std::vector<std::int64_t> p = values<std::int64_t>(order);
      View lower = packed, upper = packed, permuted = matrix;
      lower.columns = upper.rows = k;
      lower.values.assign(std::size_t(packed.count * m * k), 0.0);
      upper.values.assign(std::size_t(packed.count * k * n), 0.0);
      for (std::int64_t b = 0; b < packed.count; ++b) {
        std::vector<std::int64_t> seen(p.begin() + b * m, p.begin() + (b + 1) * m);
        for (std::int64_t i = 0; i < m; ++i)
          for (std::int64_t j = 0; j < n; ++j) {
            permuted.values[std::size_t((b * m + i) * n + j)] = matrix(b, seen[std::size_t(i)], j);
            if (j < i) {
              EXPECT_LE(std::fabs(packed(b, i, j)), 1) << c.name;
            }
            if (j < i) lower.values[std::size_t((b * m + i) * k + j)] = packed(b, i, j);
            else upper.values[std::size_t((b * k + i) * n + j)] = packed(b, i, j);
          }
        for (std::int64_t i = 0; i < k; ++i) lower.values[std::size_t((b * m + i) * k + i)] = 1;
        std::sort(seen.begin(), seen.end());
        for (std::int64_t i = 0; i < m; ++i) EXPECT_EQ(seen[std::size_t(i)], i);
      }
      EXPECT_LT(product_error(lower, upper, permuted), 20 * epsilon(dtype) * size_of_values(c)) << c.name;
    }
}
TEST(portable_lu, by_hand) {
  const auto [lu, order] = Portable::run(op::Lu{}, {array<double>({2, 3}, {1, 2, 3, 4, 4, 4})});
  EXPECT_EQ(doubles(lu), (std::vector<double>{4, 4, 4, 0.25, 1, 2}));
  EXPECT_EQ(values<std::int64_t>(order), (std::vector<std::int64_t>{1, 0}));
}

TEST(portable_triangular_solve, all_flags) {
  const std::int64_t n = 4;
  std::vector<double> full = pattern({n, n}, 3);
  for (std::int64_t i = 0; i < n; ++i) full[std::size_t(i * n + i)] = double(i + 2);
  for (Dtype dtype : reals)
    for (bool upper : {false, true})
      for (bool unit : {false, true})
        for (bool transposed : {false, true})
          for (bool left : {false, true}) {
            const Shape b_shape = left ? Shape{n, 3} : Shape{3, n};
            const Handle a = strided(from_doubles(dtype, {n, n}, full)), b = strided(patterned(dtype, b_shape, 5));
            const Handle x = Portable::run(op::TriangularSolve{upper, unit, transposed, left}, {a, b})[0];
            View triangle{a};  // what op reads of a
            for (std::int64_t i = 0; i < n; ++i)
              for (std::int64_t j = 0; j < n; ++j) {
                if (i == j && unit) triangle.values[std::size_t(i * n + j)] = 1;
                if (upper ? j < i : j > i) triangle.values[std::size_t(i * n + j)] = 0;
              }
            if (transposed) triangle = transpose(triangle);
            const double error = left ? product_error(triangle, View(x), View(b)) : product_error(View(x), triangle, View(b));
            EXPECT_LT(error, 2000 * epsilon(dtype)) << upper << unit << transposed << left;
          }
}
TEST(portable_triangular_solve, batch_axes_broadcast) {
  const Handle a = array<double>({2, 1, 1, 1}, {2, 4}), b = array<double>({3, 1, 1}, {8, 16, 24});
  const Handle x = Portable::run(op::TriangularSolve{}, {a, b})[0];
  EXPECT_EQ(x->spec.shape, (Shape{2, 3, 1, 1}));
  EXPECT_EQ(doubles(x), (std::vector<double>{4, 8, 12, 2, 4, 6}));
  const Handle right = Portable::run(op::TriangularSolve{false, false, false, false}, {a, b})[0];
  EXPECT_EQ(doubles(right), (std::vector<double>{4, 8, 12, 2, 4, 6}));
  const Handle empty = Portable::run(op::TriangularSolve{}, {array<float>({0, 0}, {}), array<float>({0, 2}, {})})[0];
  EXPECT_EQ(empty->spec.shape, (Shape{0, 2}));
}
TEST(portable_triangular_solve, singular_divides_as_ieee_has_it) {
  EXPECT_EQ(doubles(Portable::run(op::TriangularSolve{}, {array<double>({1, 1}, {0}), array<double>({1, 1}, {1})})[0])[0], INFINITY);
}

}  // namespace
