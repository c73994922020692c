// Operators and functions element by element: broadcasting, kinds, numbers on either side, in-place forms.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "tensor_stacks.hpp"

namespace hearth::test {
namespace {

using Floats = std::vector<float>;
using Ints = std::vector<std::int64_t>;
using Bools = std::vector<bool>;
constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();

template <class B>
struct Math : testing::Test {};
TYPED_TEST_SUITE(Math, Stacks);

TYPED_TEST(Math, Arithmetic) {
  using B = TypeParam;
  const auto one = tensor<B>({{1., 2., 3.}, {4., 5., 6.}}), two = tensor<B>({{2., 2., .5}, {-1., 10., 3.}});
  for (const auto& a : layouts(one))
    for (const auto& b : layouts(two)) {
      EXPECT_EQ((a + b).to_vector(), (Floats{3, 4, 3.5f, 3, 15, 9}));
      EXPECT_EQ((a - b).to_vector(), (Floats{-1, 0, 2.5f, 5, -5, 3}));
      EXPECT_EQ((a * b).to_vector(), (Floats{2, 4, 1.5f, -4, 50, 18}));
      EXPECT_EQ((a / b).to_vector(), (Floats{.5f, 1, 6, -4, .5f, 2}));
    }
  for (const auto& a : layouts(one)) {
    EXPECT_EQ((a + 1).to_vector(), (Floats{2, 3, 4, 5, 6, 7}));
    EXPECT_EQ((10 - a).to_vector(), (Floats{9, 8, 7, 6, 5, 4}));
    EXPECT_EQ((2. * a).to_vector(), (Floats{2, 4, 6, 8, 10, 12}));
    EXPECT_EQ((12 / a).to_vector(), (Floats{12, 6, 4, 3, 2.4f, 2}));
    EXPECT_EQ((-a).to_vector(), (Floats{-1, -2, -3, -4, -5, -6}));
    EXPECT_EQ(pow(a, 2).to_vector(), (Floats{1, 4, 9, 16, 25, 36}));
    EXPECT_EQ(pow(2, a).to_vector(), (Floats{2, 4, 8, 16, 32, 64}));
    EXPECT_EQ(maximum(a, 3).to_vector(), (Floats{3, 3, 3, 4, 5, 6}));
    EXPECT_EQ(square(a).to_vector(), (Floats{1, 4, 9, 16, 25, 36}));
    expect_near(sqrt(a).to_vector(), Floats{1, 1.41421356f, 1.73205081f, 2, 2.23606798f, 2.44948974f}, 1e-6);
  }
}

TYPED_TEST(Math, BroadcastsAcrossRanks) {
  using B = TypeParam;
  const auto row = tensor<B>({10., 20., 30.});
  const auto matrix = tensor<B>({{1., 2., 3.}, {4., 5., 6.}});
  const auto column = tensor<B>({{100.}, {200.}});
  const auto scalar = tensor<B>(1000.);
  auto sum = row + matrix;
  static_assert(std::is_same_v<decltype(sum), Tensor<B, 2>>);
  EXPECT_EQ(sum.to_vector(), (Floats{11, 22, 33, 14, 25, 36}));
  EXPECT_EQ((matrix + row).to_vector(), (Floats{11, 22, 33, 14, 25, 36}));
  auto outer_sum = row + column;
  EXPECT_EQ(outer_sum.shape(), (Shape{2, 3}));
  EXPECT_EQ(outer_sum.to_vector(), (Floats{110, 120, 130, 210, 220, 230}));
  EXPECT_EQ((scalar - matrix).to_vector(), (Floats{999, 998, 997, 996, 995, 994}));
  auto deep = matrix + zeros<B>({2, 1, 1});
  static_assert(std::is_same_v<decltype(deep), Tensor<B, 3>>);
  EXPECT_EQ(deep.shape(), (Shape{2, 2, 3}));
  EXPECT_EQ((matrix + zeros<B>({0, 2, 3})).shape(), (Shape{0, 2, 3}));
  EXPECT_EQ((row + zeros<B>({0, 1})).shape(), (Shape{0, 3}));
  expect_error([&] { (void)(matrix + tensor<B>({1., 2.})); }, "add: ");
  expect_error([&] { (void)(matrix + tensor<B>({1., 2.})); }, "[2, 3]");
}

TYPED_TEST(Math, NoPromotion) {
  using B = TypeParam;
  const auto f32 = ones<B>({2}), f64 = ones<B>({2}, {}, Dtype::f64);
  expect_error([&] { (void)(f32 + f64); }, "f32");
  expect_error([&] { (void)(f32 + f64); }, "f64");
  EXPECT_EQ((f64 * 3).dtype(), Dtype::f64);
  const auto bytes = tensor<B>({250, 3}, {}, Dtype::u8);
  EXPECT_EQ((bytes + 10).dtype(), Dtype::u8);
  EXPECT_EQ((bytes + 10).to_vector(), (Ints{4, 13}));  // wraps
  expect_error([&] { (void)(bytes + tensor<B>({1, 1})); }, "i64");
}

TYPED_TEST(Math, Integers) {
  using B = TypeParam;
  const auto a = tensor<B>({7, -7, 7, -7, 5}), b = tensor<B>({2, 2, -2, -2, 0});
  EXPECT_EQ((a / b).to_vector(), (Ints{3, -3, -3, 3, 0}));
  EXPECT_EQ(floor_divide(a, b).to_vector(), (Ints{3, -4, -4, 3, 0}));
  EXPECT_EQ(remainder(a, b).to_vector(), (Ints{1, 1, -1, -1, 0}));
  EXPECT_EQ(fmod(a, b).to_vector(), (Ints{1, -1, 1, -1, 0}));
  EXPECT_EQ((tensor<B>({12, 10}) & tensor<B>({10, 6})).to_vector(), (Ints{8, 2}));
  EXPECT_EQ((tensor<B>({12, 10}) | 1).to_vector(), (Ints{13, 11}));
  EXPECT_EQ((tensor<B>({12, 10}) ^ tensor<B>({10, 6})).to_vector(), (Ints{6, 12}));
  EXPECT_EQ((~tensor<B>({0, 5})).to_vector(), (Ints{-1, -6}));
  EXPECT_EQ(shift_left(tensor<B>({1, 3}), 4).to_vector(), (Ints{16, 48}));
  EXPECT_EQ(abs(a).to_vector(), (Ints{7, 7, 7, 7, 5}));
}

TYPED_TEST(Math, Comparisons) {
  using B = TypeParam;
  for (const auto& a : layouts(tensor<B>({{1., 2., 3.}, {nan, 5., -0.}}))) {
    const auto b = tensor<B>({2., 2., 0.});
    EXPECT_EQ((a == b).to_vector(), (Bools{false, true, false, false, false, true}));
    EXPECT_EQ((a != b).to_vector(), (Bools{true, false, true, true, true, false}));
    EXPECT_EQ((a < b).to_vector(), (Bools{true, false, false, false, false, false}));
    EXPECT_EQ((a <= b).to_vector(), (Bools{true, true, false, false, false, true}));
    EXPECT_EQ((a > b).to_vector(), (Bools{false, false, true, false, true, false}));
    EXPECT_EQ((a >= b).to_vector(), (Bools{false, true, true, false, true, true}));
    EXPECT_EQ((a > 2).to_vector(), (Bools{false, false, true, false, true, false}));
    EXPECT_EQ((2 > a).to_vector(), (Bools{true, false, false, false, false, true}));
    EXPECT_EQ(ge(2, a).to_vector(), (Bools{true, true, false, false, false, true}));
    EXPECT_EQ(isnan(a).to_vector(), (Bools{false, false, false, true, false, false}));
  }
  static_assert(std::is_same_v<decltype(tensor<B>({1}) == tensor<B>({{1}})), Tensor<B, 2, Bool>>);
  const auto x = tensor<B>({1.f, inf, -inf, nan});
  EXPECT_EQ(isinf(x).to_vector(), (Bools{false, true, true, false}));
  EXPECT_EQ(isfinite(x).to_vector(), (Bools{true, false, false, false}));
  const auto p = tensor<B>({true, true, false, false}), q = tensor<B>({true, false, true, false});
  EXPECT_EQ((p & q).to_vector(), (Bools{true, false, false, false}));
  EXPECT_EQ((p | q).to_vector(), (Bools{true, true, true, false}));
  EXPECT_EQ(logical_xor(p, q).to_vector(), (Bools{false, true, true, false}));
  EXPECT_EQ(logical_and(p, q).to_vector(), (p & q).to_vector());
  EXPECT_EQ(logical_or(p, q).to_vector(), (p | q).to_vector());
  EXPECT_EQ((!p).to_vector(), (Bools{false, false, true, true}));
  EXPECT_EQ((p == q).to_vector(), (Bools{true, false, false, true}));
}

TYPED_TEST(Math, WhereAndClamp) {
  using B = TypeParam;
  const auto mask = tensor<B>({true, false, true});
  for (const auto& a : layouts(tensor<B>({{1., 2., 3.}, {4., 5., 6.}}))) {
    EXPECT_EQ(where(mask, a, -a).to_vector(), (Floats{1, -2, 3, 4, -5, 6}));
    EXPECT_EQ(where(mask, a, 0).to_vector(), (Floats{1, 0, 3, 4, 0, 6}));
    EXPECT_EQ(where(mask, 9, a).to_vector(), (Floats{9, 2, 9, 9, 5, 9}));
    EXPECT_EQ(clamp(a, 2, 4.5).to_vector(), (Floats{2, 2, 3, 4, 4.5f, 4.5f}));
    EXPECT_EQ(clamp_min(a, 3).to_vector(), (Floats{3, 3, 3, 4, 5, 6}));
    EXPECT_EQ(clamp_max(a, 3).to_vector(), (Floats{1, 2, 3, 3, 3, 3}));
    EXPECT_EQ(clamp(a, tensor<B>({2., 3., 4.}), tensor<B>(5.)).to_vector(), (Floats{2, 3, 4, 4, 5, 5}));
    EXPECT_EQ(lerp(a, a + 10, .5).to_vector(), (Floats{6, 7, 8, 9, 10, 11}));
    EXPECT_EQ(lerp(tensor<B>({1e8f}), tensor<B>({1.f}), 1).item(), 1);  // both ends are exact
    EXPECT_EQ(lerp(tensor<B>({1.f}), tensor<B>({1e8f}), 0).item(), 1);
  }
  auto numbers = where(mask, 1, 0);
  static_assert(std::is_same_v<decltype(numbers), Tensor<B, 1, Int>>);
  EXPECT_EQ(numbers.to_vector(), (Ints{1, 0, 1}));
  EXPECT_EQ(where(mask, 1.5, -1.).to_vector(), (Floats{1.5f, -1, 1.5f}));
  EXPECT_TRUE(std::isnan(clamp(tensor<B>({double(nan)}), 0, 1).item()));
}

TYPED_TEST(Math, Closeness) {
  using B = TypeParam;
  const auto a = tensor<B>({1.f, inf, -inf, nan, 0.f, 100.f}), b = tensor<B>({1.000005f, inf, inf, nan, 1e-9f, 101.f});
  EXPECT_EQ(is_close(a, b).to_vector(), (Bools{true, true, false, false, true, false}));
  EXPECT_EQ(is_close(a, b, .01).to_vector(), (Bools{true, true, false, false, true, true}));
  EXPECT_EQ(is_close(tensor<B>({1.f}), tensor<B>({inf})).to_vector(), (Bools{false}));
  EXPECT_TRUE(all_close(tensor<B>({1., 2.}), tensor<B>({1., 2.})));
  EXPECT_FALSE(all_close(a, a));
  EXPECT_TRUE(all_close(zeros<B>({0}), zeros<B>({0})));
  EXPECT_TRUE(equal(tensor<B>({1, 2}), tensor<B>({1, 2})));
  EXPECT_FALSE(equal(tensor<B>({1, 2}), tensor<B>({1, 3})));
  EXPECT_FALSE(equal(tensor<B>({1, 2}), tensor<B>({1, 2, 3})));
  EXPECT_FALSE(equal(tensor<B>({1, 2}), tensor<B>({1, 2}, {}, Dtype::i32)));
}

TYPED_TEST(Math, InPlace) {
  using B = TypeParam;
  auto a = tensor<B>({{1., 2.}, {3., 4.}});
  const auto before = a;
  a += a;
  EXPECT_EQ(a.to_vector(), (Floats{2, 4, 6, 8}));
  EXPECT_EQ(before.to_vector(), (Floats{1, 2, 3, 4})) << "a copy is a value of its own";
  a *= a;
  a -= 1;
  a /= tensor<B>({1., 3.});
  EXPECT_EQ(a.to_vector(), (Floats{3, 5, 35, 21}));
  // A view shares elements, but is a value too.
  auto row = a[0];
  row += 100;
  EXPECT_EQ(row.to_vector(), (Floats{103, 105}));
  EXPECT_EQ(a.to_vector(), (Floats{3, 5, 35, 21}));
  // What fails leaves the tensor as it was.
  expect_error([&] { a += tensor<B>({1., 2., 3.}); }, "add");
  expect_error([&] { a += ones<B>({2, 2}, {}, Dtype::f64); }, "f64");
  auto narrow_one = ones<B>({1, 2});
  expect_error([&] { narrow_one += a; }, "in place, the result f32[2, 2] does not fit into f32[1, 2]");
  if constexpr (SeveralDevices<B>) expect_error([&] { a += ones<B>({2, 2}, DeviceOf<B>{1}); }, "different devices");
  EXPECT_EQ(a.to_vector(), (Floats{3, 5, 35, 21}));
  EXPECT_EQ(narrow_one.to_vector(), (Floats{1, 1}));
  auto bits = tensor<B>({6, 3});
  bits &= 5;
  bits |= tensor<B>({8, 8});
  bits ^= bits;
  EXPECT_EQ(bits.to_vector(), (Ints{0, 0}));
  auto flags = tensor<B>({true, false});
  flags |= tensor<B>({true, true});
  EXPECT_EQ(flags.to_vector(), (Bools{true, true}));
}

/// The backend that allocates, below the decorators.
template <class B>
struct Leaf {
  using type = B;
};
template <class B>
struct Leaf<Autodiff<B>> : Leaf<B> {};

// Memory may run out while an op works on a tensor that it was given; the tensor is there again afterwards.
TYPED_TEST(Math, InPlaceWithoutMemoryChangesNothing) {
  using B = TypeParam;
  using Memory = typename Leaf<B>::type;
  constexpr std::int64_t n = 512;
  const auto start = arange<B, Float>(n * n).reshape({n, n}), other = ones<B>({n, n});
  auto shared = start, sole = start + 1;
  const auto starved = [](auto f) {
    Memory::trim({});
    const MemoryStats now = Memory::memory_stats({});
    Memory::set_memory_cap(std::max(now.live, now.reserved));
    bool failed = false;
    try {
      f();
    } catch (const Error& error) {
      failed = error.kind == ErrorKind::device;
    }
    Memory::set_memory_cap(0);
    return failed;
  };
  EXPECT_TRUE(starved([&] { shared += other; })) << "a shared tensor needs room for the result";
  EXPECT_TRUE(starved([&] { shared *= 2; }));
  EXPECT_TRUE(equal(shared, start));
  // Nobody else has it: it may be written over, which not every backend does. The view is made before, or it would be what fails.
  const auto turned = start.transpose();
  const auto difference = sole - turned, before = sole + 0;
  const bool failed = starved([&] { sole -= turned; });
  ASSERT_TRUE(sole.defined());
  EXPECT_TRUE(equal(sole, failed ? before : difference));
  sole = start + 1;
  if constexpr (is_autodiff<B>) {
    auto recorded = require_gradient(start) * 1;
    const auto factor = require_gradient(turned);  // a tape keeps what it is multiplied by
    EXPECT_TRUE(starved([&] { recorded *= factor; }));
    ASSERT_TRUE(recorded.defined());
    EXPECT_TRUE(equal(recorded, start));
    EXPECT_TRUE(requires_gradient(recorded)) << "its history is there too";
  }
  // And all of them go on working.
  shared += other;
  sole -= other;
  EXPECT_TRUE(equal(shared, start + 1) && equal(sole, start));
}

TYPED_TEST(Math, EveryRowIsAFunction) {
  using B = TypeParam;
  // One value of each row by a name that <cmath> has; the values of all rows are tested with the backends.
  const auto x = tensor<B>({.5, .25});
  const auto check = [&](auto y, double (*f)(double)) { expect_near(y.to_vector(), Floats{float(f(.5)), float(f(.25))}, 2e-6); };
  check(exp(x), std::exp);
  check(exp2(x), std::exp2);
  check(expm1(x), std::expm1);
  check(log(x), std::log);
  check(log1p(x), std::log1p);
  check(sin(x), std::sin);
  check(cos(x), std::cos);
  check(tan(x), std::tan);
  check(asin(x), std::asin);
  check(atan(x), std::atan);
  check(sinh(x), std::sinh);
  check(tanh(x), std::tanh);
  check(erf(x), std::erf);
  check(erfc(x), std::erfc);
  check(lgamma(x), std::lgamma);
  check(cbrt(x), std::cbrt);
  check(round(x), std::nearbyint);
  check(ceil(x), std::ceil);
  check(trunc(x), std::trunc);
  check(relu(-x), [](double) { return 0.; });
  check(sigmoid(x), [](double v) { return 1 / (1 + std::exp(-v)); });
  check(silu(x), [](double v) { return v / (1 + std::exp(-v)); });
  check(softplus(x), [](double v) { return std::log1p(std::exp(v)); });
  check(gelu(x), [](double v) { return v / 2 * std::erfc(-v / std::sqrt(2.)); });
  check(atan2(x, 2), [](double v) { return std::atan2(v, 2); });
  check(hypot(x, x), [](double v) { return std::hypot(v, v); });
  check(logaddexp(x, x), [](double v) { return v + std::log(2.); });
  check(copysign(x, -1), [](double v) { return -v; });
}

}  // namespace
}  // namespace hearth::test
