// consumer/second_order: gradients of gradients: a tape over the tape that Hearth's library has.
// SPDX-License-Identifier: Apache-2.0
#include <hearth/autodiff/autodiff.hpp>
#include <hearth/cpu.hpp>

#define HEARTH_STACK hearth::Autodiff<hearth::Autodiff<hearth::Cpu>>
#include <hearth/instantiate.hpp>
