// cpu/copy: elements from one layout to another: whole runs by memcpy, transpositions in tiles that fit the cache.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "array.hpp"
#include "loops.hpp"
#include "threads.hpp"

namespace hearth::cpu {

namespace {

constexpr std::int64_t tile = 32;

template <class T>
void copy_row(const T* from, std::int64_t from_stride, T* to, std::int64_t to_stride, std::int64_t count) {
  if (from_stride == 1 && to_stride == 1) {
    std::memcpy(to, from, std::size_t(count) * sizeof(T));
  } else if (from_stride == 0 && to_stride == 1) {
    std::fill_n(to, count, *from);
  } else if (to_stride == 1) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = from[i * from_stride];
  } else {
    for (std::int64_t i = 0; i < count; ++i) to[i * to_stride] = from[i * from_stride];
  }
}

template <class T>
void copy_rows(const Loops<2>& loops, const T* from, T* to) {
  const int last = loops.rank - 1;
  const std::int64_t length = loops.size[last], from_stride = loops.stride[last][0], to_stride = loops.stride[last][1];
  const std::int64_t rows = loops.count(0, last);
  if (rows == 1) {  // one long run: cut it itself
    return parallel_for(length, task_elements, [&](std::int64_t begin, std::int64_t end) {
      copy_row(from + begin * from_stride, from_stride, to + begin * to_stride, to_stride, end - begin);
    });
  }
  parallel_for(rows, row_grain(length), [&](std::int64_t begin, std::int64_t end) {
    Odometer<2> at(loops, 0, last, begin);
    for (std::int64_t row = begin; row < end; ++row, at.next())
      copy_row(from + at.offset[0], from_stride, to + at.offset[1], to_stride, length);
  });
}

/// The last two axes of `loops`: the source runs along the first of them, the target along the second. A tile passes through a
/// small buffer, so that every cache line is read and written once, however unlucky the strides.
template <class T>
void copy_tiles(const Loops<2>& loops, const T* from, T* to) {
  const int outer = loops.rank - 2;
  const std::int64_t rows = loops.size[outer], columns = loops.size[outer + 1];
  const std::int64_t *row_stride = loops.stride[outer], *column_stride = loops.stride[outer + 1];
  const std::int64_t row_tiles = (rows + tile - 1) / tile, batch = loops.count(0, outer);
  parallel_for(batch * row_tiles, row_grain(tile * columns), [&](std::int64_t begin, std::int64_t end) {
    T buffer[tile][tile];
    Odometer<2> at(loops, 0, outer, begin / row_tiles);
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t row = i % row_tiles * tile, height = std::min(tile, rows - row);
      for (std::int64_t column = 0; column < columns; column += tile) {
        const std::int64_t width = std::min(tile, columns - column);
        const T* source = from + at.offset[0] + row * row_stride[0] + column * column_stride[0];
        T* target = to + at.offset[1] + row * row_stride[1] + column * column_stride[1];
        for (std::int64_t c = 0; c < width; ++c)
          for (std::int64_t r = 0; r < height; ++r) buffer[c][r] = source[c * column_stride[0] + r * row_stride[0]];
        for (std::int64_t r = 0; r < height; ++r)
          for (std::int64_t c = 0; c < width; ++c) target[r * row_stride[1] + c * column_stride[1]] = buffer[c][r];
      }
      if (i % row_tiles == row_tiles - 1) at.next();
    }
  });
}

template <class T>
void copy_typed(const Layout& from, const T* source, const Layout& to, T* target) {
  // Axes in the order in which the target lies in memory; those of size 0 have ended the call before.
  Axes order;
  for (int i = 0; i < to.shape.size(); ++i) {
    int at = order.size();
    while (at > 0 && magnitude(to.strides[order[at - 1]]) < magnitude(to.strides[i])) --at;
    order.insert(at, i);
  }
  Loops<2> loops;
  for (int axis : order) loops.push(to.shape[axis], {from.strides[axis], to.strides[axis]});
  if (loops.rank == 0) {
    *target = *source;
    return;
  }
  const int last = loops.rank - 1;
  if (loops.rank > 1 && magnitude(loops.stride[last][0]) > 1) {
    // Is there an axis along which the source runs densely while the target does not?
    for (int i = last - 1; i >= 0; --i) {
      if (magnitude(loops.stride[i][0]) != 1 || loops.size[i] < 4 || loops.size[last] < 4) continue;
      Loops<2> tiled;
      for (int j = 0; j < last; ++j)
        if (j != i) tiled.push(loops.size[j], {loops.stride[j][0], loops.stride[j][1]});
      for (int j : {i, last}) {
        tiled.size[tiled.rank] = loops.size[j];
        for (int k : {0, 1}) tiled.stride[tiled.rank][k] = loops.stride[j][k];
        ++tiled.rank;
      }
      return copy_tiles(tiled, source, target);
    }
  }
  copy_rows(loops, source, target);
}

}  // namespace

void copy_elements(std::size_t size, const Layout& from, const std::byte* source, const Layout& to, std::byte* target) {
  for (std::int64_t length : to.shape)
    if (length == 0) return;
  with_size(size, [&](auto zero) {
    using T = decltype(zero);
    copy_typed(from, reinterpret_cast<const T*>(source) + from.offset, to, reinterpret_cast<T*>(target) + to.offset);
  });
}

}  // namespace hearth::cpu
