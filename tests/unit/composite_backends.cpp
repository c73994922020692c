// unit/composite_backends: gradients of every composite on Portable and on Cpu, with its claims: contiguous, through views, and with
// f32 parameters beside 16-bit floats.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "fixtures/composite_cases.hpp"
#include "fixtures/composite_fixture.hpp"
#include "hearth/autodiff/autodiff.hpp"
#include "hearth/cpu.hpp"
#include "hearth/portable.hpp"

namespace {

using namespace hearth;
using fixture::Names;

/// Does infer accept the operands in these dtypes? `wide`: bit i, operand i is f32; the other floats are `dtype`.
template <class Op>
bool accepted(const Op& op, const Names& full, unsigned wide, Dtype dtype) {
  Operands<Op, Spec> specs{};
  Operands<Op, const Spec*> in{};
  for (std::size_t i = 0; i < full.size(); ++i) {
    if (full[i].empty()) continue;
    specs[i] = fixture::array(full[i]).spec;
    if (is_float(specs[i].dtype)) specs[i].dtype = wide >> i & 1u ? Dtype::f32 : dtype;
    in[i] = &specs[i];
  }
  try {
    (void)infer(op, in);
    return true;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("dtypes differ"), std::string::npos) << error.what();
    return false;
  }
}

/// Every operand tracked, the loss the sum of result * seed: its gradients against PyTorch's, each in its operand's dtype.
template <class B, class Op>
void expect_gradients(const std::string& name, const Op& op, const Names& names, unsigned wide, Dtype dtype, bool view, double tolerance) {
  using A = Autodiff<B>;
  const Names full = fixture::full_names(name, names);
  Operands<Op, typename A::Handle> operands{};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    operands[i] = fixture::operand<A>(full[i], wide >> i & 1u ? Dtype::f32 : dtype, view).handle;
    if (operands[i] && is_float(A::spec(operands[i]).dtype)) operands[i] = A::track(operands[i]);
  }
  const auto out = apply<A>(op, operands);
  Dyn<A> loss;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Dyn<A> y(out[i]);
    const Dtype total = dtype == Dtype::f64 ? Dtype::f64 : Dtype::f32;
    const Dyn<A> wider = y.dtype() == total ? y : cast(y, total);
    auto part = reshape(sum(wider * fixture::operand<A>(name + ".seed" + std::to_string(i), total), all_axes(y.rank())), {});
    loss = loss ? loss + part : part;
  }
  for (bool retain : {true, false}) {  // a second pass gives the same
    const Gradients<B> gradients = A::backward(loss.handle, {.seed = {}, .retain = retain});
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (!A::tracked(operands[i])) continue;
      const auto* found = gradients.find(operands[i]);
      ASSERT_TRUE(found) << name << " has no gradient of " << names[i];
      EXPECT_EQ(B::spec(*found), A::spec(operands[i])) << name << ", " << names[i];
      fixture::expect_fixture(Dyn<B>(*found), name + ".d_" + names[i], tolerance);
    }
  }
}

template <class B>
struct CompositeBackends : testing::Test {};
using Both = testing::Types<Portable, Cpu>;
TYPED_TEST_SUITE(CompositeBackends, Both);

TYPED_TEST(CompositeBackends, agree_with_pytorch) {
  fixture::each_case([](const std::string& name, const auto& op, const Names& names) {
    for (bool view : {false, true}) expect_gradients<TypeParam>(name, op, names, 0, Dtype::f64, view, 1e-9);
  });
}

// Which operands may be f32 beside a 16-bit float is what op/composite.hpp says: scales, biases and statistics of norms, angles of
// Rope, class weights. Any other mixture is an error.
TYPED_TEST(CompositeBackends, f32_parameters_beside_16_bits) {
  const auto is_parameter = [](const std::string& name, const std::string& operand) {
    if (name.find("_norm.") != std::string::npos) return operand != "x";
    if (name.starts_with("rope")) return operand != "x";
    return name.starts_with("cross_entropy") && operand == "weight";
  };
  int mixed = 0;
  fixture::each_case([&](const std::string& name, const auto& op, const Names& names) {
    const Names full = fixture::full_names(name, names);
    unsigned floats = 0, parameters = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i].empty() || !is_float(fixture::array(full[i]).spec.dtype)) continue;
      floats |= 1u << i;
      if (is_parameter(name, names[i])) parameters |= 1u << i;
    }
    for (unsigned wide = 1; wide <= floats; ++wide) {
      if ((wide & ~floats) != 0 || wide == floats) continue;
      for (Dtype dtype : {Dtype::f16, Dtype::bf16}) {
        const bool allowed = (wide & ~parameters) == 0;
        EXPECT_EQ(accepted(op, full, wide, dtype), allowed) << name << ", f32 where bits of " << wide;
        if (!allowed) continue;
        ++mixed;
        expect_gradients<TypeParam>(name, op, names, wide, dtype, false, dtype == Dtype::f16 ? 0.02 : 0.15);
      }
    }
  });
  EXPECT_GT(mixed, 50);
}

}  // namespace
