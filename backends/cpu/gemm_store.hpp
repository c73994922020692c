// cpu/gemm_store: the epilogue of a contraction, and the way of finished sums into the result.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gemm.hpp"

namespace hearth::cpu {

/// A block of finished sums and the place of its elements in c: element (i, j) goes to c[c_rows[i] + c_columns[j]].
template <class T>
struct StoreBlock {
  T* sums;
  std::int64_t stride;  ///< between rows of sums
  const std::int64_t* c_rows;
  const std::int64_t* c_columns;
  int rows, columns;
  std::int64_t bias;  ///< index of the bias of the first row, or of the first column where it is per column
};

/// Adds bias and residual, applies the activation (in place, in sums) and stores.
template <class T>
using StoreFunction = void (*)(const Contraction& contraction, const StoreBlock<T>& block);

/// The store into a result of `target`: any float for float and double, an integer of its size for an unsigned T.
template <class T>
StoreFunction<T> store_function(Dtype target);

}  // namespace hearth::cpu
