// tests/fuzz/run: a call on any backend, its op's type forgotten: the same elements, in the same layout in memory, give results or an Error.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

#include "calls.hpp"
#include "hearth/backend/backend.hpp"
#include "hearth/core/tensor_data.hpp"

namespace hearth::fuzz {

/// An operand as it lies in memory: elements of `stored`, seen through a slice and a permutation.
struct Laid {
  bool given = false;
  Spec stored;
  std::vector<std::byte> bytes;
  Shape start, size, step;
  Axes axes;
};

/// Elements for each operand of a call, in a random layout. Nothing where an operand is too large to be made.
std::vector<Laid> lay_out(const Call& call, Random& random);

struct Outcome {
  std::optional<Error> error;
  std::string untyped;              ///< what else was thrown
  std::vector<TensorData> results;
  std::vector<std::string> faults;  ///< what the backend itself contradicts: a result unlike infer's, a gradient unlike its operand
  bool gradient = false;            ///< backward ran and some operand got one

  bool good() const { return !error && untyped.empty(); }
  bool out_of_memory() const { return error && error->kind == ErrorKind::device; }
};

/// Runs f, and puts what it throws into the outcome.
template <class F>
void guarded(Outcome& outcome, F&& f) {
  try {
    f();
  } catch (const Error& error) {
    outcome.error = error;
  } catch (const std::exception& other) {
    outcome.untyped = other.what();
  } catch (...) {
    outcome.untyped = "something";
  }
}

template <class B, class Op>
HandleOf<B> apply_one(const Op& op, HandleOf<B> x) {
  return std::move(hearth::apply<B>(op, Operands<Op, HandleOf<B>>{std::move(x)})[0]);
}
template <class B>
HandleOf<B> place(const Laid& laid) {
  if (!laid.given) return {};
  HandleOf<B> x = B::upload({}, laid.stored, laid.bytes.data());
  if (laid.size.size() == laid.stored.shape.size() && !(laid.size == laid.stored.shape && laid.start == Shape::filled(laid.size.size(), 0)))
    x = apply_one<B>(op::Slice{laid.start, laid.size, laid.step}, std::move(x));
  if (!laid.axes.empty()) x = apply_one<B>(op::Permute{laid.axes}, std::move(x));
  return x;
}
/// The elements of an array. Of a view that stretches few elements to more than memory holds, the spec alone.
template <class B>
TensorData read(const HandleOf<B>& handle) {
  constexpr std::int64_t most = 1 << 24;
  TensorData data{B::spec(handle), {}};
  if (data.count() > most) return data;
  data.bytes.resize(std::size_t(data.count()) * size_of(data.spec.dtype));
  B::download(handle, data.bytes.data());
  return data;
}

/// Is a result's spec what infer said? Value-sized results may be shorter along their first axis.
template <class Op>
bool as_inferred(const Spec& got, const Spec& said) {
  if constexpr (std::is_same_v<Op, op::NonZero> || std::is_same_v<Op, op::Unique>)
    if (got.shape.size() == said.shape.size() && !got.shape.empty() && got.shape[0] <= said.shape[0]) return got.dtype == said.dtype;
  return got == said;
}

template <class B, class Op>
Outcome run_as(const Call& call, const std::vector<Laid>& laid) {
  Outcome outcome;
  const Op& op = call.op.as<Op>();
  guarded(outcome, [&] {
    if constexpr (Op::inputs == 0) {
      outcome.results.push_back(read<B>(B::make({}, op)));
    } else {
      constexpr bool records = requires { B::track(HandleOf<B>{}); };
      Operands<Op, HandleOf<B>> in{};
      if constexpr (Op::inputs == many) in.resize(laid.size());
      for (std::size_t i = 0; i < in.size() && i < laid.size(); ++i) {
        in[i] = place<B>(laid[i]);
        if constexpr (records)
          if (in[i] && is_float(B::spec(in[i]).dtype)) in[i] = B::track(in[i]);
      }
      auto leaves = in;
      const auto specs = map_list(leaves, [](const HandleOf<B>& x) -> const Spec* { return x ? &B::spec(x) : nullptr; });
      // The caller keeps its handles every second time, so that working in place is tried as well.
      const bool kept = records || laid.size() % 2 == 0;
      Results<Op, HandleOf<B>> out;
      if (kept) out = hearth::apply<B>(op, in);
      else leaves = {}, out = hearth::apply<B>(op, std::move(in));
      for (const auto& result : out) outcome.results.push_back(read<B>(result));
      if (kept) {
        const auto said = hearth::infer(op, specs);
        if (said.size() != out.size()) outcome.faults.push_back("infer said " + std::to_string(said.size()) + " results");
        else
          for (std::size_t i = 0; i < out.size(); ++i)
            if (!as_inferred<Op>(B::spec(out[i]), said[i]))
              outcome.faults.push_back("result " + std::to_string(i) + " is " + hearth::to_string(B::spec(out[i])) + ", infer said " + hearth::to_string(said[i]));
      }
      if constexpr (records) {
        for (const auto& result : out) {
          if (!B::tracked(result)) continue;
          auto gradients = B::backward(result, {.seed = B::Inner::make({}, op::Full{B::spec(result), 1}), .retain = true});
          for (const auto& leaf : leaves)
            if (leaf)
              if (const auto* gradient = gradients.find(leaf)) {
                outcome.gradient = true;
                (void)read<typename B::Inner>(*gradient);
                if (B::Inner::spec(*gradient) != B::spec(leaf))
                  outcome.faults.push_back("the gradient of " + hearth::to_string(B::spec(leaf)) + " is " + hearth::to_string(B::Inner::spec(*gradient)));
              }
        }
      }
    }
  });
  return outcome;
}

/// On one backend; each is compiled in a file of its own.
Outcome run_on_portable(const Call& call, const std::vector<Laid>& laid);
Outcome run_on_cpu(const Call& call, const std::vector<Laid>& laid);
Outcome run_on_autodiff(const Call& call, const std::vector<Laid>& laid);  ///< Autodiff<Portable>, and backward from each result

#define HEARTH_FUZZ_RUN(function, ...)                                        \
  Outcome function(const Call& call, const std::vector<Laid>& laid) {         \
    return visit(call.op, [&]<class Op>(const Op&) { return run_as<__VA_ARGS__, Op>(call, laid); }); \
  }

}  // namespace hearth::fuzz
