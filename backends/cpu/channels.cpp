// cpu/channels: BatchNorm in both modes, and its gradient, over arrays whose channels are planes of some elements. Statistics are summed
// over parts of the batch whose size depends on the shape alone, and the parts in order and f64: the number of threads does not show.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "rows.hpp"

namespace hearth::cpu {

namespace {

/// Planes shorter than this are better off with the decomposition.
constexpr std::int64_t shortest_plane = 8;
/// Elements of one part of a channel.
constexpr std::int64_t part_elements = 1 << 15;

struct ChannelSizes {
  std::int64_t batch, channels, plane = 1, part_batch, parts;
  explicit ChannelSizes(const Shape& shape) : batch(shape[0]), channels(shape[1]) {
    for (int i = 2; i < shape.size(); ++i) plane *= shape[i];
    part_batch = std::max<std::int64_t>(1, part_elements / plane);
    parts = (batch - 1) / part_batch + 1;
  }
  double count() const { return double(batch * plane); }
};

bool claimed(const Spec& x) {
  std::int64_t plane = x.shape.size() > 2 ? 1 : 0;
  for (int i = 2; i < x.shape.size(); ++i) plane *= x.shape[i];
  return plane >= shortest_plane && x.shape[0] > 0 && x.shape[1] > 0;
}

/// `count` elements of N arrays of one dtype in blocks: f(pointers to T, length, position). 16-bit elements are widened.
template <class T, std::size_t N, class F>
void in_blocks(const std::array<const std::byte*, N>& from, Dtype dtype, std::int64_t count, const F& f) {
  std::array<const T*, N> at;
  if (dtype == dtype_of<T>) {
    for (std::size_t k = 0; k < N; ++k) at[k] = reinterpret_cast<const T*>(from[k]);
    return f(at, count, std::int64_t(0));
  }
  BlockBuffer wide[N];
  for (std::int64_t i = 0; i < count; i += block_elements) {
    const std::int64_t length = std::min(block_elements, count - i);
    for (std::size_t k = 0; k < N; ++k)
      at[k] = widened(from[k] + i * std::int64_t(size_of(dtype)), dtype, length, reinterpret_cast<T*>(wide[k].bytes));
    f(at, length, i);
  }
}

/// S sums per channel of what f(pointers, length, channel, sums) adds up over the blocks of N arrays like x. Null where memory is out.
template <class T, std::size_t S, std::size_t N, class F>
Ref<Buffer> channel_sums(const ChannelSizes& sizes, const std::array<const std::byte*, N>& from, Dtype dtype, const F& f) {
  const std::int64_t units = sizes.channels * sizes.parts, size = std::int64_t(size_of(dtype));
  Ref<Buffer> buffer = allocate_buffer(std::size_t(units) * S * sizeof(double));
  if (!buffer) return {};
  double* const sums = reinterpret_cast<double*>(buffer->data);
  parallel_for(units, row_grain(std::min(sizes.part_batch, sizes.batch) * sizes.plane), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t unit = begin; unit < end; ++unit) {
      const std::int64_t channel = unit / sizes.parts, first = unit % sizes.parts * sizes.part_batch;
      double* const total = sums + unit * std::int64_t(S);
      std::fill_n(total, S, 0.0);
      for (std::int64_t i = first; i < std::min(sizes.batch, first + sizes.part_batch); ++i) {
        std::array<const std::byte*, N> plane = from;
        for (auto& p : plane) p += (i * sizes.channels + channel) * sizes.plane * size;
        in_blocks<T, N>(plane, dtype, sizes.plane,
                        [&](const std::array<const T*, N>& at, std::int64_t length, std::int64_t) { f(at, length, channel, total); });
      }
    }
  });
  // The first `channels` rows become the totals.
  for (std::int64_t c = 0; c < sizes.channels; ++c)
    for (std::size_t s = 0; s < S; ++s) {
      double total = 0;
      for (std::int64_t part = 0; part < sizes.parts; ++part) total += sums[(c * sizes.parts + part) * std::int64_t(S) + std::int64_t(s)];
      sums[c * std::int64_t(S) + std::int64_t(s)] = total;
    }
  return buffer;
}

