// op/infer_step: results of the optimisers' steps over lists of parameters.
// SPDX-License-Identifier: Apache-2.0
#include "infer.hpp"

namespace hearth {

using namespace detail;

namespace {

/// Are the operands `lists` lists of `count`, and the i-th of each list alike? Sets `result` to them without the gradients.
template <class Op>
bool lists_fit(std::string_view op, std::int64_t count, std::size_t lists, const In<Op>& in, Out<Op>& result) {
  if (count < 0 || std::uint64_t(count) > in.size() || in.size() != std::size_t(count) * lists)
    return fail(op, text(count) + " parameters need " + text(std::int64_t(lists)) + " lists of as many operands, got " +
                        text(std::int64_t(in.size())) + " operands");
  if (!given<Op>(op, in)) return false;
  const std::size_t n = std::size_t(count);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const Spec& parameter = *in[i % n];
    if (!takes(op, kinds::F, parameter) || !(i < 2 * n ? same_dtype(op, parameter, *in[i]) : fine_dtype(op, parameter, in[i]))) return false;
    if (in[i]->shape != parameter.shape)
      return fail(op, "operand " + text(std::int64_t(i)) + " is " + to_string(in[i]->shape) + ", but its parameter " + to_string(parameter.shape),
                  {in[i]->shape, parameter.shape});
    if (i < n || i >= 2 * n) result.push_back(*in[i]);
  }
  return true;
}

}  // namespace

Out<op::SgdStep> infer(const op::SgdStep& op, const In<op::SgdStep>& in) {
  Out<op::SgdStep> result;
  if (!lists_fit<op::SgdStep>("sgd_step", op.count, op.momentum != 0 ? 3 : 2, in, result)) return {};
  return result;
}

Out<op::AdamStep> infer(const op::AdamStep& op, const In<op::AdamStep>& in) {
  Out<op::AdamStep> result;
  if (op.step < 1) return fail("adam_step", "steps count from 1, not " + text(op.step));
  if (!lists_fit<op::AdamStep>("adam_step", op.count, 4, in, result)) return {};
  return result;
}

Out<op::RmsPropStep> infer(const op::RmsPropStep& op, const In<op::RmsPropStep>& in) {
  Out<op::RmsPropStep> result;
  if (!lists_fit<op::RmsPropStep>("rms_prop_step", op.count, 3u + op.centered + (op.momentum > 0), in, result)) return {};
  return result;
}

}  // namespace hearth
