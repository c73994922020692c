// tests/bare/composite_bare: composites without exceptions: a failed operand goes through them, and memory may run out at any place inside.
// SPDX-License-Identifier: Apache-2.0
#include "bare.hpp"
#include "fixtures/composite_arrays.hpp"
#include "fixtures/composite_cases.hpp"

using namespace hearth;
using namespace bare;
using B = Portable;

namespace {

template <class Op>
Operands<Op, B::Handle> operands_of(const std::string& name, const fixture::Names& names) {
  const fixture::Names full = fixture::full_names(name, names);
  Operands<Op, B::Handle> operands{};
  for (std::size_t i = 0; i < operands.size(); ++i) operands[i] = fixture::operand<B>(full[i], Dtype::f32).handle;
  return operands;
}

template <class Op>
void passes_errors_on(const std::string& name, const Op& op, const Operands<Op, B::Handle>& operands) {
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i]) continue;
    auto in = operands;
    in[i] = B::make({}, op::Full{{Dtype::f32, {-1}}, 0});  // no such shape
    const Error* cause = B::error(in[i]);
    check(cause, "a negative size is an error");
    quiet();
    const auto out = apply<B>(op, in);
    for (const auto& handle : out) check(B::error(handle) == cause, name + ": operand " + std::to_string(i) + " failed, and so do all results");
    check(reports == 0 && !pending_error(), name + ": what follows from an error is no news");
  }
}

template <class Op>
void refuses_wrong_shapes(const std::string& name, const Op& op, Operands<Op, B::Handle> operands) {
  operands[0] = B::make({}, op::Full{{Dtype::i8, {1, 1, 1, 1, 1, 1, 1, 0}}, 0});
  quiet();
  const auto out = apply<B>(op, operands);
  for (const auto& handle : out) check(handle && B::error(handle) && !B::error(handle)->message.empty(), name + ": a wrong operand is an error");
  check(reports == 1 && !pending_error(), name + ": which is reported once");
}

void an_absent_operand_is_an_error() {
  quiet();
  const auto out = apply<B>(op::Softmax{0}, {B::Handle{}});
  check(out[0] && B::error(out[0]) && reports == 1 && !pending_error(), "a composite without its operand");
}

}  // namespace

int main() {
  set_error_handler(count_report);
  fixture::each_case([](const std::string& name, const auto& op, const fixture::Names& names) {
    using Op = std::remove_cvref_t<decltype(op)>;
    const auto operands = operands_of<Op>(name, names);
    passes_errors_on(name, op, operands);
    refuses_wrong_shapes(name, op, operands);
    survives_little_memory<B>(name, [&] {
      std::vector<Dyn<B>> values;
      for (auto& handle : apply<B>(op, operands)) values.push_back(Dyn<B>(handle));
      return values;
    });
  });
  an_absent_operand_is_an_error();
  return result();
}
