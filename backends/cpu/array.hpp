// cpu/array: what the sources of the backend do with arrays: make them, look into them, reuse them. Start reading at `execute`.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "allocator.hpp"
#include "hearth/core/layout.hpp"
#include "hearth/cpu.hpp"

namespace hearth::cpu {

using Handle = Cpu::Handle;

// The body of each op. Cpu::run (run.cpp) has called infer before and hands on its specs; it also takes care of operands that
// carry errors and of naming the op. Raise errors by `return fail(...)`, before anything is written into an operand.
#define HEARTH_MAKE_OP(Name) Handle execute(const op::Name& op, const Spec& spec);
#define HEARTH_PRIMITIVE_OP(Name) \
  Results<op::Name, Handle> execute(const op::Name& op, Operands<op::Name, Handle> in, const Results<op::Name, Spec>& specs);
#define HEARTH_OPEN_OP(Name)
#define HEARTH_COMPOSITE_OP(Name)
#include "hearth/op/ops.def"

#define HEARTH_CPU_CLAIM(Name) \
  Results<op::Name, Handle> execute(const op::Name& op, Operands<op::Name, Handle> in, const Results<op::Name, Spec>& specs); \
  bool claims(const op::Name& op, const Operands<op::Name, const Spec*>& in);
#include "hearth/cpu_claims.def"

/// A handle that carries an error, and the error that one carries (null for a value).
Handle failed(Error error);
const Error* failure_of(const Handle& handle);

/// f(TypeTag<T>) with the C++ type of a float dtype; infer has refused the others.
template <class F>
void with_float(Dtype dtype, F&& f) {
  with_type(dtype, [&](auto tag) {
    if constexpr (is_float(dtype_of<typename decltype(tag)::type>)) f(tag);
  });
}
/// f(zero) with an unsigned integer of `size` bytes, for what only moves elements.
template <class F>
void with_size(std::size_t size, F&& f) {
  switch (size) {
    case 1: return f(std::uint8_t{});
    case 2: return f(std::uint16_t{});
    case 4: return f(std::uint32_t{});
    default: return f(std::uint64_t{});
  }
}

/// A new contiguous array, elements uninitialised. Null, and a device error raised, where memory is out.
Handle allocate(const Spec& spec);
/// The same, all bytes 0.
Handle allocate_zeros(const Spec& spec);

inline Layout layout_of(const Array& array) { return {array.spec.shape, array.strides, array.offset}; }
inline bool is_contiguous(const Array& array) { return hearth::is_contiguous(array.spec.shape, array.strides); }
/// How many elements (the spec has passed infer: no overflow).
inline std::int64_t count_of(const Shape& shape) {
  std::int64_t count = 1;
  for (std::int64_t size : shape) count *= size;
  return count;
}
inline std::int64_t count_of(const Array& array) { return count_of(array.spec.shape); }

/// The first element. Strides count from here.
template <class T>
T* data_of(const Array& array) {
  return reinterpret_cast<T*>(array.buffer->data) + array.offset;
}
template <class T>
T* data_of(const Handle& handle) {
  return data_of<T>(*handle);
}
/// The first element as bytes.
inline std::byte* bytes_of(const Array& array) { return array.buffer->data + array.offset * std::int64_t(size_of(array.spec.dtype)); }

/// Another look at the same buffer.
Handle view(const Handle& handle, const Layout& layout);
/// The array itself if it is contiguous, else a contiguous copy.
Handle contiguous(Handle handle);
/// May the elements be overwritten, since nobody else sees them? Ask before the handle is copied anywhere.
inline bool is_own(const Handle& handle) { return handle.unique() && handle->buffer.unique(); }
/// The operand itself, for a result to be written over it, if it is ours, contiguous and of this spec (dtypes of one size will
/// do); else a new array. The caller keeps reading the operand through the pointers that it took before.
Handle reuse_or_allocate(Handle& operand, const Spec& spec);

/// Copies elements of `size` bytes between layouts of one shape; offsets count from the pointers. They must not overlap.
void copy_elements(std::size_t size, const Layout& from, const std::byte* source, const Layout& to, std::byte* target);

}  // namespace hearth::cpu
