// nn/rebind: the type of a module over another backend. `Rebind<Mlp<Autodiff<Cpu>>, Cpu>` is Mlp<Cpu>.
// A class template whose first argument is a backend, followed by types and then by values, rebinds by itself; another order
// says `template <class To> using rebind = ...` in the class. Constants stay as they are.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "walk.hpp"

namespace hearth {

namespace detail {

// Patterns are on `template <class...>`, never on `template <Backend...>`, which compilers treat differently.
template <class T, class To>
struct RebindTo {
  using type = T;
};
template <class T, class To>
  requires requires { typename T::template rebind<To>; }
struct RebindTo<T, To> {
  using type = typename T::template rebind<To>;
};
template <class T>
concept NoOwnRebind = !requires { typename T::template rebind<T>; };

template <class B, int R, class K, class To>
struct RebindTo<Tensor<B, R, K>, To> {
  using type = Tensor<To, R, K>;
};
template <class B, int R, class To>
struct RebindTo<Param<B, R>, To> {
  using type = Param<To, R>;
};
template <class B, int R, class K, class To>
struct RebindTo<Buffer<B, R, K>, To> {
  using type = Buffer<To, R, K>;
};
template <template <class...> class M, class B, class... A, class To>
  requires(LooksLikeBackend<B> && NoOwnRebind<M<B, A...>>)
struct RebindTo<M<B, A...>, To> {
  using type = M<To, typename RebindTo<A, To>::type...>;
};
template <template <class, auto...> class M, class B, auto... N, class To>
  requires(sizeof...(N) > 0 && LooksLikeBackend<B> && NoOwnRebind<M<B, N...>>)
struct RebindTo<M<B, N...>, To> {
  using type = M<To, N...>;
};
template <template <class, class, auto...> class M, class B, class A, auto... N, class To>
  requires(sizeof...(N) > 0 && LooksLikeBackend<B> && NoOwnRebind<M<B, A, N...>>)
struct RebindTo<M<B, A, N...>, To> {
  using type = M<To, typename RebindTo<A, To>::type, N...>;
};
template <class T, class To>
struct RebindTo<std::vector<T>, To> {
  using type = std::vector<typename RebindTo<T, To>::type>;
};
template <class T, std::size_t N, class To>
struct RebindTo<std::array<T, N>, To> {
  using type = std::array<typename RebindTo<T, To>::type, N>;
};
template <class T, class To>
struct RebindTo<std::optional<T>, To> {
  using type = std::optional<typename RebindTo<T, To>::type>;
};
template <class... T, class To>
struct RebindTo<std::tuple<T...>, To> {
  using type = std::tuple<typename RebindTo<T, To>::type...>;
};

}  // namespace detail

template <class M, class To>
using Rebind = typename detail::RebindTo<M, To>::type;

}  // namespace hearth
