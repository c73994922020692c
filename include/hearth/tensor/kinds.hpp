// tensor/kinds: the kinds of tensors, the words that ops take as tags, and the sentences for operands that do not go together.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>

#include "../backend/dyn.hpp"
#include "names.hpp"

namespace hearth {

/// Kinds say which numbers a tensor holds; the dtype (f16, i32, ...) is known at run time and defaults to the kind's.
struct Float {
  static constexpr Dtype dtype = Dtype::f32;
  static constexpr Kinds set = kinds::F;
  using Item = float;
};
struct Int {
  static constexpr Dtype dtype = Dtype::i64;
  static constexpr Kinds set = kinds::I;
  using Item = std::int64_t;
};
struct Bool {
  static constexpr Dtype dtype = Dtype::boolean;
  static constexpr Kinds set = kinds::B;
  using Item = bool;
};

/// One size in braces: x.reshape({n, -1}). The number of braced sizes gives the rank.
struct Dim {
  std::int64_t size;
  template <std::integral T>
  constexpr Dim(T value) : size(std::int64_t(value)) {}
};

// Tags: a word at the call instead of a bool.
struct Keep {};
struct Descending {};
struct Smallest {};
struct Reversed {};
inline constexpr Keep keep{};              ///< reduced axes stay, with size 1
inline constexpr Descending descending{};  ///< the largest first
inline constexpr Smallest smallest{};      ///< the k smallest instead of the k largest
inline constexpr Reversed reversed{};      ///< running from the end of the axis to its beginning

/// What variance and standard deviation subtract from the number of elements that they divide by.
struct Correction {
  double value = 1;
};

/// Which norm: 2 is the root of the sum of squares, 1 the sum of sizes, infinity the largest size, 0 how many are not zero.
struct Order {
  double value = 2;
};

/// Two results of one op, to bind as auto [values, indices].
template <class B, int Rank, class Kind>
struct ValuesIndices {
  Tensor<B, Rank, Kind> values;
  Tensor<B, Rank, Int> indices;
};

namespace detail {

template <class... T>
inline constexpr bool never = false;

/// The rank that broadcasting gives.
template <int A, int B, int C = 0>
inline constexpr int larger = A > B ? (A > C ? A : C) : (B > C ? B : C);

template <class Kind>
constexpr bool accepted(Kinds set) {
  return (Kind::set & set) != 0;
}

/// The kind of what a C++ number becomes when nothing else is said.
template <class T>
using KindOf = std::conditional_t<std::is_same_v<T, bool>, Bool, std::conditional_t<std::is_integral_v<T>, Int, Float>>;
template <class Kind, class T>
using KindOr = std::conditional_t<std::is_void_v<Kind>, KindOf<T>, Kind>;

/// The element type with T's size and sign: long long is the same number as std::int64_t, but another type.
template <class T>
consteval auto element_type() {
  if constexpr (is_element<T>) return T{};
  else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) return std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>{};
  else if constexpr (std::is_integral_v<T>) return std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>{};
  else static_assert(never<T>, "hearth: the elements of a tensor are numbers or bool");
}
template <class T>
using Element = decltype(element_type<std::remove_cv_t<T>>());

template <std::size_t N>
Shape to_shape(const Dim (&sizes)[N]) {
  Shape shape;
  for (const Dim& d : sizes) shape.push(d.size);
  return shape;
}
template <std::size_t N>
Axes to_axes(const int (&list)[N]) {
  Axes axes;
  for (int a : list) axes.push(a);
  return axes;
}

/// `dtype` if a tensor of that kind can have it, else an error that names both.
Dtype checked_dtype(std::string_view op, Dtype dtype, Kinds kind);
/// A scalar that is put into a tensor: a fraction, an infinity and NaN are errors beside integers.
void check_scalar(std::string_view op, const Scalar& scalar, const Spec& spec);
/// An error if a value of this spec is not a tensor of that rank and kind.
void check_type(std::string_view op, const Spec& spec, int rank, Kinds kind);
/// An error if a shape has another rank than the one written in the program.
const Shape& checked_rank(std::string_view op, const Shape& shape, int rank);

/// True, or a compile-time sentence.
template <class B, class K, class C, class L>
constexpr bool operands_match() {
  static_assert(std::same_as<B, C>, "hearth: the tensors live on different backends; move one with to_backend<B>(x)");
  static_assert(!std::same_as<B, C> || std::same_as<K, L>,
                "hearth: the tensors have different kinds (Float, Int, Bool); change one with x.cast<Kind>()");
  return std::same_as<B, C> && std::same_as<K, L>;
}
template <class B, class K, class C, class L>
concept Mismatch = !std::same_as<B, C> || !std::same_as<K, L>;

}  // namespace detail
}  // namespace hearth
