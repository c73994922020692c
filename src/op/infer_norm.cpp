// op/infer_norm: results of the norms and their gradients.
// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "infer.hpp"

namespace hearth {

using namespace detail;

namespace {

bool is_epsilon(std::string_view op, double epsilon) { return in_range(op, "epsilon", epsilon, 0, std::numeric_limits<double>::max()); }

/// A parameter or statistic (null where absent) of a dtype that goes with x's, and of the given shape?
bool parameter(std::string_view op, std::string_view what, const Spec& x, const Spec* p, const Shape& shape) {
  return fine_dtype(op, x, p) && has_shape(op, what, p, shape);
}
bool is_gradient(std::string_view op, const Spec& x, const Spec& g) { return same_dtype(op, x, g) && has_shape(op, "g", g, x.shape); }
/// The gradient of a parameter that may be absent, or a statistic beside it.
Spec beside(const Spec& x, const Spec* p, const Shape& shape) { return {p ? p->dtype : x.dtype, shape}; }

/// Is x a float array with at least `axes` axes? Sets `last` to the sizes of the last `axes` ones.
bool last_axes(std::string_view op, const Spec& x, int axes, double epsilon, Shape& last) {
  if (!takes(op, kinds::F, x) || !is_epsilon(op, epsilon)) return false;
  if (axes < 1 || axes > x.shape.size())
    return fail(op, "cannot normalise over the last " + text(axes) + " axes of " + to_string(x.shape), {x.shape});
  last = tail(x.shape, x.shape.size() - axes);
  return true;
}

/// Is x [n, c, ...] a float array? Sets `channels` to [c].
bool has_channels(std::string_view op, const Spec& x, double epsilon, Shape& channels) {
  if (!takes(op, kinds::F, x) || !is_epsilon(op, epsilon) || !has_rank(op, "x", x, 2)) return false;
  channels = {x.shape[1]};
  return true;
}
bool has_groups(std::string_view op, const Spec& x, std::int64_t groups, double epsilon, Shape& channels) {
  if (!has_channels(op, x, epsilon, channels)) return false;
  if (groups < 1 || channels[0] % groups != 0)
    return fail(op, text(groups) + " groups do not divide the " + text(channels[0]) + " channels of " + to_string(x.shape), {x.shape});
  return true;
}

}  // namespace

Out<op::LayerNorm> infer(const op::LayerNorm& op, const In<op::LayerNorm>& in) {
  constexpr std::string_view name = "layer_norm";
  Shape last;
  if (!given<op::LayerNorm>(name, in) || !last_axes(name, *in[0], op.axes, op.epsilon, last) || !parameter(name, "scale", *in[0], in[1], last) ||
      !parameter(name, "bias", *in[0], in[2], last))
    return {};
  return {*in[0]};
}

Out<op::LayerNormGrad> infer(const op::LayerNormGrad& op, const In<op::LayerNormGrad>& in) {
  constexpr std::string_view name = "layer_norm_grad";
  if (!given<op::LayerNormGrad>(name, in)) return {};
  const Spec& x = *in[1];
  Shape last;
  if (!last_axes(name, x, op.axes, op.epsilon, last) || !is_gradient(name, x, *in[0]) || !parameter(name, "scale", x, in[2], last)) return {};
  return {x, beside(x, in[2], last), beside(x, in[2], last)};
}

Out<op::RmsNorm> infer(const op::RmsNorm& op, const In<op::RmsNorm>& in) {
  constexpr std::string_view name = "rms_norm";
  Shape last;
  if (!given<op::RmsNorm>(name, in) || !last_axes(name, *in[0], op.axes, op.epsilon, last) || !parameter(name, "scale", *in[0], in[1], last)) return {};
  return {*in[0]};
}

Out<op::RmsNormGrad> infer(const op::RmsNormGrad& op, const In<op::RmsNormGrad>& in) {
  constexpr std::string_view name = "rms_norm_grad";
  if (!given<op::RmsNormGrad>(name, in)) return {};
  const Spec& x = *in[1];
  Shape last;
  if (!last_axes(name, x, op.axes, op.epsilon, last) || !is_gradient(name, x, *in[0]) || !parameter(name, "scale", x, in[2], last)) return {};
  return {x, beside(x, in[2], last)};
}

Out<op::BatchNorm> infer(const op::BatchNorm& op, const In<op::BatchNorm>& in) {
  constexpr std::string_view name = "batch_norm";
  if (!given<op::BatchNorm>(name, in)) return {};
  const Spec& x = *in[0];
  Shape channels;
  if (!has_channels(name, x, op.epsilon, channels) || !parameter(name, "scale", x, in[1], channels) || !parameter(name, "bias", x, in[2], channels) ||
      !parameter(name, "mean", x, in[3], channels) || !parameter(name, "variance", x, in[4], channels))
    return {};
  return {x};
}

Out<op::BatchNormTraining> infer(const op::BatchNormTraining& op, const In<op::BatchNormTraining>& in) {
  constexpr std::string_view name = "batch_norm";
  if (!given<op::BatchNormTraining>(name, in)) return {};
  const Spec& x = *in[0];
  Shape channels;
  if (!has_channels(name, x, op.epsilon, channels) || !parameter(name, "scale", x, in[1], channels) || !parameter(name, "bias", x, in[2], channels)) return {};
  return {x, beside(x, in[1], channels), beside(x, in[1], channels)};
}

Out<op::BatchNormGrad> infer(const op::BatchNormGrad& op, const In<op::BatchNormGrad>& in) {
  constexpr std::string_view name = "batch_norm_grad";
  if (!given<op::BatchNormGrad>(name, in)) return {};
  const Spec& x = *in[1];
  Shape channels;
  if (!has_channels(name, x, op.epsilon, channels) || !is_gradient(name, x, *in[0]) || !parameter(name, "scale", x, in[2], channels) ||
      !parameter(name, "mean", x, in[3], channels) || !parameter(name, "variance", x, in[4], channels))
    return {};
  return {x, beside(x, in[2], channels), beside(x, in[2], channels)};
}

Out<op::GroupNorm> infer(const op::GroupNorm& op, const In<op::GroupNorm>& in) {
  constexpr std::string_view name = "group_norm";
  Shape channels;
  if (!given<op::GroupNorm>(name, in) || !has_groups(name, *in[0], op.groups, op.epsilon, channels) || !parameter(name, "scale", *in[0], in[1], channels) ||
      !parameter(name, "bias", *in[0], in[2], channels))
    return {};
  return {*in[0]};
}

Out<op::GroupNormGrad> infer(const op::GroupNormGrad& op, const In<op::GroupNormGrad>& in) {
  constexpr std::string_view name = "group_norm_grad";
  if (!given<op::GroupNormGrad>(name, in)) return {};
  const Spec& x = *in[1];
  Shape channels;
  if (!has_groups(name, x, op.groups, op.epsilon, channels) || !is_gradient(name, x, *in[0]) || !parameter(name, "scale", x, in[2], channels)) return {};
  return {x, beside(x, in[2], channels), beside(x, in[2], channels)};
}

}  // namespace hearth
