// cpu/gemm: the loops around the tiles, as Goto and van de Geijn have them ("Anatomy of high-performance matrix multiplication",
// 2008): a block of b in the second cache, slivers of a in the first. Start reading at `contract`.
// SPDX-License-Identifier: Apache-2.0
#include "gemm.hpp"

#include <algorithm>

#include "allocator.hpp"
#include "gemm_kernel.hpp"
#include "gemm_pack.hpp"
#include "gemm_store.hpp"
#include "threads.hpp"

namespace hearth::cpu {

namespace {

using Index = std::int64_t;
using Part = GemmAxis::Part;
using Stride = Index Part::*;

constexpr Index divide_up(Index a, Index b) { return (a + b - 1) / b; }
constexpr Index round_up(Index a, Index b) { return divide_up(a, b) * b; }

/// Parts that lie behind one another in every operand that has them become one.
void coalesce(GemmAxis& axis, bool in_a, bool in_b, bool in_c) {
  GemmAxis result;
  for (const Part& part : axis.parts) {
    if (part.size == 1) continue;
    if (!result.parts.empty()) {
      Part& last = result.parts[-1];
      if ((!in_a || last.a == part.a * part.size) && (!in_b || last.b == part.b * part.size) && (!in_c || last.c == part.c * part.size)) {
        last = {last.size * part.size, part.a, part.b, part.c};
        continue;
      }
    }
    result.parts.push(part);
  }
  axis = result;
}

/// A batch in which one operand stands still is rows or columns of a larger product.
void fold_batch(Contraction& p) {
  GemmAxis batch, rows, columns;
  for (const Part& part : p.batch.parts) {
    if (part.size == 1) continue;
    if (part.b == 0 && (!p.bias || (p.bias_per_column && p.bias_batch == 0))) rows.parts.push(part);
    else if (part.a == 0 && !p.bias) columns.parts.push(part);
    else batch.parts.push(part);
  }
  for (const Part& part : p.rows.parts) rows.parts.push(part);
  for (const Part& part : p.columns.parts) columns.parts.push(part);
  p.batch = batch, p.rows = rows, p.columns = columns;
}

void transpose(Contraction& p) {
  std::swap(p.a, p.b);
  std::swap(p.a_dtype, p.b_dtype);
  std::swap(p.rows, p.columns);
  p.bias_per_column = !p.bias_per_column;
  for (GemmAxis* axis : {&p.batch, &p.rows, &p.columns, &p.inner})
    for (Part& part : axis->parts) std::swap(part.a, part.b);
}

Index last_stride(const GemmAxis& axis, Stride stride) { return axis.parts.empty() ? 1 : axis.parts[-1].*stride; }

/// How well a product of this form fills the tiles: columns come in whole vectors, and few rows cannot hide the latency.
double cost(Index rows, Index columns, Index lanes, bool stores_along_columns) {
  return double(rows < 4 ? 4 : rows) * double(round_up(columns, lanes)) * (stores_along_columns ? 1 : 1.1);
}

/// Everything about a contraction that is the same for all of its tasks.
template <class T>
struct Plan {
  Contraction p;
  const GemmKernels<T>& kernels = gemm_kernels<T>();
  Index batch, m, n, k;
  Index width;                                 ///< of a full tile
  Index parts = 1;                             ///< the inner index is cut into as many, summed apart
  Index depth, row_chunk, column_chunk;        ///< of a block
  Index row_chunks, column_chunks;
  bool finish;                                 ///< is there an epilogue or another dtype, so that sums are stored by `store`?
  bool dots;                                   ///< few rows, b along the inner index: dot products instead of tiles
  PackFunction<T> pack_a, pack_b;
  WidenFunction<T> widen_a, widen_b;
  StoreFunction<T> store;
  T* partial = nullptr;                        ///< [parts, batch, m, n] where parts > 1

  Index tasks() const { return batch * parts * row_chunks * column_chunks; }
};

template <class T>
bool is_computed_in(Dtype dtype) {
  return sizeof(T) == size_of(dtype) && std::is_floating_point_v<T> == is_float(dtype);
}

/// The memory of one thread while it works on tasks of a plan.
template <class T>
struct Workspace {
  Scratch<T> values;
  Scratch<Index> offsets;
  T *packed_a, *packed_b, *sums, *tile;
  Index *a_rows, *c_rows, *b_columns, *c_columns, *a_inner, *b_inner;

