// core/loan: a value given away for one call, and got back if the call lets it die. While an op works it is the operand's only owner, so
// it may write the result over it; had it thrown instead, the value would be lost with the operand.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ref.hpp"

namespace hearth {

/// Watches what `ref` owns. If its last owner lets go of it on this thread while the loan lasts, it does not die: take() has it.
/// It costs no count, so unique() says of the borrower what it would say without. Of an object that has several owners the loan is one
/// more, since nobody may write into that anyway. Loans end in the order opposite to that in which they began.
class Loan {
 public:
  template <class T>
  explicit Loan(const Ref<T>& ref) noexcept : Loan(ref.get(), ref.unique()) {}
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;
  ~Loan();

  /// What was lent, if it has come back. T is its type, as the Ref had it.
  template <class T>
  Ref<T> take() noexcept {
    Ref<T> result(back_ ? static_cast<T*>(const_cast<Counted*>(object_)) : nullptr);
    end();
    return result;
  }

 private:
  Loan(const Counted* object, bool sole) noexcept;
  /// Gives up the ownership that has come back, if any.
  void end() noexcept;

  friend void release(const Counted* object) noexcept;
  static thread_local constinit Loan* last;  ///< of this thread, the first in a list

  const Counted* object_;
  bool back_;  ///< is the loan an owner?
  Loan* before_;
};

}  // namespace hearth
