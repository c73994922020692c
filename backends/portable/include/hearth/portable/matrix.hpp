// portable/matrix: a dense matrix of doubles, and the reflections and rotations that decompositions are made of.
// Everything is computed in double, for f32 too: this is the reference, not the fast way.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "hearth/core/config.hpp"

namespace hearth::portable {

struct Matrix {
  std::int64_t rows = 0, columns = 0;
  std::vector<double> values;  ///< row-major

  Matrix() = default;
  Matrix(std::int64_t m, std::int64_t n) : rows(m), columns(n), values(std::size_t(m * n)) {}
  static Matrix identity(std::int64_t n) {
    Matrix result(n, n);
    for (std::int64_t i = 0; i < n; ++i) result(i, i) = 1;
    return result;
  }
  double& operator()(std::int64_t i, std::int64_t j) { return values[std::size_t(i * columns + j)]; }
  double operator()(std::int64_t i, std::int64_t j) const { return values[std::size_t(i * columns + j)]; }
};

inline Matrix transposed(const Matrix& a) {
  Matrix result(a.columns, a.rows);
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < a.columns; ++j) result(j, i) = a(i, j);
  return result;
}
/// The first `count` columns of a.
inline Matrix first_columns(const Matrix& a, std::int64_t count) {
  Matrix result(a.rows, count);
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < count; ++j) result(i, j) = a(i, j);
  return result;
}
inline Matrix first_rows(const Matrix& a, std::int64_t count) {
  Matrix result(count, a.columns);
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t j = 0; j < a.columns; ++j) result(i, j) = a(i, j);
  return result;
}

/// The largest magnitude; NaN where there is one.
inline double largest(const std::vector<double>& values) {
  double result = 0;
  for (double v : values) {
    if (v != v) return v;
    if (std::fabs(v) > result) result = std::fabs(v);
  }
  return result;
}
/// Divides by the largest magnitude, which it returns, so that no square overflows; leaves zeros as they are and returns 1.
inline double scale_to_one(Matrix& a) {
  const double scale = largest(a.values);
  if (scale == 0) return 1;
  for (double& v : a.values) v /= scale;
  return scale;
}
/// Square root of the sum of squares, scaled so that no square overflows.
inline double norm(const std::vector<double>& values) {
  const double scale = largest(values);
  if (scale == 0) return 0;
  double sum = 0;
  for (double v : values) sum += (v / scale) * (v / scale);
  return scale * std::sqrt(sum);
}

/// Makes of x the unit vector v for which (1 - 2 v v^T) x has zeros behind its first element. False where x is zero: nothing to do.
inline bool make_reflection(std::vector<double>& x) {
  const double length = norm(x);
  if (length == 0) return false;
  x[0] += std::copysign(length, x[0]);
  const double whole = norm(x);
  for (double& v : x) v /= whole;
  return true;
}
/// a = (1 - 2 v v^T) a, where v stands for the rows from `first` on.
inline void reflect_rows(Matrix& a, const std::vector<double>& v, std::int64_t first) {
  for (std::int64_t j = 0; j < a.columns; ++j) {
    double dot = 0;
    for (std::size_t i = 0; i < v.size(); ++i) dot += v[i] * a(first + std::int64_t(i), j);
    for (std::size_t i = 0; i < v.size(); ++i) a(first + std::int64_t(i), j) -= 2 * dot * v[i];
  }
}
/// a = a (1 - 2 v v^T), where v stands for the columns from `first` on.
inline void reflect_columns(Matrix& a, const std::vector<double>& v, std::int64_t first) {
  for (std::int64_t i = 0; i < a.rows; ++i) {
    double dot = 0;
    for (std::size_t j = 0; j < v.size(); ++j) dot += v[j] * a(i, first + std::int64_t(j));
    for (std::size_t j = 0; j < v.size(); ++j) a(i, first + std::int64_t(j)) -= 2 * dot * v[j];
  }
}

/// Rows p and q become c p - s q and s p + c q.
inline void rotate_rows(Matrix& a, std::int64_t p, std::int64_t q, double c, double s) {
  for (std::int64_t j = 0; j < a.columns; ++j) {
    const double x = a(p, j), y = a(q, j);
    a(p, j) = c * x - s * y;
    a(q, j) = s * x + c * y;
  }
}
/// Columns p and q become c p - s q and s p + c q.
inline void rotate_columns(Matrix& a, std::int64_t p, std::int64_t q, double c, double s) {
  for (std::int64_t i = 0; i < a.rows; ++i) {
    const double x = a(i, p), y = a(i, q);
    a(i, p) = c * x - s * y;
    a(i, q) = s * x + c * y;
  }
}

/// The rotation that makes two directions orthogonal, from their squared lengths (or diagonal elements) and their product
/// (Golub and Van Loan, Matrix Computations, 8.5): the smaller of both angles.
struct JacobiRotation {
  double tangent, cosine, sine;
  JacobiRotation(double first, double second, double product) {
    const double t = (second - first) / (2 * product);
    tangent = (t >= 0 ? 1 : -1) / (std::fabs(t) + std::hypot(1.0, t));
    cosine = 1 / std::hypot(1.0, tangent);
    sine = tangent * cosine;
  }
};

}  // namespace hearth::portable
