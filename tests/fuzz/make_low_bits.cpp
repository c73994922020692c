// tests/fuzz/make_low_bits: plausible calls of the ops on quantised elements, and of those that hold other programs.
// SPDX-License-Identifier: Apache-2.0
#include "maker.hpp"

namespace hearth::fuzz {

// low bits
struct Quantised {
  Spec stored, scale;
  bool zero_point = false;
};
static Quantised quantised(Maker& m, QuantScheme& s, Dtype dtype, const Shape& shape) {
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
static void scales(Maker& m, const Quantised& q) {
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
static void side(Maker& m, QuantScheme& scheme, Shape& logical, Dtype dtype, const Shape& shape) {
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

}  // namespace hearth::fuzz
