// tests/fuzz/calls: a random call of any op: attributes, operand specs and what their elements should be like. A plausible call is meant
// to be right; spoil() makes most calls wrong.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <vector>

#include "random.hpp"

namespace hearth::fuzz {

/// What the elements of an operand are drawn from.
struct Fill {
  enum Kind {
    plain,     ///< small numbers of both signs, many of them equal
    edges,     ///< the same with NaN, infinities, extremes and zeros strewn in
    index,     ///< mostly in [0, limit)
    positive,  ///< in [0.25, 2]
    unit,      ///< in [-1, 1]
    diagonal,  ///< symmetric, with a diagonal that makes the matrix positive definite
  };
  Kind kind = plain;
  std::int64_t limit = 1;
};

struct Operand {
  std::optional<Spec> spec;  ///< none: absent
  Fill fill;
};

struct Call {
  AnyOp op;
  std::vector<Operand> operands;
};

/// "Softmax{axis: -1}(f32[2, 3], -)"
std::string to_string(const Call& call);

/// A call of the op with this code that infer should accept; with `dtype` as the dtype of its first operand (of the result of a make op)
/// where the op takes it, and any other dtype where it does not.
Call plausible_call(OpCode code, Random& random, std::optional<Dtype> dtype = {});

/// One to three faults: in an attribute, or in an operand's dtype, shape, place or presence.
void spoil(Call& call, Random& random);

/// infer, whatever the op: the results' specs.
std::vector<Spec> infer(const Call& call);

/// The elements of an operand, row-major.
std::vector<std::byte> elements(const Spec& spec, const Fill& fill, Random& random);

}  // namespace hearth::fuzz
