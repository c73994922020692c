// checked: Checked<B>, a backend that looks at the values on their way through B and stops at the first op that goes wrong:
//   indices out of range, NaN in a result whose operands hold none, integer division by zero.
// It works on any B, also where B itself would read 0 or go on. Every op waits for its result: it is for tests and for finding faults.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../backend/pass_through.hpp"

namespace hearth {

/// What Checked looks for.
struct Checks {
  bool nan = true;        ///< a NaN in a result, while no operand holds one
  bool infinity = false;  ///< the same for an infinity
  bool index = true;      ///< an index or a class outside its axis
  bool division = true;   ///< an integer divided by 0
};
/// Sets the checks of this thread and returns those before.
Checks set_checks(const Checks& checks);
Checks current_checks();

template <class B>
struct Checked : PassThrough<B> {
  using typename PassThrough<B>::Handle;

  template <class Op>
  static Results<Op, Handle> run(const Op& op, Operands<Op, Handle> in);
  /// Operands are kept while results are looked at.
  static bool overwritable(const Handle&) { return false; }
  static std::string name() { return "Checked<" + B::name() + ">"; }
};

}  // namespace hearth
