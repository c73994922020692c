// cpu/memory: the memory functions of the backend. The host's memory is the device's, so every transfer is a copy that has
// ended when its call returns.
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "array.hpp"
#include "threads.hpp"

namespace hearth {

namespace {

struct Done final : Completion {
  bool ready() const override { return true; }
  void wait() override {}
};

struct FailedCompletion final : Completion {
  explicit FailedCompletion(Error e) : error(std::move(e)) {}
  bool ready() const override { return true; }
  void wait() override { (void)fail(error); }
  Error error;
};

void copy_bytes(void* to, const void* from, std::size_t size) {
  cpu::parallel_for(std::int64_t(size), cpu::task_elements * 4, [=](std::int64_t begin, std::int64_t end) {
    std::memcpy(static_cast<std::byte*>(to) + begin, static_cast<const std::byte*>(from) + begin, std::size_t(end - begin));
  });
}

}  // namespace

std::string Cpu::name() { return "Cpu"; }

Cpu::Handle Cpu::upload(const Device&, const Spec& spec, const void* from) {
  cpu::set_current_op("upload");
  Handle handle;
  if (fits("upload", spec)) handle = cpu::allocate(spec);
#if !HEARTH_EXCEPTIONS
  if (pending_error()) return cpu::failed(take_pending_error());
#endif
  if (handle->buffer->size > 0) copy_bytes(handle->buffer->data, from, handle->buffer->size);
  if (is_bool(spec.dtype))  // from outside any byte may come; a bool has two values
    cpu::parallel_for(std::int64_t(handle->buffer->size), cpu::task_elements * 4, [data = handle->buffer->data](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) data[i] = std::byte(data[i] != std::byte(0));
    });
  return handle;
}

void Cpu::download(const Handle& handle, void* to) {
  if (const Error* broken = error(handle)) return (void)fail(*broken);
  const std::int64_t count = cpu::count_of(*handle);
  if (count == 0) return;
  const std::size_t size = size_of(handle->spec.dtype);
  if (cpu::is_contiguous(*handle)) return copy_bytes(to, cpu::bytes_of(*handle), std::size_t(count) * size);
  Layout from = cpu::layout_of(*handle);
  from.offset = 0;
  cpu::copy_elements(size, from, cpu::bytes_of(*handle), Layout::contiguous(from.shape), static_cast<std::byte*>(to));
}

Ref<Completion> Cpu::download_async(const Handle& handle, void* to) {
  if (const Error* broken = error(handle)) return make_ref<FailedCompletion>(*broken);
  download(handle, to);
  return make_ref<Done>();
}

void Cpu::sync(const Device&) {}

const Error* Cpu::error(const Handle& handle) { return cpu::failure_of(handle); }
bool Cpu::overwritable(const Handle& handle) { return cpu::is_own(handle) && cpu::is_contiguous(*handle); }

MemoryStats Cpu::memory_stats(const Device&) { return cpu::memory_stats(); }
void Cpu::trim(const Device&) { cpu::trim_memory(); }
void Cpu::set_memory_cap(std::size_t bytes) { cpu::set_memory_cap(bytes); }
void Cpu::set_threads(int count) { cpu::set_threads(count); }
int Cpu::threads() { return cpu::threads(); }

}  // namespace hearth
