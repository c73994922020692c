// op/infer_open: results of custom kernels, collectives and programs of ops.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/op/formula.hpp"
#include "infer.hpp"

namespace hearth {

using namespace detail;

namespace {

/// Splits axis 0 among the members, or joins the members' parts along it.
bool members_fit(const op::Collective& op, Shape& shape, bool split) {
  if (op.members < 1) return fail("collective", "a group has at least 1 member, not " + text(op.members));
  if (op.root < 0 || op.root >= op.members)
    return fail("collective", "the root " + text(op.root) + " is none of the " + text(op.members) + " members");
  const bool cuts = op.code == CollectiveCode::reduce_scatter || op.code == CollectiveCode::all_to_all;
  if (!cuts && op.code != CollectiveCode::all_gather) return true;
  if (shape.empty()) return fail("collective", "an array of rank 0 has no axis to share out");
  if (cuts && shape[0] % op.members != 0)
    return fail("collective", text(op.members) + " members cannot share axis 0 of " + to_string(shape), {shape});
  if (split) shape[0] /= op.members;
  if (!cuts && __builtin_mul_overflow(shape[0], op.members, &shape[0])) return fail("collective", "the size of axis 0 passes 2^63 - 1");
  return true;
}

/// Adds the results of one step to the slots.
template <class Op>
bool run_step(const Op& op, const std::vector<int>& in, const std::string& where, std::vector<Spec>& slots) {
  if (Op::inputs != many && in.size() != std::size_t(Op::inputs))
    return fail("fused", where + " has " + text(std::int64_t(in.size())) + " operands, but takes " + text(Op::inputs));
  if constexpr (Op::inputs == 0) {
    slots.push_back(infer(op));
  } else {
    if (std::is_same_v<Op, op::NonZero> || std::is_same_v<Op, op::Unique>)
      return fail("fused", where + ": the size of its result depends on values");
    In<Op> specs{};
    if constexpr (Op::inputs == many) specs.resize(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (in[i] < -1 || in[i] >= std::int64_t(slots.size()))
        return fail("fused", where + " reads slot " + text(in[i]) + " of " + text(std::int64_t(slots.size())));
      specs[i] = in[i] < 0 ? nullptr : &slots[std::size_t(in[i])];
    }
    const auto results = infer(op, specs);
    slots.insert(slots.end(), results.begin(), results.end());
  }
  return !pending_error();
}

}  // namespace

Out<op::Launch> infer(const op::Launch& op, const In<op::Launch>& in) {
  if (op.kernel.empty()) return fail("launch", "the kernel has no name");
  if (!given<op::Launch>(op.kernel, in)) return {};
  if (op.grid.size() > 3 || op.group.size() > 3) return fail(op.kernel, "a launch has at most 3 axes", {op.grid, op.group});
  for (const Shape& sizes : {op.grid, op.group})
    for (std::int64_t size : sizes)
      if (size < 0) return fail(op.kernel, "a launch size is negative: " + to_string(sizes), {sizes});
  for (const Spec& result : op.results)
    if (!fits(op.kernel, result)) return {};
  return op.results;
}

Out<op::Collective> infer(const op::Collective& op, const In<op::Collective>& in) {
  if (!given<op::Collective>("collective", in)) return {};
  Spec result = *in[0];
  const bool reduces = op.code == CollectiveCode::all_reduce || op.code == CollectiveCode::reduce_scatter;
  if (reduces && !takes("collective", kinds_of(op.reduce), result)) return {};
  if (!members_fit(op, result.shape, op.code == CollectiveCode::reduce_scatter) || !fits("collective", result)) return {};
  return {result};
}

Out<op::Fused> infer(const op::Fused& op, const In<op::Fused>& in) {
  std::vector<Spec> slots;
  slots.reserve(in.size() + op.steps.size());
  if (!given<op::Fused>("fused", in)) return {};
  for (const Spec* spec : in) slots.push_back(*spec);
  for (std::size_t i = 0; i < op.steps.size(); ++i) {
    const op::Fused::Step& step = op.steps[i];
    const std::string where = "step " + text(std::int64_t(i));
    if (!step.op) return fail("fused", where + " has no op");
    if (!visit(step.op, [&](const auto& inner) { return run_step(inner, step.in, where, slots); })) return {};
  }
  Out<op::Fused> results;
  for (int slot : op.results) {
    if (slot < 0 || slot >= std::int64_t(slots.size()))
      return fail("fused", "a result names slot " + text(slot) + " of " + text(std::int64_t(slots.size())));
    results.push_back(slots[std::size_t(slot)]);
  }
  return results;
}

}  // namespace hearth
