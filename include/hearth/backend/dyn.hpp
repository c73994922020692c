// Dyn<B>: a handle with operators and no rank or kind. Gradient rules and decompositions are written over it, and code that
// learns ranks at run time. Unconstrained on purpose: it is named inside backends that are not complete yet.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backend.hpp"

namespace hearth {

template <class B>
struct Dyn {
  HandleOf<B> handle;

  // Out of line, as all cores below: instantiated once per stack, not in each user's file.
  Dyn();
  Dyn(HandleOf<B> handle);
  Dyn(const Dyn&);
  Dyn(Dyn&&) noexcept;
  Dyn& operator=(const Dyn&);
  Dyn& operator=(Dyn&&) noexcept;
  ~Dyn();

  explicit operator bool() const { return bool(handle); }
  /// Of a value that carries an error: f32 [0].
  const Spec& spec() const;
  const Shape& shape() const { return spec().shape; }
  Dtype dtype() const { return spec().dtype; }
  int rank() const { return spec().shape.size(); }
  std::int64_t size(int axis) const { return spec().shape[axis]; }
  DeviceOf<B> device() const;

  // Without exceptions (see core/error.hpp).
  /// The error that the value carries; null for a good one.
  const Error* error() const {
    if constexpr (HEARTH_EXCEPTIONS) return nullptr;
    else return handle ? B::error(handle) : nullptr;
  }
  /// A value that carries the pending error, which is no longer pending then.
  static Dyn from_failure();
  /// At the end of a public call: an error that is still pending becomes what this value carries.
  void settle();

  // Cores: one function per op that operators, rules and the typed front use often.
  static Dyn unary(UnaryCode code, Dyn x);
  static Dyn binary(BinaryCode code, Dyn a, Dyn b);
  static Dyn binary_scalar(BinaryCode code, Dyn x, Scalar scalar, Side side = Side::right);
  static Dyn compare(CompareCode code, Dyn a, Dyn b);
  static Dyn compare_scalar(CompareCode code, Dyn x, Scalar scalar);
  static Dyn select(Dyn mask, Dyn then, Dyn otherwise);
  static Dyn select_scalar(Dyn mask, Dyn x, Scalar scalar, Side side);
  static Dyn cast(Dyn x, Dtype dtype);
  static Dyn clamp(Dyn x, Scalar low, Scalar high);
  static Dyn reshape(Dyn x, const Shape& shape);
  static Dyn permute(Dyn x, const Axes& axes);
  static Dyn expand(Dyn x, const Shape& shape);
  static Dyn slice(Dyn x, const Shape& start, const Shape& size, const Shape& step);
  static Dyn reduce(ReduceCode code, Dyn x, const Axes& axes);  ///< axes stay as size 1; negative axes count from the end
  static Dyn matmul(Dyn a, Dyn b);
  static Dyn concat(std::vector<Dyn> parts, int axis);
  static Dyn gather(Dyn x, Dyn index, int axis);
  static Dyn scatter(Dyn base, Dyn index, Dyn source, int axis, ScatterMode mode);
  static Dyn full(const DeviceOf<B>& device, const Spec& spec, Scalar value);
  static Dyn iota(const DeviceOf<B>& device, const Spec& spec, int axis, Scalar start, Scalar step);

