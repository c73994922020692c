// Who runs a composite: a backend's claim or the decomposition; programs of ops; operands given away; errors that name the composite.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "fixtures/composite_fixture.hpp"
#include "hearth/autodiff/autodiff-inl.hpp"
#include "hearth/backend/apply-inl.hpp"
#include "hearth/backend/shapes.hpp"
#include "hearth/portable.hpp"

namespace {

using namespace hearth;

/// Portable with claims: the gradient of layer norm always, softmax of f32 only. It also watches whether exp may write into its operand.
struct Claiming : Portable {
  static inline int norm_grads = 0, softmaxes = 0, owned_exps = 0, shared_exps = 0;
  static void reset() { norm_grads = softmaxes = owned_exps = shared_exps = 0; }
  static std::string name() { return "Claiming"; }

  using Portable::run;
  static std::array<Handle, 3> run(const op::LayerNormGrad& op, std::array<Handle, 3> in) {
    ++norm_grads;
    return hearth::apply<Portable>(op, std::move(in));
  }
  static std::array<Handle, 1> run(const op::Softmax& op, std::array<Handle, 1> in) {
    ++softmaxes;
    return hearth::apply<Portable>(op, std::move(in));
  }
  static std::array<Handle, 1> run(const op::Unary& op, std::array<Handle, 1> in) {
    if (op.code == UnaryCode::exp) ++(in[0].unique() ? owned_exps : shared_exps);
    return Portable::run(op, std::move(in));
  }
  template <class Op>
  static bool claims(const Op&, const Operands<Op, const Spec*>& in) {
    return !std::is_same_v<Op, op::Softmax> || in[0]->dtype == Dtype::f32;
  }
};
static_assert(Backend<Claiming>);

using B = Claiming;
using A = Autodiff<B>;
using Values = std::vector<double>;

template <class S>
Dyn<S> ramp(Shape shape, Dtype dtype = Dtype::f32) {
  Values v;
  for (std::int64_t i = 0; i < element_count(shape); ++i) v.push_back(std::sin(double(i)));
  return fixture::upload<S>({dtype, shape}, v);
}

TEST(CompositeClaims, may_depend_on_the_operands) {
  B::reset();
  call<B>(op::Softmax{}, ramp<B>({2, 3}));
  EXPECT_EQ(B::softmaxes, 1);
  const Dyn<B> y = call<B>(op::Softmax{}, ramp<B>({2, 3}, Dtype::f64));
  EXPECT_EQ(B::softmaxes, 1);
  EXPECT_EQ(B::owned_exps, 1);
  fixture::expect_values(fixture::download(sum(y, {1})), {1, 1}, 1e-12, "softmax");
}

TEST(CompositeClaims, of_a_gradient_are_used_by_autodiff) {
  B::reset();
  const auto x = A::track(ramp<A>({3, 4}).handle), scale = A::track(ramp<A>({4}).handle);
  const Dyn<A> y = call<A>(op::LayerNorm{}, Dyn<A>(x), Dyn<A>(scale), Dyn<A>());
  const auto claimed = A::backward(reshape(sum(y * y, {0, 1}), {}).handle);
  EXPECT_EQ(B::norm_grads, 1);

  // The same by the decomposition of Portable.
  using P = Autodiff<Portable>;
  const auto px = P::track(ramp<P>({3, 4}).handle), pscale = P::track(ramp<P>({4}).handle);
  const Dyn<P> z = call<P>(op::LayerNorm{}, Dyn<P>(px), Dyn<P>(pscale), Dyn<P>());
  const auto plain = P::backward(reshape(sum(z * z, {0, 1}), {}).handle);
  EXPECT_EQ(fixture::download(Dyn<B>(*claimed.find(x))), fixture::download(Dyn<Portable>(*plain.find(px))));
  EXPECT_EQ(fixture::download(Dyn<B>(*claimed.find(scale))), fixture::download(Dyn<Portable>(*plain.find(pscale))));
}

TEST(CompositeClaims, are_used_by_recomputation_too) {
  // A program has no rule: backward runs it again on a tape, whose softmax B claims in either direction.
  B::reset();
  const op::Fused program{{{op::Softmax{}, {0}}, {op::Binary{BinaryCode::mul}, {1, 0}}}, {2}};
  const auto x = A::track(ramp<A>({2, 3}).handle);
  const auto y = apply<A>(program, {x});
  EXPECT_EQ(B::softmaxes, 1);
  const auto found = A::backward(reshape(sum(Dyn<A>(y[0]), {0, 1}), {}).handle);
  EXPECT_EQ(B::softmaxes, 2);

  const auto again = A::track(ramp<A>({2, 3}).handle);
  const Dyn<A> z = call<A>(op::Softmax{}, Dyn<A>(again)) * Dyn<A>(again);
  const auto plain = A::backward(reshape(sum(z, {0, 1}), {}).handle);
  fixture::expect_values(fixture::download(Dyn<B>(*found.find(x))), fixture::download(Dyn<B>(*plain.find(again))), 1e-6, "program");
}

TEST(CompositeClaims, fused_programs_replay) {
  // 3: x + y; 4: exp of it; 5, 6: its values in order and their places; 7: a constant; 8: 4 * 7
  const op::Fused program{{{op::Binary{BinaryCode::add}, {0, 1}},
                           {op::Unary{UnaryCode::exp}, {3}},
                           {op::Sort{0, true}, {4}},
                           {op::Full{{Dtype::f64, {}}, 2.0}, {}},
                           {op::Binary{BinaryCode::mul}, {4, 7}}},
                          {8, 6, 5, 8, 2}};
  const Dyn<B> x = fixture::upload<B>({Dtype::f64, {3}}, {0, 1, 2}), y = fixture::upload<B>({Dtype::f64, {3}}, {0, 1, -3}), z = ramp<B>({2});
  B::reset();
  const auto out = apply<B>(program, {x.handle, y.handle, z.handle});
  ASSERT_EQ(out.size(), 5u);
  const double e2 = std::exp(2.), e1 = std::exp(-1.);
  fixture::expect_values(fixture::download(Dyn<B>(out[0])), {2, 2 * e2, 2 * e1}, 1e-12, "product");
  fixture::expect_values(fixture::download(Dyn<B>(out[1])), {1, 0, 2}, 0, "places");
  fixture::expect_values(fixture::download(Dyn<B>(out[2])), {e2, 1, e1}, 1e-12, "values");
  EXPECT_TRUE(out[0] == out[3]);
  EXPECT_TRUE(out[4] == z.handle);
  EXPECT_EQ(B::owned_exps, 1) << "the sum has one reader, so exp may take its buffer";
  EXPECT_EQ(B::shared_exps, 0);

  // Read later, or twice in one step: not given away.
  B::reset();
  apply<B>(op::Fused{{{op::Unary{UnaryCode::exp}, {0}}, {op::Binary{BinaryCode::add}, {1, 0}}}, {2}}, {x.handle});
  EXPECT_EQ(B::shared_exps, 1);
  const auto twice = apply<B>(op::Fused{{{op::Unary{UnaryCode::exp}, {0}}, {op::Binary{BinaryCode::add}, {1, 1}}}, {2}}, {x.handle});
  fixture::expect_values(fixture::download(Dyn<B>(twice[0])), {2, 2 * std::exp(1.), 2 * e2}, 1e-12, "twice");
  // Absent operands of a step, and a composite inside a program.
  const auto norm = apply<B>(op::Fused{{{op::LayerNorm{}, {0, -1, -1}}, {op::Softmax{}, {1}}}, {1}}, {x.handle});
  fixture::expect_values(fixture::download(Dyn<B>(norm[0])), {-std::sqrt(1.5), 0, std::sqrt(1.5)}, 1e-4, "norm");
}

template <class Op>
std::string message(const Op& op, Operands<Op, B::Handle> in) {
  try {
    apply<B>(op, std::move(in));
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}
TEST(CompositeClaims, errors_name_the_composite) {
  const auto x = ramp<B>({2, 3}).handle, w = ramp<B>({4, 5}).handle;
  EXPECT_EQ(message(op::Linear{}, {x, w, {}, {}}).rfind("linear: ", 0), 0u) << message(op::Linear{}, {x, w, {}, {}});
  EXPECT_EQ(message(op::LayerNorm{3, 1e-5}, {x, {}, {}}).rfind("layer_norm: ", 0), 0u);
  EXPECT_EQ(message(op::Attention{}, {x, x, x, {}, {}}).rfind("attention: ", 0), 0u);
  EXPECT_EQ(message(op::CrossEntropy{}, {x, x, {}}).rfind("cross_entropy: ", 0), 0u);
  EXPECT_EQ(message(op::AdamStep{.count = 1}, {x, x}).rfind("adam_step: ", 0), 0u);
}

TEST(CompositeClaims, shapes_run_whole_or_in_parts) {
  const auto f32 = [](Shape shape) { return Dyn<Shapes>(Shapes::upload({}, {Dtype::f32, shape}, nullptr)); };
  const Dyn<Shapes> y = call<Shapes>(op::Attention{}, f32({2, 8, 5, 16}), f32({2, 2, 7, 16}), f32({2, 2, 7, 4}), Dyn<Shapes>(), Dyn<Shapes>());
  EXPECT_EQ(to_string(y.spec()), "f32[2, 8, 5, 4]");
  // Arrays that nobody could hold.
  EXPECT_EQ(to_string(matmul(f32({1 << 20, 1 << 20}), f32({1 << 20, 1 << 20})).spec()), "f32[1048576, 1048576]");
  EXPECT_THROW(matmul(f32({2, 3}), f32({2, 3})), Error);
  EXPECT_THROW(fixture::download(f32({1})), Error);
  const auto many = apply<Shapes>(op::SgdStep{.count = 1, .rate = 1}, {f32({3}).handle, f32({3}).handle});
  EXPECT_EQ(Shapes::spec(many[0]).shape, Shape{3});
}

}  // namespace
