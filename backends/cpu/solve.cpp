// cpu/solve: matrix decompositions, batch by batch, by Eigen. What is free in a decomposition (signs, order) is settled here as
// op/solve.hpp has it.
// SPDX-License-Identifier: Apache-2.0
#define Eigen hearth_eigen  // its functions under names of ours: a program may use another Eigen, or the same with other options
#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "array.hpp"
#include "threads.hpp"

namespace hearth::cpu {

namespace {

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using Map = Eigen::Map<Matrix<T>>;
template <class T>
using ConstMap = Eigen::Map<const Matrix<T>>;

/// Matrix number `index` of the last two axes of a contiguous array.
template <class T>
ConstMap<T> matrix_in(const Handle& x, std::int64_t index) {
  const Shape& shape = x->spec.shape;
  return {data_of<const T>(x) + index * shape[-2] * shape[-1], shape[-2], shape[-1]};
}
template <class T>
Map<T> matrix_out(const Handle& x, std::int64_t index) {
  const Shape& shape = x->spec.shape;
  return {data_of<T>(x) + index * shape[-2] * shape[-1], shape[-2], shape[-1]};
}

template <class F>
void with_real(Dtype dtype, F&& f) {
  if (dtype == Dtype::f64) f(TypeTag<double>{});
  else f(TypeTag<float>{});
}

/// f(TypeTag<T>, i) for each matrix of a contiguous array; matrices are independent, so they are shared among threads.
template <class F>
void each_matrix(const Handle& a, F f) {
  const Shape& shape = a->spec.shape;
  std::int64_t count = 1;
  for (int axis = 0; axis + 2 < shape.size(); ++axis) count *= shape[axis];
  with_real(a->spec.dtype, [&](auto tag) {
    parallel_for(count, row_grain(shape[-2] * shape[-1] * std::min(shape[-2], shape[-1])), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) f(tag, i);
    });
  });
}

/// Iterations on NaN or infinity end nowhere: says so instead.
template <class M>
bool is_finite(const char* op, const M& a, std::int64_t index) {
  if (a.size() == 0 || a.allFinite()) return true;
  return fail(op, "matrix " + std::to_string(index) + " holds NaN or infinity");
}

/// The power of two that brings the largest magnitude of a column to [1/2, 1), so that squares neither overflow nor vanish; 1 for zeros,
/// NaN and infinity.
template <class Column>
int exponent_of(const Column& column) {
  const double largest = double(column.cwiseAbs().maxCoeff());
  int exponent = 0;
  if (largest > 0 && std::isfinite(largest)) std::frexp(largest, &exponent);
  return exponent;
}
/// Every element times 2^exponent.
template <class Column>
void shift(Column column, int exponent) {
  using T = typename Column::Scalar;
  if (exponent != 0) column = column.unaryExpr([exponent](T x) { return std::ldexp(x, exponent); });
}

}  // namespace

Results<op::Cholesky, Handle> execute(const op::Cholesky& op, Operands<op::Cholesky, Handle> in, const Results<op::Cholesky, Spec>& specs) {
  const Handle a = contiguous(in[0]);
  Handle out = allocate(specs[0]);
  if (!a || !out) return {};
  each_matrix(a, [&](auto tag, std::int64_t index) {
    using T = typename decltype(tag)::type;
    const auto source = matrix_in<T>(a, index);
    auto target = matrix_out<T>(out, index);
    // Row by row as written in the books: Eigen's blocked form does not say which pivot failed.
    Matrix<T> l = Matrix<T>::Zero(source.rows(), source.cols());
    for (Eigen::Index j = 0; j < source.rows(); ++j) {
      const T pivot = source(j, j) - l.row(j).head(j).squaredNorm();
      if (!(pivot > 0) || !std::isfinite(pivot))
        return (void)fail("cholesky", "matrix " + std::to_string(index) + " of " + to_string(a->spec.shape) + " is not positive definite: the pivot of row " + std::to_string(j) +
                                          " is not a positive number",
                          {a->spec.shape});
      l(j, j) = std::sqrt(pivot);
      const Eigen::Index below = source.rows() - j - 1;
      if (below > 0) l.col(j).tail(below) = (source.col(j).tail(below) - l.bottomLeftCorner(below, j) * l.row(j).head(j).transpose()) / l(j, j);
    }
    if (op.upper) target = l.transpose();
    else target = l;
  });
  return {out};
}

