// tests/fuzz/make_elementwise: plausible calls of the ops without operands and of those that go element by element.
// SPDX-License-Identifier: Apache-2.0
#include "maker.hpp"

namespace hearth::fuzz {

// make
void make(op::Full& op, Maker& m) { op = {{m.any(), m.shape()}, m.scalar()}; }
void make(op::Iota& op, Maker& m) {
  const Shape shape = m.shape();
  const Dtype dtype = m.number();
  op = {{dtype, shape}, shape.empty() ? 0 : m.axis(shape.size()), m.scalar(dtype), m.scalar(dtype)};
}
void make(op::Random& op, Maker& m) {
  op.spec = {m.any(), m.shape()};
  const Kinds kind = kinds_of(op.spec.dtype);
  op.key = m.random.bits();
  op.offset = m.random.bits() >> m.random.number(0, 63);
  if (kind == kinds::F) op.distribution = m.random.one_in(2) ? Distribution::uniform : Distribution::normal, op.a = -1.5, op.b = 2.0;
  else if (kind == kinds::I && m.random.one_in(2)) op.distribution = Distribution::integer, op.a = 1, op.b = m.random.number(2, 100);
  else op.distribution = Distribution::bits;
}

// elementwise
void make(op::Unary& op, Maker& m) {
  const Dtype d = draw_code(m, op.code);
  m.operand(d, m.shape(), m.ordinary());
}
void make(op::Binary& op, Maker& m) {
  const Dtype d = draw_code(m, op.code);
  const Shape to = m.shape();
  m.operand(d, m.stretched(to), m.ordinary());
  m.operand(d, m.stretched(to), m.ordinary());
}
void make(op::BinaryScalar& op, Maker& m) {
  const Dtype d = draw_code(m, op.code);
  op.scalar = m.scalar(d);
  op.side = m.random.name<Side>();
  m.operand(d, m.shape(), m.ordinary());
}
void make(op::Compare& op, Maker& m) {
  op.code = m.random.name<CompareCode>();
  const Dtype d = m.any();
  const Shape to = m.shape();
  m.operand(d, m.stretched(to), m.ordinary());
  m.operand(d, m.stretched(to), m.ordinary());
}
void make(op::CompareScalar& op, Maker& m) {
  const Dtype d = m.any();
  op = {m.random.name<CompareCode>(), m.scalar(d)};
  m.operand(d, m.shape(), m.ordinary());
}
void make(op::Select&, Maker& m) {
  const Dtype d = m.any();
  const Shape to = m.shape();
  m.operand(Dtype::boolean, m.stretched(to));
  m.operand(d, m.stretched(to), m.ordinary());
  m.operand(d, m.stretched(to), m.ordinary());
}
void make(op::SelectScalar& op, Maker& m) {
  const Dtype d = m.any();
  op = {m.scalar(d), m.random.name<Side>()};
  const Shape to = m.shape();
  m.operand(Dtype::boolean, m.stretched(to));
  m.operand(d, m.stretched(to), m.ordinary());
}
void make(op::Cast& op, Maker& m) {
  m.operand(m.any(), m.shape(), m.ordinary());
  op.dtype = Dtype(m.random.number(0, dtype_count - 1));
}
void make(op::Clamp& op, Maker& m) {
  op = {m.random.one_in(4) ? Scalar() : Scalar(m.random.number(-3, 0)), m.random.one_in(4) ? Scalar() : Scalar(m.random.number(1, 3))};
  m.operand(m.number(), m.shape(), m.ordinary());
}

}  // namespace hearth::fuzz
