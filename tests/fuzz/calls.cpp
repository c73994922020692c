// tests/fuzz/calls: one function per op makes its plausible call. They know what an op takes from its comment, not from infer.
// SPDX-License-Identifier: Apache-2.0
#include "calls.hpp"

#include <algorithm>
#include <cstring>

#include "hearth/op/formula.hpp"

namespace hearth::fuzz {

namespace {

using Dims = std::vector<std::int64_t>;

/// What the functions below draw with.
class Maker {
 public:
  Maker(Random& r, std::optional<Dtype> wanted) : random(r), wanted_(wanted) {}
  Random& random;
  std::vector<Operand> operands;

  /// The wanted dtype where there is one, else any of these kinds.
  Dtype dtype(Kinds kinds) {
    if (wanted_) return *wanted_;
    for (;;)
      if (const Dtype d = random.one_in(3) ? Dtype::f32 : Dtype(random.number(0, dtype_count - 1)); kinds_of(d) & kinds) return d;
  }
  Dtype floating() { return dtype(kinds::F); }
  Dtype number() { return dtype(kinds::F | kinds::I); }
  Dtype any() { return dtype(kinds::F | kinds::I | kinds::B); }
  Dtype real() { return wanted_ ? *wanted_ : random.one_in(2) ? Dtype::f32 : Dtype::f64; }
  Dtype index_dtype() { return random.one_in(2) ? Dtype::i64 : random.pick<Dtype>({Dtype::i32, Dtype::i16, Dtype::i8, Dtype::u8, Dtype::u64}); }
  /// x's dtype, or f32 beside a 16-bit float.
  Dtype beside(Dtype x) { return is_float(x) && size_of(x) == 2 && random.one_in(3) ? Dtype::f32 : x; }

  std::int64_t size() { return random.one_in(16) ? 0 : random.number(1, 5); }
  std::int64_t some() { return random.number(1, 4); }  ///< where 0 is an error
  Shape shape(int least = 0, int most = 4) {
    Shape result;
    for (int i = random.integer(least, most); i > 0; --i) result.push(size());
    return result;
  }
  Shape full_shape(int least = 0, int most = 4) {
    Shape result;
    for (int i = random.integer(least, most); i > 0; --i) result.push(some());
    return result;
  }
  /// A shape that broadcasts to this one.
  Shape stretched(const Shape& to) {
    Shape result;
    for (int i = random.one_in(3) ? random.integer(0, to.size()) : 0; i < to.size(); ++i) result.push(random.one_in(4) ? 1 : to[i]);
    return result;
  }
  int axis(int rank) {
    const int axis = random.integer(0, std::max(rank, 1) - 1);
    return random.one_in(2) ? axis - rank : axis;
  }
  Scalar scalar() {
    if (random.one_in(8)) {
      Scalar any;
      random.spoil(any);
      if (any) return any;
    }
    return random.one_in(2) ? Scalar(random.number(-3, 3)) : Scalar(double(random.number(-12, 12)) / 4);
  }
  /// One that may stand beside elements of d.
  Scalar scalar(Dtype d) {
    const Scalar any = scalar();
    return is_float(d) || any.kind() != Scalar::Kind::floating ? any : Scalar(random.number(-3, 3));
  }

  Spec operand(Dtype d, const Shape& s, Fill fill = {}) {
    operands.push_back({Spec{d, s}, fill});
    return {d, s};
  }
  void absent() { operands.push_back({}); }
  void maybe(Dtype d, const Shape& s, Fill fill = {}) {
    if (random.one_in(2)) operand(d, s, fill);
    else absent();
  }
  Fill ordinary() { return {random.one_in(3) ? Fill::edges : Fill::plain}; }