  // clang-format off
#define HEARTH_OPERATOR(symbol, code)                                                                                                   \
  friend Dyn operator symbol(Dyn a, Dyn b) { return binary(BinaryCode::code, std::move(a), std::move(b)); }                             \
  friend Dyn operator symbol(Dyn a, Scalar b) { return binary_scalar(BinaryCode::code, std::move(a), b, Side::right); }                 \
  friend Dyn operator symbol(Scalar a, Dyn b) { return binary_scalar(BinaryCode::code, std::move(b), a, Side::left); }
  HEARTH_OPERATOR(+, add) HEARTH_OPERATOR(-, sub) HEARTH_OPERATOR(*, mul) HEARTH_OPERATOR(/, div)
  HEARTH_OPERATOR(&, bitwise_and) HEARTH_OPERATOR(|, bitwise_or) HEARTH_OPERATOR(^, bitwise_xor)
#undef HEARTH_OPERATOR
#define HEARTH_COMPARISON(symbol, code, mirrored)                                                                                       \
  friend Dyn operator symbol(Dyn a, Dyn b) { return compare(CompareCode::code, std::move(a), std::move(b)); }                           \
  friend Dyn operator symbol(Dyn a, Scalar b) { return compare_scalar(CompareCode::code, std::move(a), b); }                            \
  friend Dyn operator symbol(Scalar a, Dyn b) { return compare_scalar(CompareCode::mirrored, std::move(b), a); }
  HEARTH_COMPARISON(==, eq, eq) HEARTH_COMPARISON(!=, ne, ne) HEARTH_COMPARISON(<, lt, gt) HEARTH_COMPARISON(<=, le, ge)
  HEARTH_COMPARISON(>, gt, lt) HEARTH_COMPARISON(>=, ge, le)
#undef HEARTH_COMPARISON
  friend Dyn operator-(Dyn x) { return unary(UnaryCode::neg, std::move(x)); }
  friend Dyn operator~(Dyn x) { return unary(UnaryCode::bitwise_not, std::move(x)); }
  // clang-format on

