// tests/fuzz/make_contract: plausible calls of products, convolutions, pools and resampling.
// SPDX-License-Identifier: Apache-2.0
#include "maker.hpp"

namespace hearth::fuzz {

Convolved convolution(Maker& m, ConvGeometry& g, int least, int most) {
  g.groups = m.random.one_in(2) ? 1 : m.random.number(2, 3);
  const std::int64_t out = g.groups * m.random.number(1, 2), in = g.groups * m.random.number(1, 2), batch = m.size();
  Convolved c{{batch, in}, {out, in / g.groups}, {batch, out}};
  for (int i = m.random.integer(least, most); i > 0; --i) {
    const std::int64_t kernel = m.random.number(1, 3), dilation = m.random.number(1, 2), stride = m.random.number(1, 3);
    const std::int64_t before = m.random.number(0, 2), after = m.random.number(0, 2), span = dilation * (kernel - 1) + 1;
    const std::int64_t size = std::max<std::int64_t>(m.random.number(1, 6), span - before - after);
    g.stride.push(stride), g.dilation.push(dilation), g.before.push(before), g.after.push(after);
    c.x.push(size), c.weight.push(kernel), c.y.push((size + before + after - span) / stride + 1);
  }
  return c;
}

void make(op::MatMul&, Maker& m) {
  const Dtype d = m.number();
  const Shape batch = m.shape(0, 2);
  const std::int64_t k = m.random.one_in(6) ? m.random.number(0, 70) : m.size();
  Shape a = m.stretched(batch), b = m.stretched(batch);
  a.push(m.size()), a.push(k), b.push(k), b.push(m.size());
  m.operand(d, a);
  m.operand(d, b);
}
void make(op::Conv& op, Maker& m) {
  const Dtype d = m.number();
  const Convolved c = convolution(m, op.geometry);
  m.operand(d, c.x);
  m.operand(d, c.weight);
  m.maybe(d, {c.weight[0]});
}
void make(op::ConvInputGrad& op, Maker& m) {
  const Dtype d = m.number();
  const Convolved c = convolution(m, op.geometry);
  for (int i = 2; i < c.x.size(); ++i) op.size.push(c.x[i]);
  m.operand(d, c.y);
  m.operand(d, c.weight);
}
void make(op::ConvWeightGrad& op, Maker& m) {
  const Dtype d = m.number();
  const Convolved c = convolution(m, op.geometry);
  for (int i = 2; i < c.x.size(); ++i) op.size.push(c.weight[i]);
  m.operand(d, c.x);
  m.operand(d, c.y);
}
/// Shapes and geometry of a pool: x, and y where it is known without the ceil mode.
static Convolved pooling(Maker& m, PoolGeometry& g, bool ceil_mode) {
  const Shape outer{m.size(), m.some()};
  Convolved c{outer, {}, outer};
  const int spatial = m.random.integer(1, 3);
  if (m.random.one_in(4)) {
    for (int i = 0; i < spatial; ++i) c.x.push(m.random.number(1, 6)), g.adaptive.push(m.random.number(1, 4)), c.y.push(g.adaptive[i]);
    return c;
  }
  g.ceil_mode = ceil_mode;
  for (int i = 0; i < spatial; ++i) {
    const std::int64_t kernel = m.random.number(1, 3), dilation = m.random.number(1, 2), stride = m.random.number(1, 3), reach = dilation * (kernel - 1);
    const std::int64_t before = m.random.number(0, reach / 2), after = m.random.number(0, reach / 2);
    const std::int64_t size = m.random.number(std::max<std::int64_t>({2, reach + 1 - before - after}), 7);
    g.kernel.push(kernel), g.stride.push(stride), g.dilation.push(dilation), g.before.push(before), g.after.push(after);
    c.x.push(size), c.y.push((size + before + after - reach - 1) / stride + 1);
  }
  return c;
}
void make(op::MaxPool& op, Maker& m) {
  const Dtype d = m.number();
  m.operand(d, pooling(m, op.geometry, m.random.one_in(3)).x, m.ordinary());
}
void make(op::AvgPool& op, Maker& m) {
  const Dtype d = m.floating();
  op.count_padding = m.random.one_in(2);
  m.operand(d, pooling(m, op.geometry, m.random.one_in(3)).x);
}
void make(op::AvgPoolGrad& op, Maker& m) {
  const Dtype d = m.floating();
  op.count_padding = m.random.one_in(2);
  const Convolved c = pooling(m, op.geometry, false);
  for (int i = 2; i < c.x.size(); ++i) op.size.push(c.x[i]);
  m.operand(d, c.y);
}
static Convolved resampled(Maker& m, Resampling& r) {
  r.mode = m.random.name<InterpolateMode>();
  const bool smooth = r.mode == InterpolateMode::linear || r.mode == InterpolateMode::cubic || r.mode == InterpolateMode::lanczos;
  r.align_corners = smooth && m.random.one_in(3);
  r.antialias = smooth && m.random.one_in(3);
  const Shape outer{m.size(), m.some()};
  Convolved c{outer, {}, outer};
  const bool scaled = m.random.one_in(3);
  for (int i = m.random.integer(1, 3); i > 0; --i) {
    c.x.push(m.random.number(1, 6)), r.size.push(m.random.number(1, 6)), c.y.push(r.size[-1]);
    if (scaled) r.scale.push(double(c.y[-1]) / double(c.x[-1]));
  }
  return c;
}
void make(op::Interpolate& op, Maker& m) {
  const Dtype d = m.floating();
  m.operand(d, resampled(m, op.resampling).x);
}
void make(op::InterpolateGrad& op, Maker& m) {
  const Dtype d = m.floating();
  const Convolved c = resampled(m, op.resampling);
  for (int i = 2; i < c.x.size(); ++i) op.size.push(c.x[i]);
  m.operand(d, c.y);
}

}  // namespace hearth::fuzz
