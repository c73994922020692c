// op/move: elements go elsewhere. Indices are any integer dtype, never negative; one that is out of range is a typed error.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../core/spec.hpp"
#include "arity.hpp"
#include "codes.hpp"

namespace hearth::op {

/// x1, x2, ... -> one after the other along `axis`.
struct Concat {
  static constexpr int inputs = many, outputs = 1;
  int axis = 0;
};
/// x -> before[a] elements ahead of and after[a] behind each axis a; their values follow the mode.
struct Pad {
  static constexpr int inputs = 1, outputs = 1;
  Shape before, after;
  PadMode mode = PadMode::constant;
  Scalar value = 0;
};
/// The adjoint of Pad: g -> each padded element is added to the element it was copied from (dropped for constant).
struct PadGrad {
  static constexpr int inputs = 1, outputs = 1;
  Shape before, after;
  PadMode mode = PadMode::constant;
};
/// x, index -> result[..., i, ...] = x[..., index[..., i, ...], ...] along `axis`. Other sizes of index are at most x's.
struct Gather {
  static constexpr int inputs = 2, outputs = 1;
  int axis = 0;
};
/// base, index, source -> base with source combined at the places that Gather would read. index and source have one shape.
/// Duplicate indices: assign keeps the last in row-major order, the others accumulate.
struct Scatter {
  static constexpr int inputs = 3, outputs = 1;
  int axis = 0;
  ScatterMode mode = ScatterMode::add;
};
/// x, index [..., k] -> x[index[..., 0], ..., index[..., k-1]]: shape index.shape[:-1] + x.shape[k:]. k = 1 is an embedding.
struct GatherNd {
  static constexpr int inputs = 2, outputs = 1;
};
/// base, index [..., k], source -> base with source (index.shape[:-1] + base.shape[k:]) combined at those places.
struct ScatterNd {
  static constexpr int inputs = 3, outputs = 1;
  ScatterMode mode = ScatterMode::add;
};
/// base, source -> base with source written where Slice{start, size, step} would read; source broadcasts to `size`.
struct SliceAssign {
  static constexpr int inputs = 2, outputs = 1;
  Shape start, size, step;
};

}  // namespace hearth::op
