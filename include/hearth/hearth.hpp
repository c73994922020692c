// hearth: everything for a program that trains. Add the header of a backend: <hearth/cpu.hpp>, <hearth/portable.hpp>.
//   using namespace hearth;
//   using namespace hearth::index;  // s, end, newaxis
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "data/accuracy.hpp"
#include "data/augment.hpp"
#include "data/idx.hpp"
#include "data/loader.hpp"
#include "data/mnist.hpp"
#include "data/progress.hpp"
#include "data/tensor_dataset.hpp"
#include "fusion/fusion.hpp"
#include "nn/nn.hpp"
#include "optim/gradients.hpp"
#include "optim/optimizer.hpp"
#include "optim/schedule.hpp"
#include "store/checkpoint.hpp"
#include "store/model.hpp"
#include "tensor/linalg.hpp"
#include "tensor/tensor.hpp"
