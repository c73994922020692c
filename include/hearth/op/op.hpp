// op: the vocabulary. Each op is a plain aggregate: attributes as fields, arity as constants, nothing else.
// `infer` is the one place where shapes and dtypes of results, and errors about them, are made.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include "../core/reflect.hpp"
#include "../core/error.hpp"
#include "any_op.hpp"
#include "arity.hpp"
#include "composite.hpp"
#include "contract.hpp"
#include "elementwise.hpp"
#include "low_bits.hpp"
#include "make.hpp"
#include "move.hpp"
#include "open.hpp"
#include "reduce.hpp"
#include "solve.hpp"
#include "view.hpp"

namespace hearth {

namespace detail {
template <class T>
consteval std::string_view last_name() {
  std::string_view s = __PRETTY_FUNCTION__;
  s = s.substr(s.find("T = ") + 4);
  s = s.substr(0, s.find_first_of(";]"));
  return s.substr(s.find_last_of(':') + 1);
}
}  // namespace detail

/// "MatMul": the op's name in text, on the wire and on disk.
template <class Op>
inline constexpr std::string_view op_name = detail::last_name<Op>();
#define HEARTH_ANY_OP(Name) \
  template <>               \
  inline constexpr std::string_view op_name<op::Name> = #Name;
#include "ops.def"

/// Dtypes and shapes of the results. An absent optional operand is null; a wrong one is an Error that names op and shapes.
#define HEARTH_MAKE_OP(Name) Spec infer(const op::Name& op);
#define HEARTH_OP(Name) Results<op::Name, Spec> infer(const op::Name& op, const Operands<op::Name, const Spec*>& in);
#include "ops.def"

/// "Reduce{code: sum, axes: [1]}": text for people, stable and complete, from the fields.
#define HEARTH_ANY_OP(Name) std::string to_string(const op::Name& op);
#include "ops.def"
std::string to_string(const AnyOp& op);

/// Same op with the same fields?
namespace op {
#define HEARTH_ANY_OP(Name) bool operator==(const Name& a, const Name& b);
#include "ops.def"
}  // namespace op
bool operator==(const AnyOp& a, const AnyOp& b);

/// The op that `text` (as to_string writes it) spells; an Error of kind file where it spells none.
AnyOp parse_op(std::string_view text);

template <class F>
decltype(auto) visit(const AnyOp& any, F&& f) {
  switch (any.code()) {
#define HEARTH_ANY_OP(Name) \
  case OpCode::Name: return f(any.as<op::Name>());
#include "ops.def"
  }
  __builtin_unreachable();
}

}  // namespace hearth
