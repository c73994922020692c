// cpu/run: the door of every op. Inference first, then the body; and where Hearth is built without exceptions, errors travel in handles.
// SPDX-License-Identifier: Apache-2.0
#include <new>
#include <stdexcept>

#include "array.hpp"

namespace hearth {

namespace cpu {

namespace {

struct Carried final : Counted {
  explicit Carried(Error e) : error(std::move(e)) {}
  Error error;
};

}  // namespace

Handle failed(Error error) {
  Handle handle(new Array);
  if (handle) handle->failure = make_ref<Carried>(std::move(error));
  return handle;
}

const Error* failure_of(const Handle& handle) {
  return handle && handle->failure ? &static_cast<const Carried*>(handle->failure.get())->error : nullptr;
}

namespace {

/// Every result carries `error`; a list whose length nobody knows any more is as long as that of the operands.
template <class Op>
Results<Op, Handle> failures(const Error& error, [[maybe_unused]] std::size_t operands) {
  Results<Op, Handle> results;
  if constexpr (Op::outputs == many) results.resize(operands);
  for (Handle& result : results) result = failed(error);
  return results;
}

template <class Op, class Body>
auto guarded(const Op&, Body&& body) {
  set_current_op(op_name<Op>);
#if HEARTH_EXCEPTIONS
  try {
    return body();
  } catch (const std::bad_alloc&) {
    fail(Error(ErrorKind::device, op_name<Op>, "the system has no memory left"));
  } catch (const std::length_error&) {  // more than a list can ever hold
    fail(Error(ErrorKind::device, op_name<Op>, "the system has not so much memory"));
  }
#else
  return body();
#endif
}

template <class Op>
Handle made(const Op& op) {
  return guarded(op, [&]() -> Handle {
    const Spec spec = infer(op);
    Handle result;
    if (!pending_error()) result = execute(op, spec);
    if (pending_error()) return failed(take_pending_error());
    return result;
  });
}

template <class Op>
Results<Op, Handle> ran(const Op& op, Operands<Op, Handle> in) {
  return guarded(op, [&]() -> Results<Op, Handle> {
    if constexpr (!HEARTH_EXCEPTIONS)
      for (const Handle& operand : in)
        if (const Error* error = failure_of(operand)) return failures<Op>(*error, in.size());
    const auto specs = infer(op, map_list(in, [](Handle& operand) -> const Spec* { return operand ? &operand->spec : nullptr; }));
    if constexpr (HEARTH_EXCEPTIONS) {
      return execute(op, std::move(in), specs);
    } else {
      const std::size_t operands = in.size();
      Results<Op, Handle> results;
      if (!pending_error()) results = execute(op, std::move(in), specs);
      if (pending_error()) return failures<Op>(take_pending_error(), operands);
      return results;
    }
  });
}

}  // namespace
}  // namespace cpu

#define HEARTH_MAKE_OP(Name) \
  Cpu::Handle Cpu::make(const Device&, const op::Name& op) { return cpu::made(op); }
#define HEARTH_PRIMITIVE_OP(Name) \
  Results<op::Name, Cpu::Handle> Cpu::run(const op::Name& op, Operands<op::Name, Handle> in) { return cpu::ran(op, std::move(in)); }
#define HEARTH_OPEN_OP(Name)
#define HEARTH_COMPOSITE_OP(Name)
#include "hearth/op/ops.def"

#define HEARTH_CPU_CLAIM(Name)                                                                                                             \
  Results<op::Name, Cpu::Handle> Cpu::run(const op::Name& op, Operands<op::Name, Handle> in) { return cpu::ran(op, std::move(in)); }       \
  bool Cpu::claims(const op::Name& op, const Operands<op::Name, const Spec*>& in) { return cpu::claims(op, in); }
#include "hearth/cpu_claims.def"

}  // namespace hearth
