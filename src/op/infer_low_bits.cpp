// op/infer_low_bits: results of ops on arrays stored in few bits. A scale has the dtype of the real numbers that it belongs to.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/op/storage_format.hpp"
#include "infer.hpp"

namespace hearth {

using namespace detail;

namespace {

std::int64_t parts(std::int64_t size, std::int64_t block) { return size / block + (size % block != 0); }

/// Sets `result` to how an array of `shape` is stored.
bool stored(std::string_view op, const QuantScheme& scheme, const Shape& shape, Spec& result) {
  result = {scheme.storage == Storage::i8 ? Dtype::i8 : Dtype::u8, shape};
  if (const std::int64_t count = format_of(scheme.storage).codes_per_byte(); count > 1) {
    if (shape.empty()) return fail(op, "an array of rank 0 cannot be packed");
    result.shape[-1] = parts(shape[-1], count);
  }
  return true;
}

/// Do scale and zero point lie as the scheme says for an array of `shape`, the scale of `dtype`?
bool scales_fit(std::string_view op, const QuantScheme& scheme, const Shape& shape, Dtype dtype, const Spec& scale, const Spec* zero_point) {
  if (scheme.axis >= shape.size()) return fail(op, "axis " + text(scheme.axis) + " is outside an array of rank " + text(shape.size()), {shape});
  constexpr std::int64_t longest_block = std::int64_t(1) << 31;  // far from where backends' sums would overflow
  if (scheme.block < 0 || scheme.block > longest_block) return fail(op, "the block size must be 0 to 2^31, not " + text(scheme.block));
  if (!has_dtype(op, "scale", scale, dtype)) return false;
  if (scheme.axis < 0) {
    if (scale.shape != Shape{} && scale.shape != Shape{1})
      return fail(op, "scale must be [] or [1], not " + to_string(scale.shape), {scale.shape}, "give the scheme an axis for more than one scale");
  } else {
    Shape expected{shape[scheme.axis]};
    if (scheme.block > 0) {
      expected = shape;
      expected[scheme.axis] = parts(shape[scheme.axis], scheme.block);
    }
    if (!has_shape(op, "scale", scale, expected)) return false;
  }
  const bool none = scheme.symmetric || format_of(scheme.storage).floating;
  if (none && zero_point) return fail(op, "a symmetric or float scheme has no zero point");
  if (!none && !zero_point) return fail(op, "an asymmetric scheme needs a zero point");
  return !zero_point || (is_index(op, "zero point", *zero_point) && has_shape(op, "zero point", *zero_point, scale.shape));
}

/// One operand of a quantised product: stored numbers with their scales, or plain floats. Sets `shape` to its logical shape.
bool operand_fits(std::string_view op, std::string_view what, const QuantScheme& scheme, const Shape& logical, Dtype dtype, const Spec& x,
                  const Spec* scale, const Spec* zero_point, Shape& shape) {
  if (!scale) {
    if (zero_point) return fail(op, std::string(what) + " has a zero point but no scale");
    shape = x.shape;
    return has_dtype(op, what, x, dtype);
  }
  Spec expected;
  shape = logical;
  return fits(op, {dtype, logical}) && stored(op, scheme, logical, expected) && has_dtype(op, what, x, expected.dtype) &&
         has_shape(op, what, x, expected.shape) && scales_fit(op, scheme, logical, dtype, *scale, zero_point);
}

}  // namespace

Out<op::Quantize> infer(const op::Quantize& op, const In<op::Quantize>& in) {
  if (!given<op::Quantize>("quantize", in)) return {};
  const Spec& x = *in[0];
  Spec result;
  if (!takes("quantize", kinds::F, x) || !scales_fit("quantize", op.scheme, x.shape, x.dtype, *in[1], in[2]) || !stored("quantize", op.scheme, x.shape, result))
    return {};
  return {result};
}

Out<op::Dequantize> infer(const op::Dequantize& op, const In<op::Dequantize>& in) {
  if (!given<op::Dequantize>("dequantize", in)) return {};
  const Spec result{op.dtype, op.shape};
  Spec expected;
  if (!takes("dequantize", kinds::F, result) || !fits("dequantize", result) || !stored("dequantize", op.scheme, op.shape, expected) ||
      !has_dtype("dequantize", "the operand", *in[0], expected.dtype) || !has_shape("dequantize", "the operand", *in[0], expected.shape) ||
      !scales_fit("dequantize", op.scheme, op.shape, op.dtype, *in[1], in[2]))
    return {};
  return {result};
}

Out<op::FakeQuantize> infer(const op::FakeQuantize& op, const In<op::FakeQuantize>& in) {
  if (!given<op::FakeQuantize>("fake_quantize", in)) return {};
  const Spec& x = *in[0];
  if (!takes("fake_quantize", kinds::F, x) || !scales_fit("fake_quantize", op.scheme, x.shape, x.dtype, *in[1], in[2])) return {};
  return {x};
}

Out<op::QuantizedMatMul> infer(const op::QuantizedMatMul& op, const In<op::QuantizedMatMul>& in) {
  constexpr std::string_view name = "quantized_matmul";
  if (!given<op::QuantizedMatMul>(name, in)) return {};
  Spec result{op.dtype, {}};
  Shape a, b;
  if (!takes(name, kinds::F, result) || !operand_fits(name, "a", op.a, op.a_shape, op.dtype, *in[0], in[1], in[2], a) ||
      !operand_fits(name, "b", op.b, op.b_shape, op.dtype, *in[3], in[4], in[5], b) || !matmul_shape(name, a, b, result.shape) || !fits(name, result))
    return {};
  return {result};
}

Out<op::QuantizedConv> infer(const op::QuantizedConv& op, const In<op::QuantizedConv>& in) {
  constexpr std::string_view name = "quantized_conv";
  if (!given<op::QuantizedConv>(name, in)) return {};
  Spec result{op.dtype, {}};
  Shape x, weight;
  if (!takes(name, kinds::F, result) || !operand_fits(name, "x", op.x, op.x_shape, op.dtype, *in[0], in[1], in[2], x) ||
      !operand_fits(name, "weight", op.weight, op.weight_shape, op.dtype, *in[3], in[4], in[5], weight) ||
      !has_rank(name, "x", Spec{op.dtype, x}, 3, 5) || (in[6] && !has_dtype(name, "bias", *in[6], op.dtype)) ||
      !conv_shape(name, op.geometry, x, weight, in[6], result.shape) || !fits(name, result))
    return {};
  return {result};
}

}  // namespace hearth
