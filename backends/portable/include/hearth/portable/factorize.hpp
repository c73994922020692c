// portable/factorize: the direct decompositions of one matrix, as the textbooks have them (Golub and Van Loan, Matrix Computations).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "matrix.hpp"

namespace hearth::portable {

/// The lower l with a = l l^T, of whose a only the lower triangle is read. Returns the first row whose pivot is not positive, or -1.
inline std::int64_t cholesky(const Matrix& a, Matrix& l) {
  const std::int64_t n = a.rows;
  l = Matrix(n, n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j <= i; ++j) {
      double rest = a(i, j);
      for (std::int64_t k = 0; k < j; ++k) rest -= l(i, k) * l(j, k);
      if (i != j) {
        l(i, j) = rest / l(j, j);
      } else {
        if (!(rest > 0) || std::isinf(rest)) return i;
        l(i, i) = std::sqrt(rest);
      }
    }
  return -1;
}

/// Gaussian elimination in place: unit lower and upper triangle in one. Returns the row order p with a[p] = l u.
/// The pivot is the largest of its column, the first of equals; a column of zeros is left as it is.
inline std::vector<std::int64_t> lu(Matrix& a) {
  std::vector<std::int64_t> order;
  for (std::int64_t i = 0; i < a.rows; ++i) order.push_back(i);
  for (std::int64_t k = 0; k < a.rows && k < a.columns; ++k) {
    std::int64_t pivot = k;
    for (std::int64_t i = k + 1; i < a.rows; ++i)
      if (std::fabs(a(i, k)) > std::fabs(a(pivot, k))) pivot = i;
    if (pivot != k) {
      std::swap(order[std::size_t(k)], order[std::size_t(pivot)]);
      for (std::int64_t j = 0; j < a.columns; ++j) std::swap(a(k, j), a(pivot, j));
    }
    if (a(k, k) == 0) continue;
    for (std::int64_t i = k + 1; i < a.rows; ++i) {
      a(i, k) /= a(k, k);
      for (std::int64_t j = k + 1; j < a.columns; ++j) a(i, j) -= a(i, k) * a(k, j);
    }
  }
  return order;
}

/// Householder's q [m, m] and r [m, n], which a becomes, with a diagonal that is not negative.
inline Matrix qr(Matrix& a) {
  Matrix q = Matrix::identity(a.rows);
  for (std::int64_t k = 0; k < a.rows && k < a.columns; ++k) {
    std::vector<double> v;
    for (std::int64_t i = k; i < a.rows; ++i) v.push_back(a(i, k));
    if (make_reflection(v)) {
      reflect_rows(a, v, k);
      reflect_columns(q, v, k);
    }
    for (std::int64_t i = k + 1; i < a.rows; ++i) a(i, k) = 0;
    if (a(k, k) >= 0) continue;
    for (std::int64_t j = 0; j < a.columns; ++j) a(k, j) = -a(k, j);
    for (std::int64_t i = 0; i < a.rows; ++i) q(i, k) = -q(i, k);
  }
  return q;
}

/// x with a x = b for a triangular a; only its triangle is read. A zero on the diagonal divides as IEEE has it.
inline void solve_triangular(const Matrix& a, bool upper, bool unit, Matrix& x) {
  const std::int64_t n = a.rows;
  for (std::int64_t j = 0; j < x.columns; ++j)
    for (std::int64_t step = 0; step < n; ++step) {
      const std::int64_t i = upper ? n - 1 - step : step;
      double rest = x(i, j);
      for (std::int64_t k = upper ? i + 1 : 0; k < (upper ? n : i); ++k) rest -= a(i, k) * x(k, j);
      x(i, j) = unit ? rest : rest / a(i, i);
    }
}

}  // namespace hearth::portable
