// tests/fuzz/make_solve: plausible calls of the ops that reduce, sort, solve and transform.
// SPDX-License-Identifier: Apache-2.0
#include "maker.hpp"

namespace hearth::fuzz {

// reduce
void make(op::Reduce& op, Maker& m) {
  const Dtype d = draw_code(m, op.code);
  const bool needs_some = op.code == ReduceCode::max || op.code == ReduceCode::min;
  const Shape shape = needs_some ? m.full_shape() : m.shape();
  for (int i = 0; i < shape.size(); ++i)
    if (m.random.one_in(2)) op.axes.push(m.random.one_in(2) ? i : i - shape.size());
  m.operand(d, shape, needs_some ? m.ordinary() : Fill{});
}
void make(op::ArgReduce& op, Maker& m) {
  const Shape shape = m.full_shape(1);
  op = {m.random.name<ArgCode>(), m.axis(shape.size())};
  m.operand(m.any(), shape, m.ordinary());
}
void make(op::Scan& op, Maker& m) {
  const Dtype d = draw_code(m, op.code);
  const Shape shape = m.shape(1);
  op.axis = m.axis(shape.size());
  op.reverse = m.random.one_in(2);
  m.operand(d, shape);
}
void make(op::ArgScan& op, Maker& m) {
  const Shape shape = m.shape(1);
  op = {m.random.name<ArgCode>(), m.axis(shape.size()), m.random.one_in(2)};
  m.operand(m.any(), shape, m.ordinary());
}
void make(op::Sort& op, Maker& m) {
  const Shape shape = m.shape(1);
  op = {m.axis(shape.size()), m.random.one_in(2)};
  m.operand(m.any(), shape, m.ordinary());
}
void make(op::TopK& op, Maker& m) {
  const Shape shape = m.shape(1);
  op.axis = m.axis(shape.size());
  op.k = m.random.number(0, shape[op.axis]);
  op.largest = m.random.one_in(2);
  m.operand(m.any(), shape, m.ordinary());
}

// solve
static Shape matrices(Maker& m, bool square) {
  Shape shape = m.shape(0, 2);
  shape.push(m.size());
  shape.push(square ? shape[-1] : m.size());
  return shape;
}
void make(op::Cholesky& op, Maker& m) {
  op.upper = m.random.one_in(2);
  m.operand(m.real(), matrices(m, true), {Fill::diagonal});
}
void make(op::Lu&, Maker& m) { m.operand(m.real(), matrices(m, false)); }
void make(op::Qr& op, Maker& m) {
  op.full = m.random.one_in(2);
  m.operand(m.real(), matrices(m, false));
}
void make(op::Svd& op, Maker& m) {
  op.full = m.random.one_in(2);
  m.operand(m.real(), matrices(m, false), {m.random.one_in(8) ? Fill::edges : Fill::plain});
}
void make(op::Eigh&, Maker& m) { m.operand(m.real(), matrices(m, true), {m.random.one_in(8) ? Fill::edges : Fill::diagonal}); }
void make(op::Eig&, Maker& m) { m.operand(m.real(), matrices(m, true), {m.random.one_in(8) ? Fill::edges : Fill::plain}); }
void make(op::TriangularSolve& op, Maker& m) {
  const Dtype d = m.real();
  op = {m.random.one_in(2), m.random.one_in(2), m.random.one_in(2), m.random.one_in(2)};
  const Shape batch = m.shape(0, 2);
  const std::int64_t n = m.size(), k = m.size();
  Shape a = m.stretched(batch), b = m.stretched(batch);
  a.push(n), a.push(n), b.push(op.left ? n : k), b.push(op.left ? k : n);
  m.operand(d, a, {Fill::diagonal});
  m.operand(d, b);
}
void make(op::Fft& op, Maker& m) {
  const Dtype d = m.real();
  Shape shape = m.shape(1, 3);
  op = {m.axis(shape.size()), m.random.one_in(2), m.random.name<Norm>()};
  if (m.random.one_in(3)) shape[op.axis] = m.random.number(1, 40);
  shape.push(2);
  m.operand(d, shape);
}
void make(op::RealFft& op, Maker& m) {
  const Dtype d = m.real();
  const Shape shape = m.full_shape(1, 3);
  op = {m.axis(shape.size()), m.random.one_in(2) ? -1 : m.random.number(1, 9), m.random.name<Norm>()};
  m.operand(d, shape);
}
void make(op::InverseRealFft& op, Maker& m) {
  const Dtype d = m.real();
  Shape shape = m.full_shape(1, 3);
  op = {m.axis(shape.size()), m.random.number(1, 9), m.random.name<Norm>()};
  shape.push(2);
  m.operand(d, shape);
}
void make(op::NonZero&, Maker& m) { m.operand(m.any(), m.shape(), m.ordinary()); }
void make(op::Unique&, Maker& m) { m.operand(m.any(), m.shape(), m.ordinary()); }

}  // namespace hearth::fuzz
