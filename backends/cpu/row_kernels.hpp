// cpu/row_kernels: what is done to a row, or to a channel's part of an image, while it is in the cache; for each target. Elements are
// f32 or f64, contiguous; results may lie over x. Sums are taken in f64 over short sums of lanes.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace hearth::cpu {

template <class T>
struct RowKernels {
  void (*softmax)(const T* x, T* y, std::int64_t count);
  void (*log_softmax)(const T* x, T* y, std::int64_t count);
  /// (x - mean) / sqrt(variance + epsilon) * scale + bias, the mean taken as 0 where not `centered`; scale and bias may be null.
  void (*normalize)(const T* x, const T* scale, const T* bias, T* y, std::int64_t count, double epsilon, bool centered);
  /// The gradient dx; those of scale and bias are added to dscale and dbias (null: not wanted).
  void (*normalize_grad)(const T* g, const T* x, const T* scale, T* dx, T* dscale, T* dbias, std::int64_t count, double epsilon, bool centered);

  double (*sum)(const T* x, std::int64_t count);
  /// The sum of (x - center)^2.
  double (*squares)(const T* x, std::int64_t count, T center);
  /// The sums of g and of g (x - center).
  void (*products)(const T* g, const T* x, std::int64_t count, T center, double (&sums)[2]);
  /// (x - center) * factor + bias
  void (*affine)(const T* x, T* y, std::int64_t count, T center, T factor, T bias);
  /// a g + b (x - center) + c
  void (*blend)(const T* g, const T* x, T* y, std::int64_t count, T center, T a, T b, T c);
};

RowKernels<float> row_kernels(float);
RowKernels<double> row_kernels(double);

}  // namespace hearth::cpu
