// tests/fuzz/make_move: plausible calls of the ops that view and move elements.
// SPDX-License-Identifier: Apache-2.0
#include "maker.hpp"

namespace hearth::fuzz {

// view
void make(op::Reshape& op, Maker& m) {
  const Shape from = m.shape(0, 5);
  op.shape = from;
  if (from.size() > 1 && m.random.one_in(2)) {  // two axes become one
    const int at = m.random.integer(0, from.size() - 2);
    op.shape[at] *= op.shape[at + 1];
    op.shape.erase(at + 1);
  } else {
    op.shape.insert(m.random.integer(0, from.size()), 1);
  }
  const bool full = std::find(from.begin(), from.end(), 0) == from.end();
  if (full && !op.shape.empty() && m.random.one_in(2)) op.shape[m.random.integer(0, op.shape.size() - 1)] = -1;
  m.operand(m.any(), from, m.ordinary());
}
void make(op::Permute& op, Maker& m) {
  const Shape shape = m.shape();
  op.axes = all_axes(shape.size());
  for (int i = shape.size() - 1; i > 0; --i) std::swap(op.axes[i], op.axes[m.random.integer(0, i)]);
  m.operand(m.any(), shape, m.ordinary());
}
void make(op::Expand& op, Maker& m) {
  op.shape = m.shape();
  m.operand(m.any(), m.stretched(op.shape), m.ordinary());
}
/// A slice that lies inside `from`.
static void slice(Maker& m, const Shape& from, Shape& start, Shape& size, Shape& step) {
  for (int i = 0; i < from.size(); ++i) {
    const std::int64_t by = m.random.one_in(3) ? -m.random.number(1, 2) : m.random.number(1, 2);
    const std::int64_t first = from[i] == 0 ? 0 : m.random.number(0, from[i] - 1);
    const std::int64_t most = from[i] == 0 ? 0 : (by > 0 ? (from[i] - 1 - first) / by : first / -by) + 1;
    start.push(first);
    step.push(by);
    size.push(m.random.one_in(8) ? 0 : m.random.number(std::min<std::int64_t>(most, 1), most));
  }
}
void make(op::Slice& op, Maker& m) {
  const Shape from = m.shape();
  slice(m, from, op.start, op.size, op.step);
  m.operand(m.any(), from, m.ordinary());
}
void make(op::Unfold& op, Maker& m) {
  Shape from = m.shape(1, 4);
  op = {m.axis(from.size()), m.random.number(1, 3), m.random.number(1, 3), m.random.number(1, 2)};
  from[op.axis] = std::max(from[op.axis], (op.size - 1) * op.dilation + 1);
  m.operand(m.any(), from, m.ordinary());
}
void make(op::Fold& op, Maker& m) {
  Shape shape = m.shape(1, 3);
  const std::int64_t windows = m.some(), size = m.random.number(1, 3);
  op = {m.axis(shape.size()), 0, m.random.number(1, 3), m.random.number(1, 2)};
  shape[op.axis] = windows;
  op.length = (windows - 1) * op.step + (size - 1) * op.dilation + 1 + m.random.number(0, op.step - 1);
  shape.push(size);
  m.operand(m.number(), shape);
}

// move
void make(op::Concat& op, Maker& m) {
  const Dtype d = m.any();
  Shape shape = m.shape(1, 4);
  op.axis = m.axis(shape.size());
  for (std::int64_t i = m.random.number(1, 4); i > 0; --i) {
    shape[op.axis] = m.size();
    m.operand(d, shape, m.ordinary());
  }
}
/// Paddings that the mode allows.
static void padding(Maker& m, const Shape& shape, PadMode mode, Shape& before, Shape& after) {
  for (std::int64_t size : shape) {
    const std::int64_t most = mode == PadMode::constant ? 3 : mode == PadMode::reflect ? size - 1 : mode == PadMode::circular ? size : size > 0 ? 3 : 0;
    before.push(m.random.number(0, std::max<std::int64_t>(most, 0)));
    after.push(m.random.number(0, std::max<std::int64_t>(most, 0)));
  }
}
void make(op::Pad& op, Maker& m) {
  op.mode = m.random.name<PadMode>();
  const Dtype dtype = m.any();
  op.value = m.scalar(dtype);
  const Shape shape = m.shape();
  padding(m, shape, op.mode, op.before, op.after);
  m.operand(dtype, shape, m.ordinary());
}
void make(op::PadGrad& op, Maker& m) {
  op.mode = m.random.name<PadMode>();
  Shape shape = m.shape();
  padding(m, shape, op.mode, op.before, op.after);
  for (int i = 0; i < shape.size(); ++i) shape[i] += op.before[i] + op.after[i];
  m.operand(m.number(), shape);
}
/// An index that fits to x along an axis.
static Shape index_shape(Maker& m, const Shape& x, int axis) {
  Shape index = x;
  for (std::int64_t& size : index) size = m.random.one_in(3) ? m.random.number(0, size) : size;
  index[axis] = x[axis] == 0 ? 0 : m.size();
  return index;
}
void make(op::Gather& op, Maker& m) {
  const Spec x = m.operand(m.any(), m.shape(1, 4), m.ordinary());
  op.axis = m.axis(x.shape.size());
  m.operand(m.index_dtype(), index_shape(m, x.shape, op.axis), {Fill::index, x.shape[op.axis]});
}
static Dtype for_mode(Maker& m, ScatterMode mode) { return mode == ScatterMode::add || mode == ScatterMode::mul ? m.number() : m.any(); }
void make(op::Scatter& op, Maker& m) {
  op.mode = m.random.name<ScatterMode>();
  const Spec x = m.operand(for_mode(m, op.mode), m.shape(1, 4));
  op.axis = m.axis(x.shape.size());
  const Shape index = index_shape(m, x.shape, op.axis);
  m.operand(m.index_dtype(), index, {Fill::index, x.shape[op.axis]});
  m.operand(x.dtype, index);
}
/// The shape of an index of places in x, the limit of its numbers, and the shape of what lies there.
static Shape places(Maker& m, const Shape& x, std::int64_t& limit, Shape& found) {
  const int k = m.random.integer(1, x.size());
  Shape index = m.shape(0, 3);
  limit = *std::min_element(x.begin(), x.begin() + k);
  if (limit == 0) index = {0};
  found = index;
  for (int i = k; i < x.size(); ++i) found.push(x[i]);
  index.push(k);
  return index;
}
void make(op::GatherNd&, Maker& m) {
  const Spec x = m.operand(m.any(), m.shape(1, 4), m.ordinary());
  std::int64_t limit = 0;
  Shape found;
  const Shape index = places(m, x.shape, limit, found);
  m.operand(m.index_dtype(), index, {Fill::index, limit});
}
void make(op::ScatterNd& op, Maker& m) {
  op.mode = m.random.name<ScatterMode>();
  const Spec x = m.operand(for_mode(m, op.mode), m.shape(1, 4));
  std::int64_t limit = 0;
  Shape found;
  const Shape index = places(m, x.shape, limit, found);
  m.operand(m.index_dtype(), index, {Fill::index, limit});
  m.operand(x.dtype, found);
}
void make(op::SliceAssign& op, Maker& m) {
  const Spec x = m.operand(m.any(), m.shape(), m.ordinary());
  slice(m, x.shape, op.start, op.size, op.step);
  m.operand(x.dtype, m.stretched(op.size), m.ordinary());
}

}  // namespace hearth::fuzz
