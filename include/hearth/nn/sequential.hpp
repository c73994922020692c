// nn/sequential: layers one after the other. An error inside says which layer it came from.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "rebind.hpp"

namespace hearth {

namespace detail {
/// The backend of the first layer that has one; void if none has.
template <class... Layers>
struct FirstBackend {
  using type = void;
};
template <class Layer, class... Layers>
struct FirstBackend<Layer, Layers...> : FirstBackend<Layers...> {};
template <class Layer, class... Layers>
  requires requires { typename BackendOf<Layer>::type; }
struct FirstBackend<Layer, Layers...> {
  using type = typename BackendOf<Layer>::type;
};
}  // namespace detail

/// Calls each layer on the result of the one before. Without layers: the argument itself. Parameters are named by position, as in
/// PyTorch: "0.weight", "2.0.bias".
template <class... Layers>
struct Sequential {
  std::tuple<Layers...> layers;

  using Backend = typename detail::FirstBackend<Layers...>::type;
  template <class To>
  using rebind = Sequential<Rebind<Layers, To>...>;

  template <class X>
  auto operator()(const X& x) const {
    return run<0>(x);
  }
  /// Layer I: model.at<2>()
  template <std::size_t I>
  auto& at() {
    return std::get<I>(layers);
  }
  template <std::size_t I>
  const auto& at() const {
    return std::get<I>(layers);
  }
  static constexpr std::size_t size() { return sizeof...(Layers); }

  template <class Visitor>
  void hearth_fields(Visitor&& visitor) {
    [&]<std::size_t... I>(std::index_sequence<I...>) { (visitor(std::to_string(I), std::get<I>(layers)), ...); }(std::index_sequence_for<Layers...>{});
  }

 private:
  template <std::size_t I, class X>
  auto run(const X& x) const {
    if constexpr (I == sizeof...(Layers)) return x;
    else return run<I + 1>(call_layer<I>(x));
  }
  template <std::size_t I, class X>
  auto call_layer(const X& x) const {
    constexpr bool callable = std::is_invocable_v<const std::tuple_element_t<I, std::tuple<Layers...>>&, const X&>;
    static_assert(callable, "hearth: this layer of a Sequential has no call operator (a const one) that takes what the layer before it gives");
    if constexpr (!callable) {
      return x;
    } else {
#if HEARTH_EXCEPTIONS
      try {
        return std::get<I>(layers)(x);
      } catch (Error& error) {
        error.set_path(std::to_string(I));
        throw;
      }
#else
      return std::get<I>(layers)(x);
#endif
    }
  }
};
template <class... Layers>
Sequential(std::tuple<Layers...>) -> Sequential<Layers...>;

/// sequential(make_linear<B>(784, 128), Relu{}, make_linear<B>(128, 10))
template <class... Layers>
Sequential<Layers...> sequential(Layers... layers) {
  return {std::tuple<Layers...>(std::move(layers)...)};
}

}  // namespace hearth
