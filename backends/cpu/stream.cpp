// cpu/stream: classifying layouts and gathering blocks.
// SPDX-License-Identifier: Apache-2.0
#include "stream.hpp"

#include <cstring>

namespace hearth::cpu {

namespace {

/// Rows shorter than this are gathered together with their neighbours.
constexpr std::int64_t long_row = 256;
/// From this size on a transposed array is worth a copy in tiles before it is read.
constexpr std::int64_t copy_elements_from = 1 << 14;

/// Does each step along the last loop land on another cache line, while another loop would not?
bool is_transposed(const Loops<1>& loops) {
  if (loops.rank < 2 || magnitude(loops.stride[loops.rank - 1][0]) < 8) return false;
  for (int i = 0; i + 1 < loops.rank; ++i)
    if (magnitude(loops.stride[i][0]) == 1 && loops.size[i] >= 8) return true;
  return false;
}

template <class T>
void gather_typed(const Loops<1>& loops, const T* data, std::int64_t begin, std::int64_t count, T* to) {
  const int last = loops.rank - 1;
  const std::int64_t row = loops.size[last], stride = loops.stride[last][0];
  Odometer<1> at(loops, 0, last, begin / row);
  std::int64_t column = begin % row;
  while (count > 0) {
    const std::int64_t length = std::min(count, row - column);
    const T* from = data + at.offset[0] + column * stride;
    if (stride == 1) {
      for (std::int64_t i = 0; i < length; ++i) to[i] = from[i];
    } else if (stride == 0) {
      std::fill_n(to, length, *from);
    } else {
      for (std::int64_t i = 0; i < length; ++i) to[i] = from[i * stride];
    }
    to += length;
    count -= length;
    column = 0;
    at.next();
  }
}

/// A contiguous copy, or null and no error where memory is out: it only saves time, and an op that writes over its operand may have
/// been given the last handle of it because it needs no memory.
Handle copy_if_room(const Handle& handle) {
#if HEARTH_EXCEPTIONS
  try {
    return contiguous(handle);
  } catch (const Error& error) {
    if (error.kind != ErrorKind::device) throw;
    return {};
  }
#else
  Handle copy = contiguous(handle);
  if (!copy) (void)take_pending_error();
  return copy;
#endif
}

}  // namespace

void gather_strided(std::size_t size, const void* from, std::int64_t stride, std::int64_t count, void* to) {
  with_size(size, [&](auto zero) {
    using T = decltype(zero);
    const T* source = static_cast<const T*>(from);
    T* target = static_cast<T*>(to);
    for (std::int64_t i = 0; i < count; ++i) target[i] = source[i * stride];
  });
}

Source::Source(const Handle& handle, const Shape& shape, bool widen) : dtype_(handle->spec.dtype), size_(size_of(handle->spec.dtype)) {
  const Array& array = *handle;
  widen_ = widen && is_narrow(dtype_);
  data_ = bytes_of(array);
  if (array.spec.shape == shape && is_contiguous(array)) return;
  const int extra = shape.size() - array.spec.shape.size();
  std::int64_t count = 1;
  for (int i = 0; i < shape.size(); ++i) {
    const bool stretched = i < extra || array.spec.shape[i - extra] != shape[i];
    loops_.push(shape[i], {stretched ? 0 : array.strides[i - extra]});
    count *= shape[i];
  }
  if (loops_.rank == 0 || (loops_.rank == 1 && loops_.stride[0][0] == 0)) {
    kind_ = Kind::constant;
    if (count > 0) std::memcpy(constant_, data_, size_);
    return;
  }
  const std::int64_t row = loops_.size[loops_.rank - 1], stride = loops_.stride[loops_.rank - 1][0];
  if (loops_.rank == 1 && stride == 1) return;
  kind_ = stride == 1 && row >= long_row ? Kind::rows : Kind::gathered;
  if (count >= copy_elements_from && is_transposed(loops_)) {
    Handle copy = copy_if_room(handle);
    if (!copy || copy == handle) return;
    *this = Source(copy, shape, widen);
    copy_ = std::move(copy);
  }
}

Source::Source(const Scalar& scalar, Dtype dtype, bool widen) : dtype_(dtype), kind_(Kind::constant), size_(size_of(dtype)) {
  widen_ = widen && is_narrow(dtype);
  with_type(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T value = scalar.to<T>();
    std::memcpy(constant_, &value, sizeof value);
  });
}

void Source::gather(std::int64_t begin, std::int64_t count, void* to) const {
  with_size(size_, [&](auto zero) {
    using T = decltype(zero);
    if (kind_ == Kind::constant) {
      T value;
      std::memcpy(&value, constant_, sizeof value);
      std::fill_n(static_cast<T*>(to), count, value);
    } else {
      gather_typed(loops_, reinterpret_cast<const T*>(data_), begin, count, static_cast<T*>(to));
    }
  });
}

const void* Source::read(std::int64_t begin, std::int64_t count, BlockBuffer& buffer) const {
  const void* elements = nullptr;
  if (kind_ == Kind::direct) {
    elements = direct(begin);
  } else if (kind_ == Kind::rows) {
    const std::int64_t row = loops_.size[loops_.rank - 1];
    const Odometer<1> at(loops_, 0, loops_.rank - 1, begin / row);
    elements = data_ + (at.offset[0] + begin % row) * std::int64_t(size_);
  }
  if (!widen_) {
    if (elements) return elements;
    gather(begin, count, buffer.bytes);
    return buffer.bytes;
  }
  // 16-bit elements are gathered behind the place where they are widened to.
  if (!elements) {
    std::byte* behind = buffer.bytes + block_elements * sizeof(float);
    gather(begin, count, behind);
    elements = behind;
  }
  convert_kernel(dtype_, Dtype::f32)(elements, buffer.bytes, count);
  return buffer.bytes;
}

}  // namespace hearth::cpu
