// portable/elementwise: one result element per broadcast operand element. What a code computes is its row's formula.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "execute.hpp"
#include "hearth/op/formula.hpp"

namespace hearth::portable {

/// An element of T as the formulas see it: 16-bit floats as float, integers as Integer<T>.
template <class T>
using Formula = typename FormulaType<Compute<T>>::type;

inline void kernel(const op::Unary& op, const Operands<op::Unary, Handle>& in, Results<op::Unary, Handle>& out) {
  with_type(in[0]->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* x = data<const T>(in[0]);
    T* y = data<T>(out[0]);
    walk<1>(out[0]->spec.shape, {in[0]->layout.strides}, [&](auto& at) { *y++ = T(value(op.code, Formula<T>(x[at[0]]))); });
  });
}

inline void kernel(const op::Binary& op, const Operands<op::Binary, Handle>& in, Results<op::Binary, Handle>& out) {
  const Shape& shape = out[0]->spec.shape;
  with_type(in[0]->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T *a = data<const T>(in[0]), *b = data<const T>(in[1]);
    T* y = data<T>(out[0]);
    walk<2>(shape, {broadcast_strides(in[0], shape), broadcast_strides(in[1], shape)},
            [&](auto& at) { *y++ = T(value(op.code, Formula<T>(a[at[0]]), Formula<T>(b[at[1]]))); });
  });
}

inline void kernel(const op::BinaryScalar& op, const Operands<op::BinaryScalar, Handle>& in, Results<op::BinaryScalar, Handle>& out) {
  with_type(in[0]->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* x = data<const T>(in[0]);
    T* y = data<T>(out[0]);
    const Formula<T> scalar = op.scalar.template to<T>();
    walk<1>(out[0]->spec.shape, {in[0]->layout.strides}, [&](auto& at) {
      const Formula<T> element = x[at[0]];
      *y++ = T(op.side == Side::right ? value(op.code, element, scalar) : value(op.code, scalar, element));
    });
  });
}

inline void kernel(const op::Compare& op, const Operands<op::Compare, Handle>& in, Results<op::Compare, Handle>& out) {
  const Shape& shape = out[0]->spec.shape;
  with_type(in[0]->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T *a = data<const T>(in[0]), *b = data<const T>(in[1]);
    bool* y = data<bool>(out[0]);
    walk<2>(shape, {broadcast_strides(in[0], shape), broadcast_strides(in[1], shape)},
            [&](auto& at) { *y++ = value(op.code, Compute<T>(a[at[0]]), Compute<T>(b[at[1]])); });
  });
}

inline void kernel(const op::CompareScalar& op, const Operands<op::CompareScalar, Handle>& in, Results<op::CompareScalar, Handle>& out) {
  with_type(in[0]->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* x = data<const T>(in[0]);
    bool* y = data<bool>(out[0]);
    const Compute<T> scalar = op.scalar.template to<T>();
    walk<1>(out[0]->spec.shape, {in[0]->layout.strides}, [&](auto& at) { *y++ = value(op.code, Compute<T>(x[at[0]]), scalar); });
  });
}

inline void kernel(const op::Select&, const Operands<op::Select, Handle>& in, Results<op::Select, Handle>& out) {
  const Shape& shape = out[0]->spec.shape;
  const bool* mask = data<const bool>(in[0]);
  with_type(in[1]->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T *then = data<const T>(in[1]), *otherwise = data<const T>(in[2]);
    T* y = data<T>(out[0]);
    walk<3>(shape, {broadcast_strides(in[0], shape), broadcast_strides(in[1], shape), broadcast_strides(in[2], shape)},
            [&](auto& at) { *y++ = mask[at[0]] ? then[at[1]] : otherwise[at[2]]; });
  });
}

inline void kernel(const op::SelectScalar& op, const Operands<op::SelectScalar, Handle>& in, Results<op::SelectScalar, Handle>& out) {
  const Shape& shape = out[0]->spec.shape;
  const bool* mask = data<const bool>(in[0]);
  with_type(in[1]->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* x = data<const T>(in[1]);
    T* y = data<T>(out[0]);
    const T scalar = op.scalar.template to<T>();
    const bool scalar_where = op.side == Side::left;
    walk<2>(shape, {broadcast_strides(in[0], shape), broadcast_strides(in[1], shape)},
            [&](auto& at) { *y++ = mask[at[0]] == scalar_where ? scalar : x[at[1]]; });
  });
}

inline void kernel(const op::Cast&, const Operands<op::Cast, Handle>& in, Results<op::Cast, Handle>& out) {
  with_type(in[0]->spec.dtype, [&](auto from) {
    using From = typename decltype(from)::type;
    with_type(out[0]->spec.dtype, [&](auto to) {
      using To = typename decltype(to)::type;
      const From* x = data<const From>(in[0]);
      To* y = data<To>(out[0]);
      walk<1>(out[0]->spec.shape, {in[0]->layout.strides}, [&](auto& at) { *y++ = convert<To>(x[at[0]]); });
    });
  });
}

inline void kernel(const op::Clamp& op, const Operands<op::Clamp, Handle>& in, Results<op::Clamp, Handle>& out) {
  with_type(in[0]->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* x = data<const T>(in[0]);
    T* y = data<T>(out[0]);
    const Formula<T> low = op.low.template saturated<T>(), high = op.high.template saturated<T>();
    walk<1>(out[0]->spec.shape, {in[0]->layout.strides}, [&](auto& at) {
      Formula<T> v = x[at[0]];
      if (op.low) v = value(BinaryCode::maximum, v, low);
      if (op.high) v = value(BinaryCode::minimum, v, high);
      *y++ = T(v);
    });
  });
}

}  // namespace hearth::portable
