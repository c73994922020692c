// portable/schur: eigenvalues and eigenvectors of a general real matrix: Hessenberg form, then Francis' doubly shifted QR steps to
// the real Schur form, then back substitution (Golub and Van Loan, Matrix Computations, 7.4 to 7.6).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <limits>

#include "complex.hpp"
#include "matrix.hpp"

namespace hearth::portable {

/// a = q t q^T.
struct Schur {
  Matrix t;  ///< upper triangular, but for 2 x 2 blocks of complex pairs
  Matrix q;
  bool converged = true;
};

/// t and q both follow the reflection of rows `first`, `first` + 1, ... that v describes.
inline void reflect(Schur& schur, const std::vector<double>& v, std::int64_t first) {
  reflect_rows(schur.t, v, first);
  reflect_columns(schur.t, v, first);
  reflect_columns(schur.q, v, first);
}

/// Zeros below the first subdiagonal.
inline void make_hessenberg(Schur& schur) {
  Matrix& t = schur.t;
  for (std::int64_t k = 0; k + 2 < t.rows; ++k) {
    std::vector<double> v;
    for (std::int64_t i = k + 1; i < t.rows; ++i) v.push_back(t(i, k));
    if (make_reflection(v)) reflect(schur, v, k + 1);
    for (std::int64_t i = k + 2; i < t.rows; ++i) t(i, k) = 0;
  }
}

/// One doubly shifted step on rows and columns low .. high (at least three), by the shifts' sum and product.
inline void francis_step(Schur& schur, std::int64_t low, std::int64_t high, double sum, double product) {
  Matrix& t = schur.t;
  // The first column of (t - shift 1)(t - shift 2); the rest of the step chases the bulge that its reflection makes.
  std::vector<double> x = {t(low, low) * t(low, low) + t(low, low + 1) * t(low + 1, low) - sum * t(low, low) + product,
                           t(low + 1, low) * (t(low, low) + t(low + 1, low + 1) - sum), t(low + 1, low) * t(low + 2, low + 1)};
  for (std::int64_t k = low; k < high; ++k) {
    if (make_reflection(x)) reflect(schur, x, k);
    for (std::int64_t i = k + 1; k > low && i <= std::min(k + 2, high); ++i) t(i, k - 1) = 0;
    x.clear();
    for (std::int64_t i = k + 1; i <= std::min(k + 3, high); ++i) x.push_back(t(i, k));
  }
}

/// Makes the block of rows and columns k, k + 1 triangular if its eigenvalues are real.
inline void split_real_block(Schur& schur, std::int64_t k) {
  Matrix& t = schur.t;
  const double half = (t(k, k) - t(k + 1, k + 1)) / 2, discriminant = half * half + t(k, k + 1) * t(k + 1, k);
  if (discriminant < 0) return;
  // The eigenvector of t(k + 1, k + 1) + z is (z, t(k + 1, k)); the larger z of both loses no digits.
  const double z = half + std::copysign(std::sqrt(discriminant), half), length = std::hypot(z, t(k + 1, k));
  if (length == 0) return;
  const double c = z / length, s = -t(k + 1, k) / length;
  rotate_rows(t, k, k + 1, c, s);
  rotate_columns(t, k, k + 1, c, s);
  rotate_columns(schur.q, k, k + 1, c, s);
  t(k + 1, k) = 0;
}

/// The real Schur form of a finite matrix whose largest element is about 1.
inline Schur real_schur(const Matrix& a) {
  Schur schur{a, Matrix::identity(a.rows)};
  Matrix& t = schur.t;
  make_hessenberg(schur);
  const double epsilon = std::numeric_limits<double>::epsilon(), size = largest(t.values);
  int steps = 0;
  for (std::int64_t high = a.rows - 1; high > 0;) {
    std::int64_t low = high;
    for (; low > 0; --low) {
      const double around = std::fabs(t(low, low)) + std::fabs(t(low - 1, low - 1));
      // Beside the whole matrix, what is below the square of epsilon is zero; its products would only underflow.
      if (std::fabs(t(low, low - 1)) > epsilon * std::max(around, epsilon * size)) continue;
      t(low, low - 1) = 0;
      break;
    }
    if (low + 1 >= high) {
      if (low + 1 == high) split_real_block(schur, low);
      high = low - 1;
      steps = 0;
      continue;
    }
    if (++steps > 300) {
      schur.converged = false;
      return schur;
    }
    double first = t(high - 1, high - 1), second = t(high, high), off = t(high - 1, high) * t(high, high - 1);
    if (steps % 10 == 0) {  // the usual shifts go round in circles: take others, as LAPACK's dlahqr does
      const double jolt = std::fabs(t(high, high - 1)) + std::fabs(t(high - 1, high - 2));
      first = second = t(high, high) + 0.75 * jolt;
      off = -0.4375 * jolt * jolt;
    }
    francis_step(schur, low, high, first + second, first * second - off);
  }
  return schur;
}

struct Eigenvalues {
  std::vector<Complex> values;                ///< in the order of the Schur form; complex pairs side by side
  std::vector<std::vector<Complex>> vectors;  ///< of length 1
  bool converged = true;
};

/// The eigenvector of t for `value`, whose block ends at row `last`; `top` is its element last - 1 where the block is a complex pair.
inline std::vector<Complex> triangular_eigenvector(const Matrix& t, std::int64_t last, Complex value, const Complex* top) {
  const double tiny = std::numeric_limits<double>::epsilon() * std::max(largest(t.values), std::numeric_limits<double>::min());
  std::vector<Complex> y(std::size_t(t.rows));
  y[std::size_t(last)] = {1, 0};
  std::int64_t solved = last;
  if (top) y[std::size_t(--solved)] = *top;
  auto rest = [&](std::int64_t row) {
    Complex sum;
    for (std::int64_t j = solved; j <= last; ++j) sum = sum - t(row, j) * y[std::size_t(j)];
    return sum;
  };
  while (solved > 0) {
    const std::int64_t i = solved - 1;
    Complex diagonal = Complex{t(i, i), 0} - value;
    if (i > 0 && t(i, i - 1) != 0) {
      const Complex above = Complex{t(i - 1, i - 1), 0} - value, b0 = rest(i - 1), b1 = rest(i);
      Complex determinant = above * diagonal - Complex{t(i - 1, i) * t(i, i - 1), 0};
      // A defective matrix repeats eigenvalues: the nearest one that does not is as good an answer.
      if (absolute(determinant) < tiny * tiny) determinant = {tiny * tiny, 0};
      y[std::size_t(i - 1)] = (b0 * diagonal - t(i - 1, i) * b1) / determinant;
      y[std::size_t(i)] = (above * b1 - t(i, i - 1) * b0) / determinant;
      solved -= 2;
    } else {
      if (absolute(diagonal) < tiny) diagonal = {tiny, 0};
      y[std::size_t(i)] = rest(i) / diagonal;
      solved -= 1;
    }
    double size = 0;
    for (const Complex& v : y) size = std::max(size, absolute(v));
    if (size > 1e100)
      for (Complex& v : y) v = (1 / size) * v;
  }
  return y;
}

/// All eigenvalues and right eigenvectors of a finite matrix.
inline Eigenvalues eig(Matrix a) {
  const std::int64_t n = a.rows;
  const double scale = scale_to_one(a);
  const Schur schur = real_schur(a);
  const Matrix& t = schur.t;
  Eigenvalues result;
  result.converged = schur.converged;
  if (!result.converged) return result;
  auto add = [&](Complex value, const std::vector<Complex>& y) {
    std::vector<Complex> x(static_cast<std::size_t>(n));
    double sum = 0, size = 0;
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j) x[std::size_t(i)] = x[std::size_t(i)] + schur.q(i, j) * y[std::size_t(j)];
    for (const Complex& v : x) size = std::max(size, absolute(v));
    for (Complex& v : x) v = (1 / size) * v;
    for (const Complex& v : x) sum += v.real * v.real + v.imaginary * v.imaginary;
    for (Complex& v : x) v = (1 / std::sqrt(sum)) * v;
    result.values.push_back(scale * value);
    result.vectors.push_back(x);
  };
  for (std::int64_t k = 0; k < n; ++k) {
    if (k + 1 == n || t(k + 1, k) == 0) {
      const Complex value{t(k, k), 0};
      add(value, triangular_eigenvector(t, k, value, nullptr));
      continue;
    }
    const double half = (t(k, k) - t(k + 1, k + 1)) / 2, discriminant = half * half + t(k, k + 1) * t(k + 1, k);
    const Complex value{t(k + 1, k + 1) + half, std::sqrt(-discriminant)};
    const Complex top = (1 / t(k + 1, k)) * (value - Complex{t(k + 1, k + 1), 0});
    const std::vector<Complex> y = triangular_eigenvector(t, k + 1, value, &top);
    add(value, y);
    add(conjugate(value), y);
    for (Complex& v : result.vectors.back()) v = conjugate(v);
    ++k;
  }
  return result;
}

}  // namespace hearth::portable
