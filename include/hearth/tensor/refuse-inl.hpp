// tensor/refuse-inl: what a function of the front returns when it refuses an argument itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../backend/dyn.hpp"

namespace hearth::detail {

/// `return refuse(x, fail(...));` Without exceptions the backend makes an array that carries the error, which is pending.
template <class B>
Dyn<B> refuse(const Dyn<B>& x, Failure) {
  return Dyn<B>::full(x.device(), Spec{}, 0);
}

}  // namespace hearth::detail
