// consumer/my_backend: compiles the stacks of this program that Hearth's library does not have.
// SPDX-License-Identifier: Apache-2.0
#include "my_backend.hpp"

#define HEARTH_STACK mine::Backend
#include <hearth/instantiate.hpp>
#define HEARTH_STACK hearth::Autodiff<mine::Backend>
#include <hearth/instantiate.hpp>
