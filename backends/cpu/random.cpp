// cpu/random: Random and Dropout: blocks of Philox words, and elements made of them. An element depends on its counter alone, so blocks
// may be drawn by any thread in any order.
// SPDX-License-Identifier: Apache-2.0
#include "random_kernels.hpp"

#include <cmath>

#include "hearth/op/random.hpp"
#include "rows.hpp"

namespace hearth::cpu {

namespace {

/// Elements that make a task: ten rounds each.
constexpr std::int64_t random_grain = 8 * random_block;

/// f(words, begin, count) for all elements, a block at a time.
template <class F>
void draw_blocks(int words, std::uint64_t key, std::uint64_t offset, std::int64_t count, const F& f) {
  const RandomKernels kernels = random_kernels();
  parallel_for(count, random_grain, [&](std::int64_t begin, std::int64_t end) {
    RandomWords block;
    for (; begin < end; begin += random_block) {
      const std::int64_t length = std::min(random_block, end - begin);
      kernels.words(words, key, offset + std::uint64_t(begin), length, block);
      f(block, begin, length);
    }
  });
}

int words_of(Distribution distribution, Dtype dtype) {
  if (distribution == Distribution::uniform) return dtype == Dtype::f64 ? 2 : 1;
  if (distribution == Distribution::normal) return dtype == Dtype::f64 ? 4 : 2;
  return 2;
}

void draw_normal_elements(const op::Random& op, Dtype dtype, std::int64_t count, std::byte* y) {
  const RandomKernels kernels = random_kernels();
  draw_blocks(words_of(op.distribution, dtype), op.key, op.offset, count, [&](const RandomWords& words, std::int64_t begin, std::int64_t length) {
    std::byte* const to = y + begin * std::int64_t(size_of(dtype));
    if (dtype == Dtype::f64) return kernels.normal_double(words, length, op.a.to<double>(), op.b.to<double>(), reinterpret_cast<double*>(to));
    BlockBuffer wide;
    float* const elements = place_for(to, dtype, reinterpret_cast<float*>(wide.bytes));
    kernels.normal_single(words, length, op.a.to<float>(), op.b.to<float>(), elements);
    narrow(elements, dtype, length, to);
  });
}

void draw_uniform_elements(const op::Random& op, std::int64_t count, float* y) {
  const RandomKernels kernels = random_kernels();
  const float low = op.a.to<float>(), high = op.b.to<float>();
  const float end = low < high ? high : std::numeric_limits<float>::quiet_NaN(), below = low < high ? hearth::detail::next_below(high) : high;
  draw_blocks(1, op.key, op.offset, count, [&](const RandomWords& words, std::int64_t begin, std::int64_t length) {
    kernels.uniform(words, length, low, high - low, end, below, y + begin);
  });
}

}  // namespace

Handle execute(const op::Random& op, const Spec& spec) {
  const Handle result = allocate(spec);
  if (!result) return {};
  const std::int64_t count = count_of(*result);
  if (op.distribution == Distribution::normal) {
    draw_normal_elements(op, spec.dtype, count, bytes_of(*result));
    return result;
  }
  if (op.distribution == Distribution::uniform && spec.dtype == Dtype::f32) {
    draw_uniform_elements(op, count, data_of<float>(result));
    return result;
  }
  with_type(spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* const y = data_of<T>(result);
    draw_blocks(words_of(op.distribution, spec.dtype), op.key, op.offset, count, [&](const RandomWords& words, std::int64_t begin, std::int64_t length) {
      for (std::int64_t i = 0; i < length; ++i) y[begin + i] = draw<T>(op.distribution, {words.word[0][i], words.word[1][i], 0, 0}, op.a, op.b);
    });
  });
  return result;
}

bool claims(const op::Dropout&, const Operands<op::Dropout, const Spec*>&) { return true; }

std::array<Handle, 1> execute(const op::Dropout& op, std::array<Handle, 1> in, const std::array<Spec, 1>& specs) {
  if (op.p <= 0) return {std::move(in[0])};
  const Dtype dtype = specs[0].dtype;
  Handle x = contiguous(std::move(in[0]));
  if (!x) return {};
  const std::byte* const from = bytes_of(*x);
  const Handle y = reuse_or_allocate(x, specs[0]);
  if (!y) return {};
  std::byte* const to = bytes_of(*y);
  const RandomKernels kernels = random_kernels();
  const float p = float(op.p);
  // What is left is divided by 1 - p as the dtype holds it.
  const double divisor = with_type(dtype, [&](auto tag) -> double {
    using T = typename decltype(tag)::type;
    return convert<double>(convert<T>(1 - op.p));
  });
  draw_blocks(1, op.key, op.offset, count_of(*y), [&](const RandomWords& words, std::int64_t begin, std::int64_t length) {
    const std::int64_t at = begin * std::int64_t(size_of(dtype));
    if (dtype == Dtype::f64)
      return kernels.drop_double(words, length, p, reinterpret_cast<const double*>(from + at), divisor, reinterpret_cast<double*>(to + at));
    BlockBuffer wide;
    float* const scratch = reinterpret_cast<float*>(wide.bytes);
    float* const result = place_for(to + at, dtype, scratch);
    kernels.drop_single(words, length, p, widened(from + at, dtype, length, scratch), float(divisor), result);
    narrow(result, dtype, length, to + at);
  });
  return {y};
}

}  // namespace hearth::cpu
