// all_ops: a program that may run any op on Cpu: the most that an embedded Hearth can weigh. It prints how many there are.
// SPDX-License-Identifier: Apache-2.0
#include <hearth/backend/dyn.hpp>
#include <hearth/cpu.hpp>

#include <cstdio>

using namespace hearth;

int main() {
  int count = 0;
  // Read through a volatile place, so that no address can be dropped.
#define HEARTH_OP(Name)                                                                             \
  {                                                                                                 \
    Results<op::Name, HandleOf<Cpu>> (*volatile run)(const op::Name&, Operands<op::Name, HandleOf<Cpu>>) = &apply<Cpu, op::Name>; \
    count += run != nullptr;                                                                        \
  }
#define HEARTH_MAKE_OP(Name)                                                                        \
  {                                                                                                 \
    HandleOf<Cpu> (*volatile make)(const DeviceOf<Cpu>&, const op::Name&) = &Cpu::make;                 \
    count += make != nullptr;                                                                       \
  }
#include <hearth/op/ops.def>
  std::printf("%d ops\n", count);
  return count > 80 ? 0 : 1;
}
