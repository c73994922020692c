// backend/decompositions/ctc: connectionist temporal classification (Graves et al. 2006), by its forward recursion in log space.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "common.hpp"

namespace hearth {

template <>
struct Decomposition<op::CtcLoss> {
  template <class B>
  static std::array<Dyn<B>, 1> run(const op::CtcLoss& op, std::array<Dyn<B>, 4> in) {
    using namespace detail;
    const Dtype dtype = in[0].dtype();
    auto log_likelihood = accumulated(std::move(in[0]));
    const auto device = log_likelihood.device();
    const std::int64_t steps = log_likelihood.size(0), batch = log_likelihood.size(1), length = in[1].size(1), states = 2 * length + 1;
    auto target_lengths = reshape(converted(std::move(in[3]), Dtype::i64), {batch, 1});
    // Read through a list of 0 ... steps, so that a length beyond the last step is an index out of range rather than a wrong loss.
    auto input_lengths = gather(Dyn<B>::iota(device, {Dtype::i64, {steps + 1}}, 0, 0, 1), reshape(std::move(in[2]), {batch}), 0);
    input_lengths = reshape(std::move(input_lengths), {batch, 1});

    // A state is a place among blank, target 1, blank, target 2, ..., blank; what pads the targets counts as blank.
    auto place = Dyn<B>::iota(device, {Dtype::i64, {1, length}}, 1, 0, 1);
    auto targets = when(std::move(place) < target_lengths, converted(std::move(in[1]), Dtype::i64), op.blank);
    auto labels = call<B>(op::SliceAssign{{0, 1}, {batch, length}, {1, 2}}, Dyn<B>::full(device, {Dtype::i64, {batch, states}}, op.blank),
                          std::move(targets));
    auto emitted = gather(std::move(log_likelihood), expand(reshape(labels, {1, batch, states}), {steps, batch, states}), 2);
    // A blank may be left out between two targets that differ. Behind two columns of padding a state sees its predecessors by shifting.
    const auto padded = [&](Dyn<B> x, Scalar value) { return call<B>(op::Pad{{0, 2}, {0, 0}, PadMode::constant, value}, std::move(x)); };
    auto may_skip = labels != narrow(padded(labels, op.blank), 1, 0, states);

    // Before the first step the path stands on the first blank, from where it reaches exactly the states it may start in.
    auto first = Dyn<B>::iota(device, {Dtype::i64, {1, states}}, 1, 0, 1) == 0;
    auto likelihood = expand(when(std::move(first), 0, Dyn<B>::full(device, {compute_dtype(dtype), {1, states}}, -infinity)), {batch, states});
    for (std::int64_t t = 0; t < steps; ++t) {
      auto before = padded(likelihood, -infinity);
      auto skipped = when(may_skip, narrow(before, 1, 0, states), -infinity);
      auto next = logaddexp(logaddexp(likelihood, narrow(std::move(before), 1, 1, states)), std::move(skipped));
      next = std::move(next) + reshape(narrow(emitted, 0, t, 1), {batch, states});
      likelihood = when(input_lengths > t, std::move(next), std::move(likelihood));
    }

    // The path ends on the last target or on the blank behind it.
    auto last = target_lengths * 2;
    auto on_target = when(target_lengths > 0, gather(likelihood, maximum(last - 1, 0), 1), -infinity);
    auto on_blank = gather(std::move(likelihood), std::move(last), 1);
    auto loss = -reshape(logaddexp(std::move(on_target), std::move(on_blank)), {batch});
    if (op.zero_infinity) loss = when(loss == infinity, 0, loss);
    return {converted(std::move(loss), dtype)};
  }
};

}  // namespace hearth
