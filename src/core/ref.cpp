// core/ref: the one place where counted objects die.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/core/ref.hpp"

namespace hearth {

void release(const Counted* object) noexcept {
  // A sole owner needs no operation that other processors wait for: nobody is left who could take a share meanwhile.
  if (object->owners_.load(std::memory_order_acquire) == 1 || object->owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete object;
}

}  // namespace hearth
