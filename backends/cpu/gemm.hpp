// cpu/gemm: c = a b over strided indices, with an epilogue. Products and convolutions are both written as one Contraction.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "hearth/core/dtype.hpp"
#include "hearth/core/shape.hpp"
#include "hearth/op/codes.hpp"

namespace hearth::cpu {

/// One index of a contraction, made of parts as a matrix row may be made of (image, line, column): the last part varies fastest.
/// A part has its stride in each of the operands; those that the operand does not have are not looked at.
struct GemmAxis {
  struct Part {
    std::int64_t size = 1, a = 0, b = 0, c = 0;
  };
  InlineList<Part, 2 * max_rank> parts;

  void add(Part part) {
    if (part.size != 1) parts.push(part);
  }
  std::int64_t count() const {
    std::int64_t n = 1;
    for (const Part& part : parts) n *= part.size;
    return n;
  }
};

/// c[batch, row, column] = activation(sum over inner of a[batch, row, inner] * b[batch, inner, column] + bias + residual).
/// Strides are in elements of each array's own dtype. Sums are formed in f32 for 16-bit floats, else in the dtype of c;
/// integers wrap. a and b may have another dtype than c if both are floats.
struct Contraction {
  const void* a = nullptr;
  const void* b = nullptr;
  void* c = nullptr;
  Dtype a_dtype = Dtype::f32, b_dtype = Dtype::f32, c_dtype = Dtype::f32;
  GemmAxis batch;    ///< strides in a, b, c
  GemmAxis rows;     ///< in a, c
  GemmAxis columns;  ///< in b, c
  GemmAxis inner;    ///< in a, b

  const void* bias = nullptr;  ///< of c's dtype, contiguous: one per row, or one per column
  bool bias_per_column = false;
  std::int64_t bias_batch = 0;     ///< from the biases of one batch to those of the next; 0: all have the same
  const void* residual = nullptr;  ///< laid out as c, of its dtype; may be c itself
  Activation activation = Activation::none;
};

/// Results depend on the shapes only, not on the number of threads.
void contract(const Contraction& contraction);

/// values[i] = activation(values[i])
template <class T>
void activate(Activation activation, T* values, std::int64_t count);

}  // namespace hearth::cpu
