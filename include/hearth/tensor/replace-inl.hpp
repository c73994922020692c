// tensor/replace-inl: how a value is replaced by what an op makes of it, so that an op that fails leaves it as it was.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../backend/dyn.hpp"

namespace hearth::detail {

/// x = f(x). x is given away only where the op can write over it and so needs no memory; else it is kept until the op has succeeded.
template <class B, class F>
void replace(Dyn<B>& x, const F& f) {
  if constexpr (HEARTH_EXCEPTIONS) {
    Dyn<B> given = overwritable<B>(x.handle) ? std::move(x) : x;
    x = f(std::move(given));
  } else {
    Dyn<B> result = f(x);
    if (!result.error()) x = std::move(result);
  }
}

}  // namespace hearth::detail
