// tensor/linear-inl: the bodies of LinearFunctions.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "linear.hpp"
#include "refuse-inl.hpp"

// The geometry is made in a statement of its own: among the arguments of call it might see an x that is given away already.
namespace hearth {

template <class B>
Dyn<B> LinearFunctions<B>::matmul(Dyn<B> a, Dyn<B> b) {
  const bool row = a.rank() == 1, column = b.rank() == 1;
  if (row) a = hearth::unsqueeze(std::move(a), 0);
  if (column) b = hearth::unsqueeze(std::move(b), 1);
  Dyn<B> y = Dyn<B>::matmul(std::move(a), std::move(b));
  if (!row && !column) return y;
  Shape shape = y.shape();
  if (column) shape.erase(shape.size() - 1);
  if (row) shape.erase(shape.size() - (column ? 1 : 2));
  return Dyn<B>::reshape(std::move(y), shape);
}

template <class B>
Dyn<B> LinearFunctions<B>::outer(Dyn<B> a, Dyn<B> b) {
  return hearth::unsqueeze(std::move(a), -1) * hearth::unsqueeze(std::move(b), -2);
}

template <class B>
Dyn<B> LinearFunctions<B>::conv(std::string_view name, Dyn<B> x, Dyn<B> weight, Dyn<B> bias, const ConvOptions& options) {
  const op::Conv op{detail::conv_geometry(name, x.rank() - 2, options)};
  return call<B>(op, std::move(x), std::move(weight), std::move(bias));
}

template <class B>
Dyn<B> LinearFunctions<B>::conv_transpose(std::string_view name, Dyn<B> x, Dyn<B> weight, Dyn<B> bias, const ConvTransposeOptions& options) {
  Shape size;
  const ConvGeometry geometry = detail::conv_transpose_geometry(name, x.shape(), weight.shape(), options, size);
  Dyn<B> y = call<B>(op::ConvInputGrad{geometry, size}, std::move(x), std::move(weight));
  if (!bias) return y;
  Shape channels = Shape::filled(y.rank(), 1);
  channels[1] = -1;
  return std::move(y) + Dyn<B>::reshape(std::move(bias), channels);
}

template <class B>
std::array<Dyn<B>, 2> LinearFunctions<B>::max_pool(std::string_view name, Dyn<B> x, const PerAxis& kernel, const PoolOptions& options) {
  const op::MaxPool op{detail::pool_geometry(name, x.rank() - 2, kernel, options)};
  return call<B>(op, std::move(x));
}

template <class B>
std::array<Dyn<B>, 2> LinearFunctions<B>::adaptive_max_pool(std::string_view name, Dyn<B> x, const PerAxis& size) {
  const op::MaxPool op{detail::adaptive_geometry(name, x.rank() - 2, size)};
  return call<B>(op, std::move(x));
}

template <class B>
Dyn<B> LinearFunctions<B>::avg_pool(std::string_view name, Dyn<B> x, const PerAxis& kernel, const PoolOptions& options) {
  const op::AvgPool op{detail::pool_geometry(name, x.rank() - 2, kernel, options), options.count_padding};
  return call<B>(op, std::move(x));
}

template <class B>
Dyn<B> LinearFunctions<B>::adaptive_avg_pool(std::string_view name, Dyn<B> x, const PerAxis& size) {
  const op::AvgPool op{detail::adaptive_geometry(name, x.rank() - 2, size)};
  return call<B>(op, std::move(x));
}

}  // namespace hearth