  explicit Workspace(const Plan<T>& plan)
      : values(size(plan)), offsets(2 * (plan.row_chunk + plan.column_chunk + plan.depth)) {
    packed_a = values.data();
    packed_b = packed_a + size_a(plan);
    tile = packed_b + size_b(plan);
    sums = tile + plan.kernels.rows * plan.width;
    a_rows = offsets.data();
    c_rows = a_rows + plan.row_chunk;
    b_columns = c_rows + plan.row_chunk;
    c_columns = b_columns + plan.column_chunk;
    a_inner = c_columns + plan.column_chunk;
    b_inner = a_inner + plan.depth;
  }

 private:
  static Index size_a(const Plan<T>& plan) { return round_up(plan.row_chunk * plan.depth, 16); }
  static Index size_b(const Plan<T>& plan) {
    return plan.dots ? (is_computed_in<T>(plan.p.b_dtype) ? 0 : round_up(plan.column_chunk * plan.depth, 16))
                     : round_up(plan.column_chunk, plan.width) * plan.depth;
  }
  static Index size(const Plan<T>& plan) {
    return size_a(plan) + size_b(plan) + plan.kernels.rows * plan.width + plan.row_chunk * round_up(plan.column_chunk, plan.width);
  }
};

/// One block of rows and columns, over one part of the inner index.
template <class T>
class Task {
 public:
  Task(const Plan<T>& plan_, const Workspace<T>& workspace, Index index) : plan(plan_), w(workspace) {
    column_begin = index % plan.column_chunks * plan.column_chunk;
    index /= plan.column_chunks;
    row_begin = index % plan.row_chunks * plan.row_chunk;
    index /= plan.row_chunks;
    part = index % plan.parts;
    batch = index / plan.parts;
    rows = std::min(plan.row_chunk, plan.m - row_begin);
    columns = std::min(plan.column_chunk, plan.n - column_begin);
    inner_begin = plan.k * part / plan.parts;
    inner_end = plan.k * (part + 1) / plan.parts;
  }

  void run() {
    fill_offsets(plan.p.rows, &Part::a, row_begin, rows, w.a_rows);
    fill_offsets(plan.p.columns, &Part::b, column_begin, columns, w.b_columns);
    fill_offsets(plan.p.batch, &Part::a, batch, 1, &a_batch);
    fill_offsets(plan.p.batch, &Part::b, batch, 1, &b_batch);
    choose_target();
    const Index blocks = std::max<Index>(1, divide_up(inner_end - inner_begin, plan.depth));
    for (Index block = 0; block < blocks; ++block) {
      const Index from = inner_begin + (inner_end - inner_begin) * block / blocks, to = inner_begin + (inner_end - inner_begin) * (block + 1) / blocks;
      depth = to - from;
      first = block == 0;
      last = block + 1 == blocks;
      fill_offsets(plan.p.inner, &Part::a, from, depth, w.a_inner);
      fill_offsets(plan.p.inner, &Part::b, from, depth, w.b_inner);
      if (plan.dots) multiply_dots();
      else multiply_tiles();
    }
  }

 private:
  /// Sums form in c itself if a tile can write there, in the partial results, or in the workspace.
  void choose_target() {
    stored = plan.parts == 1 && plan.finish;
    if (plan.parts > 1) {
      target = plan.partial + ((part * plan.batch + batch) * plan.m + row_begin) * plan.n + column_begin;
      target_stride = plan.n;
      padded = false;
      return;
    }
    Index c_batch = 0;
    fill_offsets(plan.p.batch, &Part::c, batch, 1, &c_batch);
    fill_offsets(plan.p.rows, &Part::c, row_begin, rows, w.c_rows);
    fill_offsets(plan.p.columns, &Part::c, column_begin, columns, w.c_columns);
    for (Index i = 0; i < rows; ++i) w.c_rows[i] += c_batch;
    target_stride = rows > 1 ? w.c_rows[1] - w.c_rows[0] : 0;
    const bool direct = is_computed_in<T>(plan.p.c_dtype) && plan.p.residual != plan.p.c && is_regular(w.c_rows, rows, target_stride) &&
                        is_regular(w.c_columns, columns, 1);
    if (direct) {
      target = static_cast<T*>(plan.p.c) + w.c_rows[0] + w.c_columns[0];
      padded = false;
    } else {
      target = w.sums;
      target_stride = round_up(columns, plan.width);
      padded = stored = true;
    }
  }

