// op/support_table: what the suite found out, for the support table in README: per op (and row of its table) and backend, the dtypes in
// which all cases passed, and its gradient. Written where the environment variable HEARTH_SUPPORT_TABLE names a file: each program
// appends its lines, "Unary.exp<tab>Cpu<tab>f64,f32,...<tab>yes"; remove the file first. The last word is gradient_word() of gradients.hpp.
// A line without dtypes is an op that the backend does not support.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>

#include "hearth/core/dtype.hpp"

namespace hearth::test {

class SupportTable {
 public:
  void add(const std::string& subject, Dtype dtype, bool passed);
  /// An op that no backend has yet: its line has no dtypes.
  void add_unsupported(const std::string& op) { lines_[op]; }
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
