// tests/unit/cpu_claims: a composite that Cpu runs itself beside the decomposition on Portable; for each instruction set and number of threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <hwy/targets.h>

#include "hearth/backend/dyn.hpp"
#include "unit/cpu_support.hpp"

namespace hearth::testing {

template <class Op>
using Pairs = Results<Op, Both>;

inline Operands<op::SgdStep, const Spec*> specs_in(const std::vector<Cpu::Handle>& in) {
  std::vector<const Spec*> specs;
  for (const Cpu::Handle& handle : in) specs.push_back(&Cpu::spec(handle));
  return specs;
}
template <std::size_t N>
std::array<const Spec*, N> specs_in(const std::array<Cpu::Handle, N>& in) {
  std::array<const Spec*, N> specs{};
  for (std::size_t i = 0; i < N; ++i) specs[i] = in[i] ? &Cpu::spec(in[i]) : nullptr;
  return specs;
}

/// The op on both backends: Portable has its decomposition alone. `claimed`: Cpu must run it itself. Copies of the handles are taken.
template <class Op>
Pairs<Op> composite(const Op& op, const Operands<Op, Both>& in, bool claimed = true) {
  Operands<Op, Cpu::Handle> cpu = map_list(in, [](const Both& both) { return both.cpu; });
  Operands<Op, Portable::Handle> portable = map_list(in, [](const Both& both) { return both.portable; });
  EXPECT_EQ(hearth::claims<Cpu>(op, specs_in(cpu)), claimed);
  const auto got = hearth::apply<Cpu>(op, std::move(cpu));
  const auto want = hearth::apply<Portable>(op, std::move(portable));
  EXPECT_EQ(got.size(), want.size());
  Pairs<Op> pairs;
  if constexpr (Op::outputs == many) pairs.resize(got.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {got[i], want[i]};
  return pairs;
}

/// f() with each instruction set that the processor has and Highway was compiled for, and at last with the best one.
template <class F>
void on_each_target(const F& f) {
  const auto use = [](std::int64_t targets) {
    hwy::SetSupportedTargetsForTest(decltype(hwy::SupportedTargets())(targets));
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  };
  const std::int64_t supported = std::int64_t(hwy::SupportedTargets());
  for (std::int64_t left = supported & HWY_TARGETS; left != 0; left &= left - 1) {
    const std::int64_t target = left & -left;
    SCOPED_TRACE(hwy::TargetName(decltype(hwy::SupportedTargets())(target)));
    use(target);
    f();
  }
  use(0);  // whatever there is
}

/// How far Cpu may be off from Portable: in both, statistics are exact to a few roundings of the dtype that is computed in.
inline double ulps_for(Dtype dtype) { return dtype == Dtype::f16 || dtype == Dtype::bf16 ? 1 : 16; }
inline double absolute_for(Dtype dtype) { return dtype == Dtype::f64 ? 1e-14 : dtype == Dtype::f32 ? 4e-6 : dtype == Dtype::f16 ? 4e-3 : 3e-2; }
inline constexpr Dtype float_dtypes[] = {Dtype::f32, Dtype::f64, Dtype::f16, Dtype::bf16};

}  // namespace hearth::testing