Results<op::Lu, Handle> execute(const op::Lu&, Operands<op::Lu, Handle> in, const Results<op::Lu, Spec>& specs) {
  const Handle a = contiguous(in[0]);
  Handle lu = allocate(specs[0]), order = allocate(specs[1]);
  if (!a || !lu || !order) return {};
  const std::int64_t rows = a->spec.shape[-2];
  each_matrix(a, [&](auto tag, std::int64_t index) {
    using T = typename decltype(tag)::type;
    auto target = matrix_out<T>(lu, index);
    target = matrix_in<T>(a, index);
    std::int64_t* p = data_of<std::int64_t>(order) + index * rows;
    for (std::int64_t i = 0; i < rows; ++i) p[i] = i;
    // Partial pivoting over any shape; Eigen's own is for square matrices only.
    for (Eigen::Index k = 0; k < std::min(target.rows(), target.cols()); ++k) {
      Eigen::Index best = 0;
      target.col(k).tail(target.rows() - k).cwiseAbs().maxCoeff(&best);
      best += k;
      if (best != k) {
        target.row(k).swap(target.row(best));
        std::swap(p[k], p[best]);
      }
      const Eigen::Index below = target.rows() - k - 1, right = target.cols() - k - 1;
      if (below == 0 || target(k, k) == T(0)) continue;
      target.col(k).tail(below) /= target(k, k);
      if (right > 0) target.bottomRightCorner(below, right).noalias() -= target.col(k).tail(below) * target.row(k).tail(right);
    }
  });
  return {lu, order};
}

Results<op::Qr, Handle> execute(const op::Qr& op, Operands<op::Qr, Handle> in, const Results<op::Qr, Spec>& specs) {
  const Handle a = contiguous(in[0]);
  Handle q = allocate(specs[0]), r = allocate(specs[1]);
  if (!a || !q || !r) return {};
  (void)op;  // `full` is in the results' shapes
  each_matrix(a, [&](auto tag, std::int64_t index) {
    using T = typename decltype(tag)::type;
    auto to_q = matrix_out<T>(q, index);
    auto to_r = matrix_out<T>(r, index);
    const auto source = matrix_in<T>(a, index);
    if (source.size() == 0) {
      to_q.setIdentity();
      to_r.setZero();
      return;
    }
    // Columns times powers of two have the same q, and an r whose columns are times the same: exact, and no square overflows.
    Matrix<T> scaled = source;
    std::vector<int> exponents;
    for (Eigen::Index j = 0; j < scaled.cols(); ++j) {
      exponents.push_back(exponent_of(scaled.col(j)));
      shift(scaled.col(j), -exponents.back());
    }
    const Eigen::HouseholderQR<Matrix<T>> factors(scaled);
    to_q = factors.householderQ() * Matrix<T>::Identity(to_q.rows(), to_q.cols());
    to_r.setZero();
    to_r.template triangularView<Eigen::Upper>() = factors.matrixQR().topRows(to_r.rows());
    for (Eigen::Index j = 0; j < to_r.cols(); ++j) shift(to_r.col(j), exponents[std::size_t(j)]);
    for (Eigen::Index i = 0; i < std::min(to_r.rows(), to_r.cols()); ++i)
      if (to_r(i, i) < 0) {
        to_r.row(i) = -to_r.row(i);
        to_q.col(i) = -to_q.col(i);
      }
  });
  return {q, r};
}

Results<op::Svd, Handle> execute(const op::Svd& op, Operands<op::Svd, Handle> in, const Results<op::Svd, Spec>& specs) {
  const Handle a = contiguous(in[0]);
  Handle u = allocate(specs[0]), s = allocate(specs[1]), vt = allocate(specs[2]);
  if (!a || !u || !s || !vt) return {};
  each_matrix(a, [&](auto tag, std::int64_t index) {
    using T = typename decltype(tag)::type;
    const auto source = matrix_in<T>(a, index);
    auto to_u = matrix_out<T>(u, index), to_vt = matrix_out<T>(vt, index);
    if (source.size() == 0) {
      to_u.setIdentity();
      to_vt.setIdentity();
      return;
    }
    if (!is_finite("svd", source, index)) return;
    const unsigned options = op.full ? Eigen::ComputeFullU | Eigen::ComputeFullV : Eigen::ComputeThinU | Eigen::ComputeThinV;
    // In doubles, and by Jacobi rotations: the most accurate, and small singular values stay small. The preconditioner that pivots
    // columns takes every shape.
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(source.template cast<double>(), options);
    to_u = svd.matrixU().template cast<T>();
    to_vt = svd.matrixV().transpose().template cast<T>();
    T* values = data_of<T>(s) + index * svd.singularValues().size();
    for (Eigen::Index i = 0; i < svd.singularValues().size(); ++i) values[i] = T(svd.singularValues()[i]);
  });
  return {u, s, vt};
}

