// tensor/backward: gradients of tensors. What records needs an outermost Autodiff<B>; detach and NoGrad work on every backend.
//   auto x = require_gradient(tensor<Autodiff<B>>({1., 2.}));
//   auto gradients = backward((x * x).sum());
//   gradient_of(x, gradients)  // Tensor<B, 1>: [2. 4.]
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../autodiff/autodiff.hpp"
#include "kinds.hpp"

namespace hearth {

/// Tag: keep what the graph saved, for another backward pass through it.
struct Retain {};
inline constexpr Retain retain{};

namespace detail {
template <class B>
inline constexpr bool records = is_autodiff<B>;
template <class B>
struct InnerOf {
  using type = B;
};
template <class B>
struct InnerOf<Autodiff<B>> {
  using type = B;
};
}  // namespace detail

/// The backend under an outermost Autodiff; B itself where there is none.
template <class B>
using Inner = typename detail::InnerOf<B>::type;

namespace detail {
template <class B>
Gradients<Inner<B>> run_backward(const Dyn<B>& loss, const Dyn<B>& seed, bool keep_graph) {
  static_assert(records<B>, "hearth: backward needs a backend that records gradients: build the tensors and the model on Autodiff<B>");
  if constexpr (records<B>) {
    Backward<Inner<B>> options;
    if (seed) options.seed = seed.handle.value;
    options.retain = keep_graph;
    return B::backward(loss.handle, std::move(options));
  } else {
    return {};
  }
}
}  // namespace detail

/// The gradients of a loss for all leaves (require_gradient, Param) that it depends on.
template <class B>
Gradients<Inner<B>> backward(const Tensor<B, 0>& loss) {
  return detail::run_backward(loss.dyn, Dyn<B>(), false);
}
template <class B>
Gradients<Inner<B>> backward(const Tensor<B, 0>& loss, Retain) {
  return detail::run_backward(loss.dyn, Dyn<B>(), true);
}
/// Of a value of any rank: `seed` is what dL/dy is, in y's shape.
template <class B, int R>
Gradients<Inner<B>> backward(const Tensor<B, R>& y, const Tensor<B, R>& seed) {
  return detail::run_backward(y.dyn, seed.dyn, false);
}
template <class B, int R>
Gradients<Inner<B>> backward(const Tensor<B, R>& y, const Tensor<B, R>& seed, Retain) {
  return detail::run_backward(y.dyn, seed.dyn, true);
}

/// The same value as a new leaf, whose gradient backward reports. On a backend that does not record: x.
template <class B, int R>
Tensor<B, R> require_gradient(Tensor<B, R> x) {
  if constexpr (detail::records<B>) return Tensor<B, R>(Dyn<B>(B::track(std::move(x.dyn.handle))));
  else return x;
}
/// Does x depend on a leaf?
template <class B, int R, class K>
bool requires_gradient(const Tensor<B, R, K>& x) {
  if constexpr (detail::records<B>) return B::tracked(x.dyn.handle);
  else return false;
}
/// The same value, cut off from how it came to be.
template <class B, int R, class K>
Tensor<B, R, K> detach(Tensor<B, R, K> x) {
  if constexpr (detail::records<B>) return Tensor<B, R, K>(Dyn<B>(B::detach(std::move(x.dyn.handle))));
  else return x;
}
/// The value on the backend under Autodiff, without its history. Nothing is copied.
template <class B, int R, class K>
Tensor<Inner<B>, R, K> inner(const Tensor<B, R, K>& x) {
  if constexpr (detail::records<B>) return Tensor<Inner<B>, R, K>(Dyn<Inner<B>>(x.dyn.handle.value));
  else return x;
}
/// A value as a constant of Autodiff<B>: from_inner(x). Nothing is copied.
template <class B, int R, class K>
Tensor<Autodiff<B>, R, K> from_inner(const Tensor<B, R, K>& x) {
  return Tensor<Autodiff<B>, R, K>(Dyn<Autodiff<B>>(Autodiff<B>::from_inner(x.dyn.handle)));
}

/// The gradient of a leaf; not defined() if the loss does not depend on it.
template <class B, int R>
Tensor<B, R> find_gradient(const Tensor<Autodiff<B>, R>& leaf, const Gradients<B>& gradients) {
  const HandleOf<B>* found = gradients.find(leaf.dyn.handle);
  return found ? Tensor<B, R>(Dyn<B>(*found)) : Tensor<B, R>();
}
/// The gradient of a leaf, which must have one.
template <class B, int R>
Tensor<B, R> gradient_of(const Tensor<Autodiff<B>, R>& leaf, const Gradients<B>& gradients) {
  const HandleOf<B>* found = gradients.find(leaf.dyn.handle);
  if (found) return Tensor<B, R>(Dyn<B>(*found));
  (void)fail("gradient_of", "this tensor has no gradient", {leaf.shape()}, "make it a leaf with require_gradient before the loss is computed from it");
  return Tensor<B, R>(Dyn<B>::full(leaf.device(), leaf.spec(), 0));  // without exceptions: carries the error
}
/// Calls f(Tensor<B, R> gradient) when the gradient of x is complete; a tensor that it returns replaces it. `->remove()` ends the hook.
template <class B, int R, class F>
auto on_gradient(const Tensor<Autodiff<B>, R>& x, F f) {
  return hearth::on_gradient<B>(x.dyn.handle, [f = std::move(f)](Dyn<B> gradient) {
    if constexpr (std::is_void_v<decltype(f(Tensor<B, R>(gradient)))>) f(Tensor<B, R>(std::move(gradient)));
    else return f(Tensor<B, R>(std::move(gradient))).dyn;
  });
}
/// f(tensors...) without keeping what is computed inside: the backward pass runs f again. f must do the same both times.
template <class F, class B, int... R>
auto checkpoint(F f, const Tensor<Autodiff<B>, R>&... in) {
  using A = Autodiff<B>;
  using Result = decltype(f(in...));
  auto out = hearth::checkpoint<B>({in.dyn.handle...}, [f = std::move(f)](std::vector<typename A::Handle> handles) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::vector<typename A::Handle>{f(Tensor<A, R>(Dyn<A>(std::move(handles[I])))...).dyn.handle};
    }(std::make_index_sequence<sizeof...(R)>{});
  });
  return Result(Dyn<A>(std::move(out[0])));
}

}  // namespace hearth
