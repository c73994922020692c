// op/support_table: what the suite found out, for the support table in README: per op (and row of its table) and backend, the dtypes in
// which all cases passed, and its gradient. Written where the environment variable HEARTH_SUPPORT_TABLE names a file: each program
// appends its lines, "Unary.exp<tab>Cpu<tab>f64,f32,...<tab>yes".
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>

#include "hearth/core/dtype.hpp"

namespace hearth::test {

/// "yes" (a rule), "composite" (through its decomposition) or "no: reason".
std::string gradient_word(const std::string& subject);
/// Does Autodiff refuse tracked operands of such an op?
bool gradient_refused(const std::string& subject);

class SupportTable {
 public:
  void add(const std::string& subject, Dtype dtype, bool passed);
  void add_gradient(const std::string& subject, bool passed);
  /// The lines of this run.
  std::string text(const std::string& backend) const;

 private:
  struct Line {
    unsigned seen = 0, failed = 0;  // bits of dtypes
    bool gradient_seen = false, gradient_failed = false;
  };
  std::map<std::string, Line> lines_;
};
SupportTable& support_table();

}  // namespace hearth::test