  const void* a_data() const { return static_cast<const char*>(plan.p.a) + a_batch * Index(size_of(plan.p.a_dtype)); }
  const void* b_data() const { return static_cast<const char*>(plan.p.b) + b_batch * Index(size_of(plan.p.b_dtype)); }

  void finish(T* sums, Index stride, Index row, Index row_count, Index column, Index column_count) {
    const Index bias = batch * plan.p.bias_batch + (plan.p.bias_per_column ? column_begin + column : row_begin + row);
    plan.store(plan.p, {sums, stride, w.c_rows + row, w.c_columns + column, int(row_count), int(column_count), bias});
  }

  void multiply_tiles() {
    const Index lanes = plan.kernels.lanes, width = plan.width;
    const Index slivers = divide_up(rows, plan.kernels.rows), least = rows / slivers, larger = rows % slivers;
    const auto row_of = [&](Index sliver) { return sliver * least + std::min(sliver, larger); };
    for (Index s = 0; s < slivers; ++s)
      plan.pack_a(a_data(), w.a_rows + row_of(s), int(row_of(s + 1) - row_of(s)), w.a_inner, depth, int(row_of(s + 1) - row_of(s)),
                  w.packed_a + row_of(s) * depth);

    // A block of b that only one sliver of rows meets is read where it lies, if tiles can read it so.
    const Index b_stride = depth > 1 ? w.b_inner[1] - w.b_inner[0] : 0;
    const bool in_place = slivers == 1 && is_computed_in<T>(plan.p.b_dtype) && is_regular(w.b_inner, depth, b_stride);
    const auto lies_in_place = [&](Index j, Index count) { return in_place && count % lanes == 0 && is_regular(w.b_columns + j, count, 1); };
    for (Index j = 0; j < columns; j += width) {
      const Index count = std::min(width, columns - j);
      if (!lies_in_place(j, count))
        plan.pack_b(b_data(), w.b_columns + j, int(count), w.b_inner, depth, int(round_up(count, lanes)), w.packed_b + j * depth);
    }

    for (Index s = 0; s < slivers; ++s) {
      const Index row = row_of(s), row_count = row_of(s + 1) - row;
      const T* a = w.packed_a + row * depth;
      for (Index j = 0; j < columns; j += width) {
        const Index count = std::min(width, columns - j), vectors = divide_up(count, lanes);
        const T* b = w.packed_b + j * depth;
        Index stride = vectors * lanes;
        if (lies_in_place(j, count)) {
          b = static_cast<const T*>(b_data()) + w.b_columns[j] + (depth ? w.b_inner[0] : 0);
          stride = b_stride;
        }
        multiply_tile(a, b, stride, row, row_count, j, count, vectors);
      }
    }
  }

  void multiply_tile(const T* a, const T* b, Index b_stride, Index row, Index row_count, Index j, Index count, Index vectors) {
    const auto tile = plan.kernels.tile[vectors - 1][row_count - 1];
    T* sums = target + row * target_stride + j;
    const bool whole = padded || count == vectors * plan.kernels.lanes, done = last && stored;
    if (whole && !done) return tile(depth, a, b, b_stride, first ? nullptr : sums, target_stride, sums, target_stride);
    // What a tile must not write to the target goes through a tile of the workspace.
    const T* from = first ? nullptr : sums;
    Index from_stride = target_stride;
    if (!first && !whole) {
      copy_rows(sums, target_stride, w.tile, plan.width, row_count, count);
      from = w.tile;
      from_stride = plan.width;
    }
    tile(depth, a, b, b_stride, from, from_stride, w.tile, plan.width);
    if (done) finish(w.tile, plan.width, row, row_count, j, count);
    else copy_rows(w.tile, plan.width, sums, target_stride, row_count, count);
  }

  static void copy_rows(const T* from, Index from_stride, T* to, Index to_stride, Index row_count, Index count) {
    for (Index i = 0; i < row_count; ++i) std::copy(from + i * from_stride, from + i * from_stride + count, to + i * to_stride);
  }

