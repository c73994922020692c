// tests/fuzz/make_layers: plausible calls of the composites that layers are made of.
// SPDX-License-Identifier: Apache-2.0
#include "maker.hpp"

namespace hearth::fuzz {

void make(op::Linear& op, Maker& m) {
  const Dtype d = m.floating();
  op.activation = m.random.name<Activation>();
  Shape x = m.shape(1), y = x;
  const std::int64_t out = m.size();
  y[-1] = out;
  m.operand(d, x);
  m.operand(d, {out, x[-1]});
  m.maybe(d, {out});
  m.maybe(d, y);
}
void make(op::ConvBiasActivation& op, Maker& m) {
  const Dtype d = m.floating();
  op.activation = m.random.name<Activation>();
  const Convolved c = convolution(m, op.geometry);
  m.operand(d, c.x);
  m.operand(d, c.weight);
  m.maybe(d, {c.weight[0]});
  m.maybe(d, c.y);
}
void make(op::Softmax& op, Maker& m) {
  const Shape shape = m.shape(1);
  op.axis = m.axis(shape.size());
  m.operand(m.floating(), shape);
}
void make(op::LogSoftmax& op, Maker& m) {
  const Shape shape = m.shape(1);
  op.axis = m.axis(shape.size());
  m.operand(m.floating(), shape);
}
/// The last axes of a shape.
static Shape last_axes(const Shape& shape, int axes) {
  Shape last;
  for (int i = shape.size() - axes; i < shape.size(); ++i) last.push(shape[i]);
  return last;
}
template <class Op>
static void make_norm(Op& op, Maker& m, bool gradient, bool bias) {
  const Dtype d = m.floating();
  const Shape shape = m.shape(1);
  op.axes = m.random.integer(1, shape.size());
  if (gradient) m.operand(d, shape);
  m.operand(d, shape);
  m.maybe(m.beside(d), last_axes(shape, op.axes));
  if (bias) m.maybe(m.beside(d), last_axes(shape, op.axes));
}
void make(op::LayerNorm& op, Maker& m) { make_norm(op, m, false, true); }
void make(op::LayerNormGrad& op, Maker& m) { make_norm(op, m, true, false); }
void make(op::RmsNorm& op, Maker& m) { make_norm(op, m, false, false); }
void make(op::RmsNormGrad& op, Maker& m) { make_norm(op, m, true, false); }
void make(op::BatchNorm&, Maker& m) {
  const Spec x = m.operand(m.floating(), m.shape(2));
  m.maybe(m.beside(x.dtype), {x.shape[1]});
  m.maybe(m.beside(x.dtype), {x.shape[1]});
  m.operand(m.beside(x.dtype), {x.shape[1]});
  m.operand(m.beside(x.dtype), {x.shape[1]}, {Fill::positive});
}
void make(op::BatchNormTraining&, Maker& m) {
  const Spec x = m.operand(m.floating(), m.shape(2));
  m.maybe(m.beside(x.dtype), {x.shape[1]});
  m.maybe(m.beside(x.dtype), {x.shape[1]});
}
void make(op::BatchNormGrad&, Maker& m) {
  const Spec x = m.operand(m.floating(), m.shape(2));
  m.operand(x.dtype, x.shape);
  m.maybe(m.beside(x.dtype), {x.shape[1]});
  m.operand(m.beside(x.dtype), {x.shape[1]});
  m.operand(m.beside(x.dtype), {x.shape[1]}, {Fill::positive});
}
static Shape grouped_shape(Maker& m, std::int64_t& groups) {
  Shape shape = m.shape(2);
  groups = m.random.number(1, 3);
  shape[1] = groups * m.random.number(1, 2);
  return shape;
}
void make(op::GroupNorm& op, Maker& m) {
  const Spec x = m.operand(m.floating(), grouped_shape(m, op.groups));
  m.maybe(m.beside(x.dtype), {x.shape[1]});
  m.maybe(m.beside(x.dtype), {x.shape[1]});
}
void make(op::GroupNormGrad& op, Maker& m) {
  const Spec x = m.operand(m.floating(), grouped_shape(m, op.groups));
  m.operand(x.dtype, x.shape);
  m.maybe(m.beside(x.dtype), {x.shape[1]});
}
static void attend(AttentionOptions& o, Maker& m, bool gradient) {
  const Dtype d = m.floating();
  const std::int64_t batch = m.size(), keys = m.some(), heads = keys * m.random.number(1, 2), l = m.size(), s = m.size(), width = m.some(), values = m.some();
  o.causal = m.random.one_in(2);
  o.softcap = m.random.one_in(4) ? 2.0 : 0.0;
  o.scale = m.random.one_in(2) ? 0.0 : 0.5;
  o.dropout = m.random.one_in(4) ? 0.25 : 0.0;
  o.key = m.random.bits();
  if (gradient) m.operand(d, {batch, heads, l, values});
  m.operand(d, {batch, heads, l, width});
  m.operand(d, {batch, keys, s, width});
  m.operand(d, {batch, keys, s, values});
  m.maybe(Dtype::boolean, m.stretched({batch, heads, l, s}));
  m.maybe(d, m.stretched({batch, heads, l, s}));
}
void make(op::Attention& op, Maker& m) { attend(op.options, m, false); }
void make(op::AttentionGrad& op, Maker& m) { attend(op.options, m, true); }
void make(op::Rope& op, Maker& m) {
  op.interleaved = m.random.one_in(2);
  Shape x = m.shape(2);
  x[-1] = 2 * m.size();
  const Dtype d = m.floating();
  m.operand(d, x);
  m.operand(m.beside(d), {x[-2], x[-1] / 2}, {Fill::unit});
  m.operand(m.beside(d), {x[-2], x[-1] / 2}, {Fill::unit});
}

}  // namespace hearth::fuzz
