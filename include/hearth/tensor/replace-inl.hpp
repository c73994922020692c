// tensor/replace-inl: how a value is replaced by what an op makes of it, so that an op that fails leaves it as it was.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../autodiff/autodiff.hpp"
#include "../backend/dyn.hpp"

namespace hearth::detail {

/// Does a tape record an op on this value, and so perhaps keep the op's operands?
template <class B>
bool recorded(const HandleOf<B>& handle) {
  if constexpr (is_autodiff<B>) return Tape<B>::needs(&handle, 1) != 0 || recorded<typename B::Inner>(handle.value);
  else return false;
}

/// x = f(x). x is given away only where the op can write over it and so needs no memory; else it is kept until the op has succeeded.
/// `saved`: a tape may keep it, so that nothing can be written over.
template <class B, class F>
void replace(Dyn<B>& x, bool saved, const F& f) {
  if constexpr (HEARTH_EXCEPTIONS) {
    Dyn<B> given = !saved && overwritable<B>(x.handle) ? std::move(x) : x;
    x = f(std::move(given));
  } else {
    Dyn<B> result = f(x);
    if (!result.error()) x = std::move(result);
  }
}

}  // namespace hearth::detail
