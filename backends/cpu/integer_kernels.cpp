// cpu/integer_kernels: the rows on integers and bool, and the tables of all rows.
// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

namespace hearth::cpu {

namespace {

#define HEARTH_UNARY(name, kinds, lo, hi, value, ...) \
  struct unary_##name {                               \
    template <class T>                                \
    static T of(T x) {                                \
      using namespace scalar;                         \
      using namespace detail;                         \
      return T(value);                                \
    }                                                 \
  };
#include "hearth/op/unary.def"
#undef HEARTH_UNARY
#define HEARTH_BINARY(name, kinds, alo, ahi, blo, bhi, value, ...) \
  struct binary_##name {                                           \
    template <class T>                                             \
    static T of(T a, T b) {                                        \
      using namespace scalar;                                      \
      return T(value);                                             \
    }                                                              \
  };
#include "hearth/op/binary.def"
#undef HEARTH_BINARY

struct logical_not {
  static bool of(bool x) { return !x; }  // `~` of a bool would be that of an int
};

template <class T, class Row>
void unary_loop(const void* x, void* y, std::int64_t count) {
  using V = typename FormulaType<T>::type;
  const T* from = static_cast<const T*>(x);
  T* to = static_cast<T*>(y);
  HEARTH_INDEPENDENT for (std::int64_t i = 0; i < count; ++i) to[i] = T(Row::of(V(from[i])));
}
template <class T, class Row>
void binary_loop(const void* a, const void* b, void* y, std::int64_t count) {
  using V = typename FormulaType<T>::type;
  const T *left = static_cast<const T*>(a), *right = static_cast<const T*>(b);
  T* to = static_cast<T*>(y);
  HEARTH_INDEPENDENT for (std::int64_t i = 0; i < count; ++i) to[i] = T(Row::of(V(left[i]), V(right[i])));
}

template <class T>
inline constexpr Kinds kind_of_type = kinds_of(dtype_of<T>);

template <class T, class Row, Kinds row_kinds>
constexpr UnaryKernel unary_of() {
  if constexpr ((row_kinds & kind_of_type<T>) != 0) return &unary_loop<T, std::conditional_t<std::is_same_v<T, bool>, logical_not, Row>>;
  else return nullptr;
}
template <class T, class Row, Kinds row_kinds>
constexpr BinaryKernel binary_of() {
  if constexpr ((row_kinds & kind_of_type<T>) != 0) return &binary_loop<T, Row>;
  else return nullptr;
}

}  // namespace

UnaryKernel unary_kernel(UnaryCode code, Dtype dtype) {
  using namespace kinds;
  return with_type(dtype, [&](auto tag) -> UnaryKernel {
    using T = typename decltype(tag)::type;
    if constexpr (kind_of_type<T> == F) {
      return vector_unary(code, dtype == Dtype::f64);
    } else {
      switch (code) {
#define HEARTH_UNARY(name, kinds, ...) \
  case UnaryCode::name: return unary_of<T, unary_##name, kinds>();
#include "hearth/op/unary.def"
#undef HEARTH_UNARY
      }
      return nullptr;
    }
  });
}

BinaryKernel binary_kernel(BinaryCode code, Dtype dtype) {
  using namespace kinds;
  return with_type(dtype, [&](auto tag) -> BinaryKernel {
    using T = typename decltype(tag)::type;
    if constexpr (kind_of_type<T> == F) {
      return vector_binary(code, dtype == Dtype::f64);
    } else {
      switch (code) {
#define HEARTH_BINARY(name, kinds, ...) \
  case BinaryCode::name: return binary_of<T, binary_##name, kinds>();
#include "hearth/op/binary.def"
#undef HEARTH_BINARY
      }
      return nullptr;
    }
  });
}

}  // namespace hearth::cpu
