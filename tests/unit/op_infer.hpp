// unit/op_infer: runs inference from text, so that its tests are tables.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "hearth/op/op.hpp"

namespace infer_test {

using namespace hearth;

/// "f32[2, 3] - i64[]": specs, where - is an absent operand.
struct Operand {
  bool given = false;
  Spec spec;
};
inline std::vector<Operand> parsed(std::string_view text) {
  std::vector<Operand> operands;
  while (!text.empty()) {
    Operand operand;
    const std::size_t open = text.find('[');
    if (text.front() == '-') {
      text.remove_prefix(1);
    } else {
      const std::size_t close = text.find(']');
      operand.given = true;
      operand.spec.dtype = dtype_named(text.substr(0, open)).value();
      std::string sizes(text.substr(open + 1, close - open - 1));
      for (std::size_t at = 0; at < sizes.size();) {
        std::size_t used = 0;
        operand.spec.shape.push(std::stoll(sizes.substr(at), &used));
        at += used + 2;
      }
      text.remove_prefix(close + 1);
    }
    operands.push_back(operand);
    if (!text.empty()) text.remove_prefix(1);
  }
  return operands;
}

template <class Op>
std::vector<Spec> results_of(const Op& op, const std::vector<Operand>& operands) {
  if constexpr (Op::inputs == 0) {
    return {infer(op)};
  } else {
    Operands<Op, const Spec*> in{};
    if constexpr (Op::inputs == many) in.resize(operands.size());
    EXPECT_LE(operands.size(), in.size());
    for (std::size_t i = 0; i < operands.size(); ++i) in[i] = operands[i].given ? &operands[i].spec : nullptr;
    const auto out = infer(op, in);
    return {out.begin(), out.end()};
  }
}

/// The results' specs, or what the error says.
inline std::string inferred(const char* op, const char* operands) {
#if HEARTH_EXCEPTIONS
  try {
#endif
    const AnyOp any = parse_op(op);
    std::vector<Spec> specs;
    if (any) specs = visit(any, [&](const auto& o) { return results_of(o, parsed(operands)); });
    if (pending_error()) return take_pending_error().what();
    std::string text;
    for (const Spec& spec : specs) text += (text.empty() ? "" : " ") + to_string(spec);
    return text;
#if HEARTH_EXCEPTIONS
  } catch (const Error& error) {
    return error.what();
  }
#endif
}

struct Case {
  const char *op, *operands, *expected;
};

inline void check(const std::vector<Case>& cases) {
  for (const Case& c : cases) EXPECT_EQ(inferred(c.op, c.operands), c.expected) << c.op << " of " << c.operands;
}

}  // namespace infer_test
