// tensor/reduce: many elements to one, running reductions, order. What the methods of Tensor forward to.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kinds.hpp"

namespace hearth {

namespace detail {

/// The kind of a reduction's result. A kind that the row does not take is turned into the one that it does: the mean of Int is
/// Float, any and all of numbers ask which are not zero. Sums of Bool are Int.
consteval Kinds reduced_kind(ReduceCode code, Kinds kind) {
  using namespace kinds;
  constexpr auto same = [](Kinds k) { return k; };
  constexpr auto widened = [](Kinds k) { return k == B ? I : k; };
  switch (code) {
#define HEARTH_REDUCE(name, set, start, combine, result, ...) \
  case ReduceCode::name: return result(((set) & kind) != 0 ? kind : (set));
#include "../op/reduce.def"
#undef HEARTH_REDUCE
  }
  __builtin_unreachable();
}
template <Kinds Set>
using KindOfSet = std::conditional_t<Set == kinds::F, Float, std::conditional_t<Set == kinds::B, Bool, Int>>;
template <ReduceCode Code, class Kind>
using Reduced = KindOfSet<reduced_kind(Code, Kind::set)>;

}  // namespace detail

template <class B>
struct ReduceFunctions {
  static Dyn<B> reduce(ReduceCode code, Dyn<B> x, const Axes& axes, bool stay);
  static Dyn<B> arg(ArgCode code, Dyn<B> x, int axis, bool stay);
  static Dyn<B> arg(ArgCode code, Dyn<B> x);  ///< of all elements, row-major
  static Dyn<B> scan(ScanCode code, Dyn<B> x, int axis, bool from_end);
  static std::array<Dyn<B>, 2> extreme_scan(ArgCode code, Dyn<B> x, int axis, bool from_end);
  static Dyn<B> variance(Dyn<B> x, const Axes& axes, bool stay, double correction);   ///< two passes
  static Dyn<B> deviation(Dyn<B> x, const Axes& axes, bool stay, double correction);  ///< its gradient where it is 0 is 0
  static Dyn<B> norm(Dyn<B> x, const Axes& axes, bool stay, double p);                ///< its gradient at 0 is 0
  static Dyn<B> logsumexp(Dyn<B> x, const Axes& axes, bool stay, double);
  static std::array<Dyn<B>, 2> sort(Dyn<B> x, int axis, bool down);
  static std::array<Dyn<B>, 2> topk(Dyn<B> x, std::int64_t k, int axis, bool largest);
};

}  // namespace hearth
