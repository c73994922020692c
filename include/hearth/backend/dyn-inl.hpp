// backend/dyn-inl: the bodies of Dyn's special members, cores and functions.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "dyn.hpp"

namespace hearth {

namespace detail {
/// What a tensor that was never made says when it is asked for its shape. Without exceptions it may stand for an error that was told already.
[[gnu::cold]] inline const Spec& never_made() {
  static const Spec nothing{Dtype::f32, {0}};
  if constexpr (HEARTH_EXCEPTIONS) (void)fail("tensor", "it has no value: it was default made and never assigned, or moved from");
  return nothing;
}
}  // namespace detail

// clang-format off
template <class B> Dyn<B>::Dyn() = default;
template <class B> Dyn<B>::Dyn(HandleOf<B> h) : handle(std::move(h)) {}
template <class B> Dyn<B>::Dyn(const Dyn&) = default;
template <class B> Dyn<B>::Dyn(Dyn&&) noexcept = default;
template <class B> Dyn<B>& Dyn<B>::operator=(const Dyn&) = default;
template <class B> Dyn<B>& Dyn<B>::operator=(Dyn&&) noexcept = default;
template <class B> Dyn<B>::~Dyn() = default;
template <class B> DeviceOf<B> Dyn<B>::device() const { return handle ? B::device(handle) : (void(detail::never_made()), DeviceOf<B>{}); }
template <class B> Dyn<B> Dyn<B>::from_failure() { return full({}, Spec{Dtype::f32, {0}}, 0); }

template <class B> Dyn<B> Dyn<B>::unary(UnaryCode code, Dyn x) { return call<B>(op::Unary{code}, std::move(x)); }
template <class B> Dyn<B> Dyn<B>::binary(BinaryCode code, Dyn a, Dyn b) { return call<B>(op::Binary{code}, std::move(a), std::move(b)); }
template <class B> Dyn<B> Dyn<B>::binary_scalar(BinaryCode code, Dyn x, Scalar scalar, Side side) { return call<B>(op::BinaryScalar{code, scalar, side}, std::move(x)); }
template <class B> Dyn<B> Dyn<B>::compare(CompareCode code, Dyn a, Dyn b) { return call<B>(op::Compare{code}, std::move(a), std::move(b)); }
template <class B> Dyn<B> Dyn<B>::compare_scalar(CompareCode code, Dyn x, Scalar scalar) { return call<B>(op::CompareScalar{code, scalar}, std::move(x)); }
template <class B> Dyn<B> Dyn<B>::select(Dyn mask, Dyn then, Dyn otherwise) { return call<B>(op::Select{}, std::move(mask), std::move(then), std::move(otherwise)); }
template <class B> Dyn<B> Dyn<B>::select_scalar(Dyn mask, Dyn x, Scalar scalar, Side side) { return call<B>(op::SelectScalar{scalar, side}, std::move(mask), std::move(x)); }
template <class B> Dyn<B> Dyn<B>::cast(Dyn x, Dtype dtype) { return call<B>(op::Cast{dtype}, std::move(x)); }
template <class B> Dyn<B> Dyn<B>::clamp(Dyn x, Scalar low, Scalar high) { return call<B>(op::Clamp{low, high}, std::move(x)); }
template <class B> Dyn<B> Dyn<B>::reshape(Dyn x, const Shape& shape) { return call<B>(op::Reshape{shape}, std::move(x)); }
template <class B> Dyn<B> Dyn<B>::permute(Dyn x, const Axes& axes) { return call<B>(op::Permute{axes}, std::move(x)); }
template <class B> Dyn<B> Dyn<B>::expand(Dyn x, const Shape& shape) { return call<B>(op::Expand{shape}, std::move(x)); }
template <class B> Dyn<B> Dyn<B>::slice(Dyn x, const Shape& start, const Shape& size, const Shape& step) { return call<B>(op::Slice{start, size, step}, std::move(x)); }
template <class B> Dyn<B> Dyn<B>::reduce(ReduceCode code, Dyn x, const Axes& axes) { return call<B>(op::Reduce{code, axes}, std::move(x)); }
template <class B> Dyn<B> Dyn<B>::matmul(Dyn a, Dyn b) { return call<B>(op::MatMul{}, std::move(a), std::move(b)); }
template <class B> Dyn<B> Dyn<B>::gather(Dyn x, Dyn index, int axis) { return call<B>(op::Gather{axis}, std::move(x), std::move(index)); }
template <class B> Dyn<B> Dyn<B>::scatter(Dyn base, Dyn index, Dyn source, int axis, ScatterMode mode) { return call<B>(op::Scatter{axis, mode}, std::move(base), std::move(index), std::move(source)); }
template <class B> Dyn<B> Dyn<B>::full(const DeviceOf<B>& device, const Spec& spec, Scalar value) { return Dyn(B::make(device, op::Full{spec, value})); }
template <class B> Dyn<B> Dyn<B>::iota(const DeviceOf<B>& device, const Spec& spec, int axis, Scalar start, Scalar step) { return Dyn(B::make(device, op::Iota{spec, axis, start, step})); }
// clang-format on

template <class B>
const Spec& Dyn<B>::spec() const {
  if (!handle) return detail::never_made();
  if constexpr (!HEARTH_EXCEPTIONS)
    if (const Error* error = B::error(handle)) follow_error(*error);
  return B::spec(handle);
}

template <class B>
void Dyn<B>::settle() {
  if constexpr (!HEARTH_EXCEPTIONS) {
    if (pending_error()) {
      if (handle && B::error(handle)) (void)take_pending_error();
      else *this = from_failure();
    }
    forget_error();
  }
}

template <class B>
Dyn<B> Dyn<B>::concat(std::vector<Dyn> parts, int axis) {
  auto out = apply<B>(op::Concat{axis}, map_list(parts, [](Dyn& part) { return std::move(part.handle); }));
  return Dyn(std::move(out[0]));
}

template <class B>
Dyn<B> DynFunctions<B>::sum(Dyn<B> x, const Axes& axes) {
  return Dyn<B>::reduce(ReduceCode::sum, std::move(x), axes);
}
template <class B>
Dyn<B> DynFunctions<B>::mean(Dyn<B> x, const Axes& axes) {
  return Dyn<B>::reduce(ReduceCode::mean, std::move(x), axes);
}
template <class B>
Dyn<B> DynFunctions<B>::transpose(Dyn<B> x) {
  Axes axes = all_axes(x.rank());
  std::swap(axes[-1], axes[-2]);
  return Dyn<B>::permute(std::move(x), axes);
}
template <class B>
Dyn<B> DynFunctions<B>::sum_to(Dyn<B> g, const Shape& shape) {
  const Shape from = g.shape();
  if (from == shape) return g;
  const int extra = from.size() - shape.size();
  Axes axes;
  for (int i = 0; i < from.size(); ++i)
    if (i < extra || (shape[i - extra] == 1 && from[i] != 1)) axes.push(i);
  if (!axes.empty()) g = sum(std::move(g), axes);
  return Dyn<B>::reshape(std::move(g), shape);
}
template <class B>
Dyn<B> DynFunctions<B>::squeeze(Dyn<B> x, const Axes& axes) {
  const Shape from = x.shape();
  const Axes removed = normalize_axes("squeeze", axes, from.size());
  Shape to;
  for (int i = 0, next = 0; i < from.size(); ++i) {
    if (next < removed.size() && removed[next] == i) ++next;
    else to.push(from[i]);
  }
  return Dyn<B>::reshape(std::move(x), to);
}
template <class B>
Dyn<B> DynFunctions<B>::unsqueeze(Dyn<B> x, int axis) {
  Shape to = x.shape();
  to.insert(normalize_axis("unsqueeze", axis, to.size() + 1), 1);
  return Dyn<B>::reshape(std::move(x), to);
}
template <class B>
Dyn<B> DynFunctions<B>::narrow(Dyn<B> x, int axis, std::int64_t start, std::int64_t length) {
  Shape size = x.shape(), from = Shape::filled(size.size(), 0);
  axis = normalize_axis("narrow", axis, size.size());
  from[axis] = start;
  size[axis] = length;
  return Dyn<B>::slice(std::move(x), from, size, Shape::filled(size.size(), 1));
}
template <class B>
Dyn<B> DynFunctions<B>::activate(Activation activation, Dyn<B> x) {
  switch (activation) {
    case Activation::none: return x;
    case Activation::relu: return hearth::relu(std::move(x));
    case Activation::sigmoid: return hearth::sigmoid(std::move(x));
    case Activation::tanh: return hearth::tanh(std::move(x));
    case Activation::gelu: return hearth::gelu(std::move(x));
    case Activation::gelu_tanh: return hearth::gelu_tanh(std::move(x));
    case Activation::silu: return hearth::silu(std::move(x));
  }
  __builtin_unreachable();
}

}  // namespace hearth
