// unit/op_infer: results of inference as tables of text. Shapes are worked out by hand.
// SPDX-License-Identifier: Apache-2.0
#include "unit/op_infer.hpp"

namespace {

using namespace infer_test;

#define HEARTH_CONV "geometry: {stride: [2, 1], dilation: [1, 2], before: [1, 2], after: [0, 2], groups: 2}"
#define HEARTH_CONV1 "geometry: {stride: [1], dilation: [1], before: [0], after: [0], groups: 1}"

TEST(Infer, MakeAndElementwise) {
  check({
      {"Full{spec: f32[2, 3], value: 1}", "", "f32[2, 3]"},
      {"Iota{spec: i64[], axis: 5}", "", "i64[]"},
      {"Iota{spec: f16[2, 3], axis: -1}", "", "f16[2, 3]"},
      {"Random{spec: f32[4], distribution: uniform, a: -1.0, b: 1.0}", "", "f32[4]"},
      {"Random{spec: u8[4], distribution: integer, a: 0, b: 256}", "", "u8[4]"},
      {"Random{spec: i8[4], distribution: integer, a: -128, b: 128}", "", "i8[4]"},
      {"Random{spec: u64[4], distribution: integer, a: 0, b: 18446744073709551615u}", "", "u64[4]"},
      {"Random{spec: bool[4], distribution: bits}", "", "bool[4]"},
      {"Unary{code: exp}", "f16[2, 0]", "f16[2, 0]"},
      {"Unary{code: bitwise_not}", "bool[2]", "bool[2]"},
      {"Binary{code: add}", "f32[8, 1, 6, 1] f32[7, 1, 5]", "f32[8, 7, 6, 5]"},
      {"Binary{code: maximum}", "bool[3] bool[]", "bool[3]"},
      {"Binary{code: add}", "f32[0] f32[1]", "f32[0]"},
      {"BinaryScalar{code: pow, scalar: 2, side: left}", "i32[4]", "i32[4]"},
      {"BinaryScalar{code: mul, scalar: 2.0}", "i32[4]", "i32[4]"},
      {"Compare{code: lt}", "f32[2, 1] f32[3]", "bool[2, 3]"},
      {"CompareScalar{code: ge, scalar: 0.5}", "bf16[4]", "bool[4]"},
      {"Select{}", "bool[2, 1] i32[3] i32[]", "i32[2, 3]"},
      {"SelectScalar{scalar: -inf, side: left}", "bool[4, 1] f64[3]", "f64[4, 3]"},
      {"Cast{dtype: u8}", "f32[2]", "u8[2]"},
      {"Clamp{low: 0, high: none}", "i16[2]", "i16[2]"},
  });
}

TEST(Infer, Views) {
  check({
      {"Reshape{shape: [2, -1]}", "f32[3, 4]", "f32[2, 6]"},
      {"Reshape{shape: []}", "f32[1, 1]", "f32[]"},
      {"Reshape{shape: [0, 5]}", "f32[3, 0]", "f32[0, 5]"},
      {"Reshape{shape: [3, -1]}", "f32[0, 2]", "f32[3, 0]"},
      {"Permute{axes: [-1, 0, 1]}", "f32[2, 3, 4]", "f32[4, 2, 3]"},
      {"Permute{axes: []}", "f32[]", "f32[]"},
      {"Expand{shape: [5, 3, 4]}", "f32[3, 1]", "f32[5, 3, 4]"},
      {"Expand{shape: [0]}", "f32[1]", "f32[0]"},
      {"Slice{start: [5, 0], size: [6, 1], step: [-1, 9223372036854775807]}", "f32[6, 2]", "f32[6, 1]"},
      {"Slice{start: [-1], size: [0], step: [-1]}", "f32[0]", "f32[0]"},
      {"Unfold{axis: -2, size: 3, step: 2, dilation: 2}", "f32[9, 4]", "f32[3, 4, 3]"},
      {"Unfold{axis: 1, size: 2}", "f32[0, 9]", "f32[0, 8, 2]"},
      {"Fold{axis: -2, length: 9, step: 2, dilation: 2}", "f32[3, 4, 3]", "f32[9, 4]"},
      {"Fold{axis: 0, length: 9, step: 2, dilation: 1}", "i32[4, 3]", "i32[9]"},
  });
}

TEST(Infer, Moves) {
  check({
      {"Concat{axis: -1}", "f32[2, 3] f32[2, 0] f32[2, 4]", "f32[2, 7]"},
      {"Pad{before: [1, 0], after: [2, 0], mode: constant, value: 0}", "f32[0, 3]", "f32[3, 3]"},
      {"Pad{before: [2], after: [2], mode: reflect, value: 0}", "f32[3]", "f32[7]"},
      {"Pad{before: [3], after: [3], mode: circular, value: 0}", "f32[3]", "f32[9]"},
      {"Pad{before: [9], after: [0], mode: replicate, value: 0}", "bool[1]", "bool[10]"},
      {"PadGrad{before: [2], after: [2], mode: reflect}", "f32[7]", "f32[3]"},
      {"Gather{axis: 1}", "f32[2, 5] u8[1, 7]", "f32[1, 7]"},
      {"Scatter{axis: 1, mode: add}", "f32[2, 5] i64[2, 2] f32[2, 2]", "f32[2, 5]"},
      {"Scatter{axis: 0, mode: max}", "bool[4] i64[0] bool[0]", "bool[4]"},
      {"GatherNd{}", "f32[10, 4] i64[3, 5, 1]", "f32[3, 5, 4]"},
      {"GatherNd{}", "f32[10, 4] i32[2]", "f32[]"},
      {"ScatterNd{mode: assign}", "f32[10, 4] i64[3, 1] f32[3, 4]", "f32[10, 4]"},
      {"SliceAssign{start: [5], size: [6], step: [-1]}", "f32[6] f32[1]", "f32[6]"},
  });
}

TEST(Infer, ReductionsAndOrder) {
  check({
      {"Reduce{code: sum, axes: [-1, 0]}", "u8[2, 3, 4]", "i64[1, 3, 1]"},
      {"Reduce{code: sum, axes: []}", "f16[2]", "f16[2]"},
      {"Reduce{code: prod, axes: [0]}", "u64[3]", "u64[1]"},
      {"Reduce{code: mean, axes: [1]}", "f32[2, 0, 4]", "f32[2, 1, 4]"},
      {"Reduce{code: max, axes: [1]}", "f32[0, 4]", "f32[0, 1]"},
      {"Reduce{code: all, axes: [0]}", "bool[0]", "bool[1]"},
      {"ArgReduce{code: max, axis: -1}", "f32[2, 3]", "i64[2, 1]"},
      {"Scan{code: sum, axis: 0}", "bool[3]", "i64[3]"},
      {"Scan{code: max, axis: 0}", "i8[3]", "i8[3]"},
      {"Scan{code: logsumexp, axis: 0}", "f32[0]", "f32[0]"},
      {"ArgScan{code: min, axis: 1}", "f32[2, 3]", "i64[2, 3]"},
      {"Sort{axis: 1}", "f32[2, 3]", "f32[2, 3] i64[2, 3]"},
      {"TopK{axis: 0, k: 2}", "f16[3, 4]", "f16[2, 4] i64[2, 4]"},
      {"TopK{axis: 0, k: 0}", "f32[0]", "f32[0] i64[0]"},
  });
}

TEST(Infer, Contractions) {
  check({
      {"MatMul{}", "f32[64, 784] f32[784, 10]", "f32[64, 10]"},
      {"MatMul{}", "f32[3, 1, 2, 4] f32[1, 5, 4, 6]", "f32[3, 5, 2, 6]"},
      {"MatMul{}", "i8[2, 3] i8[7, 3, 4]", "i8[7, 2, 4]"},
      {"MatMul{}", "f32[4, 0] f32[0, 4]", "f32[4, 4]"},
      // floor((size + before + after - dilation (kernel - 1) - 1) / stride) + 1: (7 + 1 - 2 - 1) / 2 + 1 = 3, (8 + 4 - 4 - 1) + 1 = 8
      {"Conv{" HEARTH_CONV "}", "f32[2, 4, 7, 8] f32[6, 2, 3, 3] f32[6]", "f32[2, 6, 3, 8]"},
      {"Conv{geometry: {stride: [1], dilation: [3], before: [2], after: [2], groups: 1}}", "f32[1, 4, 3] f32[8, 4, 3] -", "f32[1, 8, 1]"},
      {"ConvInputGrad{" HEARTH_CONV ", size: [7, 8]}", "f32[2, 6, 3, 8] f32[6, 2, 3, 3]", "f32[2, 4, 7, 8]"},
      {"ConvInputGrad{" HEARTH_CONV ", size: [8, 8]}", "f32[2, 6, 4, 8] f32[6, 2, 3, 3]", "f32[2, 4, 8, 8]"},
      {"ConvWeightGrad{" HEARTH_CONV ", size: [3, 3]}", "f32[2, 4, 7, 8] f32[2, 6, 3, 8]", "f32[6, 2, 3, 3]"},
      {"MaxPool{geometry: {kernel: [3], stride: [2], dilation: [1], before: [1], after: [1], ceil_mode: true}}", "f32[1, 1, 6]",
       "f32[1, 1, 4] i64[1, 1, 4]"},
      // With ceil_mode (5 - 2) / 2 + 1 = 2.5 would be 3, and the third window begins at 4, inside; with 4 elements it would begin at 4, outside.
      {"MaxPool{geometry: {kernel: [2], stride: [2], dilation: [1], before: [0], after: [0], ceil_mode: true}}", "i32[1, 1, 5]",
       "i32[1, 1, 3] i64[1, 1, 3]"},
      {"AvgPool{geometry: {kernel: [1], stride: [4], dilation: [1], before: [0], after: [0], ceil_mode: true}}", "f32[1, 1, 4]", "f32[1, 1, 1]"},
      {"MaxPool{geometry: {kernel: [3], stride: [2], dilation: [1], before: [0], after: [0], ceil_mode: true}}", "f32[1, 1, 2]", "f32[1, 1, 1] i64[1, 1, 1]"},
      {"AvgPool{geometry: {kernel: [2], stride: [1], dilation: [1], before: [0], after: [0]}}", "f32[0, 0, 2]", "f32[0, 0, 1]"},
      {"AvgPool{geometry: {adaptive: [7, 1]}}", "f32[2, 3, 5, 9]", "f32[2, 3, 7, 1]"},
      {"AvgPoolGrad{geometry: {adaptive: [7, 1]}, size: [5, 9]}", "f32[2, 3, 7, 1]", "f32[2, 3, 5, 9]"},
      {"Interpolate{resampling: {mode: cubic, size: [8, 4], scale: [2.0, 2.0], align_corners: true}}", "f32[1, 2, 4, 2]", "f32[1, 2, 8, 4]"},
      {"InterpolateGrad{resampling: {mode: area, size: [3]}, size: [9]}", "f64[1, 2, 3]", "f64[1, 2, 9]"},
  });
}

TEST(Infer, SolversAndTransforms) {
  check({
      {"Cholesky{}", "f64[5, 3, 3]", "f64[5, 3, 3]"},
      {"Lu{}", "f32[2, 4, 3]", "f32[2, 4, 3] i64[2, 4]"},
      {"Qr{}", "f32[4, 3]", "f32[4, 3] f32[3, 3]"},
      {"Qr{full: true}", "f32[4, 3]", "f32[4, 4] f32[4, 3]"},
      {"Qr{}", "f32[3, 4]", "f32[3, 3] f32[3, 4]"},
      {"Svd{}", "f32[2, 3, 5]", "f32[2, 3, 3] f32[2, 3] f32[2, 3, 5]"},
      {"Svd{full: true}", "f32[3, 5]", "f32[3, 3] f32[3] f32[5, 5]"},
      {"Eigh{}", "f32[2, 3, 3]", "f32[2, 3] f32[2, 3, 3]"},
      {"Eig{}", "f64[3, 3]", "f64[3, 2] f64[3, 3, 2]"},
      {"TriangularSolve{left: true}", "f32[2, 1, 3, 3] f32[5, 3, 4]", "f32[2, 5, 3, 4]"},
      {"TriangularSolve{left: false}", "f32[3, 3] f32[4, 3]", "f32[4, 3]"},
      {"Fft{axis: 0}", "f32[7, 3, 2]", "f32[7, 3, 2]"},
      {"RealFft{axis: 0}", "f32[7, 3]", "f32[4, 3, 2]"},
      {"RealFft{axis: -1, length: 8}", "f64[7, 3]", "f64[7, 5, 2]"},
      {"InverseRealFft{axis: 0}", "f32[5, 3, 2]", "f32[8, 3]"},
      {"InverseRealFft{axis: -1, length: 9}", "f32[5, 2]", "f32[9]"},
      {"NonZero{}", "bool[2, 3]", "i64[6, 2]"},
      {"NonZero{}", "f32[]", "i64[1, 0]"},
      {"Unique{}", "i32[2, 3]", "i32[6] i64[2, 3] i64[6]"},
  });
}

TEST(Infer, LowBits) {
  check({
      {"Quantize{scheme: {storage: i8}}", "f32[2, 5] f32[] -", "i8[2, 5]"},
      {"Quantize{scheme: {storage: u4, symmetric: false, axis: 0}}", "f32[2, 5] f32[2] i32[2]", "u8[2, 3]"},
      {"Quantize{scheme: {storage: i2, axis: 1, block: 2}}", "f16[2, 5] f16[2, 3] -", "u8[2, 2]"},
      {"Quantize{scheme: {storage: f8_e4m3}}", "f32[3] f32[1] -", "u8[3]"},
      {"Dequantize{scheme: {storage: i4, axis: 1, block: 4}, dtype: bf16, shape: [3, 8]}", "u8[3, 4] bf16[3, 2] -", "bf16[3, 8]"},
      {"FakeQuantize{scheme: {storage: i8, axis: 1}}", "f32[2, 5] f32[5] -", "f32[2, 5]"},
      {"QuantizedMatMul{a: {storage: i8}, b: {storage: i4, axis: 1}, a_shape: [2, 8], b_shape: [8, 5], dtype: f32}",
       "i8[2, 8] f32[] - u8[8, 3] f32[5] -", "f32[2, 5]"},
      {"QuantizedMatMul{b: {storage: i8}, b_shape: [8, 5], dtype: f32}", "f32[2, 8] - - i8[8, 5] f32[] -", "f32[2, 5]"},
      {"QuantizedConv{" HEARTH_CONV1 ", weight: {storage: i8, axis: 0}, weight_shape: [4, 3, 2]}", "f32[1, 3, 9] - - i8[4, 3, 2] f32[4] - f32[4]",
       "f32[1, 4, 8]"},
  });
}

TEST(Infer, Layers) {
  check({
      {"Linear{activation: relu}", "f32[7, 2, 3] f32[4, 3] f32[4] -", "f32[7, 2, 4]"},
      {"Linear{}", "f32[3] f32[4, 3] - f32[4]", "f32[4]"},
      {"ConvBiasActivation{" HEARTH_CONV1 "}", "f32[1, 3, 9] f32[4, 3, 2] - f32[1, 4, 8]", "f32[1, 4, 8]"},
      {"Softmax{axis: -1}", "f32[2, 0]", "f32[2, 0]"},
      {"LogSoftmax{axis: 0}", "f16[2]", "f16[2]"},
      {"LayerNorm{axes: 2}", "f32[5, 2, 3] f32[2, 3] -", "f32[5, 2, 3]"},
      {"LayerNorm{axes: 1}", "f16[5, 3] f32[3] f32[3]", "f16[5, 3]"},
      {"LayerNormGrad{axes: 1}", "bf16[5, 3] bf16[5, 3] f32[3]", "bf16[5, 3] f32[3] f32[3]"},
      {"LayerNormGrad{axes: 1}", "f32[5, 3] f32[5, 3] -", "f32[5, 3] f32[3] f32[3]"},
      {"RmsNorm{axes: 1}", "f32[5, 3] f32[3]", "f32[5, 3]"},
      {"RmsNormGrad{axes: 1}", "f32[5, 3] f32[5, 3] -", "f32[5, 3] f32[3]"},
      {"BatchNorm{}", "f32[5, 3, 2] - - f32[3] f32[3]", "f32[5, 3, 2]"},
      {"BatchNormTraining{}", "f32[5, 3] f32[3] f32[3]", "f32[5, 3] f32[3] f32[3]"},
      {"BatchNormGrad{}", "f32[5, 3] f32[5, 3] - f32[3] f32[3]", "f32[5, 3] f32[3] f32[3]"},
      {"GroupNorm{groups: 2}", "f32[5, 4, 2, 2] f32[4] f32[4]", "f32[5, 4, 2, 2]"},
      {"GroupNormGrad{groups: 2}", "f32[5, 4] f32[5, 4] f32[4]", "f32[5, 4] f32[4] f32[4]"},
      {"Attention{}", "f32[2, 8, 5, 16] f32[2, 2, 7, 16] f32[2, 2, 7, 32] bool[5, 7] f32[8, 1, 1]", "f32[2, 8, 5, 32]"},
      {"AttentionGrad{}", "f32[2, 8, 5, 32] f32[2, 8, 5, 16] f32[2, 2, 7, 16] f32[2, 2, 7, 32] - -",
       "f32[2, 8, 5, 16] f32[2, 2, 7, 16] f32[2, 2, 7, 32] f32[0]"},
      {"Rope{}", "f16[2, 8, 5, 6] f32[5, 3] f32[5, 3]", "f16[2, 8, 5, 6]"},
      {"CrossEntropy{reduction: none}", "f32[4, 3, 5] i64[4, 5] f32[3]", "f32[4, 5]"},
      {"CrossEntropy{}", "f32[4, 3] u8[4] -", "f32[]"},
      {"CrossEntropyGrad{}", "f32[] f32[4, 3] i64[4] -", "f32[4, 3]"},
      {"CtcLoss{}", "f32[50, 4, 20] i64[4, 10] i64[4] i64[4]", "f32[4]"},
      {"Dropout{p: 1.0}", "f32[4]", "f32[4]"},
      {"LstmCell{}", "f32[2, 12] f32[2, 3]", "f32[2, 3] f32[2, 3]"},
      {"GruCell{}", "f32[2, 9] f32[2, 9] f32[2, 3]", "f32[2, 3]"},
      {"GridSample{}", "f32[2, 3, 4, 5] f32[2, 6, 7, 2]", "f32[2, 3, 6, 7]"},
      {"GridSample{mode: nearest}", "f32[2, 3, 4, 5, 6] f32[2, 7, 8, 9, 3]", "f32[2, 3, 7, 8, 9]"},
      {"GridSampleGrad{}", "f32[2, 3, 6, 7] f32[2, 3, 4, 5] f32[2, 6, 7, 2]", "f32[2, 3, 4, 5] f32[2, 6, 7, 2]"},
      {"DeformConv{geometry: {stride: [1, 1], dilation: [1, 1], before: [1, 1], after: [1, 1]}, offset_groups: 2}",
       "f32[2, 4, 5, 6] f32[2, 36, 5, 6] f32[7, 4, 3, 3] f32[2, 18, 5, 6] f32[7]", "f32[2, 7, 5, 6]"},
      {"DeformConvGrad{geometry: {stride: [1, 1], dilation: [1, 1], before: [1, 1], after: [1, 1]}}",
       "f32[2, 7, 5, 6] f32[2, 4, 5, 6] f32[2, 18, 5, 6] f32[7, 4, 3, 3] -", "f32[2, 4, 5, 6] f32[2, 18, 5, 6] f32[7, 4, 3, 3] f32[0]"},
      {"SgdStep{count: 2, momentum: 0.0}", "f32[2] f32[3] f32[2] f32[3]", "f32[2] f32[3]"},
      {"SgdStep{count: 1, momentum: 0.9}", "f32[2] f32[2] f32[2]", "f32[2] f32[2]"},
      {"AdamStep{count: 1, step: 1}", "f16[2] f16[2] f32[2] f32[2]", "f16[2] f32[2] f32[2]"},
      {"RmsPropStep{count: 1, momentum: 0.9, centered: true}", "f32[2] f32[2] f32[2] f32[2] f32[2]", "f32[2] f32[2] f32[2] f32[2]"},
      {"SgdStep{count: 0}", "", ""},
  });
}

TEST(Infer, OpenOps) {
  check({
      {"Launch{kernel: \"swiglu\", grid: [4], group: [64], results: [f32[2], i8[3, 4]]}", "f32[2]", "f32[2] i8[3, 4]"},
      {"Collective{code: all_reduce, members: 4}", "f32[6]", "f32[6]"},
      {"Collective{code: all_gather, members: 4}", "f32[6, 2]", "f32[24, 2]"},
      {"Collective{code: reduce_scatter, members: 3}", "f32[6, 2]", "f32[2, 2]"},
      {"Collective{code: all_to_all, members: 3, root: 2}", "f32[6, 2]", "f32[6, 2]"},
      {"Fused{steps: [{op: MatMul{}, in: [0, 1]}, {op: Unary{code: exp}, in: [2]}, {op: Sort{axis: 0}, in: [3]}], results: [5, 3]}",
       "f32[2, 3] f32[3, 4]", "i64[2, 4] f32[2, 4]"},
      {"Fused{steps: [{op: Full{spec: f32[3], value: 1}, in: []}, {op: LayerNorm{}, in: [0, 1, -1]}], results: [2]}", "f32[2, 3]", "f32[2, 3]"},
      {"Fused{steps: [{op: Fused{steps: [], results: [0, 0]}, in: [0]}], results: [2]}", "f32[2]", "f32[2]"},
  });
}

#undef HEARTH_CONV
#undef HEARTH_CONV1

}  // namespace
