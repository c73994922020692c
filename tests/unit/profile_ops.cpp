// unit/profile_ops: Profile counts every op by name, forwards claims, and prints a table.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/profile/profile-inl.hpp"

#include <thread>

#include "hearth/autodiff/autodiff-inl.hpp"
#include "portable_arrays.hpp"

namespace hearth {

/// Claims Softmax, slowly.
struct Slow : Portable {
  using Portable::run;
  static std::array<Handle, 1> run(const op::Softmax& op, std::array<Handle, 1> in) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    return decompose<Portable>(op, std::move(in));
  }
  static std::string name() { return "Slow"; }
};
static_assert(Backend<Profile<Portable>>);

}  // namespace hearth

namespace hearth::test {

ProfileEntry entry(std::string_view op, std::string_view code = "") {
  for (const auto& e : profile_entries())
    if (e.op == op && e.code == code) return e;
  return {};
}

TEST(Profile, counts_and_times_ops_by_name) {
  using S = Profile<Slow>;
  using D = Dyn<S>;
  reset_profile();
  const std::vector<float> numbers(6, 1);
  const D x(S::upload({}, {Dtype::f32, {2, 3}}, numbers.data()));
  D y = exp(exp(x)) + x;
  y = sum(std::move(y), {1});
  const D soft = call<S>(op::Softmax{-1}, x);
  std::vector<float> out(2);
  S::download(y.handle, out.data());
  (void)D::full({}, {Dtype::f32, {4}}, 0);

  EXPECT_EQ(entry("Unary", "exp").calls, 2);
  EXPECT_EQ(entry("Unary", "exp").bytes, 2 * 2 * 6 * 4);
  EXPECT_EQ(entry("Binary", "add").bytes, 3 * 6 * 4);
  EXPECT_EQ(entry("Reduce", "sum").bytes, (6 + 2) * 4);
  EXPECT_EQ(entry("Full").calls, 1);
  EXPECT_EQ(entry("upload").bytes, 6 * 4);
  EXPECT_EQ(entry("download").bytes, 2 * 4);
  // The claimed composite is one entry, and the slowest.
  EXPECT_EQ(entry("Softmax").calls, 1);
  EXPECT_EQ(profile_entries()[0].op, "Softmax");
  EXPECT_GE(entry("Softmax").seconds, 0.003);
  EXPECT_LT(entry("Softmax").seconds, 1);
}

TEST(Profile, times_the_parts_of_a_composite_that_nobody_claims) {
  using S = Profile<Portable>;
  reset_profile();
  (void)call<S>(op::Softmax{-1}, Dyn<S>(from_doubles(Dtype::f32, {2, 3}, {1, 2, 3, 4, 5, 6})));
  EXPECT_EQ(entry("Softmax").calls, 0);
  EXPECT_EQ(entry("Unary", "exp").calls, 1);
}

TEST(Profile, sees_the_backward_pass_under_autodiff) {
  using A = Autodiff<Profile<Portable>>;
  reset_profile();
  const Dyn<A> a(A::track(A::from_inner(from_doubles(Dtype::f32, {2, 3}, {1, 2, 3, 4, 5, 6})))), b(A::track(A::from_inner(from_doubles(Dtype::f32, {3, 2}, {1, 2, 3, 4, 5, 6}))));
  (void)A::backward(reshape(sum(matmul(a, b), {0, 1}), {}).handle);
  EXPECT_EQ(entry("MatMul").calls, 3);
  EXPECT_EQ(A::name(), "Autodiff<Profile<Portable>>");
}

TEST(Profile, leaves_the_tape_alone) {
  using A = Autodiff<Portable>;
  using S = Profile<A>;
  reset_profile();
  const auto leaf = A::track(A::from_inner(from_doubles(Dtype::f64, {2}, {4, 3})));
  const Dyn<S> x(leaf), y = reshape(sum(x * x, {0}), {});
  EXPECT_EQ(doubles(*A::backward(y.handle).find(leaf)), (std::vector<double>{8, 6}));
  EXPECT_EQ(entry("Binary", "mul").calls, 1);  // of the forward pass; what Autodiff runs inside is not Profile's
}

TEST(Profile, prints_a_table) {
  using S = Profile<Portable>;
  reset_profile();
  (void)exp(Dyn<S>(from_doubles(Dtype::f32, {1000}, std::vector<double>(1000, 1))));
  const std::string text = profile_table();
  EXPECT_EQ(text.find("op  "), 0u) << text;
  EXPECT_NE(text.find("\nUnary exp"), std::string::npos) << text;
  EXPECT_NE(text.find("\nall"), std::string::npos) << text;
  EXPECT_NE(text.find("100.0%"), std::string::npos) << text;
  reset_profile();
  EXPECT_TRUE(profile_entries().empty());
  EXPECT_NE(profile_table().find("all "), std::string::npos);
}

TEST(Profile, takes_calls_from_many_threads) {
  using S = Profile<Portable>;
  reset_profile();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 100; ++i) (void)exp(Dyn<S>(from_doubles(Dtype::f32, {2}, {1, 2})));
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(entry("Unary", "exp").calls, 400);
}

}  // namespace hearth::test
