// op/solve: decompositions and the Fourier transform, over the last two axes (batched over the others) of f32 and f64.
// Signs and phases of singular and eigenvectors are free. Svd, Eigh and Eig of NaN or infinity are errors.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../core/spec.hpp"
#include "codes.hpp"

namespace hearth::op {

/// a = l l^T (only its lower triangle is read) -> l, or u = l^T where `upper`. Not positive definite: an error.
struct Cholesky {
  static constexpr int inputs = 1, outputs = 1;
  bool upper = false;
};
/// a [..., m, n] -> lu (unit lower and upper triangle in one), and the i64 row order p [..., m]: a[p] = l u.
struct Lu {
  static constexpr int inputs = 1, outputs = 2;
};
/// a [..., m, n] -> q, r with a non-negative diagonal in r; q is [..., m, m] where `full`, else [..., m, min(m, n)].
struct Qr {
  static constexpr int inputs = 1, outputs = 2;
  bool full = false;
};
/// a [..., m, n] -> u, s (descending), v^T; u and v are square where `full`.
struct Svd {
  static constexpr int inputs = 1, outputs = 3;
  bool full = false;
};
/// a symmetric (its lower triangle is read) -> eigenvalues ascending, eigenvectors as columns.
struct Eigh {
  static constexpr int inputs = 1, outputs = 2;
};
/// a -> complex eigenvalues [..., n, 2] in no particular order, conjugate pairs side by side, and right eigenvectors of length 1 as
/// columns [..., n, n, 2]; the last axis is real, imaginary.
struct Eig {
  static constexpr int inputs = 1, outputs = 2;
};
/// a triangular, b -> x with op(a) x = b, or x op(a) = b where not `left`; op transposes where `transpose`. Batch axes broadcast.
struct TriangularSolve {
  static constexpr int inputs = 2, outputs = 1;
  bool upper = false, unit = false, transpose = false, left = true;
};
/// Complex numbers are a last axis of size 2 (real, imaginary). x -> its discrete Fourier transform along `axis` (which
/// counts without the last axis), of any length; exp(-2 pi i j k / n) forward, the conjugate where `inverse`.
/// Norm::orthogonal multiplies by 1/sqrt(n) in both directions, Norm::forward by 1/n in the forward direction only.
struct Fft {
  static constexpr int inputs = 1, outputs = 1;
  int axis = -1;
  bool inverse = false;
  Norm norm = Norm::none;
};
/// x real -> the first n / 2 + 1 complex values of its transform along `axis`, which is cut or zero-padded to `length` (-1: as it is).
struct RealFft {
  static constexpr int inputs = 1, outputs = 1;
  int axis = -1;
  std::int64_t length = -1;
  Norm norm = Norm::none;
};
/// The half spectrum of a real signal -> the signal of `length` (-1: 2 (m - 1)) along `axis`.
struct InverseRealFft {
  static constexpr int inputs = 1, outputs = 1;
  int axis = -1;
  std::int64_t length = -1;
  Norm norm = Norm::none;
};

/// x -> i64 [count, rank]: the indices of elements that are not zero, in row-major order. `infer` gives the upper bound.
struct NonZero {
  static constexpr int inputs = 1, outputs = 1;
};
/// x -> its distinct values ascending [count], i64 position of each element among them (x's shape), i64 counts [count].
/// 0 and -0 are one value, written as the one that comes first; each NaN is a value of its own, and they come last.
struct Unique {
  static constexpr int inputs = 1, outputs = 3;
};

}  // namespace hearth::op
