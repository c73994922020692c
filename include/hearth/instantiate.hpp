// instantiate: compiles one stack. In one source file of your program, for a backend My of your own (complete, its header included):
//
//   #define HEARTH_STACK My
//   #include <hearth/instantiate.hpp>
//   #define HEARTH_STACK hearth::Autodiff<My>
//   #include <hearth/instantiate.hpp>
//
// One inclusion per layer of the stack, each of them once in the program. It defines what the public headers only declare: apply,
// claims and supports for every op, Dyn and its functions, the tape of an Autodiff,
// and what tensors, modules, optimisers and files forward to. The stacks that Hearth ships are in its library.
// SPDX-License-Identifier: Apache-2.0

// No #pragma once: it is included once for each stack.
#ifndef HEARTH_STACK
#error "hearth: #define HEARTH_STACK as the stack to compile, then #include <hearth/instantiate.hpp>"
#endif

#include "autodiff/autodiff-inl.hpp"
#include "backend/apply-inl.hpp"
#include "nn/nn-inl.hpp"
#include "optim/optimizer-inl.hpp"
#include "store/checkpoint-inl.hpp"
#include "tensor/tensor-inl.hpp"

namespace hearth {

#define HEARTH_OP(Name)                                                                                                                  \
  template Results<op::Name, HandleOf<HEARTH_STACK>> apply<HEARTH_STACK, op::Name>(const op::Name& op,                                   \
                                                                                   Operands<op::Name, HandleOf<HEARTH_STACK>> in);       \
  template bool claims<HEARTH_STACK, op::Name>(const op::Name& op, const Operands<op::Name, const Spec*>& in);                           \
  template bool supports<HEARTH_STACK, op::Name>(const op::Name& op, const Operands<op::Name, const Spec*>& in);
#include "op/ops.def"

template struct Dyn<HEARTH_STACK>;
template struct DynFunctions<HEARTH_STACK>;
template struct Tape<HEARTH_STACK>;
#define HEARTH_STAMP(Functions) template struct Functions<HEARTH_STACK>;
HEARTH_TENSOR_FUNCTIONS(HEARTH_STAMP)
HEARTH_NN_FUNCTIONS(HEARTH_STAMP)
HEARTH_OPTIM_FUNCTIONS(HEARTH_STAMP)
HEARTH_STORE_FUNCTIONS(HEARTH_STAMP)
#undef HEARTH_STAMP

}  // namespace hearth

#undef HEARTH_STACK
