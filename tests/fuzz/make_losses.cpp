// tests/fuzz/make_losses: plausible calls of the composites of training, of recurrent cells and of sampling: losses, dropout, steps.
// SPDX-License-Identifier: Apache-2.0
#include "maker.hpp"

namespace hearth::fuzz {

template <class Op>
static void make_cross_entropy(Op& op, Maker& m, bool gradient) {
  const Dtype d = m.floating();
  op.reduction = m.random.name<Reduction>();
  op.ignore = m.random.one_in(2) ? Scalar() : Scalar(m.random.number(-1, 3));
  op.smoothing = m.random.one_in(2) ? 0.0 : 0.1;
  Shape logits = m.shape(2), rows = logits;
  logits[1] = m.some();
  rows.erase(1);
  if (gradient) m.operand(d, op.reduction == Reduction::none ? rows : Shape{});
  m.operand(d, logits);
  m.operand(m.index_dtype(), rows, {Fill::index, logits[1]});
  m.maybe(m.beside(d), {logits[1]}, {Fill::positive});
}
void make(op::CrossEntropy& op, Maker& m) { make_cross_entropy(op, m, false); }
void make(op::CrossEntropyGrad& op, Maker& m) { make_cross_entropy(op, m, true); }
void make(op::CtcLoss& op, Maker& m) {
  const Dtype d = m.floating();
  const std::int64_t t = m.some(), n = m.size(), c = m.random.number(2, 4), s = m.size();
  op.blank = m.random.number(0, c - 1);
  op.zero_infinity = m.random.one_in(2);
  m.operand(d, {t, n, c});
  m.operand(m.index_dtype(), {n, s}, {Fill::index, c});
  m.operand(m.index_dtype(), {n}, {Fill::index, t + 1});
  m.operand(m.index_dtype(), {n}, {Fill::index, s + 1});
}
void make(op::Dropout& op, Maker& m) {
  op = {m.random.one_in(4) ? double(m.random.number(0, 1)) : m.random.uniform(0, 1), m.random.bits(), m.random.bits() >> m.random.number(0, 63)};
  m.operand(m.floating(), m.shape());
}
void make(op::LstmCell&, Maker& m) {
  const Dtype d = m.floating();
  const std::int64_t n = m.size(), h = m.size();
  m.operand(d, {n, 4 * h});
  m.operand(d, {n, h});
}
void make(op::GruCell&, Maker& m) {
  const Dtype d = m.floating();
  const std::int64_t n = m.size(), h = m.size();
  m.operand(d, {n, 3 * h});
  m.operand(d, {n, 3 * h});
  m.operand(d, {n, h});
}
template <class Op>
static void make_grid_sample(Op& op, Maker& m, bool gradient) {
  const Dtype d = m.floating();
  const int spatial = m.random.integer(2, 3);
  op.mode = spatial == 2 && m.random.one_in(3) ? InterpolateMode::cubic : InterpolateMode::linear;
  op.padding = m.random.name<GridPadding>();
  op.align_corners = m.random.one_in(2);
  Shape x{m.size(), m.some()}, grid{x[0]}, y = x;
  for (int i = 0; i < spatial; ++i) x.push(m.some()), grid.push(m.size()), y.push(grid[-1]);
  grid.push(spatial);
  if (gradient) m.operand(d, y);
  m.operand(d, x);
  m.operand(d, grid, {Fill::unit});
}
void make(op::GridSample& op, Maker& m) { make_grid_sample(op, m, false); }
void make(op::GridSampleGrad& op, Maker& m) { make_grid_sample(op, m, true); }
template <class Op>
static void make_deform(Op& op, Maker& m, bool gradient) {
  const Dtype d = m.floating();
  const Convolved c = convolution(m, op.geometry, 2, 2);
  op.offset_groups = m.random.one_in(2) ? 1 : c.x[1];
  const std::int64_t places = op.offset_groups * c.weight[2] * c.weight[3];
  if (gradient) m.operand(d, c.y);
  m.operand(d, c.x);
  m.operand(d, {c.y[0], 2 * places, c.y[2], c.y[3]}, {Fill::unit});
  m.operand(d, c.weight);
  m.maybe(d, {c.y[0], places, c.y[2], c.y[3]});
  if (!gradient) m.maybe(d, {c.weight[0]});
}
void make(op::DeformConv& op, Maker& m) { make_deform(op, m, false); }
void make(op::DeformConvGrad& op, Maker& m) { make_deform(op, m, true); }
/// `lists` lists of `count` operands each, shaped as the parameters are; those from the third on are moments.
static void lists(Maker& m, std::int64_t count, int lists) {
  const Dtype d = m.floating(), moments = m.beside(d);
  std::vector<Shape> shapes;
  for (std::int64_t i = 0; i < count; ++i) shapes.push_back(m.shape());
  for (int list = 0; list < lists; ++list)
    for (const Shape& shape : shapes) m.operand(list < 2 ? d : moments, shape, {list < 2 ? Fill::plain : Fill::positive});
}
void make(op::SgdStep& op, Maker& m) {
  op = {m.random.number(1, 3), 0.1, m.random.one_in(2) ? 0.9 : 0.0, 0.1, 0.01, m.random.one_in(2), m.random.one_in(2)};
  lists(m, op.count, op.momentum != 0 ? 3 : 2);
}
void make(op::AdamStep& op, Maker& m) {
  op.count = m.random.number(1, 3);
  op.step = m.random.number(1, 9);
  op.rate = 0.1;
  op.weight_decay = 0.01;
  op.decoupled = m.random.one_in(2);
  lists(m, op.count, 4);
}
void make(op::RmsPropStep& op, Maker& m) {
  op.count = m.random.number(1, 3);
  op.rate = 0.1;
  op.centered = m.random.one_in(2);
  op.momentum = m.random.one_in(2) ? 0.9 : 0.0;
  lists(m, op.count, 3 + int(op.centered) + int(op.momentum > 0));
}

}  // namespace hearth::fuzz
