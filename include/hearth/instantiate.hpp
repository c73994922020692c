// instantiate: compiles stacks. In one source file of your program, for a backend My of your own (complete, its header included):
//
//   #define HEARTH_BACKEND My
//   #include <hearth/instantiate.hpp>
//
// compiles My and Autodiff<My>. It defines what the public headers only declare: apply, claims and supports for every op, Dyn and its
// functions, the tape of an Autodiff, and what tensors, modules, optimisers and files forward to. The stacks that Hearth ships are in
// its library. Any other layer is a stack, compiled by an inclusion of its own, the innermost first, each of them once in the program.
// Where another file compiles the layer below, say so by HEARTH_INNER_STACK, and it is not compiled twice:
//
//   #define HEARTH_INNER_STACK hearth::Portable
//   #define HEARTH_STACK hearth::Profile<hearth::Portable>
//   #include <hearth/instantiate.hpp>
// SPDX-License-Identifier: Apache-2.0

// No #pragma once: it is included once for each stack.
#if !defined(HEARTH_STACK) && !defined(HEARTH_BACKEND)
#error "hearth: #define HEARTH_BACKEND as your backend, or HEARTH_STACK as the stack to compile, then #include <hearth/instantiate.hpp>"
#endif

#include "autodiff/autodiff-inl.hpp"
#include "backend/apply-inl.hpp"
#include "checked/checked-inl.hpp"
#include "nn/nn-inl.hpp"
#include "optim/optimizer-inl.hpp"
#include "profile/profile-inl.hpp"
#include "store/checkpoint-inl.hpp"
#include "tensor/tensor-inl.hpp"

namespace hearth {

#ifdef HEARTH_INNER_STACK
#define HEARTH_TEMPLATE extern template
#define HEARTH_STAMPED HEARTH_INNER_STACK
#include "stack.def"
#undef HEARTH_INNER_STACK
#endif

#ifdef HEARTH_BACKEND
#define HEARTH_TEMPLATE template
#define HEARTH_STAMPED HEARTH_BACKEND
#include "stack.def"
#define HEARTH_TEMPLATE template
#define HEARTH_STAMPED Autodiff<HEARTH_BACKEND>
#include "stack.def"
#undef HEARTH_BACKEND
#endif

#ifdef HEARTH_STACK
#define HEARTH_TEMPLATE template
#define HEARTH_STAMPED HEARTH_STACK
#include "stack.def"
#undef HEARTH_STACK
#endif

}  // namespace hearth
