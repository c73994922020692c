// core/ref: the one place where counted objects die, and where those that are lent come back instead.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/core/loan.hpp"

namespace hearth {

thread_local constinit Loan* Loan::last = nullptr;

void release(const Counted* object) noexcept {
  // A sole owner needs no operation that other processors wait for: nobody is left who could take a share meanwhile.
  if (object->owners_.load(std::memory_order_acquire) != 1 && object->owners_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  for (Loan* loan = Loan::last; loan; loan = loan->before_)
    if (loan->object_ == object && !loan->back_) {
      object->owners_.store(1, std::memory_order_relaxed);
      loan->back_ = true;
      return;
    }
  delete object;
}

Loan::Loan(const Counted* object, bool sole) noexcept : object_(object), back_(object && !sole), before_(last) {
  if (back_) (void)Ref<const Counted>(object).detach();
  last = this;
}

Loan::~Loan() {
  end();
  last = before_;
}

void Loan::end() noexcept {
  const Counted* const object = std::exchange(object_, nullptr);
  if (std::exchange(back_, false)) release(object);
}

}  // namespace hearth
