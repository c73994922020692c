// portable/array: what a handle of Portable points to, and how kernels reach its elements. Start reading here, then execute.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <limits>
#include <new>

#include "hearth/core/error.hpp"
#include "hearth/core/layout.hpp"
#include "hearth/core/ref.hpp"
#include "hearth/core/spec.hpp"
#include "hearth/op/codes.hpp"

namespace hearth::portable {

/// Portable's devices are one memory under several numbers, so that transfers can be tried without hardware.
struct Device {
  int index = 0;
  friend constexpr bool operator==(const Device&, const Device&) = default;
};

/// Bytes of all buffers, and the most that there may be.
struct Memory {
  static inline std::atomic<std::size_t> live{0}, peak{0}, cap{std::numeric_limits<std::size_t>::max()};
};

/// Raw memory that arrays share. Made by allocate_bytes.
struct Buffer final : Counted {
  Buffer(std::byte* b, std::size_t s) : bytes(b), size(s) {}
  ~Buffer() override {
    delete[] bytes;
    Memory::live -= size;
  }
  std::byte* const bytes;
  const std::size_t size;
};

/// Why an array has no elements, where Hearth is built without exceptions.
struct Cause final : Counted {
  explicit Cause(Error e) : error(std::move(e)) {}
  const Error error;
};

/// Elements of `spec`, laid out by `layout` in a buffer that other arrays may share; or no buffer and a cause.
struct Array final : Counted {
  Array(const Device& d, const Spec& s, const Layout& l, Ref<Buffer> b) : device(d), spec(s), layout(l), buffer(std::move(b)) {}
  Array(const Device& d, Ref<Cause> c) : device(d), spec{Dtype::f32, {0}}, layout(Layout::contiguous({0})), cause(std::move(c)) {}
  Device device;
  Spec spec;
  Layout layout;
  Ref<Buffer> buffer;
  Ref<Cause> cause;
};
using Handle = Ref<Array>;

/// A buffer, not initialised. Out of memory is an Error of kind device that names `op`; then the Ref is null.
inline Ref<Buffer> allocate_bytes(std::size_t size, std::string_view op) {
  const std::size_t live = Memory::live.fetch_add(size) + size;
  std::byte* bytes = nullptr;
  if (size <= Memory::cap && live <= Memory::cap && size <= std::size_t(std::numeric_limits<std::ptrdiff_t>::max()))
    bytes = new (std::nothrow) std::byte[size];
  if (!bytes) {
    Memory::live -= size;
    return fail(Error(ErrorKind::device, op, "out of memory: " + std::to_string(size) + " bytes asked for, " + std::to_string(live - size) + " in use"));
  }
  std::size_t peak = Memory::peak;
  while (peak < live && !Memory::peak.compare_exchange_weak(peak, live)) {
  }
  return make_ref<Buffer>(bytes, size);
}

/// A row-major array, its elements not initialised. Without exceptions the handle is null where memory is out: ask before use.
inline Handle allocate(const Device& device, const Spec& spec, std::string_view op) {
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(element_count(spec.shape), std::int64_t(size_of(spec.dtype)), &bytes)) bytes = std::numeric_limits<std::int64_t>::max();
  Ref<Buffer> buffer = allocate_bytes(std::size_t(bytes), op);
  if (!buffer) return {};
  return make_ref<Array>(device, spec, Layout::contiguous(spec.shape), std::move(buffer));
}

/// The same elements under another layout; the dtype stays.
inline Handle view_of(const Handle& x, const Layout& layout) {
  return make_ref<Array>(x->device, Spec{x->spec.dtype, layout.shape}, layout, x->buffer);
}

/// The first element; the others lie by the layout's strides. T is the C++ type of the dtype, const or not.
template <class T>
T* data(const Handle& x) {
  return reinterpret_cast<T*>(x->buffer->bytes) + x->layout.offset;
}

