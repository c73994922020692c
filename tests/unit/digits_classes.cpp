// The trained digits model as every backend sees it; tests/bare runs the same without exceptions.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "digits_fixture.hpp"
#include "hearth/cpu.hpp"

namespace {

using namespace hearth;

TEST(DigitsClasses, are_those_that_numpy_computes) {
  const auto outcome = digits_fixture::run<Cpu>(HEARTH_FIXTURES "/digits.safetensors");
  ASSERT_EQ(outcome.classes.size(), 100u);
  EXPECT_EQ(outcome.classes, outcome.expected_classes);
  ASSERT_EQ(outcome.scores.size(), outcome.expected_scores.size());
  for (std::size_t i = 0; i < outcome.scores.size(); ++i) EXPECT_NEAR(outcome.scores[i], outcome.expected_scores[i], 1e-3) << i;
}

}  // namespace
