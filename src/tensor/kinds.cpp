// tensor/kinds: the run-time checks behind the typed front.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/tensor/kinds.hpp"

#include "../op/infer.hpp"

namespace hearth::detail {

namespace {
const char* name_of_kind(Kinds kind) { return kind == kinds::F ? "Float" : kind == kinds::I ? "Int" : "Bool"; }
}  // namespace

Dtype checked_dtype(std::string_view op, Dtype dtype, Kinds kind) {
  if (kinds_of(dtype) == kind) return dtype;
  return fail(op, std::string("a tensor of kind ") + name_of_kind(kind) + " cannot have dtype " + std::string(name_of(dtype)), {},
              "name the kind: Float, Int or Bool");
}

void check_type(std::string_view op, const Spec& spec, int rank, Kinds kind) {
  if (spec.shape.size() == rank && kinds_of(spec.dtype) == kind) return;
  (void)fail(op, to_string(spec) + " is not a tensor of rank " + std::to_string(rank) + " and kind " + name_of_kind(kind), {spec.shape});
}

void check_scalar(std::string_view op, const Scalar& scalar, const Spec& spec) { (void)is_number_beside(op, scalar, spec); }

const Shape& checked_rank(std::string_view op, const Shape& shape, int rank) {
  if (shape.size() != rank) (void)fail(op, "the shape " + to_string(shape) + " is not of rank " + std::to_string(rank), {shape});
  return shape;
}

}  // namespace hearth::detail
