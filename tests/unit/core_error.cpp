// unit/core_error: what errors say and carry.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hearth/core/error.hpp"

namespace {

using namespace hearth;

TEST(Error, IsASentenceWithTheFacts) {
  const Error error(ErrorKind::user, "matmul", "inner sizes differ: [64, 784] x [512, 10]", {{64, 784}, {512, 10}});
  EXPECT_STREQ(error.what(), "matmul: inner sizes differ: [64, 784] x [512, 10]");
  EXPECT_EQ(error.op, "matmul");
  ASSERT_EQ(error.shapes.size(), 2u);
  EXPECT_EQ(error.shapes[1], (Shape{512, 10}));
}

TEST(Error, AppendsHintAndPath) {
  Error error(ErrorKind::file, "load", "the file ends early", {}, "download it again");
  EXPECT_STREQ(error.what(), "load: the file ends early (hint: download it again)");
  error.set_path("layers.3");
  error.set_path("encoder");
  EXPECT_EQ(error.path, "encoder.layers.3");
  EXPECT_STREQ(error.what(), "load: the file ends early (hint: download it again; in encoder.layers.3)");
  Error bare(ErrorKind::internal, "", "something", {});
  bare.set_path("model");
  EXPECT_STREQ(bare.what(), "something (in model)");
}

TEST(Error, FailThrowsIt) {
  try {
    (void)fail("sum", "no", {{1, 2}}, "yes");
    FAIL();
  } catch (const std::exception& caught) {
    const auto* error = dynamic_cast<const Error*>(&caught);
    ASSERT_NE(error, nullptr);
    EXPECT_EQ(error->kind, ErrorKind::user);
    EXPECT_EQ(error->hint, "yes");
    EXPECT_STREQ(error->what(), "sum: no (hint: yes)");
  }
  EXPECT_THROW((void)fail(Error(ErrorKind::device, "alloc", "out of memory")), Error);
  EXPECT_EQ(pending_error(), nullptr);
}

TEST(Error, AFailureBecomesAnyEmptyValue) {
  const Failure failure;
  EXPECT_EQ(static_cast<int>(failure), 0);
  EXPECT_TRUE(static_cast<std::vector<int>>(failure).empty());
  EXPECT_FALSE(static_cast<bool>(failure));
}

}  // namespace
