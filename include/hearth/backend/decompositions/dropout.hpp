// backend/decompositions/dropout: elements dropped at random (Srivastava et al. 2014).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "common.hpp"

namespace hearth {

template <>
struct Decomposition<op::Dropout> {
  template <class B>
  static std::array<Dyn<B>, 1> run(const op::Dropout& op, std::array<Dyn<B>, 1> in) {
    if (op.p <= 0) return {std::move(in[0])};
    return {detail::dropped(std::move(in[0]), op.p, op.key, op.offset)};
  }
};

}  // namespace hearth
