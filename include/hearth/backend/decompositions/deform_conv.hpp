// backend/decompositions/deform_conv: a convolution whose kernel reads at shifted places (Dai et al. 2017, Zhu et al. 2019).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sampling.hpp"

namespace hearth {

namespace detail {

/// Sizes of one deformable convolution. taps: elements of the kernel; places: elements of a result's channel.
struct DeformSizes {
  std::int64_t batch, channels, height, width, out, kernel_height, kernel_width, out_height, out_width, groups, offset_groups, taps, places;

  DeformSizes(const ConvGeometry& geometry, std::int64_t offsets, const Shape& x, const Shape& offset, const Shape& weight)
      : batch(x[0]), channels(x[1]), height(x[2]), width(x[3]), out(weight[0]), kernel_height(weight[2]), kernel_width(weight[3]),
        out_height(offset[2]), out_width(offset[3]), groups(geometry.groups), offset_groups(offsets) {
    taps = kernel_height * kernel_width;
    places = out_height * out_width;
  }
  Shape pixels() const { return {batch * offset_groups, channels / offset_groups, height * width}; }
  Shape columns() const { return {batch * offset_groups, channels / offset_groups, taps * places}; }
  Shape grouped_columns() const { return {batch, groups, channels / groups * taps, places}; }
  Shape grouped_weight() const { return {groups, out / groups, channels / groups * taps}; }
  Shape grouped_result() const { return {batch, groups, out / groups, places}; }
  Shape offsets() const { return {batch * offset_groups, taps, 2, places}; }
  Shape mask() const { return {batch * offset_groups, 1, taps * places}; }
};

/// The corners of every place that every tap reads. `offset` is in the accumulator's dtype.
template <class B>
std::vector<Corner<B>> deform_corners(const ConvGeometry& geometry, const DeformSizes& sizes, Dyn<B> offset) {
  const Spec grid{offset.dtype(), {sizes.kernel_height, sizes.kernel_width, sizes.out_height, sizes.out_width}};
  const auto device = offset.device();
  offset = reshape(std::move(offset), sizes.offsets());
  std::vector<std::vector<AxisTap<B>>> taps;
  for (int axis = 0; axis < 2; ++axis) {
    auto plain = Dyn<B>::iota(device, grid, axis, -geometry.before[axis], geometry.dilation[axis]) +
                 Dyn<B>::iota(device, grid, axis + 2, 0, geometry.stride[axis]);
    auto shift = narrow(offset, 2, axis, 1);
    auto position = reshape(std::move(shift), {sizes.batch * sizes.offset_groups, 1, sizes.taps * sizes.places}) +
                    reshape(std::move(plain), {1, 1, sizes.taps * sizes.places});
    taps.push_back(linear_taps(std::move(position), axis == 0 ? sizes.height : sizes.width));
  }
  return corners(taps, {sizes.height, sizes.width});
}

}  // namespace detail

template <>
struct Decomposition<op::DeformConv> {
  template <class B>
  static std::array<Dyn<B>, 1> run(const op::DeformConv& op, std::array<Dyn<B>, 5> in) {
    using namespace detail;
    const Dtype dtype = in[0].dtype();
    const DeformSizes sizes(op.geometry, op.offset_groups, in[0].shape(), in[1].shape(), in[2].shape());
    auto from = deform_corners(op.geometry, sizes, accumulated(std::move(in[1])));
    auto columns = sampled(reshape(accumulated(std::move(in[0])), sizes.pixels()), from);
    if (in[3]) columns = std::move(columns) * reshape(accumulated(std::move(in[3])), sizes.mask());
    auto y = matmul(reshape(accumulated(std::move(in[2])), sizes.grouped_weight()), reshape(std::move(columns), sizes.grouped_columns()));
    y = reshape(std::move(y), {sizes.batch, sizes.out, sizes.out_height, sizes.out_width});
    if (in[4]) y = std::move(y) + per_channel(accumulated(std::move(in[4])), 4);
    return {converted(std::move(y), dtype)};
  }
};

template <>
struct Decomposition<op::DeformConvGrad> {
  template <class B>
  static std::array<Dyn<B>, 4> run(const op::DeformConvGrad& op, std::array<Dyn<B>, 5> in) {
    using namespace detail;
    const Spec x_spec = in[1].spec(), offset_spec = in[2].spec(), weight_spec = in[3].spec();
    const DeformSizes sizes(op.geometry, op.offset_groups, x_spec.shape, offset_spec.shape, weight_spec.shape);
    auto g = reshape(accumulated(std::move(in[0])), sizes.grouped_result());
    auto x = reshape(accumulated(std::move(in[1])), sizes.pixels());
    auto weight = reshape(accumulated(std::move(in[3])), sizes.grouped_weight());
    const auto from = deform_corners(op.geometry, sizes, accumulated(std::move(in[2])));

    // Gradient of the columns, and the columns as they were.
    auto dcolumns = reshape(matmul(transpose(std::move(weight)), g), sizes.columns());
    auto columns = sampled(x, from);
    Dyn<B> dmask;
    if (in[4]) {
      const Spec mask_spec = in[4].spec();
      auto mask = reshape(accumulated(std::move(in[4])), sizes.mask());
      dmask = converted(reshape(sum(dcolumns * columns, {1}), mask_spec.shape), mask_spec.dtype);
      columns = std::move(columns) * mask;
      dcolumns = std::move(dcolumns) * std::move(mask);
    } else {
      dmask = Dyn<B>::full(x.device(), {x_spec.dtype, {0}}, 0);
    }
    auto dweight = sum(matmul(std::move(g), transpose(reshape(std::move(columns), sizes.grouped_columns()))), {0});
    auto grads = sampled_grad(dcolumns, x, from);
    const Shape one{sizes.batch * sizes.offset_groups, sizes.taps, 1, sizes.places};
    auto doffset = concat(std::vector<Dyn<B>>{reshape(std::move(grads.positions[0]), one), reshape(std::move(grads.positions[1]), one)}, 2);
    return {converted(reshape(std::move(grads.x), x_spec.shape), x_spec.dtype),
            converted(reshape(std::move(doffset), offset_spec.shape), offset_spec.dtype),
            converted(reshape(std::move(dweight), weight_spec.shape), weight_spec.dtype), std::move(dmask)};
  }
};

}  // namespace hearth
