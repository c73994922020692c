// op/infer: the checks that inference of every family shares. A check raises a sentence and answers whether to go on, so that
// the callers read `if (!check(...)) return {};` and behave the same without exceptions. Start reading at infer_elementwise.cpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <string>
#include <string_view>

#include "hearth/op/geometry.hpp"
#include "hearth/op/op.hpp"

namespace hearth::detail {

template <class Op>
using In = Operands<Op, const Spec*>;
template <class Op>
using Out = Results<Op, Spec>;

inline constexpr Kinds numbers = kinds::F | kinds::I;
inline constexpr Kinds everything = numbers | kinds::B;

bool refuse_absent(std::string_view op, int operand);
bool refuse_kind(std::string_view op, Kinds kinds, const Spec& x);
bool refuse_dtypes(std::string_view op, const Spec& a, const Spec& b);

/// Are the operands there that must be?
template <class Op>
bool given(std::string_view op, const In<Op>& in) {
  for (std::size_t i = 0; i < in.size(); ++i)
    if (!in[i] && (i >= 32 || !(optional_mask<Op> >> i & 1u))) return refuse_absent(op, int(i));
  return true;
}
/// Is x of one of these kinds?
inline bool takes(std::string_view op, Kinds kinds, const Spec& x) { return (kinds_of(x.dtype) & kinds) || refuse_kind(op, kinds, x); }
inline bool same_dtype(std::string_view op, const Spec& a, const Spec& b) { return a.dtype == b.dtype || refuse_dtypes(op, a, b); }
/// The same for an operand that may be absent.
inline bool same_dtype(std::string_view op, const Spec& a, const Spec* b) { return !b || same_dtype(op, a, *b); }
/// Is p (null where absent) of x's dtype, or f32 beside a 16-bit float? Parameters and statistics often are.
inline bool fine_dtype(std::string_view op, const Spec& x, const Spec* p) {
  return !p || p->dtype == x.dtype || (p->dtype == Dtype::f32 && is_float(x.dtype) && size_of(x.dtype) == 2) || refuse_dtypes(op, x, *p);
}

/// No negative size, and a count of bytes below 2^63 even if sizes of 0 counted as 1, so that no stride overflows either.
bool fits(std::string_view op, const Spec& x);
bool fits(std::string_view op, const Spec& x, const Shape& like);  ///< the same, known at once where x has the shape of `like`

// `what` is how the sentence calls the operand: "weight", "index".
bool has_rank(std::string_view op, std::string_view what, const Spec& x, int least, int most = max_rank);
bool has_shape(std::string_view op, std::string_view what, const Spec& x, const Shape& expected);
inline bool has_shape(std::string_view op, std::string_view what, const Spec* x, const Shape& expected) {
  return !x || has_shape(op, what, *x, expected);
}
bool has_dtype(std::string_view op, std::string_view what, const Spec& x, Dtype dtype);
bool is_index(std::string_view op, std::string_view what, const Spec& x);
/// One entry per axis?
bool has_entries(std::string_view op, std::string_view what, int entries, int axes);
/// A probability, an epsilon: a number in [low, high], where the largest double as a bound stands for any finite number?
bool in_range(std::string_view op, std::string_view what, double value, double low, double high);
bool is_number(std::string_view op, std::string_view what, const Scalar& scalar);
/// Is the scalar a number that an element of x can stand for? (Beside integers 0.5 and infinity are not. Rounding and wrapping are allowed.)
bool is_number_beside(std::string_view op, const Scalar& scalar, const Spec& x);
/// Has the dtype of x this number, where it is one of integers?
bool is_in_range_of(std::string_view op, const Scalar& scalar, const Spec& x);
/// Sets `result` to the axis counted from 0.
bool find_axis(std::string_view op, int axis, int rank, int& result);
/// Sets `result` to the broadcast of both and checks that it fits.
bool broadcast_to(std::string_view op, const Spec& a, const Spec& b, Spec& result);

/// [..., m, k] x [..., k, n]
bool matmul_shape(std::string_view op, const Shape& a, const Shape& b, Shape& result);
/// x [n, c, spatial...] and weight [out, c / groups, kernel...], bias [out] or null
bool conv_shape(std::string_view op, const ConvGeometry& geometry, const Shape& x, const Shape& weight, const Spec* bias, Shape& result);
/// Does `x` have `spatial` axes behind batch and channels, and the geometry one legal entry for each?
bool conv_fits(std::string_view op, const ConvGeometry& geometry, int spatial);

/// Do start, size and step have an entry per axis of x and stay inside it?
bool slice_fits(std::string_view op, const Shape& x, const Shape& start, const Shape& size, const Shape& step);

/// `shape` from axis `first` on, and before axis `last`.
Shape part(const Shape& shape, int first, int last);
inline Shape tail(const Shape& shape, int first) { return part(shape, first, shape.size()); }
/// One shape after the other; an error where that makes too many axes.
bool joined(std::string_view op, const Shape& a, const Shape& b, Shape& result);

std::string text(std::int64_t number);

}  // namespace hearth::detail
