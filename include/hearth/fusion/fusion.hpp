// fusion: the name of Fusion<B>, which will record ops and run them fused on B (docs/design.md, section 8), and its place in a stack.
// Only declared so far, so that a stack that can never work is refused in words from the start.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../core/config.hpp"

namespace hearth {

template <class B>
struct Autodiff;

template <class B>
struct Fusion;

/// The tape would lie inside what is fused, and see none of it. (It has the members of a backend, so that nothing else is said to be wrong.)
template <class B>
struct Fusion<Autodiff<B>> : Autodiff<B> {
  static_assert(sizeof(B) == 0, "hearth: Autodiff goes outside Fusion: write Autodiff<Fusion<B>>");
};

}  // namespace hearth