 private:
  std::optional<Dtype> wanted_;
};

template <class Code>
Code code_for(Maker& m, std::optional<Dtype> dtype) {
  for (int tries = 0;; ++tries)
    if (const Code code = m.random.name<Code>(); !dtype || tries == 5000 || (kinds_of(code) & kinds_of(*dtype))) return code;
}
/// A code and a dtype that go together.
template <class Code>
Dtype draw_code(Maker& m, Code& code) {
  const Dtype dtype = m.any();
  code = code_for<Code>(m, dtype);
  return dtype;
}

// make
void make(op::Full& op, Maker& m) { op = {{m.any(), m.shape()}, m.scalar()}; }
void make(op::Iota& op, Maker& m) {
  const Shape shape = m.shape();
  op = {{m.number(), shape}, shape.empty() ? 0 : m.axis(shape.size()), m.scalar(), m.scalar()};
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
void slice(Maker& m, const Shape& from, Shape& start, Shape& size, Shape& step) {
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
void padding(Maker& m, const Shape& shape, PadMode mode, Shape& before, Shape& after) {
  for (std::int64_t size : shape) {
    const std::int64_t most = mode == PadMode::constant ? 3 : mode == PadMode::reflect ? size - 1 : mode == PadMode::circular ? size : size > 0 ? 3 : 0;
    before.push(m.random.number(0, std::max<std::int64_t>(most, 0)));
    after.push(m.random.number(0, std::max<std::int64_t>(most, 0)));
  }
}
void make(op::Pad& op, Maker& m) {
  op.mode = m.random.name<PadMode>();
  op.value = m.scalar();
  const Shape shape = m.shape();
  padding(m, shape, op.mode, op.before, op.after);
  m.operand(m.any(), shape, m.ordinary());
}
void make(op::PadGrad& op, Maker& m) {
  op.mode = m.random.name<PadMode>();
  Shape shape = m.shape();
  padding(m, shape, op.mode, op.before, op.after);
  for (int i = 0; i < shape.size(); ++i) shape[i] += op.before[i] + op.after[i];
  m.operand(m.number(), shape);
}
/// An index that fits to x along an axis.
Shape index_shape(Maker& m, const Shape& x, int axis) {
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
Dtype for_mode(Maker& m, ScatterMode mode) { return mode == ScatterMode::add || mode == ScatterMode::mul ? m.number() : m.any(); }
void make(op::Scatter& op, Maker& m) {
  op.mode = m.random.name<ScatterMode>();
  const Spec x = m.operand(for_mode(m, op.mode), m.shape(1, 4));
  op.axis = m.axis(x.shape.size());
  const Shape index = index_shape(m, x.shape, op.axis);
  m.operand(m.index_dtype(), index, {Fill::index, x.shape[op.axis]});
  m.operand(x.dtype, index);
}
/// The shape of an index of places in x, the limit of its numbers, and the shape of what lies there.
Shape places(Maker& m, const Shape& x, std::int64_t& limit, Shape& found) {
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

// contract
void make(op::MatMul&, Maker& m) {
  const Dtype d = m.number();
  const Shape batch = m.shape(0, 2);
  const std::int64_t k = m.random.one_in(6) ? m.random.number(0, 70) : m.size();
  Shape a = m.stretched(batch), b = m.stretched(batch);
  a.push(m.size()), a.push(k), b.push(k), b.push(m.size());
  m.operand(d, a);
  m.operand(d, b);
}
/// Shapes and geometry of a convolution.
struct Convolved {
  Shape x, weight, y;
};
Convolved convolution(Maker& m, ConvGeometry& g, int least = 1, int most = 3) {
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
Convolved pooling(Maker& m, PoolGeometry& g, bool ceil_mode) {
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
Convolved resampled(Maker& m, Resampling& r) {
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

// solve
Shape matrices(Maker& m, bool square) {
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

// low bits
struct Quantised {
  Spec stored, scale;
  bool zero_point = false;
};
Quantised quantised(Maker& m, QuantScheme& s, Dtype dtype, const Shape& shape) {
  s.storage = m.random.name<Storage>();
  const bool floats = s.storage == Storage::f8_e4m3 || s.storage == Storage::f8_e5m2 || s.storage == Storage::f4_e2m1;
  s.symmetric = floats || m.random.one_in(2);
  Quantised q{{s.storage == Storage::i8 ? Dtype::i8 : Dtype::u8, shape}, {dtype, {}}, !s.symmetric};
  const std::int64_t packed = s.storage == Storage::i2 ? 4 : s.storage == Storage::i4 || s.storage == Storage::u4 || s.storage == Storage::f4_e2m1 ? 2 : 1;
  q.stored.shape[-1] = (shape[-1] + packed - 1) / packed;
  if (m.random.one_in(2)) {
    s.axis = m.random.integer(0, shape.size() - 1);
    q.scale.shape = {shape[s.axis]};
    if (m.random.one_in(2)) {
      s.block = m.random.number(1, 3);
      q.scale.shape = shape;
      q.scale.shape[s.axis] = (shape[s.axis] + s.block - 1) / s.block;
    }
  }
  return q;
}
void scales(Maker& m, const Quantised& q) {
  m.operand(q.scale.dtype, q.scale.shape, {Fill::positive});
  if (q.zero_point) m.operand(m.random.one_in(2) ? Dtype::i32 : Dtype::i8, q.scale.shape, {Fill::index, 4});
  else m.absent();
}
void make(op::Quantize& op, Maker& m) {
  const Spec x = m.operand(m.floating(), m.shape(1, 3), m.ordinary());
  scales(m, quantised(m, op.scheme, x.dtype, x.shape));
}
void make(op::Dequantize& op, Maker& m) {
  op.dtype = m.floating();
  op.shape = m.shape(1, 3);
  const Quantised q = quantised(m, op.scheme, op.dtype, op.shape);
  m.operand(q.stored.dtype, q.stored.shape, {Fill::edges});
  scales(m, q);
}
void make(op::FakeQuantize& op, Maker& m) {
  const Spec x = m.operand(m.floating(), m.shape(1, 3));
  scales(m, quantised(m, op.scheme, x.dtype, x.shape));
}
/// A quantised operand and its scales, or plain floats.
void side(Maker& m, QuantScheme& scheme, Shape& logical, Dtype dtype, const Shape& shape) {
  if (m.random.one_in(3)) {
    m.operand(dtype, shape);
    m.absent();
    m.absent();
    return;
  }
  logical = shape;
  const Quantised q = quantised(m, scheme, dtype, shape);
  m.operand(q.stored.dtype, q.stored.shape, {Fill::index, 100});
  scales(m, q);
}
void make(op::QuantizedMatMul& op, Maker& m) {
  op.dtype = m.floating();
  const std::int64_t rows = m.size(), k = m.size(), columns = m.size();
  side(m, op.a, op.a_shape, op.dtype, {rows, k});
  side(m, op.b, op.b_shape, op.dtype, {k, columns});
}
void make(op::QuantizedConv& op, Maker& m) {
  op.dtype = m.floating();
  const Convolved c = convolution(m, op.geometry);
  side(m, op.x, op.x_shape, op.dtype, c.x);
  side(m, op.weight, op.weight_shape, op.dtype, c.weight);
  m.maybe(op.dtype, {c.weight[0]});
}

// open
void make(op::Launch& op, Maker& m) {
  op.kernel = "fuzz";
  op.grid = {m.some()};
  op.results = {m.operand(m.any(), m.shape())};
}
void make(op::Collective& op, Maker& m) {
  op.code = m.random.name<CollectiveCode>();
  op.group = "all";
  m.operand(m.number(), m.shape(1));
}
void make(op::Fused& op, Maker& m) {
  const Dtype d = m.floating();
  const Shape shape = m.shape(1);
  for (std::int64_t i = m.random.number(1, 3); i > 0; --i) m.operand(d, shape);
  int slots = int(m.operands.size());
  for (std::int64_t i = m.random.number(1, 5); i > 0; --i, ++slots) {
    const auto slot = [&] { return m.random.integer(0, slots - 1); };
    switch (m.random.number(0, 4)) {
      case 0: op.steps.push_back({op::Unary{m.random.pick<UnaryCode>({UnaryCode::tanh, UnaryCode::sigmoid, UnaryCode::relu})}, {slot()}}); break;
      case 1: op.steps.push_back({op::BinaryScalar{BinaryCode::mul, 0.5, Side::right}, {slot()}}); break;
      case 2: op.steps.push_back({op::Softmax{m.axis(shape.size())}, {slot()}}); break;
      case 3: op.steps.push_back({op::LayerNorm{1, 1e-5}, {slot(), -1, -1}}); break;
      default: op.steps.push_back({op::Binary{m.random.one_in(2) ? BinaryCode::add : BinaryCode::maximum}, {slot(), slot()}});
    }
  }
  for (std::int64_t i = m.random.number(1, 3); i > 0; --i) op.results.push_back(m.random.integer(0, slots - 1));
}

// composites
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
Shape last_axes(const Shape& shape, int axes) {
  Shape last;
  for (int i = shape.size() - axes; i < shape.size(); ++i) last.push(shape[i]);
  return last;
}
template <class Op>
void make_norm(Op& op, Maker& m, bool gradient, bool bias) {
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
Shape grouped_shape(Maker& m, std::int64_t& groups) {
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
void attend(AttentionOptions& o, Maker& m, bool gradient) {
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
template <class Op>
void make_cross_entropy(Op& op, Maker& m, bool gradient) {
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
void make_grid_sample(Op& op, Maker& m, bool gradient) {
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
void make_deform(Op& op, Maker& m, bool gradient) {
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
void lists(Maker& m, std::int64_t count, int lists) {
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

template <class Op>
Call call_of(Random& random, std::optional<Dtype> dtype) {
  Maker maker(random, dtype);
  Op op{};
  make(op, maker);
  return {std::move(op), std::move(maker.operands)};
}

/// infer with the operands in the op's own kind of list.
template <class Op>
std::vector<Spec> infer_as(const Op& op, const std::vector<Operand>& operands) {
  if constexpr (Op::inputs == 0) {
    return {hearth::infer(op)};
  } else {
    Operands<Op, const Spec*> in{};
    if constexpr (Op::inputs == many) in.resize(operands.size());
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = i < operands.size() && operands[i].spec ? &*operands[i].spec : nullptr;
    const auto out = hearth::infer(op, in);
    return {out.begin(), out.end()};
  }
}

}  // namespace

Call plausible_call(OpCode code, Random& random, std::optional<Dtype> dtype) {
  switch (code) {
#define HEARTH_ANY_OP(Name) \
  case OpCode::Name: return call_of<op::Name>(random, dtype);
#include "hearth/op/ops.def"
  }
  __builtin_unreachable();
}

std::vector<Spec> infer(const Call& call) {
  return visit(call.op, [&](const auto& op) { return infer_as(op, call.operands); });
}

std::string to_string(const Call& call) {
  std::string text = to_string(call.op) + "(";
  for (std::size_t i = 0; i < call.operands.size(); ++i) text += (i ? ", " : "") + (call.operands[i].spec ? to_string(*call.operands[i].spec) : "-");
  return text + ")";
}

void spoil(Call& call, Random& random) {
  bool list = false;
  visit(call.op, [&]<class Op>(const Op&) { list = Op::inputs == many; });
  for (std::int64_t faults = random.number(1, 3); faults > 0; --faults) {
    std::vector<Operand>& in = call.operands;
    const std::size_t at = in.empty() ? 0 : std::size_t(random.number(0, std::int64_t(in.size()) - 1));
    Spec* spec = at < in.size() && in[at].spec ? &*in[at].spec : nullptr;
    switch (random.number(0, 7)) {
      case 0:
        if (spec) random.spoil(spec->dtype);
        break;
      case 1:
        if (spec && !spec->shape.empty()) spec->shape[random.integer(0, spec->shape.size() - 1)] = random.number(0, 6);
        break;
      case 2:
        if (spec && spec->shape.size() < max_rank && random.one_in(2)) spec->shape.insert(random.integer(0, spec->shape.size()), random.number(0, 2));
        else if (spec && !spec->shape.empty()) spec->shape.erase(random.integer(0, spec->shape.size() - 1));
        break;
      case 3:
        if (at < in.size()) in[at].spec = random.one_in(2) ? std::nullopt : std::optional(Spec{Dtype::f32, {random.number(0, 4)}});
        break;
      case 4:
        if (!in.empty()) std::swap(in[at], in[std::size_t(random.number(0, std::int64_t(in.size()) - 1))]);
        break;
      case 5:
        if (!list) break;
        if (random.one_in(2)) in.push_back({Spec{Dtype::f32, {2}}, {}});
        else if (!in.empty()) in.pop_back();
        break;
      default:
        visit(call.op, [&]<class Op>(const Op& op) {
          if constexpr (reflect::field_count<Op> > 0) {
            Op spoilt = op;
            random.spoil(spoilt);
            call.op = AnyOp(std::move(spoilt));
          }
        });
    }
  }
}

std::vector<std::byte> elements(const Spec& spec, const Fill& fill, Random& random) {
  const std::size_t count = std::size_t(element_count(spec.shape));
  std::vector<std::byte> bytes(count * size_of(spec.dtype));
  const std::int64_t n = fill.kind == Fill::diagonal && spec.shape.size() >= 2 ? spec.shape[-1] : 0;
  const bool stray = fill.kind == Fill::index && random.one_in(20);
  with_type(spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::size_t i = 0; i < count; ++i) {
      double value = random.one_in(2) ? double(random.number(-8, 8)) / 4 : random.uniform(-2, 2);
      if (fill.kind == Fill::positive) value = random.uniform(0.25, 2);
      if (fill.kind == Fill::unit) value = random.uniform(-1, 1);
      if (fill.kind == Fill::index) value = double(stray && random.one_in(3) ? random.number(-2, fill.limit + 2) : random.number(0, std::max<std::int64_t>(fill.limit, 1) - 1));
      if (n > 0) {
        const std::int64_t row = std::int64_t(i) / n % std::max<std::int64_t>(spec.shape[-2], 1), column = std::int64_t(i) % n;
        value = row == column ? double(n) + 2 : double((row * column * 5 + row + column) % 7 - 3) / 4;
      }
      T element = convert<T>(value);
      if (fill.kind == Fill::edges && random.one_in(5)) {
        if constexpr (is_float(dtype_of<T>)) {
          const double inf = std::numeric_limits<double>::infinity();
          const double choices[] = {0.0, -0.0, inf, -inf, std::nan(""), 1e-40, -1e-310, 1e4, -1e4, 65504, 0.5, -2.5, 1e30, -1e30};
          element = T(choices[random.number(0, 13)]);
        } else if constexpr (!std::is_same_v<T, bool>) {
          const T choices[] = {0, 1, T(-1), std::numeric_limits<T>::max(), std::numeric_limits<T>::min()};
          element = choices[random.number(0, 4)];
        }
      }
      std::memcpy(bytes.data() + i * sizeof(T), &element, sizeof(T));
    }
  });
  return bytes;
}

}  // namespace hearth::fuzz
