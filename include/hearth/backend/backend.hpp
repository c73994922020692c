// backend: what a backend is. Memory functions, `make` for ops without operands, `run` for each primitive op; all static, since
// state belongs to the device that a handle names. Ops are run through apply<B>, never by calling B::run.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <cstddef>
#include <string>
#include <utility>

#include "../op/op.hpp"

namespace hearth {

template <class B>
using HandleOf = typename B::Handle;
template <class B>
using DeviceOf = typename B::Device;

/// A transfer under way. Dropping it does not cancel the transfer.
struct Completion : Counted {
  virtual bool ready() const = 0;
  /// Waits for the end; throws what went wrong on the way.
  virtual void wait() = 0;
};
/// Bytes held by a device.
struct MemoryStats {
  std::size_t live = 0;      ///< in arrays that somebody owns
  std::size_t reserved = 0;  ///< taken from the system, live or cached
  std::size_t peak = 0;      ///< the most that was ever live
};

template <class B, class Op>
concept Runs = requires(const Op& op, Operands<Op, HandleOf<B>> in) {
  { B::run(op, std::move(in)) } -> std::same_as<Results<Op, HandleOf<B>>>;
};
template <class B, class Op>
concept Makes = requires(const DeviceOf<B>& device, const Op& op) {
  { B::make(device, op) } -> std::same_as<HandleOf<B>>;
};

/// A handle is a cheap value; a null one (default made) stands for an absent operand.
template <class B>
concept Memory = requires(DeviceOf<B> device, Spec spec, const void* from, void* to, const HandleOf<B>& handle) {
  // Row-major elements from host memory; they are copied before upload returns.
  { B::upload(device, spec, from) } -> std::same_as<HandleOf<B>>;
  // Row-major elements to host memory, when all that the handle depends on has run.
  B::download(handle, to);
  { B::download_async(handle, to) } -> std::same_as<Ref<Completion>>;
  // Waits for all work of the device, and throws the first error that it met.
  B::sync(device);
  { B::spec(handle) } -> std::same_as<const Spec&>;
  { B::device(handle) } -> std::same_as<DeviceOf<B>>;
  // The error that a handle carries where Hearth is built without exceptions; null for a good one.
  { B::error(handle) } -> std::same_as<const Error*>;
  { B::memory_stats(device) } -> std::same_as<MemoryStats>;
  // Gives cached memory back to the system.
  B::trim(device);
  // "Autodiff<Cpu>"
  { B::name() } -> std::same_as<std::string>;
  requires std::equality_comparable<DeviceOf<B>>;
  bool(handle);
};

// One concept per family, so that a missing run is reported under the family's name.
template <class B>
concept MakeOps = true
#define HEARTH_MAKE_OP(Name) &&Makes<B, op::Name>
#include "../op/ops.def"
    ;
template <class B>
concept ElementwiseOps = true
#define HEARTH_ELEMENTWISE_OP(Name) &&Runs<B, op::Name>
#include "../op/ops.def"
    ;
template <class B>
concept ViewOps = true
#define HEARTH_VIEW_OP(Name) &&Runs<B, op::Name>
#include "../op/ops.def"
    ;
template <class B>
concept MoveOps = true
#define HEARTH_MOVE_OP(Name) &&Runs<B, op::Name>
#include "../op/ops.def"
    ;
template <class B>
concept ReduceOps = true
#define HEARTH_REDUCE_OP(Name) &&Runs<B, op::Name>
#include "../op/ops.def"
    ;
template <class B>
concept ContractOps = true
#define HEARTH_CONTRACT_OP(Name) &&Runs<B, op::Name>
#include "../op/ops.def"
    ;
template <class B>
concept SolveOps = true
#define HEARTH_SOLVE_OP(Name) &&Runs<B, op::Name>
#include "../op/ops.def"
    ;
template <class B>
concept LowBitOps = true
#define HEARTH_LOW_BIT_OP(Name) &&Runs<B, op::Name>
#include "../op/ops.def"
    ;

/// All of it. Ask it after a backend is complete (a static_assert behind its definition), never inside one.
template <class B>
concept Backend = Memory<B> && MakeOps<B> && ElementwiseOps<B> && ViewOps<B> && MoveOps<B> && ReduceOps<B> && ContractOps<B> && SolveOps<B> && LowBitOps<B>;

/// The one way to run an op: the backend's own run, or for a composite that it does not claim its decomposition.
/// Defined in apply-inl.hpp; instantiated per stack and op in src/stacks, or by <hearth/instantiate.hpp>.
template <class B, class Op>
Results<Op, HandleOf<B>> apply(const Op& op, Operands<Op, HandleOf<B>> in);

/// May an op that is given this handle write its result over the value? What cannot be written over costs nothing to keep until the op has
/// succeeded; what can needs no memory, which is what an op may fail for. False where B does not say.
template <class B>
bool overwritable(const HandleOf<B>& handle) {
  if constexpr (requires { B::overwritable(handle); }) return B::overwritable(handle);
  else return false;
}

/// Does B run this composite itself on such operands? (A backend's own `claims` may decline by dtype or shape.)
template <class B, class Op>
bool claims(const Op& op, const Operands<Op, const Spec*>& in);

/// Can B run this op on such operands at all? False for custom kernels and collectives where the backend has none.
template <class B, class Op>
bool supports(const Op& op, const Operands<Op, const Spec*>& in);

}  // namespace hearth