  void multiply_dots() {
    for (Index i = 0; i < rows; ++i) {
      T* to = w.packed_a + i * depth;
      const Index step = depth > 1 ? w.a_inner[1] - w.a_inner[0] : 1;
      if (is_regular(w.a_inner, depth, step)) plan.widen_a(a_data(), w.a_rows[i] + (depth ? w.a_inner[0] : 0), step, depth, to);
      else
        for (Index k = 0; k < depth; ++k) plan.widen_a(a_data(), w.a_rows[i] + w.a_inner[k], 1, 1, to + k);
    }
    const auto dot = plan.kernels.dot[rows - 1];
    const Index base = depth ? w.b_inner[0] : 0;
    const T* from = first ? nullptr : target;
    if (is_computed_in<T>(plan.p.b_dtype)) {
      const T* b = static_cast<const T*>(b_data()) + w.b_columns[0] + base;
      dot(depth, w.packed_a, depth, b, columns > 1 ? w.b_columns[1] - w.b_columns[0] : 0, columns, from, target, target_stride);
    } else {
      // A few columns at a time, so that their wide form is read back from the first cache.
      for (Index j = 0; j < columns; j += 4) {
        const Index count = std::min<Index>(4, columns - j);
        for (Index c = 0; c < count; ++c) plan.widen_b(b_data(), w.b_columns[j + c] + base, 1, depth, w.packed_b + c * depth);
        dot(depth, w.packed_a, depth, w.packed_b, depth, count, from ? from + j : nullptr, target + j, target_stride);
      }
    }
    if (last && stored) finish(target, target_stride, 0, rows, 0, columns);
  }

