// cpu/conv: what the convolutions share: spatial axes in a fixed number, and inputs with their padding written out.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <optional>
#include <vector>

#include "array.hpp"
#include "gemm.hpp"

namespace hearth::cpu {

/// One spatial axis of a convolution.
struct ConvAxis {
  std::int64_t x = 1, kernel = 1, y = 1;  ///< sizes
  std::int64_t stride = 1, dilation = 1, before = 0;
  /// Where the window of output i begins in x.
  std::int64_t start(std::int64_t i) const { return i * stride - before; }
};

/// The outputs from ... to whose window has a certain tap inside x, and where the first of them finds it.
struct Reach {
  std::int64_t from = 0, to = 0, x = 0;
};
/// For each tap of an axis.
std::vector<Reach> reaches(const ConvAxis& axis);

/// Sizes of a convolution; axes that x does not have are of size 1 and come first.
struct ConvSizes {
  std::int64_t batch, groups, in_channels, out_channels;  ///< channels in each group
  std::array<ConvAxis, 3> axes;

  ConvSizes(const ConvGeometry& geometry, const Shape& x, const Shape& weight, const Shape& y);
  std::int64_t x_plane() const { return axes[0].x * axes[1].x * axes[2].x; }
  std::int64_t y_plane() const { return axes[0].y * axes[1].y * axes[2].y; }
  std::int64_t kernel_plane() const { return axes[0].kernel * axes[1].kernel * axes[2].kernel; }
};

/// [batch, channels, three spatial axes] as elements of `dtype` at `data`: an array itself, or a copy with a border of zeros.
struct ConvOperand {
  const std::byte* data = nullptr;
  Dtype dtype = Dtype::f32;
  std::int64_t batch_stride = 0, channel_stride = 0;
  std::array<std::int64_t, 3> strides{};
  std::optional<Scratch<std::byte>> memory;

  const std::byte* at(std::int64_t element) const { return data + element * std::int64_t(size_of(dtype)); }
};

/// The elements first, first + 1, ... of each axis, `size` of them; those outside the array are zeros.
struct Border {
  std::array<std::int64_t, 3> first{}, size{1, 1, 1};
};

/// Images `begin` to `end` of x within the border. Copies only if it must; 16-bit floats are widened by the way.
ConvOperand with_border(const Array& x, const Border& border, std::int64_t begin, std::int64_t end);
/// How many images go into one contraction, so that their copies stay in the last cache.
std::int64_t images_at_once(const Array& x, const Border& border);

/// Few channels in each group, or a border out of proportion to a plane of `plane` elements: no matrix product, but rows added to rows.
bool is_direct(const ConvSizes& sizes, std::int64_t plane, const Border& border);
void convolve_directly(const ConvSizes& sizes, const Handle& x, const Handle& weight, const Contraction& epilogue, const Handle& y);
void input_grad_directly(const ConvSizes& sizes, const Handle& g, const Handle& weight, const Handle& x);
void weight_grad_directly(const ConvSizes& sizes, const Handle& x, const Handle& g, const Handle& weight);

}  // namespace hearth::cpu
