// op/infer_elementwise: results of ops that work element by element.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/op/formula.hpp"
#include "infer.hpp"

namespace hearth {

using namespace detail;

Out<op::Unary> infer(const op::Unary& op, const In<op::Unary>& in) {
  const std::string_view name = name_of(op.code);
  if (!given<op::Unary>(name, in) || !takes(name, kinds_of(op.code), *in[0])) return {};
  return {*in[0]};
}

Out<op::Binary> infer(const op::Binary& op, const In<op::Binary>& in) {
  const std::string_view name = name_of(op.code);
  if (!given<op::Binary>(name, in)) return {};
  const Spec &a = *in[0], &b = *in[1];
  Out<op::Binary> results;  // filled in place: specs are large beside what else a small op costs
  results[0].dtype = a.dtype;
  if (!same_dtype(name, a, b) || !takes(name, kinds_of(op.code), a) || !broadcast_to(name, a, b, results[0])) return {};
  return results;
}

Out<op::BinaryScalar> infer(const op::BinaryScalar& op, const In<op::BinaryScalar>& in) {
  const std::string_view name = name_of(op.code);
  if (!given<op::BinaryScalar>(name, in) || !takes(name, kinds_of(op.code), *in[0]) || !is_number_beside(name, op.scalar, *in[0])) return {};
  return {*in[0]};
}

Out<op::Compare> infer(const op::Compare& op, const In<op::Compare>& in) {
  const std::string_view name = name_of(op.code);
  if (!given<op::Compare>(name, in)) return {};
  Spec result{Dtype::boolean, {}};
  if (!same_dtype(name, *in[0], *in[1]) || !broadcast_to(name, *in[0], *in[1], result)) return {};
  return {result};
}

Out<op::CompareScalar> infer(const op::CompareScalar& op, const In<op::CompareScalar>& in) {
  const std::string_view name = name_of(op.code);
  if (!given<op::CompareScalar>(name, in) || !is_number_beside(name, op.scalar, *in[0])) return {};
  return {Spec{Dtype::boolean, in[0]->shape}};
}

Out<op::Select> infer(const op::Select&, const In<op::Select>& in) {
  if (!given<op::Select>("select", in)) return {};
  const Spec &mask = *in[0], &then = *in[1], &otherwise = *in[2];
  Spec both{then.dtype, {}}, result{then.dtype, {}};
  if (!has_dtype("select", "mask", mask, Dtype::boolean) || !same_dtype("select", then, otherwise) ||
      !broadcast_to("select", then, otherwise, both) || !broadcast_to("select", mask, both, result))
    return {};
  return {result};
}

Out<op::SelectScalar> infer(const op::SelectScalar& op, const In<op::SelectScalar>& in) {
  if (!given<op::SelectScalar>("select", in)) return {};
  Spec result{in[1]->dtype, {}};
  if (!has_dtype("select", "mask", *in[0], Dtype::boolean) || !is_number_beside("select", op.scalar, *in[1]) ||
      !broadcast_to("select", *in[0], *in[1], result))
    return {};
  return {result};
}

Out<op::Cast> infer(const op::Cast& op, const In<op::Cast>& in) {
  if (!given<op::Cast>("cast", in)) return {};
  const Spec result{op.dtype, in[0]->shape};
  if (!fits("cast", result)) return {};
  return {result};
}

Out<op::Clamp> infer(const op::Clamp& op, const In<op::Clamp>& in) {
  if (!given<op::Clamp>("clamp", in) || !takes("clamp", numbers, *in[0])) return {};
  for (const Scalar& bound : {op.low, op.high})  // one that wraps would be quite another bound
    if (bound && (!is_number_beside("clamp", bound, *in[0]) || !is_in_range_of("clamp", bound, *in[0]))) return {};
  return {*in[0]};
}

}  // namespace hearth
