// autodiff/rules/composite_dropout: the gradient of dropout saves nothing and draws the mask again.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../rule.hpp"

namespace hearth {

template <>
struct Rule<op::Dropout> : SavesNothing {
  template <class B>
  static OperandGradients<op::Dropout, B> back(Saved<op::Dropout, B>& s) {
    return {call<B>(s.op, std::move(s.grad[0]))};
  }
};

}  // namespace hearth
