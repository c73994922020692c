// unit/op_infer_errors: the sentences of inference's errors as tables of text.
// SPDX-License-Identifier: Apache-2.0
#include "unit/op_infer.hpp"

namespace {

using namespace infer_test;

#define HEARTH_CONV1 "geometry: {stride: [1], dilation: [1], before: [0], after: [0], groups: 1}"

TEST(InferErrors, KindsAndDtypes) {
  check({
      {"Unary{code: exp}", "i32[2, 3]", "exp: takes float tensors, not i32[2, 3] (hint: cast it first)"},
      {"Unary{code: bitwise_not}", "f32[2]", "bitwise_not: takes integer or bool tensors, not f32[2] (hint: cast it first)"},
      {"Unary{code: exp}", "-", "exp: operand 0 is absent"},
      {"Binary{code: add}", "f32[2] f64[2]", "add: dtypes differ: f32[2] and f64[2] (hint: cast one of them; tensors are never promoted)"},
      {"Binary{code: add}", "bool[2] bool[2]", "add: takes float or integer tensors, not bool[2] (hint: cast it first)"},
      {"Binary{code: add}", "f32[2, 3] f32[4, 3]",
       "add: shapes do not broadcast: [2, 3] and [4, 3] (hint: sizes of an axis must be equal or 1, counted from the last axis)"},
      {"Binary{code: add}", "f32[4611686018427387904, 1] f32[4]", "add: f32[4611686018427387904, 4] passes 2^63 - 1 bytes"},
      {"BinaryScalar{code: mul}", "f32[2]", "mul: the scalar is none"},
      {"BinaryScalar{code: mul, scalar: 0.5}", "i64[2]", "mul: the scalar 0.5 beside i64[2] is no whole number (hint: cast the tensor to a float dtype first)"},
      {"BinaryScalar{code: add, scalar: inf}", "u8[2]", "add: the scalar inf beside u8[2] is no whole number (hint: cast the tensor to a float dtype first)"},
      {"CompareScalar{code: ge, scalar: 0.5}", "i32[2]", "ge: the scalar 0.5 beside i32[2] is no whole number (hint: cast the tensor to a float dtype first)"},
      {"SelectScalar{scalar: 0.5}", "bool[2] i16[2]", "select: the scalar 0.5 beside i16[2] is no whole number (hint: cast the tensor to a float dtype first)"},
      {"Compare{code: eq}", "i32[2] i64[2]", "eq: dtypes differ: i32[2] and i64[2] (hint: cast one of them; tensors are never promoted)"},
      {"Select{}", "f32[2] f32[2] f32[2]", "select: mask must be bool, not f32[2]"},
      {"Select{}", "bool[2] f32[2] i32[2]", "select: dtypes differ: f32[2] and i32[2] (hint: cast one of them; tensors are never promoted)"},
      {"Select{}", "bool[3] f32[2] f32[2]",
       "select: shapes do not broadcast: [3] and [2] (hint: sizes of an axis must be equal or 1, counted from the last axis)"},
      {"Clamp{}", "bool[2]", "clamp: takes float or integer tensors, not bool[2] (hint: cast it first)"},
      {"Clamp{low: 0.5}", "i8[2]", "clamp: the scalar 0.5 beside i8[2] is no whole number (hint: cast the tensor to a float dtype first)"},
      {"Clamp{low: -1, high: 1000}", "i8[2]", "clamp: the scalar 1000 beside i8[2] is out of its range (hint: cast the tensor to a wider dtype first)"},
      {"Clamp{low: -1}", "u64[2]", "clamp: the scalar -1 beside u64[2] is out of its range (hint: cast the tensor to a wider dtype first)"},
      {"Cast{dtype: f64}", "u8[1152921504606846976, 4]", "cast: f64[1152921504606846976, 4] passes 2^63 - 1 bytes"},
  });
}

TEST(InferErrors, Make) {
  check({
      {"Full{spec: f32[2, -3], value: 1}", "", "full: a size is negative: [2, -3]"},
      {"Full{spec: f32[1152921504606846976, 2], value: 1}", "", "full: f32[1152921504606846976, 2] passes 2^63 - 1 bytes"},
      {"Full{spec: f32[0, 4611686018427387904], value: 1}", "", "full: f32[0, 4611686018427387904] passes 2^63 - 1 bytes"},
      {"Iota{spec: f32[2], axis: 1}", "", "iota: axis 1 is outside an array of rank 1"},
      {"Iota{spec: bool[2]}", "", "iota: takes float or integer tensors, not bool[2] (hint: cast it first)"},
      {"Random{spec: i32[2]}", "", "random: takes float tensors, not i32[2] (hint: cast it first)"},
      {"Random{spec: f32[2], a: 1.0, b: 0.0}", "", "random: [1.0, 0.0) is no range to draw from"},
      {"Random{spec: f32[2], a: nan, b: 1.0}", "", "random: [nan, 1.0) is no range to draw from"},
      {"Random{spec: f32[2], distribution: normal, b: -1.0}", "",
       "random: the standard deviation must be finite and at least 0.0, not -1.0"},
      {"Random{spec: u8[2], distribution: integer, a: 0, b: 257}", "", "random: [0, 257) is no range of u8"},
      {"Random{spec: u8[2], distribution: integer, a: -1, b: 3}", "", "random: [-1, 3) is no range of u8"},
      {"Random{spec: i64[2], distribution: integer, a: 3, b: 3}", "", "random: [3, 3) is no range of i64"},
  });
}

TEST(InferErrors, Views) {
  check({
      {"Reshape{shape: [4, -1]}", "f32[2, 3]", "reshape: [2, 3] has 6 elements and does not fit into [4, -1]"},
      {"Reshape{shape: [7]}", "f32[2, 3]", "reshape: [2, 3] has 6 elements and does not fit into [7]"},
      {"Reshape{shape: [-1, -1]}", "f32[2, 3]", "reshape: more than one size is -1: [-1, -1]"},
      {"Reshape{shape: [0, -1]}", "f32[0, 3]", "reshape: the size -1 of [0, -1] could be anything"},
      {"Reshape{shape: [-2, -3]}", "f32[2, 3]", "reshape: a size is negative: [-2, -3]"},
      {"Reshape{shape: [4294967296, 4294967296, 4294967296]}", "f32[1]",
       "reshape: f32[4294967296, 4294967296, 4294967296] passes 2^63 - 1 bytes"},
      {"Permute{axes: [0, 0]}", "f32[2, 3]", "permute: axis 0 is named twice in [0, 0]"},
      {"Permute{axes: [0]}", "f32[2, 3]", "permute: the permutation has 1 entry for 2 axes"},
      {"Permute{axes: [0, 2]}", "f32[2, 3]", "permute: axis 2 is outside an array of rank 2"},
      {"Expand{shape: [2, 4]}", "f32[2, 3]", "expand: [2, 3] does not stretch to [2, 4] (hint: only axes of size 1 stretch, and new axes come first)"},
      {"Expand{shape: [-1]}", "f32[1]", "expand: a size is negative: [-1]"},
      {"Slice{start: [0], size: [2], step: [0]}", "f32[3]", "slice: the step of axis 0 is 0"},
      {"Slice{start: [0], size: [3], step: [2]}", "f32[4]", "slice: 3 elements from 0 in steps of 2 leave axis 0 of [4]"},
      {"Slice{start: [0], size: [2], step: [-1]}", "f32[4]", "slice: 2 elements from 0 in steps of -1 leave axis 0 of [4]"},
      {"Slice{start: [3], size: [3], step: [9223372036854775807]}", "f32[4]",
       "slice: 3 elements from 3 in steps of 9223372036854775807 leave axis 0 of [4]"},
      {"Slice{start: [1], size: [2], step: [-9223372036854775808]}", "f32[4]",
       "slice: 2 elements from 1 in steps of -9223372036854775808 leave axis 0 of [4]"},
      {"Slice{start: [0, 0], size: [2], step: [1]}", "f32[3]", "slice: start has 2 entries for 1 axis"},
      {"Slice{start: [0], size: [-1], step: [1]}", "f32[3]", "slice: a size is negative: [-1]"},
      {"Unfold{axis: 0, size: 0}", "f32[3]", "unfold: the window size must be 1 to 2^31, not 0"},
      {"Unfold{axis: 0, size: 2, step: -1}", "f32[3]", "unfold: the stride must be 1 to 2^31, not -1"},
      {"Unfold{axis: 0, size: 2, dilation: 9223372036854775807}", "f32[3]", "unfold: the dilation must be 1 to 2^31, not 9223372036854775807"},
      {"Unfold{axis: 0, size: 1}", "f32[1, 1, 1, 1, 1, 1, 1, 1]",
       "unfold: the result would have rank 9: [1, 1, 1, 1, 1, 1, 1, 1] and [1] (hint: arrays have at most 8 axes)"},
      {"Fold{axis: 0, length: 8}", "f32[4, 3]", "fold: 8 elements have 6 windows of 3, not the 4 of [4, 3]"},
      {"Fold{axis: 0, length: -1}", "f32[4, 3]", "fold: a size is negative: [-1]"},
      {"Fold{axis: 1, length: 6}", "f32[4, 3]", "fold: axis 1 is outside an array of rank 1"},
  });
}

TEST(InferErrors, Moves) {
  check({
      {"Concat{}", "", "concat: there is nothing to join"},
      {"Concat{axis: 0}", "f32[2, 3] f32[2, 4]", "concat: [2, 3] and [2, 4] differ in more than axis 0"},
      {"Concat{axis: 0}", "f32[2] i32[2]", "concat: dtypes differ: f32[2] and i32[2] (hint: cast one of them; tensors are never promoted)"},
      {"Concat{axis: 0}", "f32[]", "concat: axis 0 is outside an array of rank 0"},
      {"Concat{axis: 0}", "f32[2] f32[2, 2]", "concat: [2] and [2, 2] differ in more than axis 0"},
      {"Pad{before: [1], after: [1, 1]}", "f32[2, 3]", "pad: before has 1 entry for 2 axes"},
      {"Pad{before: [-1], after: [0]}", "f32[3]", "pad: negative padding: [-1] and [0] (hint: slice to crop)"},
      {"Pad{before: [3], after: [0], mode: reflect}", "f32[3]", "pad: axis 0 of [3] is too short for 3 reflected elements"},
      {"Pad{before: [0], after: [4], mode: circular}", "f32[3]", "pad: axis 0 of [3] is too short for 4 wrapped elements"},
      {"Pad{before: [1], after: [0], mode: replicate}", "f32[0]", "pad: axis 0 of [0] is too short for 1 replicated elements"},
      {"Pad{before: [9223372036854775807], after: [1]}", "f32[3]", "pad: the size of axis 0 passes 2^63 - 1"},
      {"PadGrad{before: [9223372036854775807], after: [9223372036854775807]}", "f32[3]",
       "pad_grad: [3] has no paddings [9223372036854775807] and [9223372036854775807]"},
      {"Gather{axis: 0}", "f32[2, 3] f32[2, 3]", "gather: index must be of an integer dtype, not f32[2, 3] (hint: cast it to i64)"},
      {"Gather{axis: 0}", "f32[2, 3] i64[2, 4]", "gather: index [2, 4] does not lie inside [2, 3] but for axis 0"},
      {"Gather{axis: 0}", "f32[2, 3] i64[2]", "gather: index [2] does not lie inside [2, 3] but for axis 0"},
      {"Scatter{axis: 0}", "f32[2] i64[3] f32[2]", "scatter: source must be [3], not [2]"},
      {"Scatter{axis: 0}", "f32[2] i64[3] f16[3]", "scatter: dtypes differ: f32[2] and f16[3] (hint: cast one of them; tensors are never promoted)"},
      {"Scatter{axis: 0, mode: add}", "bool[2] i64[3] bool[3]", "scatter: takes float or integer tensors, not bool[2] (hint: cast it first)"},
      {"GatherNd{}", "f32[2, 3] i64[4, 3]",
       "gather_nd: the last axis of index [4, 3] holds 3 numbers for the axes of [2, 3] (hint: it must hold 1 to 2)"},
      {"GatherNd{}", "f32[2, 3] i64[]", "gather_nd: index must have rank at least 1, not []"},
      {"GatherNd{}", "f32[2, 3, 4, 5] i64[1, 1, 1, 1, 1, 1, 1]",
       "gather_nd: the result would have rank 9: [1, 1, 1, 1, 1, 1] and [3, 4, 5] (hint: arrays have at most 8 axes)"},
      {"ScatterNd{}", "f32[2, 3] i64[4, 1] f32[4, 2]", "scatter_nd: source must be [4, 3], not [4, 2]"},
      {"SliceAssign{start: [0], size: [2], step: [1]}", "f32[3] f32[3]", "slice_assign: [3] does not stretch to the slice [2] of [3]"},
      {"SliceAssign{start: [2], size: [2], step: [1]}", "f32[3] f32[2]",
       "slice_assign: 2 elements from 2 in steps of 1 leave axis 0 of [3]"},
  });
}

TEST(InferErrors, ReductionsAndOrder) {
  check({
      {"Reduce{code: max, axes: [0]}", "f32[0, 4]", "max: axis 0 of [0, 4] is empty and has no extreme"},
      {"Reduce{code: min, axes: [0, 1]}", "f32[2, 0]", "min: axis 1 of [2, 0] is empty and has no extreme"},
      {"Reduce{code: sum, axes: [2]}", "f32[2, 0]", "sum: axis 2 is outside an array of rank 2"},
      {"Reduce{code: sum, axes: [1, -1]}", "f32[2, 0]", "sum: axis 1 is named twice in [1, -1]"},
      {"Reduce{code: mean, axes: [0]}", "i32[2]", "mean: takes float tensors, not i32[2] (hint: cast it first)"},
      {"Reduce{code: any, axes: [0]}", "f32[2]", "any: takes bool tensors, not f32[2] (hint: cast it first)"},
      {"ArgReduce{code: max, axis: 1}", "f32[2, 0]", "argmax: axis 1 of [2, 0] is empty and has no extreme"},
      {"ArgReduce{code: min, axis: 0}", "f32[]", "argmin: axis 0 is outside an array of rank 0"},
      {"Scan{code: max, axis: 3}", "f32[2]", "cummax: axis 3 is outside an array of rank 1"},
      {"Scan{code: logsumexp, axis: 0}", "i32[2]", "logcumsumexp: takes float tensors, not i32[2] (hint: cast it first)"},
      {"Sort{axis: -3}", "f32[2, 2]", "sort: axis -3 is outside an array of rank 2"},
      {"TopK{axis: 0, k: 3}", "f32[2, 2]", "topk: k is 3, but axis 0 of [2, 2] has 2 elements"},
      {"TopK{axis: 0, k: -1}", "f32[2]", "topk: k is -1, but axis 0 of [2] has 2 elements"},
  });
}

TEST(InferErrors, Contractions) {
  check({
      {"MatMul{}", "f32[64, 784] f32[512, 10]", "matmul: inner sizes differ: [64, 784] x [512, 10]"},
      {"MatMul{}", "f32[2, 4, 5] f32[3, 5, 6]", "matmul: batch axes do not broadcast: [2, 4, 5] x [3, 5, 6]"},
      {"MatMul{}", "f32[4] f32[4, 5]", "matmul: operands must have rank 2 or more: [4] x [4, 5] (hint: give a vector an axis of size 1)"},
      {"MatMul{}", "bool[4, 4] bool[4, 4]", "matmul: takes float or integer tensors, not bool[4, 4] (hint: cast it first)"},
      {"MatMul{}", "f32[4, 4] f16[4, 4]", "matmul: dtypes differ: f32[4, 4] and f16[4, 4] (hint: cast one of them; tensors are never promoted)"},
      {"MatMul{}", "f32[2147483648, 1] f32[1, 2147483648]", "matmul: f32[2147483648, 2147483648] passes 2^63 - 1 bytes"},
      {"Conv{" HEARTH_CONV1 "}", "f32[1, 4, 9] f32[8, 3, 3]", "conv: x [1, 4, 9] has 4 channels in each of 1 group, weight [8, 3, 3] takes 3"},
      {"Conv{geometry: {stride: [1], dilation: [1], before: [0], after: [0], groups: 3}}", "f32[1, 4, 9] f32[6, 1, 3]",
       "conv: 3 groups do not divide 4 input channels: [1, 4, 9]"},
      {"Conv{geometry: {stride: [1], dilation: [1], before: [0], after: [0], groups: 4}}", "f32[1, 4, 9] f32[6, 1, 3]",
       "conv: 4 groups do not divide 6 output channels: [6, 1, 3]"},
      {"Conv{geometry: {stride: [1], dilation: [1], before: [0], after: [0], groups: 0}}", "f32[1, 4, 9] f32[6, 1, 3]",
       "conv: groups must be at least 1, not 0"},
      {"Conv{geometry: {stride: [0], dilation: [1], before: [0], after: [0]}}", "f32[1, 4, 9] f32[6, 4, 3]",
       "conv: the stride must be 1 to 2^31, not 0"},
      {"Conv{geometry: {stride: [1], dilation: [1], before: [-1], after: [0]}}", "f32[1, 4, 9] f32[6, 4, 3]",
       "conv: the padding ahead must be 0 to 2^31, not -1"},
      {"Conv{" HEARTH_CONV1 "}", "f32[1, 4, 9, 9] f32[8, 4, 3, 3]", "conv: stride has 1 entry for 2 axes"},
      {"Conv{" HEARTH_CONV1 "}", "f32[1, 4] f32[8, 4]", "conv: x must have rank 3 to 5, not [1, 4]"},
      {"Conv{" HEARTH_CONV1 "}", "f32[1, 4, 9] f32[8, 4, 3, 3]", "conv: ranks differ: x [1, 4, 9], weight [8, 4, 3, 3]"},
      {"Conv{" HEARTH_CONV1 "}", "f32[1, 4, 9] f32[8, 4, 0]", "conv: the window size must be 1 to 2^31, not 0"},
      {"Conv{" HEARTH_CONV1 "}", "f32[1, 4, 9] f32[8, 4, 3] f32[4]", "conv: bias must be [8], not [4]"},
      {"ConvInputGrad{" HEARTH_CONV1 ", size: [8]}", "f32[1, 8, 7] f32[8, 4, 3]",
       "conv_input_grad: an axis of 8 elements with a kernel of 3 gives 6, not the 7 of [1, 8, 7]"},
      {"ConvInputGrad{" HEARTH_CONV1 ", size: [9]}", "f32[1, 6, 7] f32[8, 4, 3]",
       "conv_input_grad: g [1, 6, 7] and weight [8, 4, 3] differ in output channels"},
      {"ConvWeightGrad{" HEARTH_CONV1 ", size: [3]}", "f32[2, 4, 9] f32[1, 8, 7]",
       "conv_weight_grad: x [2, 4, 9] and g [1, 8, 7] differ in batch size"},
      {"ConvWeightGrad{" HEARTH_CONV1 ", size: [-3]}", "f32[1, 4, 9] f32[1, 8, 7]", "conv_weight_grad: a size is negative: [8, 4, -3]"},
      {"MaxPool{geometry: {kernel: [2], stride: [1], dilation: [1], before: [2], after: [0]}}", "f32[1, 1, 5]",
       "max_pool: a window of 2 holds no element of an axis of 5 elements with paddings 2 and 0 (hint: paddings must be shorter than the window)"},
      {"MaxPool{geometry: {kernel: [2], stride: [1], dilation: [3], before: [2], after: [2]}}", "f32[1, 1, 1]",
       "max_pool: a window of 2 holds no element of an axis of 1 elements with paddings 2 and 2 (hint: paddings must be shorter than the window)"},
      {"MaxPool{geometry: {adaptive: [2]}}", "f32[1, 1, 0]", "max_pool: axis 2 of [1, 1, 0] is empty"},
      {"MaxPool{geometry: {adaptive: [-2]}}", "f32[1, 1, 5]", "max_pool: the output size is negative: [-2]"},
      {"AvgPool{geometry: {kernel: [2, 2], stride: [1], dilation: [1, 1]}}", "f32[1, 1, 5, 5]", "avg_pool: stride has 1 entry for 2 axes"},
      {"AvgPool{geometry: {adaptive: [2]}}", "i32[1, 1, 5]", "avg_pool: takes float tensors, not i32[1, 1, 5] (hint: cast it first)"},
      {"AvgPoolGrad{geometry: {adaptive: [2]}, size: [9]}", "f32[1, 1, 3]", "avg_pool_grad: g must be [1, 1, 2], not [1, 1, 3]"},
      {"Interpolate{resampling: {size: [0]}}", "f32[1, 1, 3]", "interpolate: output sizes must be at least 1: [0]"},
      {"Interpolate{resampling: {size: [3], scale: [0.0]}}", "f32[1, 1, 3]", "interpolate: a scale must be positive and finite, not 0.0"},
      {"Interpolate{resampling: {mode: nearest, size: [3], align_corners: true}}", "f32[1, 1, 3]",
       "interpolate: align_corners is for the modes linear, cubic and lanczos"},
      {"Interpolate{resampling: {size: [3]}}", "f32[1, 1, 0]", "interpolate: axis 2 of [1, 1, 0] is empty"},
  });
}

TEST(InferErrors, SolversAndLowBits) {
  check({
      {"Cholesky{}", "f32[2, 3]", "cholesky: the matrix is not square: [2, 3]"},
      {"Svd{}", "f16[2, 3]", "svd: takes f32 or f64 tensors, not f16[2, 3] (hint: cast it first)"},
      {"Lu{}", "f32[3]", "lu: the operand must have rank at least 2, not [3]"},
      {"Eig{}", "f32[1, 1, 1, 1, 1, 1, 2, 2]",
       "eig: the result would have rank 9: [1, 1, 1, 1, 1, 1, 2, 2] and [2] (hint: arrays have at most 8 axes)"},
      {"TriangularSolve{left: true}", "f32[3, 3] f32[4, 3]", "triangular_solve: inner sizes differ: [3, 3] x [4, 3]"},
      {"Fft{axis: 1}", "f32[4, 2]", "fft: axis 1 is outside an array of rank 1"},
      {"Fft{axis: 0}", "f32[4, 3]", "fft: the last axis of [4, 3] must hold real and imaginary part"},
      {"RealFft{axis: 0, length: 0}", "f32[4]", "rfft: the length must be at least 1, not 0"},
      {"InverseRealFft{axis: 0}", "f32[1, 2]", "irfft: 1 values do not give a signal of length 0"},
      {"Quantize{scheme: {storage: i8}}", "f32[2] f32[2] -", "quantize: scale must be [] or [1], not [2] (hint: give the scheme an axis for more than one scale)"},
      {"Quantize{scheme: {storage: i8}}", "f32[2] f32[] i8[]", "quantize: a symmetric or float scheme has no zero point"},
      {"Quantize{scheme: {storage: u8, symmetric: false}}", "f32[2] f32[] -", "quantize: an asymmetric scheme needs a zero point"},
      {"Quantize{scheme: {storage: i8, axis: 2}}", "f32[2] f32[2] -", "quantize: axis 2 is outside an array of rank 1"},
      {"Quantize{scheme: {storage: i8, axis: 0, block: -2}}", "f32[2] f32[2] -", "quantize: the block size must be 0 to 2^31, not -2"},
      {"Dequantize{scheme: {storage: i4}, shape: [2, 5]}", "u8[2, 5] f32[] -", "dequantize: the operand must be [2, 3], not [2, 5]"},
      {"Dequantize{scheme: {storage: i4}, shape: [5]}", "i8[3] f32[] -", "dequantize: the operand must be u8, not i8[3]"},
      {"QuantizedMatMul{}", "f32[2, 3] - i8[] f32[3, 4] - -", "quantized_matmul: a has a zero point but no scale"},
      {"QuantizedMatMul{}", "f32[2, 3] - - f32[4, 4] - -", "quantized_matmul: inner sizes differ: [2, 3] x [4, 4]"},
  });
}

TEST(InferErrors, Layers) {
  check({
      {"Linear{}", "f32[2, 3] f32[4, 5] - -", "linear: x [2, 3] has 3 features, weight [4, 5] takes 5"},
      {"Linear{}", "f32[2, 3] f32[4, 3] f32[3] -", "linear: bias must be [4], not [3]"},
      {"Softmax{axis: 2}", "f32[2, 3]", "softmax: axis 2 is outside an array of rank 2"},
      {"Softmax{axis: 0}", "i64[2, 3]", "softmax: takes float tensors, not i64[2, 3] (hint: cast it first)"},
      {"LayerNorm{axes: 3}", "f32[2, 3] - -", "layer_norm: cannot normalise over the last 3 axes of [2, 3]"},
      {"LayerNorm{axes: 1}", "f32[2, 3] f32[2] -", "layer_norm: scale must be [3], not [2]"},
      {"LayerNorm{axes: 1}", "f32[2, 3] f16[3] -", "layer_norm: dtypes differ: f32[2, 3] and f16[3] (hint: cast one of them; tensors are never promoted)"},
      {"LayerNorm{axes: 1, epsilon: -1.0}", "f32[2, 3] - -", "layer_norm: epsilon must be finite and at least 0.0, not -1.0"},
      {"BatchNorm{}", "f32[2] - - f32[2] f32[2]", "batch_norm: x must have rank at least 2, not [2]"},
      {"BatchNorm{}", "f32[2, 3] - - f32[3] f32[2]", "batch_norm: variance must be [3], not [2]"},
      {"GroupNorm{groups: 2}", "f32[2, 3] - -", "group_norm: 2 groups do not divide the 3 channels of [2, 3]"},
      {"GroupNorm{groups: 0}", "f32[2, 3] - -", "group_norm: 0 groups do not divide the 3 channels of [2, 3]"},
      {"Attention{}", "f32[2, 8, 5, 16] f32[2, 3, 7, 16] f32[2, 3, 7, 16] - -",
       "attention: the heads of k do not divide those of q: q [2, 8, 5, 16], k [2, 3, 7, 16], v [2, 3, 7, 16]"},
      {"Attention{}", "f32[2, 8, 5, 16] f32[2, 8, 7, 16] f32[2, 8, 7, 16] bool[6, 7] -",
       "attention: mask [6, 7] does not stretch to the scores [2, 8, 5, 7]"},
      {"Attention{options: {dropout: 1.5}}", "f32[2, 8, 5, 16] f32[2, 8, 7, 16] f32[2, 8, 7, 16] - -",
       "attention: dropout must be in [0.0, 1.0], not 1.5"},
      {"Rope{}", "f32[4, 5] f32[4, 2] f32[4, 2]", "rope: the features of [4, 5] do not make pairs"},
      {"CrossEntropy{}", "f32[4, 3] i64[5] -", "cross_entropy: targets must be [4], not [5]"},
      {"CrossEntropy{}", "f32[4, 3] f32[4] -", "cross_entropy: targets must be of an integer dtype, not f32[4] (hint: cast it to i64)"},
      {"CrossEntropyGrad{reduction: none}", "f32[] f32[4, 3] i64[4] -", "cross_entropy_grad: g must be [4], not []"},
      {"CtcLoss{blank: 20}", "f32[50, 4, 20] i64[4, 10] i64[4] i64[4]", "ctc_loss: the blank 20 is none of the 20 classes of [50, 4, 20]"},
      {"Dropout{p: -0.5}", "f32[2]", "dropout: the probability must be in [0.0, 1.0], not -0.5"},
      {"Dropout{p: nan}", "f32[2]", "dropout: the probability must be in [0.0, 1.0], not nan"},
      {"LstmCell{}", "f32[2, 9] f32[2, 3]", "lstm_cell: gates must be [2, 12], not [2, 9]"},
      {"GruCell{}", "f32[2, 9] f32[2, 12] f32[2, 3]", "gru_cell: hidden gates must be [2, 9], not [2, 12]"},
      {"GridSample{}", "f32[2, 3, 4, 5] f32[2, 6, 7, 3]", "grid_sample: the grid for x [2, 3, 4, 5] must be [2, ..., 2], not [2, 6, 7, 3]"},
      {"GridSample{mode: cubic}", "f32[2, 3, 4, 5, 6] f32[2, 6, 7, 8, 3]",
       "grid_sample: the mode must be nearest or linear, or cubic for 2 spatial axes"},
      {"DeformConv{geometry: {stride: [1, 1], dilation: [1, 1], before: [0, 0], after: [0, 0]}}",
       "f32[2, 4, 5, 6] f32[2, 18, 5, 6] f32[7, 4, 3, 3] - -", "deform_conv: offset must be [2, 18, 3, 4], not [2, 18, 5, 6]"},
      {"SgdStep{count: 2}", "f32[2] f32[2]", "sgd_step: 2 parameters need 2 lists of as many operands, got 2 operands"},
      {"SgdStep{count: 9223372036854775807}", "f32[2] f32[2]",
       "sgd_step: 9223372036854775807 parameters need 2 lists of as many operands, got 2 operands"},
      {"AdamStep{count: 1, step: 0}", "f32[2] f32[2] f32[2] f32[2]", "adam_step: steps count from 1, not 0"},
      {"AdamStep{count: 1}", "f32[2] f32[2] f32[3] f32[2]", "adam_step: operand 2 is [3], but its parameter [2]"},
  });
}

TEST(InferErrors, OpenOps) {
  check({
      {"Launch{}", "f32[2]", "launch: the kernel has no name"},
      {"Launch{kernel: \"f\", grid: [-1]}", "f32[2]", "f: a launch size is negative: [-1]"},
      {"Collective{code: reduce_scatter, members: 4}", "f32[6]", "collective: 4 members cannot share axis 0 of [6]"},
      {"Collective{members: 0}", "f32[6]", "collective: a group has at least 1 member, not 0"},
      {"Collective{members: 2, root: 2}", "f32[6]", "collective: the root 2 is none of the 2 members"},
      {"Fused{steps: [{op: MatMul{}, in: [0]}]}", "f32[2, 2]", "fused: step 0 has 1 operands, but takes 2"},
      {"Fused{steps: [{op: MatMul{}, in: [0, 1]}]}", "f32[2, 2]", "fused: step 0 reads slot 1 of 1"},
      {"Fused{steps: [{op: MatMul{}, in: [0, -2]}]}", "f32[2, 2]", "fused: step 0 reads slot -2 of 1"},
      {"Fused{steps: [{op: MatMul{}, in: [0, -1]}]}", "f32[2, 2]", "matmul: operand 1 is absent"},
      {"Fused{steps: [{op: none, in: [0, -1]}]}", "f32[2, 2]", "fused: step 0 has no op"},
      {"Fused{steps: [{op: NonZero{}, in: [0]}]}", "f32[2, 2]", "fused: step 0: the size of its result depends on values"},
      {"Fused{steps: [], results: [1]}", "f32[2, 2]", "fused: a result names slot 1 of 1"},
      {"Fused{steps: [], results: [-1]}", "f32[2, 2]", "fused: a result names slot -1 of 1"},
  });
}

TEST(InferErrors, CarryOpShapesAndKind) {
#if HEARTH_EXCEPTIONS
  const Spec a{Dtype::f32, {64, 784}}, b{Dtype::f32, {512, 10}};
  try {
    (void)infer(op::MatMul{}, {&a, &b});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::user);
    EXPECT_EQ(error.op, "matmul");
    ASSERT_EQ(error.shapes.size(), 2u);
    EXPECT_EQ(error.shapes[0], a.shape);
    EXPECT_EQ(error.shapes[1], b.shape);
  }
#endif
}

#undef HEARTH_CONV1

}  // namespace
