// core/dtype: the element types, stamped from dtype.def, and the way from a run-time dtype to a C++ type.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "half.hpp"

namespace hearth {

enum class Dtype : unsigned char {
#define HEARTH_DTYPE(name, type, kind) name,
#include "dtype.def"
#undef HEARTH_DTYPE
};

enum class DtypeKind : unsigned char { floating, signed_integer, unsigned_integer, boolean };

#define HEARTH_DTYPE(name, type, kind) +1
inline constexpr int dtype_count = 0
#include "dtype.def"
    ;
#undef HEARTH_DTYPE

/// Is T the C++ type of some dtype?
template <class T>
inline constexpr bool is_element = false;
#define HEARTH_DTYPE(name, type, kind) \
  template <>                          \
  inline constexpr bool is_element<type> = true;
#include "dtype.def"
#undef HEARTH_DTYPE

/// The dtype of a C++ type: dtype_of<float> == Dtype::f32.
template <class T>
  requires is_element<T>
inline constexpr Dtype dtype_of = Dtype{};
#define HEARTH_DTYPE(name, type, kind) \
  template <>                          \
  inline constexpr Dtype dtype_of<type> = Dtype::name;
#include "dtype.def"
#undef HEARTH_DTYPE

/// A type as a value, to be handed to a function.
template <class T>
struct TypeTag {
  using type = T;
};

/// Calls f(TypeTag<T>{}) with the C++ type of a dtype and returns what it returns.
template <class F>
constexpr decltype(auto) with_type(Dtype dtype, F&& f) {
  switch (dtype) {
#define HEARTH_DTYPE(name, type, kind) \
  case Dtype::name: return f(TypeTag<type>{});
#include "dtype.def"
#undef HEARTH_DTYPE
  }
  __builtin_unreachable();
}

constexpr DtypeKind kind_of(Dtype dtype) {
  switch (dtype) {
#define HEARTH_DTYPE(name, type, kind) \
  case Dtype::name: return DtypeKind::kind;
#include "dtype.def"
#undef HEARTH_DTYPE
  }
  __builtin_unreachable();
}
constexpr bool is_float(Dtype d) { return kind_of(d) == DtypeKind::floating; }
constexpr bool is_integer(Dtype d) { return kind_of(d) == DtypeKind::signed_integer || kind_of(d) == DtypeKind::unsigned_integer; }
constexpr bool is_bool(Dtype d) { return d == Dtype::boolean; }

/// Bytes of one element.
constexpr std::size_t size_of(Dtype dtype) {
  return with_type(dtype, [](auto tag) { return sizeof(typename decltype(tag)::type); });
}

/// "f32", "bool": the name in messages, on the wire and on disk.
constexpr std::string_view name_of(Dtype dtype) {
  if (dtype == Dtype::boolean) return "bool";  // the enumerator cannot be the keyword
  switch (dtype) {
#define HEARTH_DTYPE(name, type, kind) \
  case Dtype::name: return #name;
#include "dtype.def"
#undef HEARTH_DTYPE
  }
  __builtin_unreachable();
}
std::optional<Dtype> dtype_named(std::string_view name);

/// The dtype that a sum or product of `dtype` has: 64 bits for integers and bool, itself for floats.
constexpr Dtype widened(Dtype dtype) {
  if (is_float(dtype)) return dtype;
  return dtype == Dtype::u64 ? Dtype::u64 : Dtype::i64;
}

/// The type in which elements of T are computed: float for the 16-bit floats, else T.
template <class T>
using Compute = std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float, T>;
constexpr Dtype compute_dtype(Dtype dtype) {
  return with_type(dtype, [](auto tag) { return dtype_of<Compute<typename decltype(tag)::type>>; });
}

}  // namespace hearth
