// cpu/array: making arrays and deciding when one may be written over.
// SPDX-License-Identifier: Apache-2.0
#include "array.hpp"

#include <cstring>

#include "threads.hpp"

namespace hearth::cpu {

Handle allocate(const Spec& spec) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(std::size_t(count_of(spec.shape)), size_of(spec.dtype), &bytes)) bytes = ~std::size_t(0);
  Ref<Buffer> buffer = allocate_buffer(bytes);
  if (!buffer) return {};
  return Handle(new Array(spec, contiguous_strides(spec.shape), 0, std::move(buffer)));
}

Handle allocate_zeros(const Spec& spec) {
  Handle result = allocate(spec);
  if (!result) return {};
  std::byte* const data = result->buffer->data;
  parallel_for(std::int64_t(result->buffer->size), task_elements * 4,
               [=](std::int64_t begin, std::int64_t end) { std::memset(data + begin, 0, std::size_t(end - begin)); });
  return result;
}

Handle view(const Handle& handle, const Layout& layout) {
  return Handle(new Array({handle->spec.dtype, layout.shape}, layout.strides, layout.offset, handle->buffer));
}

Handle contiguous(Handle handle) {
  if (is_contiguous(*handle)) return handle;
  Handle result = allocate(handle->spec);
  if (!result) return {};
  Layout from = layout_of(*handle);
  from.offset = 0;
  copy_elements(size_of(handle->spec.dtype), from, bytes_of(*handle), Layout::contiguous(from.shape), result->buffer->data);
  return result;
}

Handle reuse_or_allocate(Handle& operand, const Spec& spec) {
  if (operand && is_own(operand) && operand->spec.shape == spec.shape && size_of(operand->spec.dtype) == size_of(spec.dtype) &&
      is_contiguous(*operand)) {
    operand->spec.dtype = spec.dtype;
    return std::move(operand);
  }
  return allocate(spec);
}

}  // namespace hearth::cpu
