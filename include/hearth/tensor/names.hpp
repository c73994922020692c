// tensor/names: the names of the typed front, for headers that mention tensors and look into none.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../core/config.hpp"

namespace hearth {

struct Float;
struct Int;
struct Bool;

template <class B, int Rank, class Kind = Float>
class Tensor;

}  // namespace hearth
