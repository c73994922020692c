// tensor/create: tensors from nothing, from numbers in the program, and from memory.
// The backend is named, the rank follows from the braces: zeros<B>({2, 3}), full<B, Int>({4}, 7), tensor<B>({{1, 2}, {3, 4}}).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "data.hpp"
#include "generator.hpp"

namespace hearth {

namespace detail {
/// How many of start, start + step, ... lie before stop; an error where step is 0.
std::int64_t range_count(Scalar start, Scalar stop, Scalar step);
}  // namespace detail

/// Compiled per stack.
template <class B>
struct CreateFunctions {
  static Dyn<B> full(const DeviceOf<B>& device, Dtype dtype, Kinds kind, const Shape& shape, Scalar value);
  static Dyn<B> range(const DeviceOf<B>& device, Dtype dtype, Kinds kind, Scalar start, Scalar stop, Scalar step);
  static Dyn<B> linspace(const DeviceOf<B>& device, Dtype dtype, Kinds kind, double start, double stop, std::int64_t count);
  static Dyn<B> eye(const DeviceOf<B>& device, Dtype dtype, Kinds kind, std::int64_t rows, std::int64_t columns);
  static Dyn<B> one_hot(Dyn<B> index, std::int64_t classes, Dtype dtype);
  static Dyn<B> random(const DeviceOf<B>& device, Dtype dtype, Kinds kind, const Shape& shape, Distribution distribution, Scalar a, Scalar b,
                       RandomSource source);
  static Dyn<B> bernoulli(const DeviceOf<B>& device, Dtype dtype, Kinds kind, const Shape& shape, double p, RandomSource source);
  static Dyn<B> permutation(const DeviceOf<B>& device, std::int64_t count, RandomSource source);
  static Dyn<B> from_memory(const DeviceOf<B>& device, Dtype dtype, Kinds kind, const Shape& shape, Dtype from_dtype, const void* from,
                            std::int64_t count);
  static Dyn<B> from_strided(const DeviceOf<B>& device, Dtype dtype, Kinds kind, const Shape& shape, const Strides& strides, Dtype from_dtype,
                             const void* from);
};

// clang-format off
#define HEARTH_HEAD template <class B, class Kind = Float, std::size_t N> Tensor<B, int(N), Kind>
#define HEARTH_HEAD_BY_RANK template <class B, int Rank, class Kind = Float> Tensor<B, Rank, Kind>

/// Every element is `value`. With a shape made at run time the rank is named: zeros<B, 3>(shape).
HEARTH_HEAD full(const Dim (&shape)[N], Scalar value, const DeviceOf<B>& device = {}, Dtype dtype = Kind::dtype) { return Tensor<B, int(N), Kind>(CreateFunctions<B>::full(device, dtype, Kind::set, detail::to_shape(shape), value)); }
HEARTH_HEAD_BY_RANK full(const Shape& shape, Scalar value, const DeviceOf<B>& device = {}, Dtype dtype = Kind::dtype) { return Tensor<B, Rank, Kind>(CreateFunctions<B>::full(device, dtype, Kind::set, detail::checked_rank("full", shape, Rank), value)); }
HEARTH_HEAD zeros(const Dim (&shape)[N], const DeviceOf<B>& device = {}, Dtype dtype = Kind::dtype) { return full<B, Kind>(shape, 0, device, dtype); }
HEARTH_HEAD_BY_RANK zeros(const Shape& shape, const DeviceOf<B>& device = {}, Dtype dtype = Kind::dtype) { return full<B, Rank, Kind>(shape, 0, device, dtype); }
HEARTH_HEAD ones(const Dim (&shape)[N], const DeviceOf<B>& device = {}, Dtype dtype = Kind::dtype) { return full<B, Kind>(shape, 1, device, dtype); }
HEARTH_HEAD_BY_RANK ones(const Shape& shape, const DeviceOf<B>& device = {}, Dtype dtype = Kind::dtype) { return full<B, Rank, Kind>(shape, 1, device, dtype); }

/// Random numbers, from the device's default generator or from a given one: rand<B>({2, 3}, device, generator).
#define HEARTH_RANDOM(...) CreateFunctions<B>::random(device, dtype, Kind::set, __VA_ARGS__, source)
/// Uniform in [low, high).
HEARTH_HEAD uniform(const Dim (&shape)[N], double low, double high, const DeviceOf<B>& device = {}, RandomSource source = {}, Dtype dtype = Kind::dtype) { return Tensor<B, int(N), Kind>(HEARTH_RANDOM(detail::to_shape(shape), Distribution::uniform, low, high)); }
HEARTH_HEAD_BY_RANK uniform(const Shape& shape, double low, double high, const DeviceOf<B>& device = {}, RandomSource source = {}, Dtype dtype = Kind::dtype) { return Tensor<B, Rank, Kind>(HEARTH_RANDOM(detail::checked_rank("uniform", shape, Rank), Distribution::uniform, low, high)); }
/// Normal with this mean and standard deviation.
HEARTH_HEAD normal(const Dim (&shape)[N], double mean, double deviation, const DeviceOf<B>& device = {}, RandomSource source = {}, Dtype dtype = Kind::dtype) { return Tensor<B, int(N), Kind>(HEARTH_RANDOM(detail::to_shape(shape), Distribution::normal, mean, deviation)); }
HEARTH_HEAD_BY_RANK normal(const Shape& shape, double mean, double deviation, const DeviceOf<B>& device = {}, RandomSource source = {}, Dtype dtype = Kind::dtype) { return Tensor<B, Rank, Kind>(HEARTH_RANDOM(detail::checked_rank("normal", shape, Rank), Distribution::normal, mean, deviation)); }
/// uniform in [0, 1), and normal with mean 0 and deviation 1.
HEARTH_HEAD rand(const Dim (&shape)[N], const DeviceOf<B>& device = {}, RandomSource source = {}, Dtype dtype = Kind::dtype) { return uniform<B, Kind>(shape, 0., 1., device, source, dtype); }
HEARTH_HEAD_BY_RANK rand(const Shape& shape, const DeviceOf<B>& device = {}, RandomSource source = {}, Dtype dtype = Kind::dtype) { return uniform<B, Rank, Kind>(shape, 0., 1., device, source, dtype); }
HEARTH_HEAD randn(const Dim (&shape)[N], const DeviceOf<B>& device = {}, RandomSource source = {}, Dtype dtype = Kind::dtype) { return normal<B, Kind>(shape, 0., 1., device, source, dtype); }
HEARTH_HEAD_BY_RANK randn(const Shape& shape, const DeviceOf<B>& device = {}, RandomSource source = {}, Dtype dtype = Kind::dtype) { return normal<B, Rank, Kind>(shape, 0., 1., device, source, dtype); }
/// true with probability p: as 1 and 0 of Float, or of the kind that is named.
HEARTH_HEAD bernoulli(const Dim (&shape)[N], double p, const DeviceOf<B>& device = {}, RandomSource source = {}, Dtype dtype = Kind::dtype) { return Tensor<B, int(N), Kind>(CreateFunctions<B>::bernoulli(device, dtype, Kind::set, detail::to_shape(shape), p, source)); }
HEARTH_HEAD_BY_RANK bernoulli(const Shape& shape, double p, const DeviceOf<B>& device = {}, RandomSource source = {}, Dtype dtype = Kind::dtype) { return Tensor<B, Rank, Kind>(CreateFunctions<B>::bernoulli(device, dtype, Kind::set, detail::checked_rank("bernoulli", shape, Rank), p, source)); }
#undef HEARTH_HEAD
#undef HEARTH_HEAD_BY_RANK
/// Integers in [low, high).
template <class B, class Kind = Int, std::size_t N> Tensor<B, int(N), Kind> randint(const Dim (&shape)[N], std::int64_t low, std::int64_t high, const DeviceOf<B>& device = {}, RandomSource source = {}, Dtype dtype = Kind::dtype) { return Tensor<B, int(N), Kind>(HEARTH_RANDOM(detail::to_shape(shape), Distribution::integer, low, high)); }
template <class B, int Rank, class Kind = Int> Tensor<B, Rank, Kind> randint(const Shape& shape, std::int64_t low, std::int64_t high, const DeviceOf<B>& device = {}, RandomSource source = {}, Dtype dtype = Kind::dtype) { return Tensor<B, Rank, Kind>(HEARTH_RANDOM(detail::checked_rank("randint", shape, Rank), Distribution::integer, low, high)); }
#undef HEARTH_RANDOM
// clang-format on

/// 0 to count - 1 in random order.
template <class B>
Tensor<B, 1, Int> randperm(std::int64_t count, const DeviceOf<B>& device = {}, RandomSource source = {}) {
  return Tensor<B, 1, Int>(CreateFunctions<B>::permutation(device, count, source));
}

/// With the shape, dtype and device of x.
template <class B, int R, class K>
Tensor<B, R, K> full_like(const Tensor<B, R, K>& x, Scalar value) {
  return Tensor<B, R, K>(hearth::full_like(x.dyn, value));
}
template <class B, int R, class K>
Tensor<B, R, K> zeros_like(const Tensor<B, R, K>& x) {
  return full_like(x, 0);
}
template <class B, int R, class K>
Tensor<B, R, K> ones_like(const Tensor<B, R, K>& x) {
  return full_like(x, 1);
}
template <class B, int R>
Tensor<B, R> rand_like(const Tensor<B, R>& x, RandomSource source = {}) {
  return x.error() ? x : uniform<B, R>(x.shape(), 0., 1., x.device(), source, x.dtype());
}
template <class B, int R>
Tensor<B, R> randn_like(const Tensor<B, R>& x, RandomSource source = {}) {
  return x.error() ? x : normal<B, R>(x.shape(), 0., 1., x.device(), source, x.dtype());
}

/// start, start + step, ... before stop. Of whole numbers Int, else Float, unless the kind is named: arange<B, Float>(10).
template <class B, class Kind = void, class T>
  requires std::is_arithmetic_v<T>
Tensor<B, 1, detail::KindOr<Kind, T>> arange(T stop, const DeviceOf<B>& device = {}, Dtype dtype = detail::KindOr<Kind, T>::dtype) {
  return arange<B, Kind>(T(0), stop, T(1), device, dtype);
}
template <class B, class Kind = void, class T>
  requires std::is_arithmetic_v<T>
Tensor<B, 1, detail::KindOr<Kind, T>> arange(T start, std::type_identity_t<T> stop, std::type_identity_t<T> step = 1, const DeviceOf<B>& device = {},
                                             Dtype dtype = detail::KindOr<Kind, T>::dtype) {
  using K = detail::KindOr<Kind, T>;
  return Tensor<B, 1, K>(CreateFunctions<B>::range(device, dtype, K::set, start, stop, step));
}
/// `count` numbers from start to stop, both included and exact.
template <class B>
Tensor<B, 1> linspace(double start, double stop, std::int64_t count, const DeviceOf<B>& device = {}, Dtype dtype = Float::dtype) {
  return Tensor<B, 1>(CreateFunctions<B>::linspace(device, dtype, kinds::F, start, stop, count));
}
/// 1 on the diagonal, 0 elsewhere.
template <class B, class Kind = Float>
Tensor<B, 2, Kind> eye(std::int64_t rows, std::int64_t columns, const DeviceOf<B>& device = {}, Dtype dtype = Kind::dtype) {
  return Tensor<B, 2, Kind>(CreateFunctions<B>::eye(device, dtype, Kind::set, rows, columns));
}
template <class B, class Kind = Float>
Tensor<B, 2, Kind> eye(std::int64_t size, const DeviceOf<B>& device = {}, Dtype dtype = Kind::dtype) {
  return eye<B, Kind>(size, size, device, dtype);
}
/// A last axis of `classes` zeros with a 1 where the index says; an index outside [0, classes) is an error.
template <class Kind = Int, class B, int R>
Tensor<B, R + 1, Kind> one_hot(const Tensor<B, R, Int>& index, std::int64_t classes) {
  return Tensor<B, R + 1, Kind>(CreateFunctions<B>::one_hot(index.dyn, classes, Kind::dtype));
}

namespace detail {

// The shape of nested braces and their elements in order; lists of one level that differ in length are an error.
void check_braces(std::int64_t first, std::int64_t other);
template <class T, class E>
void flatten_braces(const T& value, std::vector<E>& elements, Shape&, int) {
  if constexpr (std::is_same_v<T, Scalar>) elements.push_back(value.template to<E>());
  else elements.push_back(E(value));
}
template <class T, class E>
void flatten_braces(std::initializer_list<T> list, std::vector<E>& elements, Shape& shape, int depth) {
  if (depth == shape.size()) shape.push(std::int64_t(list.size()));
  else check_braces(shape[depth], std::int64_t(list.size()));
  for (const T& item : list) flatten_braces(item, elements, shape, depth + 1);
}
template <class Kind, class T>
consteval auto brace_element() {
  if constexpr (std::is_same_v<T, bool> || std::is_same_v<Kind, Bool>) return std::uint8_t{};  // a vector of bool is packed
  else if constexpr (!std::is_same_v<T, Scalar>) return Element<T>{};
  else return std::conditional_t<std::is_same_v<Kind, Int>, std::int64_t, double>{};
}
template <class B, class Kind, int Rank, class T, class List>
Tensor<B, Rank, KindOr<Kind, T>> from_braces(List list, const DeviceOf<B>& device, Dtype dtype) {
  using K = KindOr<Kind, T>;
  using E = decltype(brace_element<K, T>());
  std::vector<E> elements;
  Shape shape;
  flatten_braces(list, elements, shape, 0);
  while (shape.size() < Rank) shape.push(0);
  return Tensor<B, Rank, K>(
      CreateFunctions<B>::from_memory(device, dtype, K::set, shape, dtype_of<E>, elements.data(), std::int64_t(elements.size())));
}

}  // namespace detail

// tensor<B>({{1, 2}, {3, 4}}, device): floating numbers give Float, integers Int, bool Bool, numbers of several types Float, unless a
// kind is named (tensor<B, Float>({1, 2, 3})); the dtype is the kind's unless it is given.
// clang-format off
#define HEARTH_FROM_BRACES(rank, ...)                                                                                                    \
  template <class B, class Kind = void, class T>                                                                                         \
  Tensor<B, rank, detail::KindOr<Kind, T>> tensor(__VA_ARGS__ list, const DeviceOf<B>& device = {}, Dtype dtype = detail::KindOr<Kind, T>::dtype) { \
    return detail::from_braces<B, Kind, rank, T>(list, device, dtype);                                                                   \
  }
#define HEARTH_FROM_MIXED_BRACES(rank, ...)                                                                                              \
  template <class B, class Kind = Float>                                                                                                 \
  Tensor<B, rank, Kind> tensor(__VA_ARGS__ list, const DeviceOf<B>& device = {}, Dtype dtype = Kind::dtype) {                            \
    return detail::from_braces<B, Kind, rank, Scalar>(list, device, dtype);                                                              \
  }
// Spelled out: Clang 19 ranks an alias of std::initializer_list as if it were another type.
HEARTH_FROM_BRACES(1, std::initializer_list<T>)
HEARTH_FROM_BRACES(2, std::initializer_list<std::initializer_list<T>>)
HEARTH_FROM_BRACES(3, std::initializer_list<std::initializer_list<std::initializer_list<T>>>)
HEARTH_FROM_BRACES(4, std::initializer_list<std::initializer_list<std::initializer_list<std::initializer_list<T>>>>)
HEARTH_FROM_MIXED_BRACES(1, std::initializer_list<Scalar>)
HEARTH_FROM_MIXED_BRACES(2, std::initializer_list<std::initializer_list<Scalar>>)
HEARTH_FROM_MIXED_BRACES(3, std::initializer_list<std::initializer_list<std::initializer_list<Scalar>>>)
HEARTH_FROM_MIXED_BRACES(4, std::initializer_list<std::initializer_list<std::initializer_list<std::initializer_list<Scalar>>>>)
#undef HEARTH_FROM_BRACES
#undef HEARTH_FROM_MIXED_BRACES
// clang-format on

/// Rank 0, from one number.
template <class B, class Kind = void, class T>
  requires std::is_arithmetic_v<T>
Tensor<B, 0, detail::KindOr<Kind, T>> tensor(T value, const DeviceOf<B>& device = {}, Dtype dtype = detail::KindOr<Kind, T>::dtype) {
  using K = detail::KindOr<Kind, T>;
  return Tensor<B, 0, K>(CreateFunctions<B>::full(device, dtype, K::set, Shape{}, value));
}
namespace detail {
template <class List>
concept HostList = requires(const List& list) {
  *list.data();
  list.size();
};
template <class List>
using ItemOf = std::remove_cvref_t<decltype(*std::declval<const List&>().data())>;
template <class Kind, class List>
using ListKind = KindOr<Kind, ItemOf<List>>;
}  // namespace detail

/// Rank 1, from anything with data() and size(): a vector, an array, a span. The elements are copied.
template <class B, class Kind = void, detail::HostList List>
Tensor<B, 1, detail::ListKind<Kind, List>> tensor(const List& list, const DeviceOf<B>& device = {}, Dtype dtype = detail::ListKind<Kind, List>::dtype) {
  using K = detail::ListKind<Kind, List>;
  const auto count = std::int64_t(list.size());
  return Tensor<B, 1, K>(
      CreateFunctions<B>::from_memory(device, dtype, K::set, Shape{count}, dtype_of<detail::Element<detail::ItemOf<List>>>, list.data(), count));
}
/// Of any rank, from such a list in row-major order: tensor<B>(values, {2, 3}).
template <class B, class Kind = void, detail::HostList List, std::size_t N>
Tensor<B, int(N), detail::ListKind<Kind, List>> tensor(const List& list, const Dim (&shape)[N], const DeviceOf<B>& device = {},
                                                       Dtype dtype = detail::ListKind<Kind, List>::dtype) {
  using K = detail::ListKind<Kind, List>;
  return Tensor<B, int(N), K>(CreateFunctions<B>::from_memory(device, dtype, K::set, detail::to_shape(shape),
                                                              dtype_of<detail::Element<detail::ItemOf<List>>>, list.data(), std::int64_t(list.size())));
}
/// From memory of the program, row-major: from_memory<B>(pointer, {2, 3}). The elements are copied.
template <class B, class Kind = void, class T, std::size_t N>
Tensor<B, int(N), detail::KindOr<Kind, T>> from_memory(const T* data, const Dim (&shape)[N], const DeviceOf<B>& device = {},
                                                       Dtype dtype = detail::KindOr<Kind, T>::dtype) {
  using K = detail::KindOr<Kind, T>;
  const Shape to = detail::to_shape(shape);
  return Tensor<B, int(N), K>(CreateFunctions<B>::from_memory(device, dtype, K::set, to, dtype_of<detail::Element<T>>, data, element_count(to)));
}
/// From a strided array: element (i, j) is data[i * strides[0] + j * strides[1]]; strides count elements and may be negative.
template <class B, class Kind = void, class T, std::size_t N>
Tensor<B, int(N), detail::KindOr<Kind, T>> from_strided(const T* data, const Dim (&shape)[N], const Dim (&strides)[N], const DeviceOf<B>& device = {},
                                                        Dtype dtype = detail::KindOr<Kind, T>::dtype) {
  using K = detail::KindOr<Kind, T>;
  return Tensor<B, int(N), K>(CreateFunctions<B>::from_strided(device, dtype, K::set, detail::to_shape(shape), detail::to_shape(strides),
                                                               dtype_of<detail::Element<T>>, data));
}

}  // namespace hearth
