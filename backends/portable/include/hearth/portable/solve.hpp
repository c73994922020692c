// portable/solve: the ops over matrices, each one matrix at a time, by factorize.hpp, jacobi.hpp and schur.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "array.hpp"
#include "factorize.hpp"
#include "hearth/op/op.hpp"
#include "jacobi.hpp"
#include "schur.hpp"

namespace hearth::portable {

/// The solve family is of f32 and f64 only.
template <class F>
void with_real(Dtype dtype, F&& f) {
  if (dtype == Dtype::f64) f(TypeTag<double>{});
  else f(TypeTag<float>{});
}

/// Numbers `from`, `from` + 1, ... of a row-major array, as doubles.
inline std::vector<double> read(const Handle& x, std::int64_t from, std::int64_t count) {
  std::vector<double> values;
  with_real(x->spec.dtype, [&](auto tag) {
    const auto* source = data<const typename decltype(tag)::type>(x) + from;
    values.assign(source, source + count);
  });
  return values;
}
inline void write(const Handle& x, std::int64_t from, const std::vector<double>& values) {
  with_real(x->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* target = data<T>(x) + from;
    for (double v : values) *target++ = T(v);
  });
}
/// Matrix number `index` of the last two axes of a row-major array.
inline Matrix read_matrix(const Handle& x, std::int64_t index) {
  Matrix result;
  result.rows = x->spec.shape[-2];
  result.columns = x->spec.shape[-1];
  result.values = read(x, index * result.rows * result.columns, result.rows * result.columns);
  return result;
}
inline void write_matrix(const Handle& x, std::int64_t index, const Matrix& matrix) {
  write(x, index * matrix.rows * matrix.columns, matrix.values);
}

/// f(a, i) for each matrix of an array, number i of all.
template <class F>
void each_matrix(std::string_view op, const Handle& x, F f) {
  const Handle a = contiguous(x, op);
  if (!a) return;
  std::int64_t count = 1;
  for (int axis = 0; axis + 2 < a->spec.shape.size(); ++axis) count *= a->spec.shape[axis];
  for (std::int64_t i = 0; i < count && !pending_error(); ++i) f(read_matrix(a, i), i);
}
/// Iterations on NaN or infinity end nowhere: says so instead.
inline bool is_finite(std::string_view op, const Matrix& a, std::int64_t index) {
  if (std::isfinite(largest(a.values))) return true;
  return fail(op, "matrix " + std::to_string(index) + " holds NaN or infinity");
}

inline void kernel(const op::Cholesky& op, const Operands<op::Cholesky, Handle>& in, Results<op::Cholesky, Handle>& out) {
  each_matrix("cholesky", in[0], [&](const Matrix& a, std::int64_t index) {
    Matrix l;
    const std::int64_t row = cholesky(a, l);
    if (row >= 0)
      return (void)fail("cholesky", "matrix " + std::to_string(index) + " of " + to_string(in[0]->spec.shape) +
                                        " is not positive definite: the pivot of row " + std::to_string(row) + " is not a positive number",
                        {in[0]->spec.shape});
    write_matrix(out[0], index, op.upper ? transposed(l) : l);
  });
}

inline void kernel(const op::Lu&, const Operands<op::Lu, Handle>& in, Results<op::Lu, Handle>& out) {
  each_matrix("lu", in[0], [&](Matrix a, std::int64_t index) {
    std::int64_t* order = data<std::int64_t>(out[1]) + index * a.rows;
    for (std::int64_t row : lu(a)) *order++ = row;
    write_matrix(out[0], index, a);
  });
}

inline void kernel(const op::Qr& op, const Operands<op::Qr, Handle>& in, Results<op::Qr, Handle>& out) {
  each_matrix("qr", in[0], [&](Matrix a, std::int64_t index) {
    const Matrix q = qr(a);
    const std::int64_t kept = op.full ? a.rows : std::min(a.rows, a.columns);
    write_matrix(out[0], index, first_columns(q, kept));
    write_matrix(out[1], index, first_rows(a, kept));
  });
}

inline void kernel(const op::Svd& op, const Operands<op::Svd, Handle>& in, Results<op::Svd, Handle>& out) {
  each_matrix("svd", in[0], [&](const Matrix& a, std::int64_t index) {
    if (!is_finite("svd", a, index)) return;
    const SingularValues result = svd(a, op.full);
    write_matrix(out[0], index, result.u);
    write(out[1], index * std::int64_t(result.s.size()), result.s);
    write_matrix(out[2], index, transposed(result.v));
  });
}

inline void kernel(const op::Eigh&, const Operands<op::Eigh, Handle>& in, Results<op::Eigh, Handle>& out) {
  each_matrix("eigh", in[0], [&](Matrix a, std::int64_t index) {
    for (std::int64_t i = 0; i < a.rows; ++i)
      for (std::int64_t j = 0; j < i; ++j) a(j, i) = a(i, j);
    if (!is_finite("eigh", a, index)) return;
    const SymmetricEigenvalues result = eigh(a);
    write(out[0], index * a.rows, result.values);
    write_matrix(out[1], index, result.vectors);
  });
}

inline void kernel(const op::Eig&, const Operands<op::Eig, Handle>& in, Results<op::Eig, Handle>& out) {
  each_matrix("eig", in[0], [&](const Matrix& a, std::int64_t index) {
    if (!is_finite("eig", a, index)) return;
    const Eigenvalues result = eig(a);
    if (!result.converged) return (void)fail("eig", "matrix " + std::to_string(index) + ": the QR iteration did not converge");
    std::vector<double> values, vectors;
    for (const Complex& value : result.values) values.insert(values.end(), {value.real, value.imaginary});
    for (std::size_t row = 0; row < result.values.size(); ++row)
      for (const auto& vector : result.vectors) vectors.insert(vectors.end(), {vector[row].real, vector[row].imaginary});
    write(out[0], index * std::int64_t(values.size()), values);
    write(out[1], index * std::int64_t(vectors.size()), vectors);
  });
}

/// x with op(a) x = b, also for the other side: x op(a) = b is op(a)^T x^T = b^T.
inline Matrix solved(const op::TriangularSolve& op, const Matrix& a, const Matrix& b) {
  const bool flipped = op.transpose == op.left;  // is it a^T that stands to the left of x or x^T?
  Matrix x = op.left ? b : transposed(b);
  solve_triangular(flipped ? transposed(a) : a, op.upper != flipped, op.unit, x);
  return op.left ? x : transposed(x);
}

inline void kernel(const op::TriangularSolve& op, const Operands<op::TriangularSolve, Handle>& in,
                   Results<op::TriangularSolve, Handle>& out) {
  const Shape& shape = out[0]->spec.shape;
  Layout stretched[2];
  for (std::size_t k = 0; k < 2; ++k) {
    Shape full = shape;
    full[-2] = in[k]->spec.shape[-2];
    full[-1] = in[k]->spec.shape[-1];
    stretched[k] = expanded(in[k]->layout, full);
  }
  const Handle a = contiguous(view_of(in[0], stretched[0]), "triangular_solve");
  if (!a) return;
  each_matrix("triangular_solve", view_of(in[1], stretched[1]), [&](const Matrix& b, std::int64_t index) {
    write_matrix(out[0], index, solved(op, read_matrix(a, index), b));
  });
}

}  // namespace hearth::portable