/// Elements by index: x(n, c, i, j), or x[index] with a Shape as index.
template <class T>
struct Elements {
  T* first;
  Strides strides;
  template <class... I>
  T& operator()(I... index) const {
    std::int64_t offset = 0;
    int axis = 0;
    ((offset += std::int64_t(index) * strides[axis++]), ...);
    return first[offset];
  }
  T& operator[](const Shape& index) const {
    std::int64_t offset = 0;
    for (int axis = 0; axis < index.size(); ++axis) offset += index[axis] * strides[axis];
    return first[offset];
  }
};
template <class T>
Elements<T> elements(const Handle& x) {
  return {data<T>(x), x->layout.strides};
}

/// The strides with which x is read where it is stretched to `shape`.
inline Strides broadcast_strides(const Handle& x, const Shape& shape) { return expanded(x->layout, shape).strides; }

/// Counts through the indices of a shape in row-major order, and keeps where each lies under N lists of strides.
template <std::size_t N>
class Walk {
 public:
  Walk(const Shape& shape, const std::array<Strides, N>& strides) : shape_(shape), strides_(strides), index_(Shape::filled(shape.size(), 0)) {
    for (std::int64_t size : shape) more_ &= size > 0;
  }
  bool more() const { return more_; }
  const Shape& index() const { return index_; }
  const std::array<std::int64_t, N>& offsets() const { return offsets_; }
  void next() {
    if (shape_.empty()) more_ = false;
    else if (step(shape_.size() - 1); index_[-1] == shape_[-1]) carry();
  }

 private:
  void step(int axis) {
    ++index_[axis];
    for (std::size_t k = 0; k < N; ++k) offsets_[k] += strides_[k][axis];
  }
  void carry() {
    int axis = shape_.size() - 1;
    for (; index_[axis] == shape_[axis]; step(axis)) {
      for (std::size_t k = 0; k < N; ++k) offsets_[k] -= strides_[k][axis] * shape_[axis];
      index_[axis] = 0;
      if (--axis < 0) {
        more_ = false;
        return;
      }
    }
  }
  Shape shape_;
  std::array<Strides, N> strides_;
  Shape index_;
  std::array<std::int64_t, N> offsets_{};
  bool more_ = true;
};

/// f(offsets) for each index of `shape` in row-major order; offsets[k] is where the index lies under strides[k].
template <std::size_t N, class F>
void walk(const Shape& shape, const std::array<Strides, N>& strides, F f) {
  for (Walk<N> at(shape, strides); at.more(); at.next()) f(at.offsets());
}
/// f(index) for each index of `shape` in row-major order.
template <class F>
void each_index(const Shape& shape, F f) {
  for (Walk<0> at(shape, {}); at.more(); at.next()) f(at.index());
}

/// Calls f(TypeTag<T>{}) if the dtype is among the kinds; infer has refused the others.
template <Kinds Allowed, class F>
void with_kinds(Dtype dtype, F&& f) {
  with_type(dtype, [&](auto tag) {
    if constexpr ((Allowed & kinds_of(dtype_of<typename decltype(tag)::type>)) != 0) f(tag);
  });
}
template <class F>
void with_float(Dtype dtype, F&& f) {
  with_kinds<kinds::F>(dtype, f);
}
template <class F>
void with_integer(Dtype dtype, F&& f) {
  with_kinds<kinds::I>(dtype, f);
}

/// The type in which elements of T are summed and multiplied: double for floats, 64 bits for integers and bool.
template <class T>
using Wide = std::conditional_t<is_float(dtype_of<T>), double, std::conditional_t<std::is_same_v<T, std::uint64_t>, std::uint64_t, std::int64_t>>;

/// Copies elements between arrays of one shape and dtype, whatever their layouts.
inline void copy(const Handle& from, const Handle& to) {
  with_type(from->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* source = data<const T>(from);
    T* target = data<T>(to);
    walk<2>(from->layout.shape, {from->layout.strides, to->layout.strides}, [&](auto& at) { target[at[1]] = source[at[0]]; });
  });
}
/// x itself where it is row-major without gaps, else a copy that is. Null where memory is out.
inline Handle contiguous(const Handle& x, std::string_view op) {
  if (x->layout.contiguous()) return x;
  Handle result = allocate(x->device, x->spec, op);
  if (result) copy(x, result);
  return result;
}

}  // namespace hearth::portable
