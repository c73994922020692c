// op/gradients: which ops have a gradient, in words.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace hearth::test {

/// "yes" (a rule), "composite" (through its decomposition) or "no: reason".
std::string gradient_word(const std::string& subject);
/// Does Autodiff refuse tracked operands of such an op?
bool gradient_refused(const std::string& subject);
/// The test that holds a gradient which is no derivative, so that differences do not show it; "" for all others.
std::string gradient_elsewhere(const std::string& subject);

}  // namespace hearth::test
