// nn/convert: a whole model on another backend: inference(model) drops the tape from its type, to_backend<C>(model) moves its values.
// Names and tied weights stay.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../backend/transfer.hpp"
#include "rebind.hpp"

namespace hearth {

namespace detail {

/// Values that were converted already, so that tied parameters stay tied.
template <class To>
struct Converted {
  std::vector<std::pair<const void*, Dyn<To>>> known;
};

/// Is T over another backend than To, with a type that cannot say To?
template <class T, class To>
inline constexpr bool stays = false;
template <class T, class To>
  requires requires { typename BackendOf<T>::type; }
inline constexpr bool stays<T, To> = std::is_same_v<T, Rebind<T, To>> && !std::is_same_v<typename BackendOf<T>::type, To>;

/// `move` turns a Dyn of the old backend into one of the new, the same for every leaf.
template <class To, class T, class Move>
Rebind<T, To> convert(const T& from, Converted<To>& done, const Move& move) {
  using R = Rebind<T, To>;
  if constexpr (param_rank<T> >= 0) {
    if (!from.defined()) return R{};
    const void* identity = leaf_identity(from.dyn);
    for (auto& [known, value] : done.known)
      if (known == identity) {
        R tied;
        tied.dyn = value;
        return tied;
      }
    R result(Tensor<To, param_rank<T>>(move(from.dyn)));
    if constexpr (is_autodiff<To> && is_autodiff<typename T::Backend>)  // what is frozen stays so
      if (!requires_gradient(from)) result.dyn = Dyn<To>(To::detach(std::move(result.dyn.handle)));
    done.known.emplace_back(identity, result.dyn);
    return result;
  } else if constexpr (is_buffer<T>) {
    if (!from.get().defined()) return R{};
    return R(std::remove_cvref_t<decltype(std::declval<R&>().get())>(move(from.get().dyn)));
  } else if constexpr (is_tensor<T>) {
    return from.defined() ? R(move(from.dyn)) : R{};
  } else if constexpr (std::is_same_v<T, R>) {
    static_assert(!stays<T, To>, "hearth: a part of this model has the same type on every backend; write it as template <Backend B> struct");
    return from;
  } else if constexpr (is_optional<T>) {
    if (!from) return R{};
    return R(convert<To>(*from, done, move));
  } else if constexpr (is_list<T> && requires(R r) { r.reserve(1); }) {
    R result;
    result.reserve(from.size());
    for (auto& element : from) result.push_back(convert<To>(element, done, move));
    return result;
  } else if constexpr (is_list<T> || is_tuple<T>) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return R{convert<To>(std::get<I>(from), done, move)...};  // braces: left to right, as the walk goes
    }(std::make_index_sequence<std::tuple_size_v<T>>{});
  } else if constexpr (requires(R r) { r.hearth_tie(); }) {
    R result;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      auto fields = from.hearth_tie();
      auto places = result.hearth_tie();
      ((std::get<I>(places) = convert<To>(std::get<I>(fields), done, move)), ...);
    }(std::make_index_sequence<std::tuple_size_v<decltype(from.hearth_tie())>>{});
    return result;
  } else {
    static_assert(Reflectable<T>, "hearth: this module is not an aggregate, so it cannot be rebuilt on another backend; list all of its fields with "
                                  "HEARTH_FIELDS and give it a default constructor");
    static_assert(reflect::field_count<T> == reflect::field_count<R>, "hearth: a module must have the same fields on every backend");
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      auto fields = reflect::tie(from);
      return R{convert<To>(reflect::get<I>(fields), done, move)...};
    }(std::make_index_sequence<reflect::field_count<T>>{});
  }
}

template <class B>
auto without_tape(const Dyn<B>& x) {
  if constexpr (is_autodiff<B>) return without_tape(Dyn<typename B::Inner>(x.handle.value));
  else return x;
}
/// A value without tape as a constant of stack C; through host memory if it lives on another backend.
template <class C, class B>
Dyn<C> on_stack(Dyn<B> x, const DeviceOf<C>& device) {
  if constexpr (std::is_same_v<B, C>) return Dyn<C>(transfer<C>(std::move(x.handle), device));
  else if constexpr (is_autodiff<C>) return Dyn<C>(C::from_inner(on_stack<typename C::Inner>(std::move(x), device).handle));
  else return through_host<C>(x, device);
}

}  // namespace detail

/// The model without its tape: M<Autodiff<B>> becomes M<B>. It shares its buffers with the model, whose later steps it does not see.
template <class M>
auto inference(const M& model) {
  using A = BackendOf<M>;
  static_assert(is_autodiff<A>, "hearth: inference(model) takes a model on Autodiff<B>; this one records nothing already");
  if constexpr (is_autodiff<A>) {
    using B = typename A::Inner;
    static_assert(!detail::stays<M, B>, "hearth: inference(model) changes the backend in the model's type: write the model as template <Backend B> struct");
    detail::Converted<B> done;
    return detail::convert<B>(model, done, [](const Dyn<A>& value) { return Dyn<B>(value.handle.value); });
  }
}

/// The model's values on backend C, on its default device or the given one. Between stacks over one backend they are shared, as by copies.
template <class C, class M>
auto to_backend(const M& model, const DeviceOf<C>& device = {})
  requires(!detail::is_tensor<M> && requires { typename BackendOf<M>; })
{
  using B = BackendOf<M>;
  static_assert(!detail::stays<M, C>, "hearth: to_backend changes the backend in the model's type: write the model as template <Backend B> struct");
  detail::Converted<C> done;
  return detail::convert<C>(model, done, [&](const Dyn<B>& value) { return detail::on_stack<C>(detail::without_tape(value), device); });
}

}  // namespace hearth
