// cpu/indices: index operands, checked before anything is written.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "array.hpp"

namespace hearth::cpu {

/// The values of `index`, of any integer dtype, as a contiguous i64 array. Value i belongs to axis axes[i % axes.size()] of an array
/// of shape `shape`. The first one that lies outside raises an Error that names `op`, the value and the axis; then the handle is null.
Handle checked_indices(std::string_view op, const Handle& index, const Shape& shape, const Axes& axes);

}  // namespace hearth::cpu
