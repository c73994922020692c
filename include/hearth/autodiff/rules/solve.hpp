// autodiff/rules/solve: matrix decompositions, triangular systems, the Fourier transform. Where an op reads one triangle of a symmetric
// matrix, its gradient is the symmetric one. Sources are named at each rule; derivations are for real matrices.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../../backend/decompositions/common.hpp"
#include "../rule.hpp"

namespace hearth {

namespace detail {

/// Where column - row of a matrix is at most `diagonal` (lower) or at least it: a mask [m, n].
template <class B>
Dyn<B> triangle_mask(const Dyn<B>& x, bool lower, std::int64_t diagonal) {
  const Dyn<B> row = Dyn<B>::iota(x.device(), {Dtype::i64, {x.size(-2), 1}}, 0, diagonal, 1);
  const Dyn<B> column = Dyn<B>::iota(x.device(), {Dtype::i64, {1, x.size(-1)}}, 1, 0, 1);
  return lower ? column <= row : column >= row;
}
template <class B>
Dyn<B> lower(const Dyn<B>& x, std::int64_t diagonal = 0) {
  return when(triangle_mask(x, true, diagonal), x, Scalar(0));
}
template <class B>
Dyn<B> upper(const Dyn<B>& x, std::int64_t diagonal = 0) {
  return when(triangle_mask(x, false, diagonal), x, Scalar(0));
}
/// The lower triangle, mirrored onto the upper one.
template <class B>
Dyn<B> mirrored(const Dyn<B>& x) {
  return lower(x) + transpose(lower(x, -1));
}
template <class B>
Dyn<B> identity_mask(const Dyn<B>& x) {
  return triangle_mask(x, true, 0) & triangle_mask(x, false, 0);
}
/// v [..., n] as rows [..., 1, n] or columns [..., n, 1].
template <class B>
Dyn<B> as_row(const Dyn<B>& v) {
  return unsqueeze(v, -2);
}
template <class B>
Dyn<B> as_column(const Dyn<B>& v) {
  return unsqueeze(v, -1);
}
/// A square matrix like `shaped` with v on its diagonal.
template <class B>
Dyn<B> diagonal_matrix(const Dyn<B>& v, const Dyn<B>& shaped) {
  return when(identity_mask(shaped), as_row(v), Scalar(0));
}
/// x / (difference of the values of column and row), 0 on the diagonal: 1 / (v[j] - v[i]).
template <class B>
Dyn<B> over_differences(const Dyn<B>& x, const Dyn<B>& differences) {
  const Dyn<B> identity = identity_mask(x);
  return when(identity, Scalar(0), x / when(identity, Scalar(1), differences));
}
template <class B>
Dyn<B> columns(const Dyn<B>& x, std::int64_t start, std::int64_t count) {
  return narrow(x, -1, start, count);
}
template <class B>
Dyn<B> rows(const Dyn<B>& x, std::int64_t start, std::int64_t count) {
  return narrow(x, -2, start, count);
}
/// The gradient of result i, zeros where none arrived.
template <class Op, class B>
Dyn<B> gradient_or_zeros(const Saved<Op, B>& s, int i) {
  return s.grad[std::size_t(i)] ? s.grad[std::size_t(i)] : zero_like(s.out[std::size_t(i)]);
}

}  // namespace detail

/// Murray 2016, "Differentiation of the Cholesky decomposition": da = l^-T phi(l^T dl) l^-1, made symmetric.
template <>
struct Rule<op::Cholesky> {
  static Saves saves(const op::Cholesky&, unsigned) { return {0, 1}; }
  template <class B>
  static OperandGradients<op::Cholesky, B> back(Saved<op::Cholesky, B>& s) {
    const Dyn<B> l = s.op.upper ? transpose(s.out[0]) : s.out[0], g = s.op.upper ? transpose(s.grad[0]) : s.grad[0];
    const Dyn<B> inner = detail::mirrored(matmul(transpose(l), g));
    const Dyn<B> left = call<B>(op::TriangularSolve{.upper = false, .unit = false, .transpose = true, .left = true}, l, inner);
    return {Scalar(0.5) * call<B>(op::TriangularSolve{.upper = false, .unit = false, .transpose = false, .left = false}, l, left)};
  }
};

/// With p a = l u and m = l1^-1 dp_a u1^-1 (l1, u1 the leading squares): dl1 = l1 lower(m), du1 = upper(m) u1, transposed here.
/// (de Hoog, Anderssen and Lukas 2011, "Differentiation of matrix functionals using triangular factorization", for the square case.)
template <>
struct Rule<op::Lu> {
  static Saves saves(const op::Lu&, unsigned) { return {0, 3}; }
  template <class B>
  static OperandGradients<op::Lu, B> back(Saved<op::Lu, B>& s) {
    const Dyn<B>&lu = s.out[0], &g = s.grad[0];
    const std::int64_t m = lu.size(-2), n = lu.size(-1), k = m < n ? m : n;
    const Dyn<B> square = detail::columns(detail::rows(lu, 0, k), 0, k), g_square = detail::columns(detail::rows(g, 0, k), 0, k);
    // l1^-T x and x u1^-T, from the packed square.
    auto left = [&](Dyn<B> x) { return call<B>(op::TriangularSolve{.upper = false, .unit = true, .transpose = true, .left = true}, square, std::move(x)); };
    auto right = [&](Dyn<B> x) { return call<B>(op::TriangularSolve{.upper = true, .unit = false, .transpose = true, .left = false}, square, std::move(x)); };
    const Dyn<B> unit_lower = when(detail::identity_mask(square), Scalar(1), detail::lower(square, -1)), u = detail::upper(square);
    Dyn<B> of_l = matmul(transpose(unit_lower), detail::lower(g_square, -1)), of_u = matmul(detail::upper(g_square), transpose(u));
    Dyn<B> rest;
    if (n > k) {
      const Dyn<B> u2 = detail::columns(lu, k, n - k), g2 = detail::columns(g, k, n - k);
      of_l = of_l - matmul(g2, transpose(u2));
      rest = left(g2);
    } else if (m > k) {
      const Dyn<B> l2 = detail::rows(lu, k, m - k), g2 = detail::rows(g, k, m - k);
      of_u = of_u - matmul(transpose(l2), g2);
      rest = right(g2);
    }
    Dyn<B> permuted = left(right(detail::lower(of_l, -1) + detail::upper(of_u)));
    if (rest) permuted = concat<B>({permuted, rest}, n > k ? -1 : -2);
    // Row i of the product came from row p[i] of a.
    const Dyn<B> index = expand(detail::as_column(s.out[1]), permuted.shape());
    return {Dyn<B>::scatter(s.zeros(0), index, permuted, -2, ScatterMode::add)};
  }
};

/// Walter and Lehmann 2010; wide matrices: Roberts and Roberts 2020, "QR and LQ decomposition matrix backpropagation algorithms".
template <>
struct Rule<op::Qr> {
  static Saves saves(const op::Qr&, unsigned needs) { return {needs & 1u, 3}; }
  template <class B>
  static OperandGradients<op::Qr, B> back(Saved<op::Qr, B>& s) {
    const Shape& shape = s.spec[0].shape;
    const std::int64_t m = shape[-2], n = shape[-1];
    if (s.op.full && m > n)
      return fail("qr", "a full q of " + to_string(shape) + " has no gradient: its last columns are arbitrary", {shape}, "use the reduced form");
    const Dyn<B>&q = s.out[0], &r = s.out[1];
    Dyn<B> q_grad = detail::gradient_or_zeros(s, 0), r_grad = detail::gradient_or_zeros(s, 1);
    // da of a tall or square part from its q, r and their gradients.
    auto leading = [](const Dyn<B>& q1, const Dyn<B>& r1, const Dyn<B>& gq, const Dyn<B>& gr) {
      const Dyn<B> inner = matmul(r1, transpose(gr)) - matmul(transpose(gq), q1);
      return call<B>(op::TriangularSolve{.upper = true, .unit = false, .transpose = true, .left = false}, r1, gq + matmul(q1, detail::mirrored(inner)));
    };
    if (m >= n) return {leading(q, r, q_grad, r_grad)};
    const Dyn<B> y = detail::columns(s.in[0], m, n - m), v_grad = detail::columns(r_grad, m, n - m);
    const Dyn<B> x_grad = leading(q, detail::columns(r, 0, m), q_grad + matmul(y, transpose(v_grad)), detail::columns(r_grad, 0, m));
    return {concat<B>({x_grad, matmul(q, v_grad)}, -1)};
  }
};

/// Townsend 2016, "Differentiating the singular value decomposition". Not finite where singular values repeat and u or v is used.
template <>
struct Rule<op::Svd> {
  static Saves saves(const op::Svd& op, unsigned) { return op.full ? Saves{1, 0} : Saves{0, 7}; }
  template <class B>
  static OperandGradients<op::Svd, B> back(Saved<op::Svd, B>& s) {
    const Shape& shape = s.spec[0].shape;
    const std::int64_t m = shape[-2], n = shape[-1], k = m < n ? m : n;
    if (s.op.full && m != n && (s.grad[0] || s.grad[2]))
      return fail("svd", "full u and v of " + to_string(shape) + " have no gradient: some of their vectors are arbitrary", {shape}, "use the reduced form");
    if (s.op.full) s.out = call<B>(op::Svd{false}, s.in[0]);  // the values' gradient needs the vectors that belong to them, only
    const Dyn<B>&u = s.out[0], &sigma = s.out[1], &vt = s.out[2];
    const Dyn<B> row = detail::as_row(sigma), column = detail::as_column(sigma);
    const Dyn<B> differences = (row - column) * (row + column);
    Dyn<B> inner, left, right;  // da = u inner v^T + left v^T + u right
    auto add = [&](Dyn<B> term) { inner = inner ? std::move(inner) + std::move(term) : std::move(term); };
    if (s.grad[1]) add(detail::diagonal_matrix(s.grad[1], differences));
    if (const Dyn<B>& g = s.grad[0]) {
      const Dyn<B> ug = matmul(transpose(u), g);
      add(detail::over_differences(ug - transpose(ug), differences) * row);
      if (m > k) left = (g - matmul(u, ug)) / row;
    }
    if (s.grad[2]) {
      const Dyn<B>& g = s.grad[2];  // of v^T
      const Dyn<B> vg = matmul(vt, transpose(g));
      add(detail::over_differences(vg - transpose(vg), differences) * column);
      if (n > k) right = (g - matmul(transpose(vg), vt)) / column;
    }
    Dyn<B> product = matmul(u, inner);
    if (left) product = product + left;
    Dyn<B> result = matmul(product, vt);
    if (right) result = result + matmul(u, right);
    return {result};
  }
};

/// Giles 2008, "An extended collection of matrix derivative results": da = v (diag(dw) + (v^T dv) / (w[j] - w[i])) v^T, made symmetric.
/// Not finite where eigenvalues repeat and v is used.
template <>
struct Rule<op::Eigh> {
  static Saves saves(const op::Eigh&, unsigned) { return {0, 3}; }
  template <class B>
  static OperandGradients<op::Eigh, B> back(Saved<op::Eigh, B>& s) {
    const Dyn<B>&w = s.out[0], &v = s.out[1];
    Dyn<B> inner;
    if (s.grad[1]) inner = detail::over_differences(matmul(transpose(v), s.grad[1]), detail::as_row(w) - detail::as_column(w));
    if (s.grad[0]) {
      Dyn<B> values = detail::diagonal_matrix(s.grad[0], v);
      inner = inner ? std::move(inner) + std::move(values) : std::move(values);
    }
    const Dyn<B> a = matmul(matmul(v, inner), transpose(v));
    return {Scalar(0.5) * (a + transpose(a))};
  }
};

// Its gradient solves systems of complex numbers, which no op here does.
template <>
struct Rule<op::Eig> : GradientRefused {
  static constexpr std::string_view reason = "eigenvalues of a general matrix are complex, and no op solves complex systems; eigh has a gradient";
};

/// Giles 2008: db = op(a)^-T dx, and dop(a) = -db x^T (-x^T db where a stands to the right), of which a's triangle counts.
template <>
struct Rule<op::TriangularSolve> {
  static Saves saves(const op::TriangularSolve&, unsigned needs) { return {1, needs & 1u}; }
  template <class B>
  static OperandGradients<op::TriangularSolve, B> back(Saved<op::TriangularSolve, B>& s) {
    op::TriangularSolve adjoint = s.op;
    adjoint.transpose = !adjoint.transpose;
    const Dyn<B> b = call<B>(adjoint, s.in[0], s.grad[0]);
    OperandGradients<op::TriangularSolve, B> result;
    if (s.need(1)) result[1] = sum_to(b, s.spec[1].shape);
    if (s.need(0)) {
      const Dyn<B>& x = s.out[0];
      Dyn<B> a;
      if (s.op.left) a = s.op.transpose ? matmul(x, transpose(b)) : matmul(b, transpose(x));
      else a = s.op.transpose ? matmul(transpose(b), x) : matmul(transpose(x), b);
      const int skipped = s.op.unit ? 1 : 0;
      result[0] = sum_to(-(s.op.upper ? detail::upper(a, skipped) : detail::lower(a, -skipped)), s.spec[0].shape);
    }
    return result;
  }
};

/// The adjoint of a transform by exp(-2 pi i j k / n) is the transform by its conjugate with the same factor.
template <>
struct Rule<op::Fft> : SavesNothing {
  template <class B>
  static OperandGradients<op::Fft, B> back(Saved<op::Fft, B>& s) {
    const bool orthogonal = s.op.norm == Norm::orthogonal;
    const Dyn<B> x = call<B>(op::Fft{s.op.axis, !s.op.inverse, orthogonal ? Norm::orthogonal : Norm::none}, s.grad[0]);
    if (s.op.norm != Norm::forward || s.op.inverse) return {x};
    const Shape& shape = s.spec[0].shape;
    return {x / Scalar(double(shape[normalize_axis("fft", s.op.axis, shape.size() - 1)]))};
  }
};

template <>
struct Rule<op::NonZero> : NoGradient {};

/// Equal elements share the gradient of their value.
template <>
struct Rule<op::Unique> {
  static Saves saves(const op::Unique&, unsigned) { return {0, 6}; }
  template <class B>
  static OperandGradients<op::Unique, B> back(Saved<op::Unique, B>& s) {
    const Dtype dtype = s.spec[0].dtype;
    const Dyn<B> share = detail::converted(detail::accumulated(s.grad[0]) / cast(s.out[2], compute_dtype(dtype)), dtype);
    const Dyn<B> place = reshape(s.out[1], {element_count(s.spec[0].shape)});
    return {reshape(gather(share, place, 0), s.spec[0].shape)};
  }
};

}  // namespace hearth
