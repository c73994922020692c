// cpu/elementwise: the elementwise ops: pick a kernel, pick where the result goes, stream the operands through.
// A result takes the place of an operand that nobody else sees; its elements are read before they are overwritten.
// SPDX-License-Identifier: Apache-2.0
#include "stream.hpp"

namespace hearth::cpu {

namespace {

/// Is `operand` laid out as the result will be, so that the result may lie over it?
bool covers(const Handle& operand, const Spec& spec) { return operand->spec.shape == spec.shape; }

/// May a kernel read the operand where it lies, from its first element to its last? Then small ops need no more than that.
bool is_plain(const Handle& operand, const Spec& spec, bool widen) {
  return covers(operand, spec) && is_contiguous(*operand) && !(widen && is_narrow(operand->spec.dtype));
}

Handle unary_result(Handle& x, const Spec& spec) { return reuse_or_allocate(x, spec); }

Handle binary_result(Handle& a, Handle& b, const Spec& spec) {
  if (covers(a, spec) && is_own(a) && size_of(a->spec.dtype) == size_of(spec.dtype) && is_contiguous(*a)) return reuse_or_allocate(a, spec);
  return reuse_or_allocate(b, spec);
}

/// Runs a kernel of one operand.
Handle stream_unary(Handle x, const Spec& spec, bool widen, Dtype computed, UnaryKernel kernel) {
  const std::int64_t count = count_of(spec.shape);
  if (count <= task_elements && computed == spec.dtype && is_plain(x, spec, widen)) {
    const std::byte* const from = bytes_of(*x);
    Handle result = unary_result(x, spec);
    if (result) kernel(from, bytes_of(*result), count);
    return result;
  }
  const std::array<Source, 1> sources{Source(x, spec.shape, widen)};
  Handle result = unary_result(x, spec);
  if (!result) return {};
  run_blocks<1>(sources, count, computed, spec.dtype, bytes_of(*result),
                [=](const std::array<const void*, 1>& in, void* out, std::int64_t n) { kernel(in[0], out, n); });
  return result;
}

Handle stream_binary(const std::array<Source, 2>& sources, Handle result, Dtype computed, BinaryKernel kernel) {
  if (!result) return {};
  run_blocks<2>(sources, count_of(*result), computed, result->spec.dtype, bytes_of(*result),
                [=](const std::array<const void*, 2>& in, void* out, std::int64_t n) { kernel(in[0], in[1], out, n); });
  return result;
}

Handle stream_ternary(const std::array<Source, 3>& sources, Handle result, Dtype computed, TernaryKernel kernel) {
  if (!result) return {};
  run_blocks<3>(sources, count_of(*result), computed, result->spec.dtype, bytes_of(*result),
                [=](const std::array<const void*, 3>& in, void* out, std::int64_t n) { kernel(in[0], in[1], in[2], out, n); });
  return result;
}

}  // namespace

Results<op::Unary, Handle> execute(const op::Unary& op, Operands<op::Unary, Handle> in, const Results<op::Unary, Spec>& specs) {
  const Dtype dtype = compute_dtype(specs[0].dtype);
  return {stream_unary(std::move(in[0]), specs[0], true, dtype, unary_kernel(op.code, dtype))};
}

Results<op::Binary, Handle> execute(const op::Binary& op, Operands<op::Binary, Handle> in, const Results<op::Binary, Spec>& specs) {
  const Spec& spec = specs[0];
  const Dtype dtype = compute_dtype(spec.dtype);
  const BinaryKernel kernel = binary_kernel(op.code, dtype);
  const std::int64_t count = count_of(spec.shape);
  if (count <= task_elements && is_plain(in[0], spec, true) && is_plain(in[1], spec, true)) {
    const std::byte *const a = bytes_of(*in[0]), *const b = bytes_of(*in[1]);
    Handle result = binary_result(in[0], in[1], spec);
    if (result) kernel(a, b, bytes_of(*result), count);
    return {std::move(result)};
  }
  const std::array<Source, 2> sources{Source(in[0], spec.shape, true), Source(in[1], spec.shape, true)};
  return {stream_binary(sources, binary_result(in[0], in[1], spec), dtype, kernel)};
}

Results<op::BinaryScalar, Handle> execute(const op::BinaryScalar& op, Operands<op::BinaryScalar, Handle> in,
                                          const Results<op::BinaryScalar, Spec>& specs) {
  const Spec& spec = specs[0];
  const Dtype dtype = compute_dtype(spec.dtype);
  // The powers that everybody takes, by the rows that give the same value without a logarithm.
  if (op.code == BinaryCode::pow && op.side == Side::right && is_float(dtype)) {
    const double exponent = op.scalar.to_double();
    if (exponent == 2) return {stream_unary(std::move(in[0]), spec, true, dtype, unary_kernel(UnaryCode::square, dtype))};
    if (exponent == -1) return {stream_unary(std::move(in[0]), spec, true, dtype, unary_kernel(UnaryCode::reciprocal, dtype))};
  }
  const BinaryKernel kernel = binary_kernel(op.code, dtype);
  const Source x(in[0], spec.shape, true), scalar(op.scalar, spec.dtype, true);
  const bool right = op.side == Side::right;
  return {stream_binary({right ? x : scalar, right ? scalar : x}, unary_result(in[0], spec), dtype, kernel)};
}

Results<op::Compare, Handle> execute(const op::Compare& op, Operands<op::Compare, Handle> in, const Results<op::Compare, Spec>& specs) {
  const Spec& spec = specs[0];
  const BinaryKernel kernel = compare_kernel(op.code, compute_dtype(in[0]->spec.dtype));
  const std::array<Source, 2> sources{Source(in[0], spec.shape, true), Source(in[1], spec.shape, true)};
  return {stream_binary(sources, binary_result(in[0], in[1], spec), Dtype::boolean, kernel)};
}

Results<op::CompareScalar, Handle> execute(const op::CompareScalar& op, Operands<op::CompareScalar, Handle> in,
                                           const Results<op::CompareScalar, Spec>& specs) {
  const Dtype dtype = in[0]->spec.dtype;
  const BinaryKernel kernel = compare_kernel(op.code, compute_dtype(dtype));
  const std::array<Source, 2> sources{Source(in[0], specs[0].shape, true), Source(op.scalar, dtype, true)};
  return {stream_binary(sources, unary_result(in[0], specs[0]), Dtype::boolean, kernel)};
}

Results<op::Select, Handle> execute(const op::Select&, Operands<op::Select, Handle> in, const Results<op::Select, Spec>& specs) {
  const Spec& spec = specs[0];
  const std::array<Source, 3> sources{Source(in[0], spec.shape, false), Source(in[1], spec.shape, false), Source(in[2], spec.shape, false)};
  return {stream_ternary(sources, binary_result(in[1], in[2], spec), spec.dtype, select_kernel(size_of(spec.dtype)))};
}

Results<op::SelectScalar, Handle> execute(const op::SelectScalar& op, Operands<op::SelectScalar, Handle> in,
                                          const Results<op::SelectScalar, Spec>& specs) {
  const Spec& spec = specs[0];
  const Source mask(in[0], spec.shape, false), x(in[1], spec.shape, false), scalar(op.scalar, spec.dtype, false);
  const bool left = op.side == Side::left;
  return {stream_ternary({mask, left ? scalar : x, left ? x : scalar}, unary_result(in[1], spec), spec.dtype, select_kernel(size_of(spec.dtype)))};
}

Results<op::Cast, Handle> execute(const op::Cast&, Operands<op::Cast, Handle> in, const Results<op::Cast, Spec>& specs) {
  const Dtype from = in[0]->spec.dtype, to = specs[0].dtype;
  if (from == to) return {std::move(in[0])};
  return {stream_unary(std::move(in[0]), specs[0], false, to, convert_kernel(from, to))};
}

Results<op::Clamp, Handle> execute(const op::Clamp& op, Operands<op::Clamp, Handle> in, const Results<op::Clamp, Spec>& specs) {
  const Spec& spec = specs[0];
  const Dtype dtype = compute_dtype(spec.dtype);
  if (!op.low && !op.high) return {std::move(in[0])};
  // A bound that the dtype does not have is the nearest that it has.
  const auto bound = [&](const Scalar& given) {
    return Source(with_type(spec.dtype, [&](auto tag) { return Scalar(given.saturated<typename decltype(tag)::type>()); }), spec.dtype, true);
  };
  if (op.low && op.high) {
    const std::array<Source, 3> sources{Source(in[0], spec.shape, true), bound(op.low), bound(op.high)};
    return {stream_ternary(sources, unary_result(in[0], spec), dtype, clamp_kernel(dtype))};
  }
  const BinaryKernel kernel = binary_kernel(op.low ? BinaryCode::maximum : BinaryCode::minimum, dtype);
  const std::array<Source, 2> sources{Source(in[0], spec.shape, true), bound(op.low ? op.low : op.high)};
  return {stream_binary(sources, unary_result(in[0], spec), dtype, kernel)};
}

}  // namespace hearth::cpu
