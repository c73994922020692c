// cpu/conv: convolution and its adjoints as contractions over strided indices, so that no matrix of windows is ever written.
// SPDX-License-Identifier: Apache-2.0
#include "conv.hpp"

#include <algorithm>
#include <numeric>

#include "threads.hpp"

namespace hearth::cpu {

ConvSizes::ConvSizes(const ConvGeometry& geometry, const Shape& x, const Shape& weight, const Shape& y)
    : batch(x[0]), groups(geometry.groups), in_channels(weight[1]), out_channels(weight[0] / geometry.groups) {
  const int rank = x.size() - 2;
  for (int i = 0; i < rank; ++i)
    axes[std::size_t(3 - rank + i)] = {x[i + 2], weight[i + 2], y[i + 2], geometry.stride[i], geometry.dilation[i], geometry.before[i]};
}

namespace {

using Index = std::int64_t;

/// Strides of an array [batch, channels, spatial...], the spatial ones filled up to three from the front.
struct ImageStrides {
  Index batch, channel;
  std::array<Index, 3> spatial{};
  std::array<Index, 3> size{1, 1, 1};

  explicit ImageStrides(const Array& x) : batch(x.strides[0]), channel(x.strides[1]) {
    const int rank = x.spec.shape.size() - 2;
    for (int i = 0; i < rank; ++i) {
      spatial[std::size_t(3 - rank + i)] = x.strides[i + 2];
      size[std::size_t(3 - rank + i)] = x.spec.shape[i + 2];
    }
  }
};

bool needs_copy(const Array& x, const Border& border) {
  if (compute_dtype(x.spec.dtype) != x.spec.dtype) return true;
  const ImageStrides strides(x);
  for (std::size_t i = 0; i < 3; ++i)
    if (border.first[i] < 0 || border.first[i] + border.size[i] > strides.size[i]) return true;
  return false;
}

Index padded_plane(const Border& border) { return border.size[0] * border.size[1] * border.size[2]; }

template <class S, class T>
void copy_plane(const S* from, const ImageStrides& strides, const Border& border, T* to) {
  const Index width = border.size[2], first = border.first[2];
  const Index left = std::clamp<Index>(-first, 0, width), right = std::clamp<Index>(strides.size[2] - first, left, width);
  for (Index i = 0; i < border.size[0]; ++i)
    for (Index j = 0; j < border.size[1]; ++j, to += width) {
      const Index depth = border.first[0] + i, line = border.first[1] + j;
      if (depth < 0 || depth >= strides.size[0] || line < 0 || line >= strides.size[1]) {
        std::fill(to, to + width, T(0));
        continue;
      }
      const S* row = from + depth * strides.spatial[0] + line * strides.spatial[1] + first * strides.spatial[2];
      std::fill(to, to + left, T(0));
      if (strides.spatial[2] == 1 && std::is_same_v<S, T>) std::copy(row + left, row + right, to + left);
      else
        for (Index k = left; k < right; ++k) to[k] = T(row[k * strides.spatial[2]]);
      std::fill(to + right, to + width, T(0));
    }
}

}  // namespace

bool is_direct(const ConvSizes& sizes, Index plane, const Border& border) {
  if (sizes.groups > 1 && sizes.in_channels * sizes.out_channels <= 4) return true;
  Index with_zeros = 1;
  for (Index size : border.size)
    if (__builtin_mul_overflow(with_zeros, size, &with_zeros)) return true;
  return with_zeros / 16 > plane + 4096;
}

Index images_at_once(const Array& x, const Border& border) {
  const Index images = x.spec.shape[0];
  if (!needs_copy(x, border)) return std::max<Index>(images, 1);  // loops over images advance by it
  constexpr Index most = Index(8) << 20;
  const Index image = std::max<Index>(1, x.spec.shape[1] * padded_plane(border) * Index(size_of(compute_dtype(x.spec.dtype))));
  return std::clamp<Index>(most / image, 1, std::max<Index>(images, 1));
}

ConvOperand with_border(const Array& x, const Border& border, Index begin, Index end) {
  const ImageStrides strides(x);
  ConvOperand operand;
  operand.dtype = compute_dtype(x.spec.dtype);
  if (!needs_copy(x, border)) {
    Index offset = begin * strides.batch;
    for (std::size_t i = 0; i < 3; ++i) offset += border.first[i] * strides.spatial[i];
    operand.data = bytes_of(x) + offset * Index(size_of(x.spec.dtype));
    operand.batch_stride = strides.batch, operand.channel_stride = strides.channel, operand.strides = strides.spatial;
    return operand;
  }
  const Index channels = x.spec.shape[1], plane = padded_plane(border);
  operand.strides = {border.size[1] * border.size[2], border.size[2], 1};
  operand.channel_stride = plane, operand.batch_stride = channels * plane;
  operand.memory.emplace((end - begin) * channels * plane * Index(size_of(operand.dtype)));
  operand.data = operand.memory->data();
  with_type(x.spec.dtype, [&](auto tag) {
    using S = typename decltype(tag)::type;
    using T = Compute<S>;
    const S* from = data_of<const S>(x);
    T* to = reinterpret_cast<T*>(operand.memory->data());
    parallel_for((end - begin) * channels, row_grain(plane), [&](Index first, Index last) {
      for (Index i = first; i < last; ++i)
        copy_plane(from + (begin + i / channels) * strides.batch + i % channels * strides.channel, strides, border, to + i * plane);
    });
  });
  return operand;
}

namespace {

/// What the windows of a convolution see of x.
Border seen_by_windows(const ConvSizes& sizes) {
  Border border;
  for (std::size_t i = 0; i < 3; ++i) {
    const ConvAxis& axis = sizes.axes[i];
    border.first[i] = -axis.before;
    border.size[i] = axis.y == 0 ? 0 : (axis.y - 1) * axis.stride + axis.dilation * (axis.kernel - 1) + 1;
  }
  return border;
}

/// y = activation(conv(x, weight) + bias + residual); bias and residual are contiguous or null.
void convolve(const ConvGeometry& geometry, const Handle& x, const Handle& weight, const Handle& bias, const Handle& residual, Activation activation,
              const Handle& y) {
  const ConvSizes sizes(geometry, x->spec.shape, weight->spec.shape, y->spec.shape);
  if (count_of(*y) == 0) return;
  Contraction product;
  product.a_dtype = product.c_dtype = y->spec.dtype;
  product.bias = bias ? bytes_of(*bias) : nullptr;
  product.bias_batch = sizes.out_channels;
  product.activation = activation;
  product.residual = residual ? bytes_of(*residual) : nullptr;
  const Border border = seen_by_windows(sizes);
  if (is_direct(sizes, sizes.x_plane(), border)) return convolve_directly(sizes, x, weight, product, y);

  const ImageStrides w(*weight);
  const Index plane = sizes.y_plane(), channels = sizes.groups * sizes.out_channels, step = images_at_once(*x, border);
  const Index element = Index(size_of(y->spec.dtype));
  for (Index begin = 0; begin < sizes.batch; begin += step) {
    const Index images = std::min(step, sizes.batch - begin);
    const ConvOperand seen = with_border(*x, border, begin, begin + images);
    Contraction part = product;
    part.a = bytes_of(*weight), part.b = seen.data, part.c = bytes_of(*y) + begin * channels * plane * element;
    if (residual) part.residual = bytes_of(*residual) + begin * channels * plane * element;
    part.b_dtype = seen.dtype;
    part.batch.add({sizes.groups, sizes.out_channels * w.batch, sizes.in_channels * seen.channel_stride, sizes.out_channels * plane});
    part.rows.add({sizes.out_channels, w.batch, 0, plane});
    part.inner.add({sizes.in_channels, w.channel, seen.channel_stride, 0});
    part.columns.add({images, 0, seen.batch_stride, channels * plane});
    Index inside = plane;
    for (std::size_t i = 0; i < 3; ++i) {
      const ConvAxis& axis = sizes.axes[i];
      inside /= axis.y;
      part.inner.add({axis.kernel, w.spatial[i], axis.dilation * seen.strides[i], 0});
      part.columns.add({axis.y, 0, axis.stride * seen.strides[i], inside});
    }
    contract(part);
  }
}

/// Along one axis, the elements of x that meet the same taps of the kernel: q = x + before = stride u + phase meets tap k at
/// y = u + (phase - dilation k) / stride, for every k where that is whole.
struct Phase {
  Index first_x = 0, count = 0;           ///< elements first_x, first_x + stride, ...
  Index first_tap = 0, tap_step = 1, taps = 0;
  Index first_y = 0, y_step = 0;          ///< where element first_x meets first_tap, and how that changes from tap to tap

