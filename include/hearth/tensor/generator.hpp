// tensor/generator: where random numbers come from. A Generator is a value: copy it to save it, assign it to restore it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../backend/checkpoint_scope.hpp"
#include "kinds.hpp"

namespace hearth {

/// Seed and counter of Philox4x32-10. Each call that draws n numbers takes the next n counters, when it is made: so the same
/// seed gives the same numbers on every backend, however and whenever the op runs. Not to be shared between threads.
struct Generator {
  std::uint64_t seed = 0, counter = 0;

  constexpr Draw reserve(std::uint64_t count) {
    const Draw draw{seed, counter};
    counter += count;
    return draw;
  }
};

/// A generator to draw from: one that the caller names, or the device's default.
struct RandomSource {
  Generator* generator = nullptr;
  constexpr RandomSource() = default;
  constexpr RandomSource(Generator& g) : generator(&g) {}
};

/// Each device has a default generator, shared by all stacks over it; its seed is 0 until manual_seed. Compiled per stack.
template <class B>
struct GeneratorFunctions {
  static Draw reserve(const DeviceOf<B>& device, RandomSource source, std::uint64_t count);
  static Generator get(const DeviceOf<B>& device);
  static void set(const DeviceOf<B>& device, Generator generator);
};

/// Restarts the device's default generator: manual_seed<B>(42).
template <class B>
void manual_seed(std::uint64_t seed, const DeviceOf<B>& device = {}) {
  GeneratorFunctions<B>::set(device, Generator{seed, 0});
}
/// A copy of the device's default generator, to be restored later.
template <class B>
Generator default_generator(const DeviceOf<B>& device = {}) {
  return GeneratorFunctions<B>::get(device);
}
template <class B>
void set_default_generator(Generator generator, const DeviceOf<B>& device = {}) {
  GeneratorFunctions<B>::set(device, generator);
}

}  // namespace hearth
