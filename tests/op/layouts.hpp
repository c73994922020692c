// op/layouts: the same elements in every layout that an operand can have.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "stack.hpp"

namespace hearth::test {

enum class Layouts {
  contiguous,
  permuted,   ///< axes stored in reverse order
  sliced,     ///< cut out of a larger array
  stepped,    ///< every second element of a larger array
  reversed,   ///< stored from the last element to the first
  stretched,  ///< stored once along axes on which the elements are the same
};

/// Does the layout differ from contiguous for such an operand? (A scalar has one layout only; stretched needs equal elements.)
bool has_layout(const TensorData& data, Layouts layout);
/// The elements on a stack in that layout, in contiguous where it has no such one.
Array place(const Stack& stack, const TensorData& data, Layouts layout);

}  // namespace hearth::test