/// y from N arrays like it, plane by plane: f(pointers, result, length, channel).
template <class T, std::size_t N, class F>
void channel_map(const ChannelSizes& sizes, const std::array<const std::byte*, N>& from, Dtype dtype, std::byte* to, const F& f) {
  const std::int64_t size = std::int64_t(size_of(dtype)) * sizes.plane;
  parallel_for(sizes.batch * sizes.channels, row_grain(sizes.plane), [&](std::int64_t begin, std::int64_t end) {
    BlockBuffer result;
    for (std::int64_t i = begin; i < end; ++i) {
      std::array<const std::byte*, N> plane = from;
      for (auto& p : plane) p += i * size;
      in_blocks<T, N>(plane, dtype, sizes.plane, [&](const std::array<const T*, N>& at, std::int64_t length, std::int64_t position) {
        std::byte* const target = to + i * size + position * std::int64_t(size_of(dtype));
        T* const y = place_for(target, dtype, reinterpret_cast<T*>(result.bytes));
        f(at, y, length, i % sizes.channels);
        narrow(y, dtype, length, target);
      });
    }
  });
}

/// Numbers of T as a new array of `spec`.
template <class T>
Handle stored(const T* values, const Spec& spec) {
  Handle result = allocate(spec);
  if (!result) return {};
  if (spec.dtype == dtype_of<T>) std::copy_n(values, count_of(*result), data_of<T>(result));
  else narrow(values, spec.dtype, count_of(*result), bytes_of(*result));
  return result;
}

/// What a channel is normalised with: (x - center) * factor + bias.
template <class T>
struct Factors {
  Scratch<T> center, factor;
  explicit Factors(std::int64_t channels) : center(channels), factor(channels) {}
  explicit operator bool() const { return center.data() && factor.data(); }
};

template <class T>
Handle normalized(const ChannelSizes& sizes, Handle x, const Spec& spec, const Factors<T>& by, const T* bias) {
  const std::byte* const from = bytes_of(*x);
  const Handle y = reuse_or_allocate(x, spec);
  if (!y) return {};
  const auto affine = row_kernels(T(0)).affine;
  channel_map<T, 1>(sizes, {from}, spec.dtype, bytes_of(*y), [&](const std::array<const T*, 1>& at, T* to, std::int64_t length, std::int64_t c) {
    affine(at[0], to, length, by.center[c], by.factor[c], bias ? bias[c] : T(0));
  });
  return y;
}

}  // namespace

bool claims(const op::BatchNorm&, const Operands<op::BatchNorm, const Spec*>& in) { return in[0] && claimed(*in[0]); }
bool claims(const op::BatchNormTraining&, const Operands<op::BatchNormTraining, const Spec*>& in) { return in[0] && claimed(*in[0]); }
bool claims(const op::BatchNormGrad&, const Operands<op::BatchNormGrad, const Spec*>& in) { return in[1] && claimed(*in[1]); }

std::array<Handle, 1> execute(const op::BatchNorm& op, std::array<Handle, 5> in, const std::array<Spec, 1>& specs) {
  const ChannelSizes sizes(specs[0].shape);
  Handle x = contiguous(std::move(in[0]));
  if (!x) return {};
  return with_compute(specs[0].dtype, [&](auto zero) -> std::array<Handle, 1> {
    using T = decltype(zero);
    const Parameter<T> scale(in[1]), bias(in[2]), mean(in[3]), variance(in[4]);
    const Factors<T> by(sizes.channels);
    if (scale.failed(in[1]) || bias.failed(in[2]) || mean.failed(in[3]) || variance.failed(in[4]) || !by) return {};
    for (std::int64_t c = 0; c < sizes.channels; ++c) {
      by.center[c] = mean.data[c];
      by.factor[c] = T(1 / std::sqrt(double(variance.data[c]) + op.epsilon)) * (scale.data ? scale.data[c] : T(1));
    }
    return {normalized<T>(sizes, std::move(x), specs[0], by, bias.data)};
  });
}

