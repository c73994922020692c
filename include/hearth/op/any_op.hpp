// op/any_op: any op of the vocabulary as one value, for programs of ops and for the wire.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include "../core/ref.hpp"

namespace hearth {

namespace op {
#define HEARTH_ANY_OP(Name) struct Name;
#include "ops.def"
}  // namespace op

/// Which op. A number for this process only: on the wire and on disk an op is its name.
enum class OpCode : unsigned char {
#define HEARTH_ANY_OP(Name) Name,
#include "ops.def"
};

template <class Op>
inline constexpr OpCode op_code = OpCode{};
#define HEARTH_ANY_OP(Name) \
  template <>               \
  inline constexpr OpCode op_code<op::Name> = OpCode::Name;
#include "ops.def"

/// A shared, immutable op with its code.
class AnyOp {
 public:
  AnyOp() = default;
  template <class Op>
    requires(!std::is_same_v<Op, AnyOp>) && requires { Op::inputs; }
  AnyOp(Op op) : code_(op_code<Op>), box_(make_ref<Box<Op>>(std::move(op))) {}

  OpCode code() const { return code_; }
  explicit operator bool() const { return bool(box_); }
  /// The op itself; Op must be what code() says.
  template <class Op>
  const Op& as() const {
    return static_cast<const Box<Op>*>(box_.get())->op;
  }

 private:
  template <class Op>
  struct Box final : Counted {
    explicit Box(Op o) : op(std::move(o)) {}
    Op op;
  };
  OpCode code_{};
  Ref<Counted> box_;
};

/// f(op) with the op's own type; f is called with const op::X&.
template <class F>
decltype(auto) visit(const AnyOp& any, F&& f);

}  // namespace hearth
