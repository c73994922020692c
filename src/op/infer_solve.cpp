// op/infer_solve: results of decompositions, Fourier transforms and ops whose result's size depends on values.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "infer.hpp"

namespace hearth {

using namespace detail;

namespace {

bool is_real_number(std::string_view op, const Spec& a) {
  if (a.dtype == Dtype::f32 || a.dtype == Dtype::f64) return true;
  return fail(op, "takes f32 or f64 tensors, not " + to_string(a), {a.shape}, "cast it first");
}
bool is_matrix(std::string_view op, const Spec& a) { return is_real_number(op, a) && has_rank(op, "the operand", a, 2); }
bool is_square(std::string_view op, const Spec& a) {
  if (!is_matrix(op, a)) return false;
  if (a.shape[-1] != a.shape[-2]) return fail(op, "the matrix is not square: " + to_string(a.shape), {a.shape});
  return true;
}
/// The batch axes of a followed by m and n.
Spec matrix(const Spec& a, std::int64_t m, std::int64_t n) {
  Spec result = a;
  result.shape[-2] = m;
  result.shape[-1] = n;
  return result;
}
Spec column(const Spec& a, Dtype dtype, std::int64_t m) {
  Spec result{dtype, a.shape};
  result.shape.pop();
  result.shape[-1] = m;
  return result;
}

/// Is the last axis real and imaginary part, and `axis` one of the others?
bool is_complex(std::string_view op, const Spec& x, int given_axis, int& axis) {
  if (!is_real_number(op, x) || !has_rank(op, "the operand", x, 2)) return false;
  if (x.shape[-1] != 2)
    return fail(op, "the last axis of " + to_string(x.shape) + " must hold real and imaginary part", {x.shape});
  return find_axis(op, given_axis, x.shape.size() - 1, axis);
}

}  // namespace

Out<op::Cholesky> infer(const op::Cholesky&, const In<op::Cholesky>& in) {
  if (!given<op::Cholesky>("cholesky", in) || !is_square("cholesky", *in[0])) return {};
  return {*in[0]};
}

Out<op::Lu> infer(const op::Lu&, const In<op::Lu>& in) {
  if (!given<op::Lu>("lu", in) || !is_matrix("lu", *in[0])) return {};
  const Spec& a = *in[0];
  const Spec order = column(a, Dtype::i64, a.shape[-2]);
  if (!fits("lu", order)) return {};
  return {a, order};
}

Out<op::Qr> infer(const op::Qr& op, const In<op::Qr>& in) {
  if (!given<op::Qr>("qr", in) || !is_matrix("qr", *in[0])) return {};
  const Spec& a = *in[0];
  const std::int64_t m = a.shape[-2], n = a.shape[-1], k = op.full ? m : std::min(m, n);
  const Spec q = matrix(a, m, k), r = matrix(a, k, n);
  if (!fits("qr", q) || !fits("qr", r)) return {};
  return {q, r};
}

Out<op::Svd> infer(const op::Svd& op, const In<op::Svd>& in) {
  if (!given<op::Svd>("svd", in) || !is_matrix("svd", *in[0])) return {};
  const Spec& a = *in[0];
  const std::int64_t m = a.shape[-2], n = a.shape[-1], k = std::min(m, n);
  const Spec u = matrix(a, m, op.full ? m : k), s = column(a, a.dtype, k), v = matrix(a, op.full ? n : k, n);
  if (!fits("svd", u) || !fits("svd", v)) return {};
  return {u, s, v};
}

Out<op::Eigh> infer(const op::Eigh&, const In<op::Eigh>& in) {
  if (!given<op::Eigh>("eigh", in) || !is_square("eigh", *in[0])) return {};
  return {column(*in[0], in[0]->dtype, in[0]->shape[-1]), *in[0]};
}

Out<op::Eig> infer(const op::Eig&, const In<op::Eig>& in) {
  if (!given<op::Eig>("eig", in) || !is_square("eig", *in[0])) return {};
  const Spec& a = *in[0];
  Spec values = column(a, a.dtype, a.shape[-1]), vectors = a;
  if (!joined("eig", values.shape, {2}, values.shape) || !joined("eig", a.shape, {2}, vectors.shape) || !fits("eig", values) || !fits("eig", vectors))
    return {};
  return {values, vectors};
}

Out<op::TriangularSolve> infer(const op::TriangularSolve& op, const In<op::TriangularSolve>& in) {
  constexpr std::string_view name = "triangular_solve";
  if (!given<op::TriangularSolve>(name, in)) return {};
  const Spec &a = *in[0], &b = *in[1];
  if (!is_square(name, a) || !same_dtype(name, a, b) || !has_rank(name, "b", b, 2)) return {};
  Spec result{a.dtype, {}};
  if (!(op.left ? matmul_shape(name, a.shape, b.shape, result.shape) : matmul_shape(name, b.shape, a.shape, result.shape)) || !fits(name, result)) return {};
  return {result};
}

Out<op::Fft> infer(const op::Fft& op, const In<op::Fft>& in) {
  int axis = 0;
  if (!given<op::Fft>("fft", in) || !is_complex("fft", *in[0], op.axis, axis)) return {};
  return {*in[0]};
}

Out<op::RealFft> infer(const op::RealFft& op, const In<op::RealFft>& in) {
  if (!given<op::RealFft>("rfft", in)) return {};
  const Spec& x = *in[0];
  int axis = 0;
  if (!is_real_number("rfft", x) || !find_axis("rfft", op.axis, x.shape.size(), axis)) return {};
  const std::int64_t length = op.length == -1 ? x.shape[axis] : op.length;
  if (length < 1) return fail("rfft", "the length must be at least 1, not " + text(length), {x.shape});
  Spec result = x;
  result.shape[axis] = length / 2 + 1;
  if (!joined("rfft", result.shape, {2}, result.shape) || !fits("rfft", result)) return {};
  return {result};
}

Out<op::InverseRealFft> infer(const op::InverseRealFft& op, const In<op::InverseRealFft>& in) {
  if (!given<op::InverseRealFft>("irfft", in)) return {};
  const Spec& x = *in[0];
  int axis = 0;
  if (!is_complex("irfft", x, op.axis, axis)) return {};
  const std::int64_t values = x.shape[axis], length = op.length == -1 && values > 0 ? 2 * (values - 1) : op.length;
  if (values < 1 || length < 1) return fail("irfft", text(values) + " values do not give a signal of length " + text(length), {x.shape});
  Spec result{x.dtype, part(x.shape, 0, x.shape.size() - 1)};
  result.shape[axis] = length;
  if (!fits("irfft", result)) return {};
  return {result};
}

Out<op::NonZero> infer(const op::NonZero&, const In<op::NonZero>& in) {
  if (!given<op::NonZero>("nonzero", in)) return {};
  const Spec result{Dtype::i64, {element_count(in[0]->shape), in[0]->shape.size()}};
  if (!fits("nonzero", result)) return {};
  return {result};
}

Out<op::Unique> infer(const op::Unique&, const In<op::Unique>& in) {
  if (!given<op::Unique>("unique", in)) return {};
  const Spec &x = *in[0], values{x.dtype, {element_count(x.shape)}}, places{Dtype::i64, x.shape}, counts{Dtype::i64, values.shape};
  if (!fits("unique", places)) return {};
  return {values, places, counts};
}

}  // namespace hearth