std::array<Handle, 3> execute(const op::BatchNormTraining& op, std::array<Handle, 3> in, const std::array<Spec, 3>& specs) {
  const ChannelSizes sizes(specs[0].shape);
  const Dtype dtype = specs[0].dtype;
  Handle x = contiguous(std::move(in[0]));
  if (!x) return {};
  return with_compute(dtype, [&](auto zero) -> std::array<Handle, 3> {
    using T = decltype(zero);
    const auto kernels = row_kernels(zero);
    const Parameter<T> scale(in[1]), bias(in[2]);
    const Factors<T> by(sizes.channels);
    const Scratch<T> variance(sizes.channels);
    if (scale.failed(in[1]) || bias.failed(in[2]) || !by || !variance.data()) return {};
    const std::array<const std::byte*, 1> from{bytes_of(*x)};
    const auto sums = channel_sums<T, 1>(sizes, from, dtype, [&](const std::array<const T*, 1>& at, std::int64_t length, std::int64_t, double* total) {
      *total += kernels.sum(at[0], length);
    });
    if (!sums) return {};
    for (std::int64_t c = 0; c < sizes.channels; ++c) by.center[c] = T(reinterpret_cast<const double*>(sums->data)[c] / sizes.count());
    const auto squares = channel_sums<T, 1>(sizes, from, dtype, [&](const std::array<const T*, 1>& at, std::int64_t length, std::int64_t c, double* total) {
      *total += kernels.squares(at[0], length, by.center[c]);
    });
    if (!squares) return {};
    for (std::int64_t c = 0; c < sizes.channels; ++c) {
      const double exact = reinterpret_cast<const double*>(squares->data)[c] / sizes.count();
      variance[c] = T(exact);
      by.factor[c] = T(1 / std::sqrt(exact + op.epsilon)) * (scale.data ? scale.data[c] : T(1));
    }
    Handle y = normalized<T>(sizes, std::move(x), specs[0], by, bias.data);
    return {std::move(y), stored(by.center.data(), specs[1]), stored(variance.data(), specs[2])};
  });
}

std::array<Handle, 3> execute(const op::BatchNormGrad& op, std::array<Handle, 5> in, const std::array<Spec, 3>& specs) {
  const ChannelSizes sizes(specs[0].shape);
  const Dtype dtype = specs[0].dtype;
  Handle g = contiguous(std::move(in[0]));
  const Handle x = contiguous(std::move(in[1]));
  if (!g || !x) return {};
  return with_compute(dtype, [&](auto zero) -> std::array<Handle, 3> {
    using T = decltype(zero);
    const auto kernels = row_kernels(zero);
    const Parameter<T> scale(in[2]), mean(in[3]), variance(in[4]);
    const Scratch<T> of_g(sizes.channels), of_x(sizes.channels), plus(sizes.channels), dscale(sizes.channels), dbias(sizes.channels);
    if (scale.failed(in[2]) || mean.failed(in[3]) || variance.failed(in[4])) return {};
    for (const Scratch<T>* scratch : {&of_g, &of_x, &plus, &dscale, &dbias})
      if (!scratch->data()) return {};
    const std::array<const std::byte*, 2> from{bytes_of(*g), bytes_of(*x)};
    const auto sums = channel_sums<T, 2>(sizes, from, dtype, [&](const std::array<const T*, 2>& at, std::int64_t length, std::int64_t c, double* total) {
      double two[2];
      kernels.products(at[0], at[1], length, mean.data[c], two);
      total[0] += two[0];
      total[1] += two[1];
    });
    if (!sums) return {};
    for (std::int64_t c = 0; c < sizes.channels; ++c) {
      // With n = (x - mean) / s: dscale is the sum of g n, dbias that of g, dx = scale / s (g - dbias / count - n dscale / count).
      const double* const total = reinterpret_cast<const double*>(sums->data) + 2 * c;
      const double inverse = 1 / std::sqrt(double(variance.data[c]) + op.epsilon), along = total[1] * inverse;
      const double factor = inverse * (scale.data ? double(scale.data[c]) : 1.0);
      dbias[c] = T(total[0]);
      dscale[c] = T(along);
      of_g[c] = T(factor);
      of_x[c] = T(-factor * inverse * along / sizes.count());
      plus[c] = T(-factor * total[0] / sizes.count());
    }
    const Handle dx = reuse_or_allocate(g, specs[0]);
    if (!dx) return {};
    channel_map<T, 2>(sizes, from, dtype, bytes_of(*dx), [&](const std::array<const T*, 2>& at, T* to, std::int64_t length, std::int64_t c) {
      kernels.blend(at[0], at[1], to, length, mean.data[c], of_g[c], of_x[c], plus[c]);
    });
    return {dx, stored(dscale.data(), specs[1]), stored(dbias.data(), specs[2])};
  });
}

}  // namespace hearth::cpu
