// tests/fuzz/text: ops as text, mutated: each is read, and then says so again, or is an Error of kind file.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "calls.hpp"

namespace hearth::fuzz {
namespace {

#define HEARTH_ANY_OP(Name) +1
constexpr int op_count = 0
#include "hearth/op/ops.def"
    ;

std::string any_text(Random& random) {
  Call call = plausible_call(OpCode(random.number(0, op_count - 1)), random);
  if (random.one_in(2)) spoil(call, random);
  return to_string(call.op);
}

/// One edit: bytes, words of the language, or a part of another op.
void edit(std::string& text, Random& random) {
  static const std::vector<std::string> words = {"{", "}", "[", "]", ",", ":", "\"", "\\x", "none", "nan(", "inf", "-inf", "1e999", "true", "99999999999999999999",
                                                 "-9223372036854775808", "18446744073709551615u", "Fused{steps: [{op: ", "f32[", "axes", "code: ", "-0.0", "[[", "]]", " "};
  const std::size_t at = std::size_t(random.number(0, std::int64_t(text.size())));
  switch (random.number(0, 6)) {
    case 0: text.erase(at, std::size_t(random.number(1, 6))); break;
    case 1: text.insert(at, random.pick(words)); break;
    case 2:
      if (at < text.size()) text[at] = char(random.number(0, 255));
      break;
    case 3: text.insert(at, text.substr(std::size_t(random.number(0, std::int64_t(text.size()))), std::size_t(random.number(0, 40)))); break;
    case 4: text.resize(at); break;
    case 5: text.insert(at, any_text(random)); break;
    default: {
      const std::string other = any_text(random);
      text = text.substr(0, at) + other.substr(std::size_t(random.number(0, std::int64_t(other.size()))));
    }
  }
}

TEST(Text, IsReadOrRefused) {
  std::uint64_t accepted = 0, refused = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + count() * 20; ++seed) {
    Random random(seed);
    std::string text = any_text(random);
    for (std::int64_t edits = random.number(0, 4); edits > 0; --edits) edit(text, random);
    now("seed " + std::to_string(seed) + ": " + text);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + text);
    try {
      const AnyOp op = parse_op(text);
      const std::string again = to_string(op);
      EXPECT_TRUE(parse_op(again) == op) << again;
      EXPECT_EQ(to_string(parse_op(again)), again);
      ++accepted;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind, ErrorKind::file) << error.what();
      EXPECT_FALSE(error.message.empty());
      ++refused;
    }
  }
  EXPECT_GT(accepted, count());
  EXPECT_GT(refused, count());
}

// What was read may say anything: infer must refuse it or give sizes that can be counted.
TEST(Text, ReadOpsAreInferredOrRefused) {
  for (std::uint64_t seed = first_seed(); seed < first_seed() + count() * 4; ++seed) {
    Random random(seed);
    Call call = plausible_call(OpCode(random.number(0, op_count - 1)), random);
    std::string text = to_string(call.op);
    edit(text, random);
    now("seed " + std::to_string(seed) + ": " + text);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + text);
    try {
      call.op = parse_op(text);
      for (const Spec& spec : infer(call)) EXPECT_GE(element_count(spec.shape), 0);
    } catch (const Error& error) {
      EXPECT_TRUE(error.kind == ErrorKind::file || error.kind == ErrorKind::user) << error.what();
    }
  }
}

}  // namespace
}  // namespace hearth::fuzz
