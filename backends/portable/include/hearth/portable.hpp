// Portable: the scalar reference backend. Plain loops over core and op, no other dependency, no threads; builds with
// -fno-exceptions -fno-rtti. Its kernels are written to be read: each says what its op means.
// This header declares it; portable/*.hpp hold the kernels, a family each, which src/stacks/portable_*.cpp compile.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstring>

#include "hearth/backend/backend.hpp"
#include "portable/array.hpp"

namespace hearth {

namespace portable {
/// What every op goes through: a failed operand fails the results; infer; allocate; kernel. Defined in portable/execute.hpp.
template <class Op>
Results<Op, Handle> execute(const Op& op, const Operands<Op, Handle>& in);
/// The same for the ops without operands.
template <class Op>
Handle create(const Device& device, const Op& op);
/// A handle that carries the error that is pending (without exceptions only), which is no longer pending then.
inline Handle failed(const Device& device) { return make_ref<Array>(device, make_ref<Cause>(take_pending_error())); }

#define HEARTH_MAKE_OP(Name) extern template Handle create(const Device& device, const op::Name& op);
#define HEARTH_PRIMITIVE_OP(Name) extern template Results<op::Name, Handle> execute(const op::Name& op, const Operands<op::Name, Handle>& in);
#include "hearth/op/ops.def"
}  // namespace portable

struct Portable {
  using Device = portable::Device;
  using Handle = portable::Handle;

  static Handle upload(const Device& device, const Spec& spec, const void* from);
  static void download(const Handle& handle, void* to);
  /// Complete when it returns.
  static Ref<Completion> download_async(const Handle& handle, void* to);
  static void sync(const Device&) {}
  static const Spec& spec(const Handle& handle) { return handle->spec; }
  static Device device(const Handle& handle) { return handle->device; }
  static const Error* error(const Handle& handle) { return handle && handle->cause ? &handle->cause->error : nullptr; }
  static MemoryStats memory_stats(const Device&);
  static void trim(const Device&) {}
  static std::string name() { return "Portable"; }

  /// No more than so many bytes from now on, for tests and for small machines; 0: no limit.
  static void set_memory_cap(std::size_t bytes) { portable::Memory::cap = bytes == 0 ? std::numeric_limits<std::size_t>::max() : bytes; }

#define HEARTH_MAKE_OP(Name) \
  static Handle make(const Device& device, const op::Name& op) { return portable::create(device, op); }
#define HEARTH_PRIMITIVE_OP(Name) \
  static Results<op::Name, Handle> run(const op::Name& op, Operands<op::Name, Handle> in) { return portable::execute(op, in); }
#include "hearth/op/ops.def"
};

static_assert(Backend<Portable>);

inline Portable::Handle Portable::upload(const Device& device, const Spec& spec, const void* from) {
  const Handle result = fits("upload", spec) ? portable::allocate(device, spec, "upload") : Handle();
  if (!result) return portable::failed(device);
  if (result->buffer->size > 0) std::memcpy(result->buffer->bytes, from, result->buffer->size);
  if (is_bool(spec.dtype))  // from outside any byte may come; a bool has two values
    for (std::size_t i = 0; i < result->buffer->size; ++i) result->buffer->bytes[i] = std::byte(result->buffer->bytes[i] != std::byte(0));
  return result;
}

inline void Portable::download(const Handle& handle, void* to) {
  if (const Error* cause = error(handle)) {
    report_error(*cause);
    return;
  }
  const Handle x = portable::contiguous(handle, "download");
  if (!x) return;  // out of memory, and said so
  const std::size_t width = size_of(x->spec.dtype), bytes = std::size_t(element_count(x->spec.shape)) * width;
  if (bytes > 0) std::memcpy(to, x->buffer->bytes + std::size_t(x->layout.offset) * width, bytes);
}

inline Ref<Completion> Portable::download_async(const Handle& handle, void* to) {
  struct Done final : Completion {
    bool ready() const override { return true; }
    void wait() override {}
  };
  download(handle, to);
  return make_ref<Done>();
}

inline MemoryStats Portable::memory_stats(const Device&) {
  return {portable::Memory::live, portable::Memory::live, portable::Memory::peak};
}

}  // namespace hearth
