// Models on Shapes: what a summary of a model asks, without a byte of parameters.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hearth/backend/shapes.hpp"
#include "hearth/nn/nn.hpp"

namespace {

using namespace hearth;

TEST(CompositeShapes, run_models_of_any_size) {
  const std::int64_t wide = 1 << 20;
  const auto first = make_linear<Shapes>(64, wide);
  const auto second = make_linear<Shapes>(wide, wide);  // 4 TiB
  const auto y = softmax(second(gelu(first(zeros<Shapes>({2, 3, 64})))), -1);
  EXPECT_EQ(y.shape(), (Shape{2, 3, wide}));
  EXPECT_EQ(element_count(second.weight.shape()), wide * wide);
}

TEST(CompositeShapes, find_the_layer_that_does_not_fit) {
  const auto first = make_linear<Shapes>(64, 100), second = make_linear<Shapes>(101, 10);
  try {
    (void)second(first(zeros<Shapes>({2, 64})));
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()).rfind("linear: ", 0), 0u) << e.what();
  }
}

TEST(CompositeShapes, have_no_values) { EXPECT_THROW((void)zeros<Shapes>({2}).sum(0).item(), Error); }

}  // namespace
