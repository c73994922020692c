// unit/checked_values: Checked finds what goes wrong at the op where it goes wrong, and leaves everything else alone.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/checked/checked-inl.hpp"

#include <limits>

#include "hearth/autodiff/autodiff-inl.hpp"
#include "portable_arrays.hpp"

namespace hearth {

/// A backend without care for indices, as a GPU in release mode is: out of range they read 0 and write nothing. It claims CrossEntropy.
struct Careless : Portable {
  using Portable::run;
  static std::array<Handle, 1> run(const op::Gather&, std::array<Handle, 2> in) { return {make(device(in[0]), op::Full{{spec(in[0]).dtype, spec(in[1]).shape}, 0})}; }
  static std::array<Handle, 1> run(const op::CrossEntropy&, std::array<Handle, 3> in) { return {make(device(in[0]), op::Full{{spec(in[0]).dtype, {}}, 0})}; }
  static std::string name() { return "Careless"; }
};
static_assert(Backend<Careless>);
/// A backend whose values may all be written over.
struct Writable : Portable {
  using Portable::run;
  static bool overwritable(const Handle&) { return true; }
};
static_assert(Backend<Checked<Portable>>);

}  // namespace hearth

namespace hearth::test {

using C = Checked<Portable>;
using D = Dyn<C>;
constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

template <class F>
std::string message(F f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}
D floats(const Shape& shape, const std::vector<double>& numbers) { return D(from_doubles(Dtype::f32, shape, numbers)); }
D integers(const Shape& shape, const std::vector<double>& numbers) { return D(from_doubles(Dtype::i32, shape, numbers)); }

TEST(Checked, names_the_op_that_made_nan) {
  EXPECT_EQ(message([] { (void)log(floats({2, 2}, {1, 2, 3, -1})); }), "log: made NaN at [1, 1] of f32[2, 2], and its operands hold none");
  EXPECT_EQ(message([] { (void)(floats({2}, {0, 1}) / floats({2}, {0, 1})); }), "div: made NaN at [0] of f32[2], and its operands hold none");
  EXPECT_EQ(message([] { (void)mean(floats({0}, {}), {0}); }), "mean: made NaN at [0] of f32[1], and its operands hold none");
  // NaN that was there before is not the op's fault, nor is a NaN that a mask hides.
  EXPECT_EQ(doubles(exp(floats({2}, {nan, 0})).handle)[1], 1);
  EXPECT_EQ(doubles(call<C>(op::Select{}, floats({1}, {nan}) == floats({1}, {nan}), floats({1}, {nan}), floats({1}, {3})).handle)[0], 3);
}

TEST(Checked, finds_infinities_when_asked) {
  EXPECT_EQ(doubles((1.0 / floats({1}, {0})).handle)[0], inf);
  const Checks before = set_checks({.infinity = true});
  EXPECT_EQ(message([] { (void)(1.0 / floats({2}, {1, 0})); }), "div: made an infinity at [1] of f32[2], and its operands hold none");
  set_checks({.nan = false});
  EXPECT_EQ(message([] { (void)log(floats({1}, {-1})); }), "no error");
  set_checks(before);
  EXPECT_TRUE(current_checks().nan);
}

TEST(Checked, reports_integer_division_by_zero) {
  EXPECT_EQ(message([] { (void)(integers({3}, {1, 2, 3}) / integers({3}, {1, 0, 2})); }), "div: division by 0: the divisor i32[3] is 0 at [1]");
  EXPECT_EQ(message([] { (void)remainder(integers({2}, {1, 2}), Scalar(0)); }), "remainder: division by 0: the divisor is the number 0");
  EXPECT_EQ(message([] { (void)floor_divide(Scalar(7), integers({2}, {1, 0})); }), "floor_divide: division by 0: the divisor i32[2] is 0 at [1]");
  EXPECT_EQ(doubles((integers({2}, {7, 8}) / integers({2}, {2, -2})).handle), (std::vector<double>{3, -4}));
  EXPECT_EQ(doubles((integers({2}, {7, 0}) * integers({2}, {0, 5})).handle), (std::vector<double>{0, 0}));
}

TEST(Checked, lets_nothing_be_given_away_that_it_may_refuse_to_replace) {
  const D x = integers({2}, {3, 4});
  EXPECT_TRUE(overwritable<Writable>(x.handle));
  EXPECT_FALSE(overwritable<Checked<Writable>>(x.handle));
  EXPECT_FALSE(overwritable<Autodiff<Checked<Writable>>>({x.handle, {}, 0}));
}

TEST(Checked, finds_indices_that_the_backend_lets_pass) {
  using S = Checked<Careless>;
  const Handle x = from_doubles(Dtype::f32, {2, 3}, {1, 2, 3, 4, 5, 6}), beyond = from_doubles(Dtype::i64, {2, 1}, {1, 3}),
               negative = from_doubles(Dtype::i32, {1, 2}, {0, -1}), good = from_doubles(Dtype::u8, {1, 2}, {0, 2});
  auto gather = [&](const Handle& index) { return [&] { (void)apply<S>(op::Gather{1}, {x, index}); }; };
  EXPECT_EQ(message(gather(beyond)), "gather: index 3 at [1, 0] of i64[2, 1] is outside an axis of size 3");
  EXPECT_EQ(message(gather(negative)), "gather: index -1 at [0, 1] of i32[1, 2] is outside an axis of size 3");
  EXPECT_EQ(message(gather(good)), "no error");
  const Handle huge = array<std::uint64_t>({1, 1}, {std::numeric_limits<std::uint64_t>::max()});
  EXPECT_EQ(message(gather(huge)), "gather: index 18446744073709551615 at [0, 0] of u64[1, 1] is outside an axis of size 3");
  set_checks({.index = false});
  EXPECT_EQ(message(gather(beyond)), "no error");
  set_checks({});

  auto entropy = [&](std::vector<double> targets, Scalar ignore) {
    return message([&] { (void)apply<S>(op::CrossEntropy{Reduction::mean, ignore, 0}, {x, from_doubles(Dtype::i64, {2}, targets), Handle()}); });
  };
  EXPECT_EQ(entropy({0, -100}, -100), "no error");
  EXPECT_EQ(entropy({0, -4}, -100), "cross_entropy: index -4 at [1] of i64[2] is outside an axis of size 3");
}

TEST(Checked, forwards_errors_and_claims_of_the_backend) {
  EXPECT_NE(message([] { (void)(floats({2}, {1, 2}) + floats({3}, {1, 2, 3})); }).find("[2]"), std::string::npos);
  EXPECT_NE(message([] { (void)call<C>(op::GatherNd{}, floats({2, 3}, {1, 2, 3, 4, 5, 6}), integers({1, 2}, {1, 3})); }).find("3"), std::string::npos);
  const Spec logits{Dtype::f32, {2, 3}}, targets{Dtype::i64, {2}};
  EXPECT_TRUE(claims<Checked<Careless>>(op::CrossEntropy{}, {&logits, &targets, nullptr}));
  EXPECT_FALSE(claims<Checked<Careless>>(op::Softmax{}, {&logits}));
  EXPECT_FALSE(claims<Checked<Portable>>(op::CrossEntropy{}, {&logits, &targets, nullptr}));
  EXPECT_FALSE(supports<Checked<Portable>>(op::Launch{}, {}));
  EXPECT_EQ((Checked<Autodiff<Portable>>::name()), "Checked<Autodiff<Portable>>");
}

// Outside Autodiff it looks at the forward pass; the tape goes on underneath.
TEST(Checked, leaves_the_tape_alone) {
  using A = Autodiff<Portable>;
  using S = Checked<A>;
  const auto leaf = A::track(A::from_inner(from_doubles(Dtype::f64, {2}, {4, 0})));
  const Dyn<S> x(leaf), y = reshape(sum(x * x * exp(x * 0.0), {0}), {});
  EXPECT_EQ(doubles(*A::backward(y.handle).find(leaf)), (std::vector<double>{8, 0}));
  EXPECT_EQ(message([&] { (void)(x / x); }), "div: made NaN at [1] of f64[2], and its operands hold none");
}

TEST(Checked, finds_nan_in_a_backward_pass) {
  using A = Autodiff<C>;
  const Dyn<A> x(A::track(A::from_inner(from_doubles(Dtype::f32, {2}, {4, 0}))));
  const Dyn<A> y = reshape(sum(sqrt(x) * 0.0, {0}), {});  // at 0 the gradient is 0 / 0
  EXPECT_EQ(message([&] { (void)A::backward(y.handle); }), "div: made NaN at [1] of f32[2], and its operands hold none");
}

}  // namespace hearth::test
