// tensor/generator-inl: the default generators, one per device, under one lock.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <mutex>

#include "generator.hpp"

namespace hearth {

namespace detail {

/// Shared by all stacks with this type of device.
template <class Device>
struct Generators {
  struct Entry {
    Device device;
    Generator generator;
  };
  std::mutex mutex;
  std::vector<Entry> entries;

  Generator& of(const Device& device) {
    for (Entry& entry : entries)
      if (entry.device == device) return entry.generator;
    return entries.emplace_back(Entry{device, Generator{}}).generator;
  }
};
template <class Device>
Generators<Device>& generators() {
  static auto* all = new Generators<Device>;  // never destroyed: a tensor of static lifetime may still draw
  return *all;
}

}  // namespace detail

template <class B>
Draw GeneratorFunctions<B>::reserve(const DeviceOf<B>& device, RandomSource source, std::uint64_t count) {
  return detail::CheckpointScope::draw([&] {
    if (source.generator) return source.generator->reserve(count);
    auto& all = detail::generators<DeviceOf<B>>();
    const std::lock_guard lock(all.mutex);
    return all.of(device).reserve(count);
  });
}

template <class B>
Generator GeneratorFunctions<B>::get(const DeviceOf<B>& device) {
  auto& all = detail::generators<DeviceOf<B>>();
  const std::lock_guard lock(all.mutex);
  return all.of(device);
}

template <class B>
void GeneratorFunctions<B>::set(const DeviceOf<B>& device, Generator generator) {
  auto& all = detail::generators<DeviceOf<B>>();
  const std::lock_guard lock(all.mutex);
  all.of(device) = generator;
}

}  // namespace hearth
