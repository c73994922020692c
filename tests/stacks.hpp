// tests/stacks: the stacks that typed tests run over: every built backend, plain and under Autodiff.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gtest/gtest.h>

#include "hearth/autodiff/autodiff.hpp"
#include "hearth/built.hpp"

namespace hearth::test {

template <class, class... B>
using Listed = testing::Types<B...>;
#define HEARTH_PLAIN_STACK(name, Backend) , Backend
#define HEARTH_RECORDING_STACK(name, Backend) , Autodiff<Backend>
using Plain = Listed<void HEARTH_BUILT_BACKENDS(HEARTH_PLAIN_STACK)>;
using Recording = Listed<void HEARTH_BUILT_BACKENDS(HEARTH_RECORDING_STACK)>;
using Stacks = Listed<void HEARTH_BUILT_BACKENDS(HEARTH_PLAIN_STACK) HEARTH_BUILT_BACKENDS(HEARTH_RECORDING_STACK)>;
#undef HEARTH_PLAIN_STACK
#undef HEARTH_RECORDING_STACK

/// There are devices 0, 1, ... and not one alone.
template <class B>
concept SeveralDevices = requires { DeviceOf<B>{1}; };

}  // namespace hearth::test
