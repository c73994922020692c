// tensor/tensor-inl: the bodies of everything that tensors forward to. For src/stacks and <hearth/instantiate.hpp>.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "create-inl.hpp"
#include "data-inl.hpp"
#include "generator-inl.hpp"
#include "index-inl.hpp"
#include "linear-inl.hpp"
#include "math-inl.hpp"
#include "print-inl.hpp"
#include "reduce-inl.hpp"
#include "shape-inl.hpp"
#include "tensor.hpp"

/// Each of these structs is stamped for each stack: HEARTH_TENSOR_FUNCTIONS(X) calls X(name) for all.
#define HEARTH_TENSOR_FUNCTIONS(X) \
  X(CreateFunctions) X(DataFunctions) X(GeneratorFunctions) X(IndexFunctions) X(LinearFunctions) X(MathFunctions) X(PrintFunctions) \
  X(ReduceFunctions) X(ShapeFunctions)
