// data/idx: the IDX format of the MNIST files, plain or gzipped.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "../core/tensor_data.hpp"

namespace hearth {

/// Reads one IDX file (dtypes u8, i8, i16, i32, f32, f64; big-endian as the format has it), gzipped or not.
/// A file that is broken, short or longer than its header says is an Error of kind file, and memory never exceeds what the
/// file really holds.
TensorData read_idx(const std::string& path);

}  // namespace hearth
