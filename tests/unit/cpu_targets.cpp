// tests/unit/cpu_targets: HEARTH_SIMD limits the instruction sets that Cpu uses, and a name that means nothing is an error.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cmath>
#include <cstdlib>

#include "hearth/cpu.hpp"

using namespace hearth;

namespace {

// One test: the limit is taken once per process, by the first op that has vector code.
TEST(cpu_targets, the_environment_limits_them) {
  const float x = 1;
  const auto exp = [&] {
    float y = 0;
    Cpu::download(Cpu::run(op::Unary{UnaryCode::exp}, {Cpu::upload({}, {Dtype::f32, {}}, &x)})[0], &y);
    return y;
  };
  setenv("HEARTH_SIMD", "mmx", 1);
  try {
    exp();
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::user);
    EXPECT_NE(error.message.find("\"mmx\", which is none of"), std::string::npos) << error.message;
  }
  setenv("HEARTH_SIMD", "scalar", 1);
  EXPECT_NEAR(exp(), std::exp(1.f), 1e-6f);
  EXPECT_EQ(hwy::SupportedTargets() & (HWY_EMU128 - 1), 0);
  setenv("HEARTH_SIMD", "mmx", 1);
  EXPECT_NEAR(exp(), std::exp(1.f), 1e-6f);  // chosen already
}

}  // namespace
