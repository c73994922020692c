// op/backend: the backend that a program of the op suite runs on: HEARTH_SUITE_BACKEND, one of those in built.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/built.hpp"
#include "stack_of.hpp"

namespace hearth::test {

namespace {

#define HEARTH_NAMED(name, Class) \
  struct backend_##name {         \
    using type = Class;           \
  };
HEARTH_BUILT_BACKENDS(HEARTH_NAMED)
#undef HEARTH_NAMED

#define HEARTH_JOINED(a, b) a##b
#define HEARTH_JOIN(a, b) HEARTH_JOINED(a, b)
using Tested = HEARTH_JOIN(backend_, HEARTH_SUITE_BACKEND)::type;

}  // namespace
}  // namespace hearth::test

// The library has these stacks: what the headers of Checked and Profile show of them is not compiled again.
namespace hearth {
#define HEARTH_COMPILED(Stack)                                                                                                              \
  extern template struct Dyn<Stack>;                                                                                                        \
  extern template struct DynFunctions<Stack>;
HEARTH_COMPILED(test::Tested)
HEARTH_COMPILED(Autodiff<test::Tested>)
#undef HEARTH_COMPILED
#define HEARTH_OP(Name)                                                                                                                     \
  extern template Results<op::Name, HandleOf<test::Tested>> apply<test::Tested, op::Name>(const op::Name&, Operands<op::Name, HandleOf<test::Tested>>); \
  extern template Results<op::Name, HandleOf<Autodiff<test::Tested>>> apply<Autodiff<test::Tested>, op::Name>(                             \
      const op::Name&, Operands<op::Name, HandleOf<Autodiff<test::Tested>>>);
#include "hearth/op/ops.def"
}  // namespace hearth

namespace hearth::test {

const Backends& tested() {
  static const Backends backends{stack_of<Tested>(), autodiff_of<Tested>(), checked_of<Tested>(), profiled_of<Tested>()};
  return backends;
}

}  // namespace hearth::test
