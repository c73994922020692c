// backend/shapes: every op by infer.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/backend/shapes.hpp"

namespace hearth {

namespace {
using Handle = Shapes::Handle;

Handle value(const Spec& spec) {
  Handle handle = make_ref<Shapes::Value>();
  handle->spec = spec;
  return handle;
}
Handle failed(const Handle& cause) {
  Handle handle = value({Dtype::f32, {0}});
  handle->cause = cause;
  return handle;
}
/// Holds the error that is pending, so that it no longer is.
Handle pending() {
  Handle cause = value({Dtype::f32, {0}});
  cause->error = take_pending_error();
  return failed(cause);
}
/// As many of them as the op has results; at least one where that is not known.
template <class Op>
Results<Op, Handle> all(const Handle& handle) {
  Results<Op, Handle> results;
  if constexpr (Op::outputs == many) results.resize(1);
  for (Handle& result : results) result = handle;
  return results;
}

template <class Op>
Results<Op, Handle> inferred(const Op& op, const Operands<Op, Handle>& in) {
  for (const Handle& x : in)
    if (x && x->cause) return all<Op>(failed(x->cause));
  const auto specs = infer(op, map_list(in, [](const Handle& x) -> const Spec* { return x ? &x->spec : nullptr; }));
  if (pending_error()) return all<Op>(pending());
  return map_list(specs, [](const Spec& spec) { return value(spec); });
}
template <class Op>
Handle made(const Op& op) {
  const Spec spec = infer(op);
  return pending_error() ? pending() : value(spec);
}
}  // namespace

Handle Shapes::upload(const Device&, const Spec& spec, const void*) { return made(op::Full{spec, 0}); }

void Shapes::download(const Handle& handle, void*) {
  if (handle->cause) (void)fail(handle->cause->error);
  else (void)fail("download", "Shapes has no values, only " + to_string(handle->spec));
}

Ref<Completion> Shapes::download_async(const Handle& handle, void* to) {
  struct Done final : Completion {
    bool ready() const override { return true; }
    void wait() override {}
  };
  download(handle, to);
  return make_ref<Done>();
}

const Error* Shapes::error(const Handle& handle) { return handle && handle->cause ? &handle->cause->error : nullptr; }

#define HEARTH_MAKE_OP(Name) \
  Handle Shapes::make(const Device&, const op::Name& op) { return made(op); }
#define HEARTH_OP(Name) \
  Results<op::Name, Handle> Shapes::run(const op::Name& op, Operands<op::Name, Handle> in) { return inferred(op, in); }
#include "hearth/op/ops.def"

}  // namespace hearth
