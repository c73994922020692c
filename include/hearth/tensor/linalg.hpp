// tensor/linalg: decompositions and solvers, over the last two axes and batched over the others.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kinds.hpp"
#include "linear.hpp"

namespace hearth {

/// l with l l^T = a, for a symmetric positive definite a; anything else is an error.
template <class B, int R>
Tensor<B, R> cholesky(Tensor<B, R> a) {
  return Tensor<B, R>(call<B>(op::Cholesky{}, std::move(a.dyn)));
}

template <class B, int R>
struct QrResult {
  Tensor<B, R> q, r;
};
/// a [..., m, n] = q r with orthonormal columns in q [..., m, min(m, n)] and an upper triangle r whose diagonal is not negative.
template <class B, int R>
QrResult<B, R> qr(Tensor<B, R> a) {
  auto [q, r] = call<B>(op::Qr{}, std::move(a.dyn));
  return {Tensor<B, R>(std::move(q)), Tensor<B, R>(std::move(r))};
}

enum class Triangle : unsigned char { lower, upper };
/// x with a x = b, of which only the named triangle of a is read.
template <class B, int R>
Tensor<B, R> solve_triangular(Tensor<B, R> a, detail::Fixed<Tensor<B, R>> b, Triangle triangle) {
  return Tensor<B, R>(call<B>(op::TriangularSolve{.upper = triangle == Triangle::upper}, std::move(a.dyn), std::move(b.dyn)));
}
/// x [n, k] with the least |a x - b|, for a [m, n] of full column rank, m >= n: by QR, so that a is never squared.
template <class B, int R>
Tensor<B, R> least_squares(const Tensor<B, R>& a, const detail::Fixed<Tensor<B, R>>& b) {
  auto [q, r] = qr(a);
  return solve_triangular(r, matmul(q.transpose(), b), Triangle::upper);
}

}  // namespace hearth
