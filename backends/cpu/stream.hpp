// cpu/stream: elements of any layout as a stream of short contiguous blocks, so that a kernel is a loop over plain arrays and nothing
// else. What is contiguous already is handed on where it lies; the rest is gathered block by block into the first cache.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>

#include "array.hpp"
#include "kernels.hpp"
#include "loops.hpp"
#include "threads.hpp"

namespace hearth::cpu {

/// Elements that a block holds at most.
inline constexpr std::int64_t block_elements = 1024;
/// Room for a block of any dtype.
struct BlockBuffer {
  alignas(64) std::byte bytes[block_elements * 8];
};

/// Is it a dtype that is computed in a wider one: f16 or bf16?
constexpr bool is_narrow(Dtype dtype) { return compute_dtype(dtype) != dtype; }

/// `count` elements of `size` bytes, `stride` elements apart, to a contiguous place.
void gather_strided(std::size_t size, const void* from, std::int64_t stride, std::int64_t count, void* to);

/// The elements of an array, stretched to a shape and in its row-major order.
class Source {
 public:
  /// Converted to f32 where `widen` and the dtype is f16 or bf16. The source keeps no reference to the array's buffer, except
  /// that it may hold a contiguous copy of a large transposed array.
  Source(const Handle& handle, const Shape& shape, bool widen);
  /// One number everywhere.
  Source(const Scalar& scalar, Dtype dtype, bool widen);

  /// Do the elements lie in memory as a kernel wants them, from the first to the last?
  bool is_direct() const { return kind_ == Kind::direct && !widen_; }
  bool is_constant() const { return kind_ == Kind::constant; }
  const std::byte* direct(std::int64_t begin) const { return data_ + begin * std::int64_t(size_); }

  /// How many elements from `begin` on, at most `count`, should be read at once.
  std::int64_t run(std::int64_t begin, std::int64_t count) const {
    if (kind_ != Kind::rows) return count;
    const std::int64_t row = loops_.size[loops_.rank - 1];
    return std::min(count, row - begin % row);
  }
  /// Elements [begin, begin + count), count at most block_elements; in `buffer` if they are not to be had where they lie.
  const void* read(std::int64_t begin, std::int64_t count, BlockBuffer& buffer) const;

 private:
  enum class Kind : unsigned char {
    direct,    ///< contiguous
    constant,  ///< one element
    rows,      ///< long contiguous rows
    gathered,  ///< anything else
  };
  void gather(std::int64_t begin, std::int64_t count, void* to) const;

  const std::byte* data_ = nullptr;
  std::byte constant_[8];
  Dtype dtype_;
  Kind kind_ = Kind::direct;
  bool widen_ = false;
  std::size_t size_;
  Loops<1> loops_;
  Handle copy_;
};

/// Runs kernel(pointers, result, count) over all blocks of N sources of `count` elements. The kernel's results have dtype
/// `computed`, `out` has dtype `stored`: the same, or f16 or bf16 where f32 is computed.
template <int N, class Kernel>
void run_blocks(const std::array<Source, N>& sources, std::int64_t count, Dtype computed, Dtype stored, std::byte* out, const Kernel& kernel) {
  const UnaryKernel narrow = computed == stored ? nullptr : convert_kernel(computed, stored);
  const std::int64_t size = std::int64_t(size_of(stored));
  bool direct = !narrow;
  for (const Source& source : sources) direct = direct && source.is_direct();
  if (direct) {
    return parallel_for(count, task_elements, [&](std::int64_t begin, std::int64_t end) {
      std::array<const void*, N> in{};
      for (int k = 0; k < N; ++k) in[k] = sources[k].direct(begin);
      kernel(in, out + begin * size, end - begin);
    });
  }
  parallel_for(count, task_elements, [&](std::int64_t begin, std::int64_t end) {
    BlockBuffer buffers[N], result;
    std::array<const void*, N> in{};
    // Filling a constant's block must not cost more than the little work that uses it.
    const std::int64_t most = std::min(end - begin < 4 * block_elements ? block_elements / 4 : block_elements, end - begin);
    for (int k = 0; k < N; ++k)
      if (sources[k].is_constant()) in[k] = sources[k].read(0, most, buffers[k]);
    while (begin < end) {
      std::int64_t length = std::min(most, end - begin);
      for (const Source& source : sources) length = source.run(begin, length);
      for (int k = 0; k < N; ++k)
        if (!sources[k].is_constant()) in[k] = sources[k].read(begin, length, buffers[k]);
      if (narrow) {
        kernel(in, result.bytes, length);
        narrow(result.bytes, out + begin * size, length);
      } else {
        kernel(in, out + begin * size, length);
      }
      begin += length;
    }
  });
}

}  // namespace hearth::cpu
