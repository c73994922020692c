// cpu/gemm_store: bias, residual and activation on a block that lies in the first cache, then the store.
// SPDX-License-Identifier: Apache-2.0
#include "gemm_store.hpp"

#include "gemm_pack.hpp"
#include "hearth/core/convert.hpp"
#include "hearth/op/formula.hpp"

namespace hearth::cpu {

namespace {

template <UnaryCode code, class T>
void apply_row(T* values, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) values[i] = hearth::value(code, values[i]);
}

}  // namespace

template <class T>
void activate(Activation activation, T* values, std::int64_t count) {
  switch (activation) {
    case Activation::none: return;
    case Activation::relu: return apply_row<UnaryCode::relu>(values, count);
    case Activation::sigmoid: return apply_row<UnaryCode::sigmoid>(values, count);
    case Activation::tanh: return apply_row<UnaryCode::tanh>(values, count);
    case Activation::gelu: return apply_row<UnaryCode::gelu>(values, count);
    case Activation::gelu_tanh: return apply_row<UnaryCode::gelu_tanh>(values, count);
    case Activation::silu: return apply_row<UnaryCode::silu>(values, count);
  }
}
template void activate<float>(Activation, float*, std::int64_t);
template void activate<double>(Activation, double*, std::int64_t);

namespace {

template <class S, class T>
void store_block(const Contraction& contraction, const StoreBlock<T>& block) {
  const S* bias = static_cast<const S*>(contraction.bias);
  const S* residual = static_cast<const S*>(contraction.residual);
  S* c = static_cast<S*>(contraction.c);
  if (bias) bias += block.bias;
  const bool side_by_side = is_regular(block.c_columns, block.columns, 1);
  for (int i = 0; i < block.rows; ++i) {
    T* sums = block.sums + i * block.stride;
    const std::int64_t row = block.c_rows[i];
    if (bias && contraction.bias_per_column)
      for (int j = 0; j < block.columns; ++j) sums[j] = T(sums[j] + T(bias[j]));
    if (bias && !contraction.bias_per_column)
      for (int j = 0; j < block.columns; ++j) sums[j] = T(sums[j] + T(bias[i]));
    if (residual)
      for (int j = 0; j < block.columns; ++j) sums[j] = T(sums[j] + T(residual[row + block.c_columns[j]]));
    if constexpr (std::is_floating_point_v<T>) activate(contraction.activation, sums, block.columns);
    if (side_by_side) {
      S* to = c + row + block.c_columns[0];
      for (int j = 0; j < block.columns; ++j) to[j] = convert<S>(sums[j]);
    } else {
      for (int j = 0; j < block.columns; ++j) c[row + block.c_columns[j]] = convert<S>(sums[j]);
    }
  }
}

}  // namespace

template <class T>
StoreFunction<T> store_function(Dtype target) {
  return with_type(target, [](auto tag) -> StoreFunction<T> {
    using S = typename decltype(tag)::type;
    if constexpr (std::is_floating_point_v<T>) {
      if constexpr (is_float(dtype_of<S>)) return store_block<S, T>;
    } else if constexpr (!is_float(dtype_of<S>) && sizeof(S) == sizeof(T)) {
      return store_block<T, T>;
    }
    return nullptr;
  });
}

#define HEARTH_STORE(T) template StoreFunction<T> store_function<T>(Dtype target);
HEARTH_STORE(float)
HEARTH_STORE(double)
HEARTH_STORE(std::uint8_t)
HEARTH_STORE(std::uint16_t)
HEARTH_STORE(std::uint32_t)
HEARTH_STORE(std::uint64_t)
#undef HEARTH_STORE

}  // namespace hearth::cpu
