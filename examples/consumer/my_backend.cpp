// consumer/my_backend: compiles the backend of this program, alone and under Autodiff.
// SPDX-License-Identifier: Apache-2.0
#include "my_backend.hpp"

#define HEARTH_BACKEND mine::Backend
#include <hearth/instantiate.hpp>
