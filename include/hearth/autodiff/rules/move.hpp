// autodiff/rules/move: elements that went elsewhere send their gradients back from there.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../../backend/decompositions/common.hpp"
#include "../rule.hpp"

namespace hearth {

template <>
struct Rule<op::Concat> : SavesNothing {
  template <class B>
  static OperandGradients<op::Concat, B> back(Saved<op::Concat, B>& s) {
    OperandGradients<op::Concat, B> result(s.spec.size());
    const int axis = normalize_axis("concat", s.op.axis, s.spec[0].shape.size());
    std::int64_t start = 0;
    for (std::size_t i = 0; i < result.size(); ++i) {
      const std::int64_t length = s.spec[i].shape[axis];
      if (s.need(int(i))) result[i] = narrow(s.grad[0], axis, start, length);
      start += length;
    }
    return result;
  }
};

template <>
struct Rule<op::Pad> : SavesNothing {
  template <class B>
  static OperandGradients<op::Pad, B> back(Saved<op::Pad, B>& s) {
    return {call<B>(op::PadGrad{s.op.before, s.op.after, s.op.mode}, s.grad[0])};
  }
};
template <>
struct Rule<op::PadGrad> : SavesNothing {
  template <class B>
  static OperandGradients<op::PadGrad, B> back(Saved<op::PadGrad, B>& s) {
    return {call<B>(op::Pad{s.op.before, s.op.after, s.op.mode, 0}, s.grad[0])};
  }
};

template <>
struct Rule<op::Gather> {
  static Saves saves(const op::Gather&, unsigned) { return {2, 0}; }
  template <class B>
  static OperandGradients<op::Gather, B> back(Saved<op::Gather, B>& s) {
    return {call<B>(op::Scatter{s.op.axis, ScatterMode::add}, s.zeros(0), s.in[1], s.grad[0]), Dyn<B>()};
  }
};
template <>
struct Rule<op::GatherNd> {
  static Saves saves(const op::GatherNd&, unsigned) { return {2, 0}; }
  template <class B>
  static OperandGradients<op::GatherNd, B> back(Saved<op::GatherNd, B>& s) {
    return {call<B>(op::ScatterNd{ScatterMode::add}, s.zeros(0), s.in[1], s.grad[0]), Dyn<B>()};
  }
};

namespace detail {

template <class B>
Dyn<B> gather_like(const op::Scatter& op, Dyn<B> x, const Dyn<B>& index) {
  return call<B>(op::Gather{op.axis}, std::move(x), index);
}
template <class B>
Dyn<B> gather_like(const op::ScatterNd&, Dyn<B> x, const Dyn<B>& index) {
  return call<B>(op::GatherNd{}, std::move(x), index);
}

/// Scatter and ScatterNd differ only in how indices name places.
struct ScatterRule {
  template <class Op>
  static Saves saves(const Op& op, unsigned needs) {
    switch (op.mode) {
      case ScatterMode::assign:
      case ScatterMode::add: return {0b010, 0};
      case ScatterMode::mul: return {(needs & 0b100) != 0 ? 0b111u : 0b110u, 0};
      case ScatterMode::max:
      case ScatterMode::min: return {0b111, 1};
    }
    __builtin_unreachable();
  }

  template <class Op, class B>
  static OperandGradients<Op, B> back(Saved<Op, B>& s) {
    const Dyn<B>&base = s.in[0], &index = s.in[1], &source = s.in[2], &g = s.grad[0];
    auto gather = [&](Dyn<B> x) { return gather_like(s.op, std::move(x), index); };
    auto scatter = [&](Dyn<B> onto, Dyn<B> from, ScatterMode mode) {
      Op op = s.op;
      op.mode = mode;
      return call<B>(op, std::move(onto), index, std::move(from));
    };
    OperandGradients<Op, B> result;
    switch (s.op.mode) {
      case ScatterMode::add:
        if (s.need(0)) result[0] = g;
        if (s.need(2)) result[2] = gather(g);
        break;
      case ScatterMode::assign:
        if (s.need(0)) result[0] = scatter(g, s.zeros(2), ScatterMode::assign);
        if (s.need(2)) {
          // Of several sources for one place the last was kept: only it gets the gradient.
          const std::int64_t count = element_count(s.spec[2].shape);
          Dyn<B> position = reshape(Dyn<B>::iota(s.device(), {Dtype::i64, {count}}, 0, 0, 1), s.spec[2].shape);
          Dyn<B> last = scatter(Dyn<B>::full(s.device(), {Dtype::i64, s.spec[0].shape}, -1), position, ScatterMode::max);
          result[2] = when(gather(std::move(last)) == position, gather(g), Scalar(0));
        }
        break;
      case ScatterMode::mul:
        if (s.need(0)) result[0] = scatter(g, source, ScatterMode::mul);
        if (s.need(2)) {
          // The product of the others: of all but the zeros, divided by the source; 0 if another is 0. (Second derivatives are
          // right where no source is 0.)
          const Dyn<B> zero = source == Scalar(0);
          const Dyn<B> zeros = gather(scatter(s.zeros(0), cast(zero, s.spec[2].dtype), ScatterMode::add));
          const Dyn<B> product = gather(g * scatter(base, when(zero, Scalar(1), source), ScatterMode::mul));
          result[2] = when(zero, when(zeros == Scalar(1), product, Scalar(0)), when(zeros == Scalar(0), product / when(zero, Scalar(1), source), Scalar(0)));
        }
        break;
      case ScatterMode::max:
      case ScatterMode::min: {
        // All that equal the result share its gradient.
        const Dyn<B> from_base = base == s.out[0], from_source = source == gather(s.out[0]);
        const Dtype dtype = s.spec[0].dtype, wide = compute_dtype(dtype);  // their number may lie beyond the largest f16
        const Dyn<B> count = scatter(cast(from_base, wide), cast(from_source, wide), ScatterMode::add);
        const Dyn<B> share = converted(accumulated(g) / count, dtype);
        if (s.need(0)) result[0] = when(from_base, share, Scalar(0));
        if (s.need(2)) result[2] = when(from_source, gather(share), Scalar(0));
        break;
      }
    }
    return result;
  }
};

}  // namespace detail

template <>
struct Rule<op::Scatter> : detail::ScatterRule {};
template <>
struct Rule<op::ScatterNd> : detail::ScatterRule {};

template <>
struct Rule<op::SliceAssign> : SavesNothing {
  template <class B>
  static OperandGradients<op::SliceAssign, B> back(Saved<op::SliceAssign, B>& s) {
    OperandGradients<op::SliceAssign, B> result;
    if (s.need(0)) result[0] = call<B>(s.op, s.grad[0], s.zeros(1));
    if (s.need(1)) result[1] = sum_to(Dyn<B>::slice(s.grad[0], s.op.start, s.op.size, s.op.step), s.spec[1].shape);
    return result;
  }
};

}  // namespace hearth
