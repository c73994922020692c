// backend/shapes: Shapes, a backend whose values are specs. Running a program on it costs no memory and tells all shapes, dtypes and
// shape errors: for summaries of models, for planning, and for tests of what needs no values.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backend.hpp"

namespace hearth {

struct Shapes {
  struct Device {
    friend constexpr bool operator==(const Device&, const Device&) = default;
  };
  /// A spec, or (without exceptions) why there is none.
  struct Value;
  using Handle = Ref<Value>;

  /// `from` is not read.
  static Handle upload(const Device& device, const Spec& spec, const void* from);
  /// An error: there are no values.
  static void download(const Handle& handle, void* to);
  static Ref<Completion> download_async(const Handle& handle, void* to);
  static void sync(const Device&) {}
  static const Spec& spec(const Handle& handle);
  static Device device(const Handle&) { return {}; }
  static const Error* error(const Handle& handle);
  static MemoryStats memory_stats(const Device&) { return {}; }
  static void trim(const Device&) {}
  static std::string name() { return "Shapes"; }

  // Composites are claimed, since infer knows them as well; decompose<Shapes> walks through their parts all the same.
#define HEARTH_MAKE_OP(Name) static Handle make(const Device& device, const op::Name& op);
#define HEARTH_OP(Name) static Results<op::Name, Handle> run(const op::Name& op, Operands<op::Name, Handle> in);
#include "../op/ops.def"
};

struct Shapes::Value final : Counted {
  Spec spec;
  Ref<Value> cause;  ///< null, or the value that has the error
  Error error;
};

inline const Spec& Shapes::spec(const Handle& handle) { return handle->spec; }

static_assert(Backend<Shapes>);

}  // namespace hearth
