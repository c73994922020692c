// portable/jacobi: singular values and symmetric eigenvalues by plane rotations, swept until nothing is left to rotate.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <limits>

#include "matrix.hpp"

namespace hearth::portable {

/// Far more sweeps than any matrix needs: convergence is quadratic.
inline constexpr int jacobi_sweeps = 60;

/// Positions 0, 1, ... in the order of their values; equals keep theirs.
inline std::vector<std::int64_t> sorted_positions(const std::vector<double>& values, bool descending) {
  std::vector<std::int64_t> order;
  for (std::size_t i = 0; i < values.size(); ++i) order.push_back(std::int64_t(i));
  std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    const double x = values[std::size_t(a)], y = values[std::size_t(b)];
    return x == y ? a < b : descending ? x > y : x < y;
  });
  return order;
}

/// Fills the columns from `known` on so that all columns are orthonormal, given that those before are.
/// Some unit vector is always far from the span of fewer than m columns; projecting it twice leaves no more than rounding.
inline void complete_basis(Matrix& q, std::int64_t known) {
  std::int64_t candidate = 0;
  for (std::int64_t column = known; column < q.columns;) {
    std::vector<double> v(std::size_t(q.rows), 0.0);
    v[std::size_t(candidate)] = 1;
    candidate = (candidate + 1) % q.rows;
    for (int pass = 0; pass < 2; ++pass)
      for (std::int64_t j = 0; j < column; ++j) {
        double dot = 0;
        for (std::int64_t i = 0; i < q.rows; ++i) dot += q(i, j) * v[std::size_t(i)];
        for (std::int64_t i = 0; i < q.rows; ++i) v[std::size_t(i)] -= dot * q(i, j);
      }
    const double length = norm(v);
    if (length * length < 0.5 / double(q.rows)) continue;
    for (std::int64_t i = 0; i < q.rows; ++i) q(i, column) = v[std::size_t(i)] / length;
    ++column;
  }
}

struct SingularValues {
  Matrix u;               ///< [m, min(m, n)], or [m, m] where full
  std::vector<double> s;  ///< descending
  Matrix v;               ///< [n, min(m, n)], or [n, n] where full
};
/// One-sided Jacobi: rotates the columns of a until they are orthogonal. Their lengths are s, their directions u, the rotations v.
inline SingularValues svd(Matrix a, bool full) {
  if (a.rows < a.columns) {
    SingularValues result = svd(transposed(a), full);
    std::swap(result.u, result.v);
    return result;
  }
  const std::int64_t m = a.rows, n = a.columns;
  const double scale = scale_to_one(a), tolerance = std::numeric_limits<double>::epsilon() * double(m);
  Matrix v = Matrix::identity(n);
  bool rotated = true;
  for (int sweep = 0; rotated && sweep < jacobi_sweeps; ++sweep) {
    rotated = false;
    for (std::int64_t p = 0; p < n; ++p)
      for (std::int64_t q = p + 1; q < n; ++q) {
        double first = 0, second = 0, product = 0;
        for (std::int64_t i = 0; i < m; ++i) {
          first += a(i, p) * a(i, p);
          second += a(i, q) * a(i, q);
          product += a(i, p) * a(i, q);
        }
        if (std::fabs(product) <= tolerance * std::sqrt(first) * std::sqrt(second)) continue;
        const JacobiRotation rotation(first, second, product);
        rotate_columns(a, p, q, rotation.cosine, rotation.sine);
        rotate_columns(v, p, q, rotation.cosine, rotation.sine);
        rotated = true;
      }
  }
  std::vector<double> lengths;
  for (std::int64_t j = 0; j < n; ++j) {
    double sum = 0;
    for (std::int64_t i = 0; i < m; ++i) sum += a(i, j) * a(i, j);
    // What is this small beside a largest element of 1 has lost its direction to underflow, and is zero by any measure.
    lengths.push_back(sum < 1e-280 ? 0 : std::sqrt(sum));
  }
  SingularValues result{Matrix(m, full ? m : n), {}, Matrix(n, n)};
  std::int64_t column = 0, known = 0;
  for (std::int64_t from : sorted_positions(lengths, true)) {
    const double length = lengths[std::size_t(from)];
    result.s.push_back(length * scale);
    for (std::int64_t i = 0; i < n; ++i) result.v(i, column) = v(i, from);
    if (length > 0) {
      ++known;
      for (std::int64_t i = 0; i < m; ++i) result.u(i, column) = a(i, from) / length;
    }
    ++column;
  }
  complete_basis(result.u, known);
  return result;
}

struct SymmetricEigenvalues {
  std::vector<double> values;  ///< ascending
  Matrix vectors;              ///< as columns
};
/// Jacobi's method: rotates elements off the diagonal to zero until all are below rounding. Only the lower triangle of a is read.
inline SymmetricEigenvalues eigh(Matrix a) {
  const std::int64_t n = a.rows;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < i; ++j) a(j, i) = a(i, j);
  const double scale = scale_to_one(a), tolerance = std::numeric_limits<double>::epsilon() / 4;
  Matrix vectors = Matrix::identity(n);
  bool rotated = true;
  for (int sweep = 0; rotated && sweep < jacobi_sweeps; ++sweep) {
    rotated = false;
    for (std::int64_t p = 0; p < n; ++p)
      for (std::int64_t q = p + 1; q < n; ++q) {
        if (std::fabs(a(p, q)) <= tolerance) continue;
        const JacobiRotation rotation(a(p, p), a(q, q), a(p, q));
        rotate_rows(a, p, q, rotation.cosine, rotation.sine);
        rotate_columns(a, p, q, rotation.cosine, rotation.sine);
        rotate_columns(vectors, p, q, rotation.cosine, rotation.sine);
        a(p, q) = a(q, p) = 0;
        rotated = true;
      }
  }
  std::vector<double> diagonal;
  for (std::int64_t i = 0; i < n; ++i) diagonal.push_back(a(i, i));
  SymmetricEigenvalues result{{}, Matrix(n, n)};
  std::int64_t column = 0;
  for (std::int64_t from : sorted_positions(diagonal, false)) {
    result.values.push_back(diagonal[std::size_t(from)] * scale);
    for (std::int64_t i = 0; i < n; ++i) result.vectors(i, column) = vectors(i, from);
    ++column;
  }
  return result;
}

}  // namespace hearth::portable
