// tensor/linear: products, convolutions and pools.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kinds.hpp"

namespace hearth {

/// One number for every spatial axis, or one each: {.stride = 2, .padding = {1, 0}}.
struct PerAxis {
  Shape values;
  constexpr PerAxis() = default;
  template <std::integral T>
  constexpr PerAxis(T value) : values{std::int64_t(value)} {}
  constexpr PerAxis(std::initializer_list<std::int64_t> list) : values(list) {}
  constexpr PerAxis(const Shape& list) : values(list) {}
};

struct ConvOptions {
  PerAxis stride = 1, padding = 0, dilation = 1;
  PerAxis padding_after = {};  ///< behind each axis, where it is not the same as ahead of it
  std::int64_t groups = 1;
};
struct ConvTransposeOptions {
  PerAxis stride = 1, padding = 0;
  PerAxis output_padding = 0;  ///< sizes added at the end of each axis, to tell apart the inputs of one convolution
  PerAxis dilation = 1;
  std::int64_t groups = 1;
};
struct PoolOptions {
  PerAxis stride = {};  ///< the kernel's size where it is not given
  PerAxis padding = 0, dilation = 1;
  PerAxis padding_after = {};
  bool ceil_mode = false;      ///< the last window may hang over the end
  bool count_padding = true;   ///< avg_pool: padding counts as zeros, else it is left out of the mean
};

namespace detail {
ConvGeometry conv_geometry(std::string_view op, int spatial, const ConvOptions& options);
/// The geometry of the convolution that is transposed, and in `size` the spatial sizes of the result.
ConvGeometry conv_transpose_geometry(std::string_view op, const Shape& x, const Shape& weight, const ConvTransposeOptions& options, Shape& size);
PoolGeometry pool_geometry(std::string_view op, int spatial, const PerAxis& kernel, const PoolOptions& options);
PoolGeometry adaptive_geometry(std::string_view op, int spatial, const PerAxis& size);

/// The rank of matmul's result: a vector on either side loses its axis.
constexpr int matmul_rank(int a, int b) { return a == 1 && b == 1 ? 0 : a == 1 ? b - 1 : b == 1 ? a - 1 : a > b ? a : b; }
template <class T>
using Fixed = std::type_identity_t<T>;  // an argument that does not take part in deduction: may be {} or a Param
}  // namespace detail

/// Compiled per stack.
template <class B>
struct LinearFunctions {
  static Dyn<B> matmul(Dyn<B> a, Dyn<B> b);  ///< vectors too
  static Dyn<B> outer(Dyn<B> a, Dyn<B> b);
  static Dyn<B> conv(std::string_view name, Dyn<B> x, Dyn<B> weight, Dyn<B> bias, const ConvOptions& options);
  static Dyn<B> conv_transpose(std::string_view name, Dyn<B> x, Dyn<B> weight, Dyn<B> bias, const ConvTransposeOptions& options);
  static std::array<Dyn<B>, 2> max_pool(std::string_view name, Dyn<B> x, const PerAxis& kernel, const PoolOptions& options);
  static std::array<Dyn<B>, 2> adaptive_max_pool(std::string_view name, Dyn<B> x, const PerAxis& size);
  static Dyn<B> avg_pool(std::string_view name, Dyn<B> x, const PerAxis& kernel, const PoolOptions& options);
  static Dyn<B> adaptive_avg_pool(std::string_view name, Dyn<B> x, const PerAxis& size);
};

/// a [..., m, k], b [..., k, n] -> [..., m, n]; batch axes broadcast, also between ranks. A vector on the left is a row, on the
/// right a column, and its axis is not in the result.
template <class B, int R, class K, int S>
Tensor<B, detail::matmul_rank(R, S), K> matmul(Tensor<B, R, K> a, Tensor<B, S, K> b) {
  static_assert(R >= 1 && S >= 1, "hearth: matmul takes tensors of rank 1 or more; multiply by a tensor of rank 0 with *");
  return Tensor<B, detail::matmul_rank(R, S), K>(LinearFunctions<B>::matmul(std::move(a.dyn), std::move(b.dyn)));
}
template <class B, int R, class K, class C, int S, class L>
  requires detail::Mismatch<B, K, C, L>
Tensor<B, R, K> matmul(const Tensor<B, R, K>& a, const Tensor<C, S, L>&) {
  (void)detail::operands_match<B, K, C, L>();
  return a;
}
/// The sum of the products of two vectors.
template <class B, class K>
Tensor<B, 0, K> dot(Tensor<B, 1, K> a, Tensor<B, 1, K> b) {
  return matmul(std::move(a), std::move(b));
}
/// a [..., m], b [..., n] -> every product [..., m, n].
template <class B, int R, class K>
Tensor<B, R + 1, K> outer(Tensor<B, R, K> a, Tensor<B, R, K> b) {
  static_assert(R >= 1, "hearth: outer takes vectors, or batches of them");
  return Tensor<B, R + 1, K>(LinearFunctions<B>::outer(std::move(a.dyn), std::move(b.dyn)));
}

// x [batch, channels, spatial...], weight [out, in / groups, kernel...], bias [out] or {}. Pools: per channel.
// clang-format off
#define HEARTH_SPATIAL(n)                                                                                                                \
  template <class B> Tensor<B, n + 2> conv##n##d(Tensor<B, n + 2> x, detail::Fixed<Tensor<B, n + 2>> weight, detail::Fixed<Tensor<B, 1>> bias = {}, const ConvOptions& options = {}) { \
    return Tensor<B, n + 2>(LinearFunctions<B>::conv("conv" #n "d", std::move(x.dyn), std::move(weight.dyn), std::move(bias.dyn), options)); } \
  /* weight [in, out / groups, kernel...] */                                                                                             \
  template <class B> Tensor<B, n + 2> conv_transpose##n##d(Tensor<B, n + 2> x, detail::Fixed<Tensor<B, n + 2>> weight, detail::Fixed<Tensor<B, 1>> bias = {}, const ConvTransposeOptions& options = {}) { \
    return Tensor<B, n + 2>(LinearFunctions<B>::conv_transpose("conv_transpose" #n "d", std::move(x.dyn), std::move(weight.dyn), std::move(bias.dyn), options)); } \
  template <class B> Tensor<B, n + 2> max_pool##n##d(Tensor<B, n + 2> x, const PerAxis& kernel, const PoolOptions& options = {}) {       \
    return Tensor<B, n + 2>(std::move(LinearFunctions<B>::max_pool("max_pool" #n "d", std::move(x.dyn), kernel, options)[0])); }         \
  /* Indices count through the flattened spatial axes of x. */                                                                           \
  template <class B> ValuesIndices<B, n + 2, Float> max_pool##n##d_with_indices(Tensor<B, n + 2> x, const PerAxis& kernel, const PoolOptions& options = {}) { \
    auto [values, indices] = LinearFunctions<B>::max_pool("max_pool" #n "d", std::move(x.dyn), kernel, options);                         \
    return {Tensor<B, n + 2>(std::move(values)), Tensor<B, n + 2, Int>(std::move(indices))}; }                                           \
  template <class B> Tensor<B, n + 2> avg_pool##n##d(Tensor<B, n + 2> x, const PerAxis& kernel, const PoolOptions& options = {}) {       \
    return Tensor<B, n + 2>(LinearFunctions<B>::avg_pool("avg_pool" #n "d", std::move(x.dyn), kernel, options)); }                       \
  /* Window i of n over s elements is [floor(i s / n), ceil((i + 1) s / n)). */                                                          \
  template <class B> Tensor<B, n + 2> adaptive_avg_pool##n##d(Tensor<B, n + 2> x, const PerAxis& size) {                                 \
    return Tensor<B, n + 2>(LinearFunctions<B>::adaptive_avg_pool("adaptive_avg_pool" #n "d", std::move(x.dyn), size)); }                \
  template <class B> Tensor<B, n + 2> adaptive_max_pool##n##d(Tensor<B, n + 2> x, const PerAxis& size) {                                 \
    return Tensor<B, n + 2>(std::move(LinearFunctions<B>::adaptive_max_pool("adaptive_max_pool" #n "d", std::move(x.dyn), size)[0])); }
HEARTH_SPATIAL(1)
HEARTH_SPATIAL(2)
HEARTH_SPATIAL(3)
#undef HEARTH_SPATIAL
// clang-format on

}  // namespace hearth