  /// The branch-free choice, with a tensor or a number on either side, or a plain condition (from a scalar operand's formula).
  friend Dyn when(Dyn mask, Dyn then, Dyn otherwise) { return select(std::move(mask), std::move(then), std::move(otherwise)); }
  friend Dyn when(Dyn mask, Scalar then, Dyn otherwise) { return select_scalar(std::move(mask), std::move(otherwise), then, Side::left); }
  friend Dyn when(Dyn mask, Dyn then, Scalar otherwise) { return select_scalar(std::move(mask), std::move(then), otherwise, Side::right); }
  friend Dyn when(bool condition, Dyn then, Dyn otherwise) { return condition ? std::move(then) : std::move(otherwise); }
  friend Dyn when(bool condition, Scalar then, Dyn otherwise) { return condition ? full(otherwise.device(), otherwise.spec(), then) : std::move(otherwise); }
  friend Dyn when(bool condition, Dyn then, Scalar otherwise) { return condition ? std::move(then) : full(then.device(), then.spec(), otherwise); }
};

/// Runs any op on Dyns: one Dyn back, or an array of them to bind as auto [values, indices].
template <class B, class Op, class... D>
auto call(const Op& op, D... operands) {
  auto out = apply<B>(op, Operands<Op, HandleOf<B>>{std::move(operands.handle)...});
  if constexpr (Op::outputs == 1) return Dyn<B>(std::move(out[0]));
  else return map_list(out, [](auto& handle) { return Dyn<B>(std::move(handle)); });
}

// clang-format off
#define HEARTH_UNARY(name, ...) template <class B> Dyn<B> name(Dyn<B> x) { return Dyn<B>::unary(UnaryCode::name, std::move(x)); }
#include "../op/unary.def"
#undef HEARTH_UNARY
#define HEARTH_BINARY(name, ...)                                                                                                        \
  template <class B> Dyn<B> name(Dyn<B> a, Dyn<B> b) { return Dyn<B>::binary(BinaryCode::name, std::move(a), std::move(b)); }           \
  template <class B> Dyn<B> name(Dyn<B> a, Scalar b) { return Dyn<B>::binary_scalar(BinaryCode::name, std::move(a), b, Side::right); }  \
  template <class B> Dyn<B> name(Scalar a, Dyn<B> b) { return Dyn<B>::binary_scalar(BinaryCode::name, std::move(b), a, Side::left); }
#include "../op/binary.def"
#undef HEARTH_BINARY
// clang-format on

template <class B>
Dyn<B> full_like(const Dyn<B>& x, Scalar value) {
  return x.error() ? x : Dyn<B>::full(x.device(), x.spec(), value);
}
template <class B>
Dyn<B> zero_like(const Dyn<B>& x) {
  return full_like(x, 0);
}
/// For the operand of a row that has no gradient.
template <class B>
Dyn<B> unavailable(const Dyn<B>&) {
  return fail("backward", "an operand has no gradient (the order of zeta)", {}, "detach it");
}

// What rules and decompositions need again and again; compiled per stack as the cores are.
template <class B>
struct DynFunctions {
  /// Reduced over axes that may count from the end.
  static Dyn<B> sum(Dyn<B> x, const Axes& axes);
  static Dyn<B> mean(Dyn<B> x, const Axes& axes);
  /// The last two axes swapped.
  static Dyn<B> transpose(Dyn<B> x);
  /// Undoes broadcasting: sums over whatever an operand of `shape` was stretched along.
  static Dyn<B> sum_to(Dyn<B> g, const Shape& shape);
  /// Axes of size 1 removed or put in.
  static Dyn<B> squeeze(Dyn<B> x, const Axes& axes);
  static Dyn<B> unsqueeze(Dyn<B> x, int axis);
  /// `length` elements from `start` along one axis.
  static Dyn<B> narrow(Dyn<B> x, int axis, std::int64_t start, std::int64_t length);
  static Dyn<B> activate(Activation activation, Dyn<B> x);
};
// clang-format off
template <class B> Dyn<B> sum(Dyn<B> x, const Axes& axes) { return DynFunctions<B>::sum(std::move(x), axes); }
template <class B> Dyn<B> mean(Dyn<B> x, const Axes& axes) { return DynFunctions<B>::mean(std::move(x), axes); }
template <class B> Dyn<B> reduce(ReduceCode code, Dyn<B> x, const Axes& axes) { return Dyn<B>::reduce(code, std::move(x), axes); }
template <class B> Dyn<B> transpose(Dyn<B> x) { return DynFunctions<B>::transpose(std::move(x)); }
template <class B> Dyn<B> sum_to(Dyn<B> g, const Shape& shape) { return DynFunctions<B>::sum_to(std::move(g), shape); }
template <class B> Dyn<B> squeeze(Dyn<B> x, const Axes& axes) { return DynFunctions<B>::squeeze(std::move(x), axes); }
template <class B> Dyn<B> unsqueeze(Dyn<B> x, int axis) { return DynFunctions<B>::unsqueeze(std::move(x), axis); }
template <class B> Dyn<B> narrow(Dyn<B> x, int axis, std::int64_t start, std::int64_t length) { return DynFunctions<B>::narrow(std::move(x), axis, start, length); }
template <class B> Dyn<B> activate(Activation activation, Dyn<B> x) { return DynFunctions<B>::activate(activation, std::move(x)); }
template <class B> Dyn<B> matmul(Dyn<B> a, Dyn<B> b) { return Dyn<B>::matmul(std::move(a), std::move(b)); }
template <class B> Dyn<B> reshape(Dyn<B> x, const Shape& shape) { return Dyn<B>::reshape(std::move(x), shape); }
template <class B> Dyn<B> permute(Dyn<B> x, const Axes& axes) { return Dyn<B>::permute(std::move(x), axes); }
template <class B> Dyn<B> expand(Dyn<B> x, const Shape& shape) { return Dyn<B>::expand(std::move(x), shape); }
template <class B> Dyn<B> cast(Dyn<B> x, Dtype dtype) { return Dyn<B>::cast(std::move(x), dtype); }
template <class B> Dyn<B> clamp(Dyn<B> x, Scalar low, Scalar high) { return Dyn<B>::clamp(std::move(x), low, high); }
template <class B> Dyn<B> concat(std::vector<Dyn<B>> parts, int axis) { return Dyn<B>::concat(std::move(parts), axis); }
template <class B> Dyn<B> gather(Dyn<B> x, Dyn<B> index, int axis) { return Dyn<B>::gather(std::move(x), std::move(index), axis); }
// clang-format on

}  // namespace hearth
