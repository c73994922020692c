// cpu: the backend for the host's processors. Parallel loops, vector code chosen at run time, a caching allocator; no dependency
// of its sources shows here.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "hearth/backend/backend.hpp"

namespace hearth {

namespace cpu {

/// Memory that arrays share. How it goes back is its destructor's matter.
struct Buffer : Counted {
  std::byte* data = nullptr;  ///< 64-byte aligned where Hearth allocated it
  std::size_t size = 0;       ///< bytes asked for

  Buffer() = default;
  Buffer(std::byte* d, std::size_t s) : data(d), size(s) {}
};

/// What a handle points to: dtype, shape and strides of elements in a buffer. Only the backend's sources look inside.
struct Array final : Counted {
  Spec spec;
  Strides strides;          ///< in elements
  std::int64_t offset = 0;  ///< of the first element in the buffer, in elements
  Ref<Buffer> buffer;
  Ref<Counted> failure;     ///< set in the place of a value where Hearth is built without exceptions

  Array() = default;
  Array(const Spec& s, const Strides& st, std::int64_t o, Ref<Buffer> b) : spec(s), strides(st), offset(o), buffer(std::move(b)) {}

  // Arrays are small, many and short-lived: they come from the allocator's free lists.
  static void* operator new(std::size_t size) noexcept(!HEARTH_EXCEPTIONS);
  static void operator delete(void* memory) noexcept;
};

}  // namespace cpu

/// The CPU backend. All functions may be called from any thread.
struct Cpu {
  /// There is one: the host.
  struct Device {
    friend constexpr bool operator==(Device, Device) = default;
  };
  using Handle = Ref<cpu::Array>;

  static std::string name();

  static Handle upload(const Device& device, const Spec& spec, const void* from);
  static void download(const Handle& handle, void* to);
  static Ref<Completion> download_async(const Handle& handle, void* to);
  static void sync(const Device& device);
  static const Spec& spec(const Handle& handle) { return handle->spec; }
  static Device device(const Handle&) { return {}; }
  static const Error* error(const Handle& handle);
  /// May an op that is given this handle write its result over the value, so that it needs no memory for it?
  static bool overwritable(const Handle& handle);
  static MemoryStats memory_stats(const Device& device);
  static void trim(const Device& device);

  /// How many threads a parallel loop may use, the calling one included; 1 or more. At first what the process may run on at once.
  /// Results do not depend on it.
  static void set_threads(int count);
  static int threads();
  /// The most that the backend takes from the system, in bytes; an allocation beyond is an Error of kind device. 0: no limit.
  static void set_memory_cap(std::size_t bytes);

#define HEARTH_MAKE_OP(Name) static Handle make(const Device& device, const op::Name& op);
#define HEARTH_PRIMITIVE_OP(Name) static Results<op::Name, Handle> run(const op::Name& op, Operands<op::Name, Handle> in);
#define HEARTH_OPEN_OP(Name)
#define HEARTH_COMPOSITE_OP(Name)
#include "hearth/op/ops.def"

#define HEARTH_CPU_CLAIM(Name)                                                                   \
  static Results<op::Name, Handle> run(const op::Name& op, Operands<op::Name, Handle> in);       \
  static bool claims(const op::Name& op, const Operands<op::Name, const Spec*>& in);
#include "hearth/cpu_claims.def"
};

static_assert(Backend<Cpu>);

}  // namespace hearth