  Phase(const ConvAxis& axis, Index phase) {
    const Index s = axis.stride;
    first_x = (phase - axis.before) % s;
    if (first_x < 0) first_x += s;
    count = first_x < axis.x ? (axis.x - 1 - first_x) / s + 1 : 0;
    const Index common = std::gcd(axis.dilation, s);
    if (count == 0 || phase % common != 0) return;
    while (first_tap < axis.kernel && (phase - axis.dilation % s * first_tap) % s != 0) ++first_tap;
    tap_step = s / common;
    taps = first_tap < axis.kernel ? (axis.kernel - 1 - first_tap) / tap_step + 1 : 0;
    first_y = (first_x + axis.before - axis.dilation * first_tap) / s;
    y_step = -(axis.dilation / common);
  }
};

using Phases = std::vector<Phase>;

/// What all phases see of g.
Border seen_by_phases(const std::array<Phases, 3>& phases) {
  Border border;
  for (std::size_t i = 0; i < 3; ++i) {
    Index low = 0, high = -1;
    bool any = false;
    for (const Phase& phase : phases[i]) {
      if (phase.count == 0 || phase.taps == 0) continue;
      const Index least = phase.first_y + (phase.taps - 1) * phase.y_step, most = phase.first_y + phase.count - 1;
      low = any ? std::min(low, least) : least;
      high = any ? std::max(high, most) : most;
      any = true;
    }
    border.first[i] = low;
    border.size[i] = high - low + 1;
  }
  return border;
}

}  // namespace

std::array<Handle, 1> execute(const op::Conv& op, std::array<Handle, 3> in, const std::array<Spec, 1>& specs) {
  const Handle bias = in[2] ? contiguous(in[2]) : Handle(), y = allocate(specs[0]);
  if (!y || (in[2] && !bias)) return {};
  convolve(op.geometry, in[0], in[1], bias, Handle(), Activation::none, y);
  return {y};
}

bool claims(const op::ConvBiasActivation&, const Operands<op::ConvBiasActivation, const Spec*>& in) { return in[0] && is_float(in[0]->dtype); }

std::array<Handle, 1> execute(const op::ConvBiasActivation& op, std::array<Handle, 4> in, const std::array<Spec, 1>& specs) {
  const Handle bias = in[2] ? contiguous(in[2]) : Handle(), residual = in[3] ? contiguous(in[3]) : Handle(), y = allocate(specs[0]);
  if (!y || (in[2] && !bias) || (in[3] && !residual)) return {};
  convolve(op.geometry, in[0], in[1], bias, residual, op.activation, y);
  return {y};
}

std::array<Handle, 1> execute(const op::ConvInputGrad& op, std::array<Handle, 2> in, const std::array<Spec, 1>& specs) {
  const Handle x = allocate(specs[0]);
  if (!x) return {};
  const Array& g = *in[0];
  const ConvSizes sizes(op.geometry, x->spec.shape, in[1]->spec.shape, g.spec.shape);
  if (count_of(*x) == 0) return {x};
  std::array<Phases, 3> phases;
  for (std::size_t i = 0; i < 3; ++i) {
    // With a stride beyond x most phases are empty: those that have an element of x are enough.
    const ConvAxis& axis = sizes.axes[i];
    for (Index k = 0; k < std::min(axis.stride, axis.x); ++k) phases[i].emplace_back(axis, (axis.before + k) % axis.stride);
  }
  const Border border = seen_by_phases(phases);
  if (is_direct(sizes, sizes.y_plane(), border)) {
    input_grad_directly(sizes, in[0], in[1], x);
    return {x};
  }
  // The weights with the channels of x ahead, so that the inner index runs through neighbours.
  const Handle weight = [&] {
    const Array& w = *in[1];
    Layout layout = layout_of(w);
    Axes order = all_axes(w.spec.shape.size());
    std::swap(order[0], order[1]);
    layout.offset = w.offset;
    return contiguous(view(in[1], permuted(layout, order)));
  }();
  if (!weight) return {};

  const ImageStrides w(*weight);
  const Index plane = sizes.x_plane(), channels = sizes.groups * sizes.in_channels, step = images_at_once(g, border);
  const Index element = Index(size_of(x->spec.dtype));
  for (Index begin = 0; begin < sizes.batch; begin += step) {
    const Index images = std::min(step, sizes.batch - begin);
    const ConvOperand seen = with_border(g, border, begin, begin + images);
    for (const Phase& front : phases[0])
      for (const Phase& line : phases[1])
        for (const Phase& column : phases[2]) {
          Contraction product;
          product.a_dtype = product.c_dtype = x->spec.dtype, product.b_dtype = seen.dtype;
          product.batch.add({sizes.groups, sizes.out_channels * w.channel, sizes.out_channels * seen.channel_stride, sizes.in_channels * plane});
          product.rows.add({sizes.in_channels, w.batch, 0, plane});
          product.inner.add({sizes.out_channels, w.channel, seen.channel_stride, 0});
          product.columns.add({images, 0, seen.batch_stride, channels * plane});
          Index inside = plane, a = 0, b = 0, c = begin * channels * plane;
          const Phase* const phase[3] = {&front, &line, &column};
          for (std::size_t i = 0; i < 3; ++i) {
            inside /= sizes.axes[i].x;
            product.inner.add({phase[i]->taps, phase[i]->tap_step * w.spatial[i], phase[i]->y_step * seen.strides[i], 0});
            product.columns.add({phase[i]->count, 0, seen.strides[i], sizes.axes[i].stride * inside});
            a += phase[i]->first_tap * w.spatial[i];
            b += (phase[i]->first_y - border.first[i]) * seen.strides[i];
            c += phase[i]->first_x * inside;
          }
          product.a = bytes_of(*weight) + a * element, product.b = seen.at(b), product.c = bytes_of(*x) + c * element;
          contract(product);
        }
  }
  return {x};
}

std::array<Handle, 1> execute(const op::ConvWeightGrad& op, std::array<Handle, 2> in, const std::array<Spec, 1>& specs) {
  const Array &x = *in[0], &g = *in[1];
  if (element_count(specs[0].shape) == 0) return {allocate(specs[0])};
  // Images may be summed a few at a time, so sums of 16-bit floats wait in f32.
  const Handle weight = allocate({compute_dtype(specs[0].dtype), specs[0].shape});
  if (!weight) return {};
  const ConvSizes sizes(op.geometry, x.spec.shape, weight->spec.shape, g.spec.shape);
  const Border border = seen_by_windows(sizes);
  Handle result = weight;
  if (is_direct(sizes, sizes.x_plane(), border)) {
    if (weight->spec.dtype != specs[0].dtype) result = allocate(specs[0]);
    if (!result) return {};
    weight_grad_directly(sizes, in[0], in[1], result);
    return {result};
  }
  const ImageStrides w(*weight), y(g);
  const Index step = images_at_once(x, border);
  bool first = true;
  for (Index begin = 0; begin < std::max<Index>(sizes.batch, 1); begin += step) {
    const Index images = std::min(step, sizes.batch - begin);
    const ConvOperand seen = with_border(x, border, begin, begin + images);
    Contraction product;
    product.a = bytes_of(g) + begin * y.batch * Index(size_of(g.spec.dtype)), product.b = seen.data, product.c = bytes_of(*weight);
    product.a_dtype = g.spec.dtype, product.b_dtype = seen.dtype, product.c_dtype = weight->spec.dtype;
    product.residual = first ? nullptr : product.c;
    product.batch.add({sizes.groups, sizes.out_channels * y.channel, sizes.in_channels * seen.channel_stride, sizes.out_channels * w.batch});
    product.rows.add({sizes.out_channels, y.channel, 0, w.batch});
    product.columns.add({sizes.in_channels, 0, seen.channel_stride, w.channel});
    product.inner.add({images, y.batch, seen.batch_stride, 0});
    for (std::size_t i = 0; i < 3; ++i) {
      const ConvAxis& axis = sizes.axes[i];
      product.columns.add({axis.kernel, 0, axis.dilation * seen.strides[i], w.spatial[i]});
      product.inner.add({axis.y, y.spatial[i], axis.stride * seen.strides[i], 0});
    }
    contract(product);
    first = false;
  }
  if (weight->spec.dtype != specs[0].dtype) return execute(op::Cast{specs[0].dtype}, {weight}, specs);
  return {weight};
}

}  // namespace hearth::cpu
