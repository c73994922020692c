// consumer/my_backend: a backend that Hearth has never heard of. It counts the ops that it runs, and lets another backend do the work;
// a real one would have its own memory and its own kernels in the places marked by ops.def.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <hearth/portable.hpp>

#include <atomic>
#include <utility>

namespace mine {

/// Where our arrays live: which of two rooms of the machine, say.
struct Device {
  int room = 0;
  friend bool operator==(const Device&, const Device&) = default;
};

/// What a handle points to.
struct Array final : hearth::Counted {
  hearth::Portable::Handle value;
  Device device;
  Array(hearth::Portable::Handle v, Device d) : value(std::move(v)), device(d) {}
};

struct Backend {
  using Device = mine::Device;
  using Handle = hearth::Ref<Array>;
  using Host = hearth::Portable;

  /// How many ops have run so far.
  static inline std::atomic<long> ops = 0;

  // Memory.
  static Handle wrap(Host::Handle value, const Device& device) { return hearth::make_ref<Array>(std::move(value), device); }
  static Handle upload(const Device& device, const hearth::Spec& spec, const void* from) { return wrap(Host::upload({}, spec, from), device); }
  static void download(const Handle& handle, void* to) { Host::download(handle->value, to); }
  static hearth::Ref<hearth::Completion> download_async(const Handle& handle, void* to) { return Host::download_async(handle->value, to); }
  static void sync(const Device&) { Host::sync({}); }
  static const hearth::Spec& spec(const Handle& handle) { return Host::spec(handle->value); }
  static Device device(const Handle& handle) { return handle->device; }
  static const hearth::Error* error(const Handle& handle) { return handle ? Host::error(handle->value) : nullptr; }
  static hearth::MemoryStats memory_stats(const Device&) { return Host::memory_stats({}); }
  static void trim(const Device&) { Host::trim({}); }
  static std::string name() { return "mine::Backend"; }

  // Every op, in one place. Operands and results are arrays, or vectors where an op takes any number of them.
  template <class Op, class In>
  static auto forward(const Op& op, const In& in) {
    ++ops;
    Device device;
    hearth::Operands<Op, Host::Handle> operands{};
    if constexpr (requires { operands.resize(in.size()); }) operands.resize(in.size());
    for (std::size_t i = 0; i < in.size(); ++i)
      if (in[i]) {
        device = in[i]->device;
        operands[i] = in[i]->value;
      }
    auto values = Host::run(op, std::move(operands));
    hearth::Results<Op, Handle> results{};
    if constexpr (requires { results.resize(values.size()); }) results.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) results[i] = wrap(std::move(values[i]), device);
    return results;
  }

  // The vocabulary: ops without operands are made on a device, all others run.
#define HEARTH_MAKE_OP(Name)                                              \
  static Handle make(const Device& device, const hearth::op::Name& op) {  \
    ++ops;                                                                \
    return wrap(Host::make({}, op), device);                              \
  }
#define HEARTH_PRIMITIVE_OP(Name) \
  static hearth::Results<hearth::op::Name, Handle> run(const hearth::op::Name& op, hearth::Operands<hearth::op::Name, Handle> in) { return forward(op, in); }
#include <hearth/op/ops.def>
};

static_assert(hearth::Backend<Backend>);

}  // namespace mine