Results<op::Eigh, Handle> execute(const op::Eigh&, Operands<op::Eigh, Handle> in, const Results<op::Eigh, Spec>& specs) {
  const Handle a = contiguous(in[0]);
  Handle values = allocate(specs[0]), vectors = allocate(specs[1]);
  if (!a || !values || !vectors) return {};
  each_matrix(a, [&](auto tag, std::int64_t index) {
    using T = typename decltype(tag)::type;
    const auto source = matrix_in<T>(a, index);
    if (source.size() == 0) return;
    const Eigen::MatrixXd lower = source.template cast<double>().template triangularView<Eigen::Lower>();
    if (!is_finite("eigh", lower, index)) return;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(lower);  // reads the lower triangle
    if (solver.info() != Eigen::Success) return (void)fail("eigh", "matrix " + std::to_string(index) + ": the iteration did not converge");
    T* to = data_of<T>(values) + index * source.rows();
    for (Eigen::Index i = 0; i < source.rows(); ++i) to[i] = T(solver.eigenvalues()[i]);
    matrix_out<T>(vectors, index) = solver.eigenvectors().template cast<T>();
  });
  return {values, vectors};
}

Results<op::Eig, Handle> execute(const op::Eig&, Operands<op::Eig, Handle> in, const Results<op::Eig, Spec>& specs) {
  const Handle a = contiguous(in[0]);
  Handle values = allocate(specs[0]), vectors = allocate(specs[1]);
  if (!a || !values || !vectors) return {};
  each_matrix(a, [&](auto tag, std::int64_t index) {
    using T = typename decltype(tag)::type;
    const auto source = matrix_in<T>(a, index);
    const Eigen::Index n = source.rows();
    if (n == 0 || !is_finite("eig", source, index)) return;
    const Eigen::EigenSolver<Eigen::MatrixXd> solver(source.template cast<double>());
    if (solver.info() != Eigen::Success) return (void)fail("eig", "matrix " + std::to_string(index) + ": the QR iteration did not converge");
    T* to = data_of<T>(values) + index * n * 2;
    T* vector = data_of<T>(vectors) + index * n * n * 2;
    const auto w = solver.eigenvalues();
    const auto v = solver.eigenvectors();
    for (Eigen::Index i = 0; i < n; ++i) {
      to[2 * i] = T(w[i].real());
      to[2 * i + 1] = T(w[i].imag());
      for (Eigen::Index j = 0; j < n; ++j) {
        vector[2 * (i * n + j)] = T(v(i, j).real());
        vector[2 * (i * n + j) + 1] = T(v(i, j).imag());
      }
    }
  });
  return {values, vectors};
}

Results<op::TriangularSolve, Handle> execute(const op::TriangularSolve& op, Operands<op::TriangularSolve, Handle> in, const Results<op::TriangularSolve, Spec>& specs) {
  const Shape& shape = specs[0].shape;
  Handle stretched[2];
  for (std::size_t k = 0; k < 2; ++k) {
    Shape full = shape;
    full[-2] = in[k]->spec.shape[-2];
    full[-1] = in[k]->spec.shape[-1];
    stretched[k] = contiguous(view(in[k], expanded(layout_of(*in[k]), full)));
    if (!stretched[k]) return {};
  }
  Handle out = allocate(specs[0]);
  if (!out) return {};
  // x op(a) = b is op(a)^T x^T = b^T: one form does for both sides. A zero on the diagonal divides as IEEE has it.
  const bool flipped = op.transpose == op.left, upper = op.upper != flipped;
  each_matrix(stretched[1], [&](auto tag, std::int64_t index) {
    using T = typename decltype(tag)::type;
    const auto source = matrix_in<T>(stretched[0], index);
    const auto b = matrix_in<T>(stretched[1], index);
    const Matrix<T> a = flipped ? Matrix<T>(source.transpose()) : Matrix<T>(source);
    Matrix<T> x = op.left ? Matrix<T>(b) : Matrix<T>(b.transpose());
    const Eigen::Index n = a.rows();
    for (Eigen::Index step = 0; step < n; ++step) {
      const Eigen::Index i = upper ? n - 1 - step : step;
      if (upper) x.row(i) -= a.row(i).tail(step) * x.bottomRows(step);
      else x.row(i) -= a.row(i).head(step) * x.topRows(step);
      if (!op.unit) x.row(i) /= a(i, i);
    }
    if (op.left) matrix_out<T>(out, index) = x;
    else matrix_out<T>(out, index) = x.transpose();
  });
  return {out};
}

}  // namespace hearth::cpu
