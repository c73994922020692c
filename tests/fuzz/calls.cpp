// tests/fuzz/calls: a plausible call by its op's code, and what is done to calls: spoiling, inferring, printing, filling with elements.
// SPDX-License-Identifier: Apache-2.0
#include "calls.hpp"

#include <algorithm>
#include <cstring>

#include "maker.hpp"

namespace hearth::fuzz {

namespace {

template <class Op>
Call call_of(Random& random, std::optional<Dtype> dtype) {
  Maker maker(random, dtype);
  Op op{};
  make(op, maker);
  return {std::move(op), std::move(maker.operands)};
}

/// infer with the operands in the op's own kind of list.
template <class Op>
std::vector<Spec> infer_as(const Op& op, const std::vector<Operand>& operands) {
  if constexpr (Op::inputs == 0) {
    return {hearth::infer(op)};
  } else {
    Operands<Op, const Spec*> in{};
    if constexpr (Op::inputs == many) in.resize(operands.size());
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = i < operands.size() && operands[i].spec ? &*operands[i].spec : nullptr;
    const auto out = hearth::infer(op, in);
    return {out.begin(), out.end()};
  }
}

}  // namespace

Call plausible_call(OpCode code, Random& random, std::optional<Dtype> dtype) {
  switch (code) {
#define HEARTH_ANY_OP(Name) \
  case OpCode::Name: return call_of<op::Name>(random, dtype);
#include "hearth/op/ops.def"
  }
  __builtin_unreachable();
}

std::vector<Spec> infer(const Call& call) {
  return visit(call.op, [&](const auto& op) { return infer_as(op, call.operands); });
}

std::string to_string(const Call& call) {
  std::string text = to_string(call.op) + "(";
  for (std::size_t i = 0; i < call.operands.size(); ++i) text += (i ? ", " : "") + (call.operands[i].spec ? to_string(*call.operands[i].spec) : "-");
  return text + ")";
}

void spoil(Call& call, Random& random) {
  bool list = false;
  visit(call.op, [&]<class Op>(const Op&) { list = Op::inputs == many; });
  for (std::int64_t faults = random.number(1, 3); faults > 0; --faults) {
    std::vector<Operand>& in = call.operands;
    const std::size_t at = in.empty() ? 0 : std::size_t(random.number(0, std::int64_t(in.size()) - 1));
    Spec* spec = at < in.size() && in[at].spec ? &*in[at].spec : nullptr;
    switch (random.number(0, 7)) {
      case 0:
        if (spec) random.spoil(spec->dtype);
        break;
      case 1:
        if (spec && !spec->shape.empty()) spec->shape[random.integer(0, spec->shape.size() - 1)] = random.number(0, 6);
        break;
      case 2:
        if (spec && spec->shape.size() < max_rank && random.one_in(2)) spec->shape.insert(random.integer(0, spec->shape.size()), random.number(0, 2));
        else if (spec && !spec->shape.empty()) spec->shape.erase(random.integer(0, spec->shape.size() - 1));
        break;
      case 3:
        if (at < in.size()) in[at].spec = random.one_in(2) ? std::nullopt : std::optional(Spec{Dtype::f32, {random.number(0, 4)}});
        break;
      case 4:
        if (!in.empty()) std::swap(in[at], in[std::size_t(random.number(0, std::int64_t(in.size()) - 1))]);
        break;
      case 5:
        if (!list) break;
        if (random.one_in(2)) in.push_back({Spec{Dtype::f32, {2}}, {}});
        else if (!in.empty()) in.pop_back();
        break;
      default:
        visit(call.op, [&]<class Op>(const Op& op) {
          if constexpr (reflect::field_count<Op> > 0) {
            Op spoilt = op;
            random.spoil(spoilt);
            call.op = AnyOp(std::move(spoilt));
          }
        });
    }
  }
}

std::vector<std::byte> elements(const Spec& spec, const Fill& fill, Random& random) {
  const std::size_t count = std::size_t(element_count(spec.shape));
  std::vector<std::byte> bytes(count * size_of(spec.dtype));
  const std::int64_t n = fill.kind == Fill::diagonal && spec.shape.size() >= 2 ? spec.shape[-1] : 0;
  const bool stray = fill.kind == Fill::index && random.one_in(20);
  with_type(spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::size_t i = 0; i < count; ++i) {
      double value = random.one_in(2) ? double(random.number(-8, 8)) / 4 : random.uniform(-2, 2);
      if (fill.kind == Fill::positive) value = random.uniform(0.25, 2);
      if (fill.kind == Fill::unit) value = random.uniform(-1, 1);
      if (fill.kind == Fill::index) value = double(stray && random.one_in(3) ? random.number(-2, fill.limit + 2) : random.number(0, std::max<std::int64_t>(fill.limit, 1) - 1));
      if (n > 0) {
        const std::int64_t row = std::int64_t(i) / n % std::max<std::int64_t>(spec.shape[-2], 1), column = std::int64_t(i) % n;
        value = row == column ? double(n) + 2 : double((row * column * 5 + row + column) % 7 - 3) / 4;
      }
      T element = convert<T>(value);
      if (fill.kind == Fill::edges && random.one_in(5)) {
        if constexpr (is_float(dtype_of<T>)) {
          const double inf = std::numeric_limits<double>::infinity();
          const double choices[] = {0.0, -0.0, inf, -inf, std::nan(""), 1e-40, -1e-310, 1e4, -1e4, 65504, 0.5, -2.5, 1e30, -1e30};
          element = T(choices[random.number(0, 13)]);
        } else if constexpr (!std::is_same_v<T, bool>) {
          const T choices[] = {0, 1, T(-1), std::numeric_limits<T>::max(), std::numeric_limits<T>::min()};
          element = choices[random.number(0, 4)];
        }
      }
      std::memcpy(bytes.data() + i * sizeof(T), &element, sizeof(T));
    }
  });
  return bytes;
}

}  // namespace hearth::fuzz