  const Plan<T>& plan;
  const Workspace<T>& w;
  Index batch, part, row_begin, column_begin, rows, columns, inner_begin, inner_end;
  Index a_batch = 0, b_batch = 0;
  Index depth = 0;
  bool first = false, last = false;
  T* target = nullptr;
  Index target_stride = 0;
  bool padded = false;  ///< rows of the target have room for whole vectors
  bool stored = false;  ///< the last block goes through the epilogue
};

/// Adds up the partial results, neighbours first, and stores them.
template <class T>
void combine_parts(const Plan<T>& plan) {
  const Index all = plan.batch * plan.m * plan.n;
  parallel_for(plan.batch * plan.m, row_grain(plan.n * plan.parts), [&](Index begin, Index end) {
    Scratch<Index> columns(plan.n);
    fill_offsets(plan.p.columns, &Part::c, 0, plan.n, columns.data());
    for (Index row = begin; row < end; ++row) {
      T* sums = plan.partial + row * plan.n;
      for (Index step = 1; step < plan.parts; step *= 2)
        for (Index i = 0; i + step < plan.parts; i += 2 * step)
          for (Index j = 0; j < plan.n; ++j) sums[i * all + j] = T(sums[i * all + j] + sums[(i + step) * all + j]);
      Index c_row = 0, c_batch = 0;
      fill_offsets(plan.p.rows, &Part::c, row % plan.m, 1, &c_row);
      fill_offsets(plan.p.batch, &Part::c, row / plan.m, 1, &c_batch);
      c_row += c_batch;
      const Index bias = row / plan.m * plan.p.bias_batch + (plan.p.bias_per_column ? 0 : row % plan.m);
      plan.store(plan.p, {sums, plan.n, &c_row, columns.data(), 1, int(plan.n), bias});
    }
  });
}

/// Into how many parts the inner index is cut: a small result of a long inner index leaves the threads nothing else to share.
/// It follows from the shape alone, or else results would depend on the threads.
Index parts_of(Index results, Index inner) {
  constexpr Index shortest = 2048, largest_workspace = Index(1) << 21, work = Index(1) << 18;
  Index parts = std::min<Index>({inner / shortest, largest_workspace / results, results * inner / work, 32});
  return std::max<Index>(parts, 1);
}

template <class T>
void contract_as(Contraction p) {
  fold_batch(p);
  coalesce(p.batch, true, true, true);
  coalesce(p.rows, true, false, true);
  coalesce(p.columns, false, true, true);
  coalesce(p.inner, true, true, false);

  const Index lanes = gemm_kernels<T>().lanes;
  const bool along_columns = last_stride(p.columns, &Part::c) == 1, along_rows = last_stride(p.rows, &Part::c) == 1;
  const double as_it_is = cost(p.rows.count(), p.columns.count(), lanes, along_columns);
  if (cost(p.columns.count(), p.rows.count(), lanes, along_rows) < as_it_is) transpose(p);

  Plan<T> plan{};
  plan.p = p;
  plan.batch = p.batch.count(), plan.m = p.rows.count(), plan.n = p.columns.count(), plan.k = p.inner.count();
  if (plan.batch * plan.m * plan.n == 0) return;
  plan.width = 2 * lanes;
  plan.parts = parts_of(plan.batch * plan.m * plan.n, plan.k);
  plan.finish = p.bias || p.residual || p.activation != Activation::none || !is_computed_in<T>(p.c_dtype);
  plan.pack_a = pack_function<T>(p.a_dtype), plan.pack_b = pack_function<T>(p.b_dtype);
  plan.widen_a = widen_function<T>(p.a_dtype), plan.widen_b = widen_function<T>(p.b_dtype);
  plan.store = store_function<T>(p.c_dtype);

  // Dot products read b along its inner index, if that is one run of neighbours and the columns lie at regular distances.
  plan.dots = plan.m <= max_dot_rows && plan.kernels.dot[0] && plan.k > 1 && p.inner.parts.size() == 1 && last_stride(p.inner, &Part::b) == 1 &&
              p.columns.parts.size() <= 1 && last_stride(p.columns, &Part::b) != 1;

  // A sliver of a (rows x depth) fills half of the first cache, a block of b (depth x columns) half of the second.
  const Index deepest = plan.dots ? 4096 : 1024 / Index(sizeof(T));
  plan.depth = std::max<Index>(1, std::min(divide_up(plan.k, plan.parts), deepest));
  plan.row_chunk = std::min<Index>(plan.m, 40 * plan.kernels.rows);
  plan.column_chunk = std::min<Index>(plan.n, 2048 / Index(sizeof(T)));
  const Index wanted = 3 * threads(), least_rows = 8 * plan.kernels.rows, least_columns = 4 * plan.width;
  const auto count_chunks = [&] {
    plan.row_chunks = divide_up(plan.m, plan.row_chunk), plan.column_chunks = divide_up(plan.n, plan.column_chunk);
    return plan.tasks();
  };
  while (count_chunks() < wanted && threads() > 1) {
    if (plan.column_chunk > least_columns && plan.column_chunk >= plan.row_chunk) plan.column_chunk = round_up(divide_up(plan.column_chunk, 2), plan.width);
    else if (plan.row_chunk > least_rows) plan.row_chunk = round_up(divide_up(plan.row_chunk, 2), plan.kernels.rows);
    else if (plan.column_chunk > least_columns) plan.column_chunk = round_up(divide_up(plan.column_chunk, 2), plan.width);
    else break;
  }
  // Chunks of like size: the last one must not be a sliver that all others wait for.
  plan.row_chunk = std::min(plan.m, round_up(divide_up(plan.m, plan.row_chunks), plan.kernels.rows));
  plan.column_chunk = std::min(plan.n, round_up(divide_up(plan.n, plan.column_chunks), plan.width));
  count_chunks();

  const auto run = [&] {
    const Index work = plan.row_chunk * plan.column_chunk * divide_up(plan.k, plan.parts);
    parallel_for(plan.tasks(), std::max<Index>(1, (Index(1) << 18) / std::max<Index>(work, 1)), [&](Index begin, Index end) {
      const Workspace<T> workspace(plan);
      for (Index task = begin; task < end; ++task) Task<T>(plan, workspace, task).run();
    });
  };
  if (plan.parts == 1) return run();
  const Scratch<T> partial(plan.parts * plan.batch * plan.m * plan.n);
  plan.partial = partial.data();
  run();
  combine_parts(plan);
}

}  // namespace

void contract(const Contraction& contraction) {
  const Dtype dtype = contraction.c_dtype;
  if (dtype == Dtype::f64) return contract_as<double>(contraction);
  if (is_float(dtype)) return contract_as<float>(contraction);
  switch (size_of(dtype)) {
    case 1: return contract_as<std::uint8_t>(contraction);
    case 2: return contract_as<std::uint16_t>(contraction);
    case 4: return contract_as<std::uint32_t>(contraction);
    default: return contract_as<std::uint64_t>(contraction);
  }
}

}  // namespace hearth::cpu
