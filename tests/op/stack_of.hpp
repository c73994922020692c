// op/stack_of: makes a Stack of a backend's type.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "hearth/autodiff/autodiff.hpp"
#include "hearth/checked/checked-inl.hpp"
#include "hearth/profile/profile-inl.hpp"
#include "stack.hpp"

namespace hearth::test {

template <class B>
Array boxed(HandleOf<B> handle) {
  return std::make_shared<HandleOf<B>>(std::move(handle));
}
template <class B>
HandleOf<B>& unboxed(const Array& array) {
  return *static_cast<HandleOf<B>*>(array.get());
}

template <class B>
TensorData downloaded(const HandleOf<B>& x) {
  TensorData data{B::spec(x), {}};
  data.bytes.resize(std::size_t(element_count(data.spec.shape)) * size_of(data.spec.dtype));
  B::download(x, data.bytes.data());
  return data;
}

template <class B>
inline constexpr bool passes_through = false;
template <class B>
inline constexpr bool passes_through<Checked<B>> = true;
template <class B>
inline constexpr bool passes_through<Profile<B>> = true;

/// apply. Checked and Profile treat all ops alike in one body, and their stacks are not in the library: their ops run directly, composites
/// as B has them.
template <class B, class Op>
Results<Op, HandleOf<B>> run_one(const Op& op, Operands<Op, HandleOf<B>> in) {
  if constexpr (passes_through<B>) return B::run(op, std::move(in));
  else return apply<B>(op, std::move(in));
}

/// An op of any type.
template <class B>
std::vector<HandleOf<B>> run_any(const AnyOp& any, std::vector<HandleOf<B>> in) {
  return visit(any, [&]<class Op>(const Op& op) -> std::vector<HandleOf<B>> {
    if constexpr (Op::inputs == 0) {
      return {B::make(DeviceOf<B>{}, op)};
    } else {
      Operands<Op, HandleOf<B>> operands{};
      if constexpr (Op::inputs == many) operands = std::move(in);
      else
        for (std::size_t i = 0; i < operands.size(); ++i) operands[i] = std::move(in[i]);
      auto out = run_one<B>(op, std::move(operands));
      return std::vector<HandleOf<B>>(std::make_move_iterator(out.begin()), std::make_move_iterator(out.end()));
    }
  });
}

template <class B>
Stack stack_of() {
  Stack stack;
  stack.name = B::name();
  stack.upload = [](const TensorData& data) { return boxed<B>(B::upload({}, data.spec, data.bytes.data())); };
  stack.download = [](const Array& x) { return downloaded<B>(unboxed<B>(x)); };
  stack.run = [](const AnyOp& op, const std::vector<Array>& in, Operand how) {
    std::vector<HandleOf<B>> operands;
    for (const Array& x : in) {
      if (!x) operands.emplace_back();
      else if (how == Operand::given) operands.push_back(std::move(unboxed<B>(x)));
      else operands.push_back(unboxed<B>(x));
    }
    std::vector<Array> out;
    for (auto& handle : run_any<B>(op, std::move(operands))) out.push_back(boxed<B>(std::move(handle)));
    return out;
  };
  stack.supports = [](const AnyOp& any) {
    return visit(any, []<class Op>(const Op& op) {
      const Spec spec{Dtype::f32, {2}};
      if constexpr (Op::inputs == 0) {
        return true;
      } else {
        Operands<Op, const Spec*> in{};
        for (auto& operand : in) operand = &spec;
        return supports<B>(op, in);
      }
    });
  };
  return stack;
}

/// Autodiff<B>: every float operand is tracked, so that ops are recorded, and gradients are there.
template <class B>
Stack autodiff_of() {
  using A = Autodiff<B>;
  Stack stack = stack_of<A>();
  stack.upload = [](const TensorData& data) {
    typename A::Handle x = A::upload({}, data.spec, data.bytes.data());
    return boxed<A>(is_float(data.spec.dtype) ? A::track(std::move(x)) : std::move(x));
  };
  stack.gradients = [](const AnyOp& op, const std::vector<Array>& in, const std::vector<bool>& tracked, const std::vector<Maybe>& weights) {
    std::vector<typename A::Handle> operands;
    for (std::size_t i = 0; i < in.size(); ++i) {
      operands.push_back(in[i] ? A::detach(unboxed<A>(in[i])) : typename A::Handle{});
      if (tracked[i]) operands[i] = A::track(std::move(operands[i]));
    }
    const auto out = run_any<A>(op, operands);
    std::vector<Maybe> result(in.size());
    std::vector<std::vector<double>> sums(in.size());
    for (std::size_t o = 0; o < out.size(); ++o) {
      if (!A::tracked(out[o]) || !weights[o]) continue;
      const auto found = A::backward(out[o], {.seed = B::upload({}, weights[o]->spec, weights[o]->bytes.data()), .retain = true});
      for (std::size_t i = 0; i < in.size(); ++i) {
        const HandleOf<B>* gradient = tracked[i] ? found.find(operands[i]) : nullptr;
        if (!gradient) continue;
        const TensorData data = downloaded<B>(*gradient);
        const std::vector<double> numbers = data.to_vector<double>();
        sums[i].resize(numbers.size());
        for (std::size_t k = 0; k < numbers.size(); ++k) sums[i][k] += numbers[k];
        result[i] = TensorData::from<double>(sums[i], data.spec.shape);
      }
    }
    return result;
  };
  return stack;
}

template <class B>
Stack checked_of() {
  return stack_of<Checked<B>>();
}
template <class B>
Stack profiled_of() {
  return stack_of<Profile<B>>();
}

}  // namespace hearth::test
