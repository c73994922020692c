// cpu/matmul: matrix products and the linear layer as contractions.
// SPDX-License-Identifier: Apache-2.0
#include "array.hpp"
#include "gemm.hpp"

namespace hearth::cpu {

namespace {

/// The stride of axis `axis` of a result of rank `rank` in an operand that broadcasts to it.
std::int64_t broadcast_stride(const Array& operand, int axis, int rank) {
  const int own = axis - rank + operand.spec.shape.size();
  return own < 0 || operand.spec.shape[own] == 1 ? 0 : operand.strides[own];
}

}  // namespace

std::array<Handle, 1> execute(const op::MatMul&, std::array<Handle, 2> in, const std::array<Spec, 1>& specs) {
  const Handle c = allocate(specs[0]);
  if (!c) return {};
  const Array &a = *in[0], &b = *in[1];
  const int rank = c->spec.shape.size();
  Contraction product;
  product.a = bytes_of(a), product.b = bytes_of(b), product.c = bytes_of(*c);
  product.a_dtype = product.b_dtype = product.c_dtype = c->spec.dtype;
  for (int axis = 0; axis < rank - 2; ++axis)
    product.batch.add({c->spec.shape[axis], broadcast_stride(a, axis, rank), broadcast_stride(b, axis, rank), c->strides[axis]});
  product.rows.add({c->spec.shape[-2], a.strides[-2], 0, c->strides[-2]});
  product.columns.add({c->spec.shape[-1], 0, b.strides[-1], c->strides[-1]});
  product.inner.add({a.spec.shape[-1], a.strides[-1], b.strides[-2], 0});
  contract(product);
  return {c};
}

bool claims(const op::Linear&, const Operands<op::Linear, const Spec*>& in) { return in[0] && is_float(in[0]->dtype); }

std::array<Handle, 1> execute(const op::Linear& op, std::array<Handle, 4> in, const std::array<Spec, 1>& specs) {
  const Array &x = *in[0], &weight = *in[1];
  const Handle bias = in[2] ? contiguous(in[2]) : Handle(), residual = in[3] ? contiguous(in[3]) : Handle(), y = allocate(specs[0]);
  if (!y || (in[2] && !bias) || (in[3] && !residual)) return {};
  Contraction product;
  product.a = bytes_of(x), product.b = bytes_of(weight), product.c = bytes_of(*y);
  product.a_dtype = product.b_dtype = product.c_dtype = y->spec.dtype;
  for (int axis = 0; axis < x.spec.shape.size() - 1; ++axis) product.rows.add({x.spec.shape[axis], x.strides[axis], 0, y->strides[axis]});
  product.columns.add({weight.spec.shape[0], 0, weight.strides[0], y->strides[-1]});
  product.inner.add({weight.spec.shape[1], x.strides[-1], weight.strides[1], 0});
  product.bias = bias ? bytes_of(*bias) : nullptr;
  product.bias_per_column = true;
  product.residual = residual ? bytes_of(*residual) : nullptr;
  product.activation = op.activation;
  contract(product);
  return {y};
}

}  // namespace hearth::cpu
