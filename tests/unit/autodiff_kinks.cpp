// unit/autodiff_kinks: gradients where they are easily wrong: kinks, zeros, ties, saturation, repeated indices, 16-bit floats.
// Values by hand, from the numerics contract, or from reports about other libraries (named by repository and number). Each on Portable
// and on Cpu, with operands that are contiguous and operands that are views of larger arrays.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "cpu_arrays.hpp"
#include "hearth/nn/activation.hpp"
#include "hearth/nn/loss.hpp"
#include "hearth/tensor/tensor.hpp"

namespace hearth::test {

using List = std::vector<double>;
constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

/// Equal, or both NaN, or within the tolerance.
void expect_near(const List& got, const List& expected, double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i] == expected[i] || (std::isnan(got[i]) && std::isnan(expected[i]))) continue;
    EXPECT_NEAR(got[i], expected[i], tolerance) << "element " << i;
  }
}
void expect_equal(const List& got, const List& expected) { expect_near(got, expected, 0); }

template <class B>
struct Kinks {
  using A = Autodiff<B>;
  using D = Dyn<A>;
  static inline bool views = false;  ///< operands are every second element, read backwards, of an array that is full of NaN else

  static HandleOf<B> make(const Spec& spec, const List& numbers) {
    if (!views || spec.shape.size() == 0) return upload<B>(spec, numbers);
    const std::int64_t length = spec.shape[-1], rows = length > 0 ? element_count(spec.shape) / length : 0;
    Spec larger = spec;
    larger.shape[-1] = 2 * length + 1;
    List all(std::size_t(element_count(larger.shape)), is_float(spec.dtype) ? nan : 0);
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t i = 0; i < length; ++i) all[std::size_t(row * larger.shape[-1] + 2 * (length - i) - 1)] = numbers[std::size_t(row * length + i)];
    Shape start = Shape::filled(spec.shape.size(), 0), step = Shape::filled(spec.shape.size(), 1);
    start[-1] = length > 0 ? 2 * length - 1 : 0;
    step[-1] = -2;
    return apply<B>(op::Slice{start, spec.shape, step}, {upload<B>(larger, all)})[0];
  }
  static D constant(Dtype dtype, const Shape& shape, const List& numbers) { return D(A::from_inner(make({dtype, shape}, numbers))); }
  static D leaf(Dtype dtype, const Shape& shape, const List& numbers) { return D(A::track(constant(dtype, shape, numbers).handle)); }
  static D leaf(const Shape& shape, const List& numbers) { return leaf(Dtype::f64, shape, numbers); }
  static D index(const Shape& shape, const List& numbers) { return constant(Dtype::i64, shape, numbers); }
  static List numbers(const D& x) { return test::numbers<B>(x.handle.value); }
  /// dy/dx with the seed (ones if none) as dL/dy.
  static List gradient(const D& y, const D& x, List seed = {}) {
    if (seed.empty()) seed.assign(std::size_t(element_count(y.shape())), 1);
    const auto gradients = A::backward(y.handle, {.seed = make(y.spec(), seed), .retain = true});
    const auto* found = gradients.find(x.handle);
    EXPECT_TRUE(found);
    return found ? test::numbers<B>(*found) : List{};
  }

  // burn PR#2249, PR#5692, pytorch#6394
  static void at_zero() {
    const D x = leaf({3}, {-1, 0, 2});
    expect_equal(gradient(abs(x), x), {-1, 0, 1});
    const D base = leaf({3}, {2, -3, 0});
    expect_equal(gradient(pow(base, Scalar(0)), base), {0, 0, 0});
    expect_equal(gradient(pow(base, constant(Dtype::f64, {}, {0})), base), {0, 0, 0});
    expect_equal(gradient(pow(base, Scalar(2)), base), {4, -6, 0});
    const D zero = leaf({}, {0}), two = leaf({}, {2}), three = leaf({}, {3});
    expect_equal(gradient(sqrt(zero), zero), {inf});
    const D r = leaf({3}, {0, 1, -1});
    expect_equal(gradient(relu(r), r), {0, 1, 0});
    expect_near(gradient(pow(Scalar(2), three), three), {5.5451774444795623}, 1e-12);  // 8 log 2
    expect_equal(gradient(pow(Scalar(0), two), two), {0});
    expect_equal(gradient(pow(constant(Dtype::f64, {}, {0}), two), two), {0});
    const D other = leaf({}, {0});
    expect_equal(gradient(hypot(zero, other), zero), {0});
    expect_equal(gradient(square(zero), zero), {0});
    expect_equal(gradient(sinc(zero), zero), {0});
    expect_equal(gradient(cbrt(zero), zero), {inf});
  }

  static void of_ties() {
    const D x = leaf({4}, {2, 1, 2, nan}), y = constant(Dtype::f64, {4}, {2, 3, 1, 1});
    expect_equal(gradient(maximum(x, y), x), {0.5, 0, 1, 0});
    expect_equal(gradient(minimum(x, y), x), {0.5, 1, 0, 0});
    const D row = leaf({2, 3}, {2, 1, 2, 5, 7, 6});
    expect_equal(gradient(D::reduce(ReduceCode::max, row, {1}), row, {6, 4}), {3, 0, 3, 0, 4, 0});
    expect_equal(gradient(D::reduce(ReduceCode::min, row, {0, 1}), row), {0, 1, 0, 0, 0, 0});
    const D all = leaf({2, 2}, {3, 3, 3, 3});
    expect_equal(gradient(D::reduce(ReduceCode::max, all, {0, 1}), all), {.25, .25, .25, .25});
    // A running maximum belongs to the earliest of equals; it keeps what it has.
    const D run = leaf({5}, {1, 3, 3, 2, 4});
    expect_equal(gradient(call<A>(op::Scan{ScanCode::max, 0, false}, run), run, {1, 10, 100, 1000, 10000}), {1, 1110, 0, 0, 10000});
    const D repeated = leaf({4}, {5, 2, 5, 5});
    expect_equal(gradient(call<A>(op::Unique{}, repeated)[0], repeated, {7, 9}), {3, 7, 3, 3});
  }

  static void clamp_passes_its_bounds() {
    const D x = leaf({5}, {0, 1, 1.5, 2, 3});
    expect_equal(gradient(clamp(x, 1, 2), x), {0, 1, 1, 1, 0});
    const D n = leaf({1}, {nan});
    expect_equal(gradient(clamp(n, 1, 2), n), {0});
  }

  static void products_with_zeros() {
    auto prod = [](const D& x, const Axes& axes) { return D::reduce(ReduceCode::prod, x, axes); };
    const D one = leaf({3}, {2, 0, 3}), two = leaf({3}, {0, 0, 3}), none = leaf({3}, {2, 5, 3});
    expect_equal(gradient(prod(one, {0}), one), {0, 6, 0});
    expect_equal(gradient(prod(two, {0}), two), {0, 0, 0});
    expect_equal(gradient(prod(none, {0}), none), {15, 6, 10});
    const D plane = leaf({2, 2}, {2, 0, 3, 4});
    expect_equal(gradient(prod(plane, {0, 1}), plane), {0, 24, 0, 0});
    auto running = [](const D& x, bool reverse) { return call<A>(op::Scan{ScanCode::prod, 0, reverse}, x); };
    expect_equal(gradient(running(one, false), one), {1, 8, 0});  // y = a, ab, abc
    expect_equal(gradient(running(one, true), one), {0, 9, 1});   // y = abc, bc, c
    expect_equal(gradient(running(two, false), two), {1, 0, 0});
    const D empty = leaf({0, 2}, {});
    expect_equal(gradient(prod(empty, {0}), empty), {});
  }

  static void log_sum_exp_of_nothing() {
    const D x = leaf({4}, {-inf, 1, -inf, 1000});
    auto run = [](const D& y, bool reverse) { return call<A>(op::Scan{ScanCode::logsumexp, 0, reverse}, y); };
    expect_equal(gradient(run(x, false), x), {0, 2, 0, 1});
    expect_equal(gradient(run(x, true), x), {0, 0, 0, 4});
    const D a = leaf({3}, {1000, -inf, -1000}), b = constant(Dtype::f64, {3}, {1000, -inf, 1000});
    expect_near(gradient(logaddexp(a, b), a), {0.5, 0.5, 0}, 1e-12);
    const D large = leaf(Dtype::f16, {2}, {10000, 10000});  // the result is rounded, the difference is not
    expect_equal(gradient(logaddexp(large, constant(Dtype::f16, {2}, {10000, 10008})), large), {0.5, 0.00033545494079589844});
  }

  // burn#1139
  static void saturated_activations() {
    const D far = leaf(Dtype::f32, {2}, {1000, -1000});
    struct Expected {
      UnaryCode code;
      List value, gradient;
    };
    for (const auto& [code, value, slope] : std::vector<Expected>{{UnaryCode::silu, {1000, 0}, {1, 0}},
                                                                  {UnaryCode::softplus, {1000, 0}, {1, 0}},
                                                                  {UnaryCode::log_sigmoid, {0, -1000}, {0, 1}},
                                                                  {UnaryCode::mish, {1000, 0}, {1, 0}},
                                                                  {UnaryCode::gelu, {1000, 0}, {1, 0}},
                                                                  {UnaryCode::gelu_tanh, {1000, 0}, {1, 0}},
                                                                  {UnaryCode::tanh, {1, -1}, {0, 0}},
                                                                  {UnaryCode::sigmoid, {1, 0}, {0, 0}}}) {
      SCOPED_TRACE(name_of(code));
      const D y = D::unary(code, far);
      expect_near(numbers(y), value, 1e-6);
      expect_near(gradient(y, far), slope, 1e-6);
    }
    const D x = leaf(Dtype::f32, {3}, {-90, 90, 0});
    const auto slope = gradient(sigmoid(x), x);
    EXPECT_TRUE(slope[0] >= 0 && slope[0] <= 1e-38);
    EXPECT_EQ(slope[1], 0);
    EXPECT_EQ(slope[2], 0.25);
  }

  // Steps in f16 would overflow or round away: x^3 of gelu_tanh, the count of a long mean.
  static void sixteen_bits() {
    for (Dtype dtype : {Dtype::f16, Dtype::bf16}) {
      SCOPED_TRACE(name_of(dtype));
      const D far = leaf(dtype, {4}, {10000, -10000, 300, -300});
      for (UnaryCode code : {UnaryCode::gelu, UnaryCode::gelu_tanh, UnaryCode::silu, UnaryCode::mish, UnaryCode::softplus})
        expect_equal(gradient(D::unary(code, far), far), {1, 0, 1, 0});
      const D many = leaf(dtype, {1, 70000}, List(70000, 1)), wide = D::reduce(ReduceCode::mean, many, {1});
      EXPECT_NEAR(gradient(wide, many, {1024})[0], 1024.0 / 70000, 1e-4);
      // dy/db of a / b summed over a long broadcast: 2,000 terms of -a / b^2.
      const D a = constant(dtype, {2000}, List(2000, 0.125)), b = leaf(dtype, {1}, {2});
      expect_equal(gradient(a / b, b), {-62.5});
      EXPECT_EQ(A::spec(b.handle).dtype, dtype);
    }
  }

  // pytorch#1631, #1528, #94336, PR#188843, #88096; burn#4063
  static void repeated_indices() {
    const D one = leaf({1}, {.1});
    expect_near(gradient(gather(one, index({2}, {0, 0}), 0), one, {.2, .3}), {.5}, 1e-15);
    const D table = leaf({3, 2}, {1, 2, 3, 4, 5, 6});
    expect_equal(gradient(call<A>(op::GatherNd{}, table, index({3, 1}, {1, 1, 0})), table), {1, 1, 2, 2, 0, 0});

    const D x = leaf({2, 5}, List(10, 0)), v = leaf({2, 2}, {1, 2, 3, 4}), at = index({2, 2}, {0, 3, 1, 1});
    const D added = D::scatter(x, at, v, 1, ScatterMode::add);
    expect_equal(numbers(added), {1, 0, 0, 2, 0, 0, 7, 0, 0, 0});
    const List weight{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    expect_equal(gradient(added, v, weight), {0, 3, 6, 6});
    expect_equal(gradient(added, x, weight), weight);

    const D nothing = leaf({2, 0}, {});
    const D same = D::scatter(x, index({2, 0}, {}), nothing, 1, ScatterMode::add);
    expect_equal(numbers(same), numbers(x));
    expect_equal(gradient(same, nothing), {});

    const D nine = leaf({9}, {1, 2, 3, 4, 5, 6, 7, 8, 9}), five = leaf({5}, {11, 12, 13, 14, 15});
    const D assigned = D::scatter(nine, index({5}, {0, 1, 1, 1, 2}), five, 0, ScatterMode::assign);
    expect_equal(numbers(assigned), {11, 14, 15, 4, 5, 6, 7, 8, 9});
    const List nines{1, 2, 3, 4, 5, 6, 7, 8, 9};
    expect_equal(gradient(assigned, five, nines), {1, 0, 0, 2, 3});
    expect_equal(gradient(assigned, nine, nines), {0, 0, 0, 4, 5, 6, 7, 8, 9});
  }

  static void scattering_products_and_extremes() {
    const D base = leaf({3}, {2, 3, 5}), source = leaf({4}, {0, 7, 0, 0}), at = index({4}, {0, 0, 1, 1});
    const D product = D::scatter(base, at, source, 0, ScatterMode::mul);
    expect_equal(numbers(product), {0, 0, 5});
    expect_equal(gradient(product, source), {14, 0, 0, 0});
    expect_equal(gradient(product, base), {0, 0, 1});
    const D most = D::scatter(base, at, leaf({4}, {2, 1, 9, 9}), 0, ScatterMode::max);
    expect_equal(gradient(most, base), {0.5, 0, 1});
    const D ties = leaf({4}, {2, 1, 9, 9});
    expect_equal(gradient(D::scatter(base, at, ties, 0, ScatterMode::max), ties), {0.5, 0, 0.5, 0.5});
  }

  // candle#3568, PR#3823
  static void softmax_and_layer_norm_keep_the_graph() {
    const D x = leaf({3}, {1, 2, 3});
    expect_near(gradient(call<A>(op::Softmax{-1}, x), x, {1, 0, 0}), {.08192507, -.02203305, -.05989202}, 1e-7);
    const D y = leaf({3}, {1, 2, 4}), scale = leaf({3}, {1, 1, 1}), bias = leaf({3}, {0, 0, 0});
    const D norm = call<A>(op::LayerNorm{1, 1e-5}, y, scale, bias);
    expect_near(gradient(norm, y, {1, 10, 100}), {8.246647, -12.370399, 4.123745}, 1e-5);
    expect_near(gradient(norm, bias, {1, 10, 100}), {1, 10, 100}, 1e-12);
  }

  // Composites with an activation inside keep to the same, and so does a count beyond the largest f16.
  static void sixteen_bits_in_composites() {
    for (Dtype dtype : {Dtype::f16, Dtype::bf16}) {
      SCOPED_TRACE(name_of(dtype));
      const List one{1};
      for (Activation activation : {Activation::gelu, Activation::gelu_tanh, Activation::silu}) {
        const D x = leaf(dtype, {4, 1}, {10000, -10000, 300, -300}), weight = constant(dtype, {1, 1}, one);
        expect_equal(gradient(call<A>(op::Linear{activation}, x, weight, D(), D()), x), {1, 0, 1, 0});
        const D line = leaf(dtype, {1, 1, 4}, {10000, -10000, 300, -300}), kernel = constant(dtype, {1, 1, 1}, one);
        expect_equal(gradient(call<A>(op::ConvBiasActivation{{{1}, {1}, {0}, {0}, 1}, activation}, line, kernel, D(), D()), line), {1, 0, 1, 0});
      }
      const D ties = leaf(dtype, {1, 70000}, List(70000, 2));
      EXPECT_NEAR(gradient(D::reduce(ReduceCode::max, ties, {1}), ties, {1024})[0], 1024.0 / 70000, 1e-4);
      const D base = leaf(dtype, {1}, {2}), source = leaf(dtype, {70000}, List(70000, 2));
      const D largest = D::scatter(base, index({70000}, List(70000, 0)), source, 0, ScatterMode::max);
      EXPECT_NEAR(gradient(largest, base, {1024})[0], 1024.0 / 70001, 1e-4);
      EXPECT_NEAR(gradient(call<A>(op::Unique{}, source)[0], source, {1024})[0], 1024.0 / 70000, 1e-4);
    }
  }

  // where(x > 0, sqrt x, 0): the branch that is not chosen gets a gradient of 0, and 0 times an infinite slope is NaN, as in PyTorch.
  static void hidden_branches() {
    const D x = leaf({3}, {4, 0, -1});
    expect_equal(gradient(when(x > 0.0, sqrt(x), Scalar(0)), x), {.25, nan, nan});
    const D safe = when(x > 0.0, x, Scalar(1));  // the way around it: choose before
    expect_equal(gradient(when(x > 0.0, sqrt(safe), Scalar(0)), x), {.25, 0, 0});
  }

  // The same at the front: norms, deviations and losses.
  static void of_norms_and_losses() {
    using T = Tensor<A, 1>;
    const auto front = [](const D& x) { return T(x); };
    const D zeros = leaf({2}, {0, 0}), same = leaf({3}, {2, 2, 2}), both = leaf({2}, {3, 4});
    expect_equal(gradient(front(zeros).norm().dyn, zeros), {0, 0});
    expect_equal(gradient(front(same).std().dyn, same), {0, 0, 0});
    expect_near(gradient(front(both).norm().dyn, both), {.6, .8}, 1e-12);
    const D sparse = leaf({2}, {0, 4});  // (sum of sqrt |x|)^2, whose slope at 0 is infinite
    expect_near(gradient(front(sparse).norm(Order{0.5}).dyn, sparse), {0, 1}, 1e-12);
    const D saturated = leaf({3}, {-1, 0, 3});
    expect_equal(gradient(relu6(front(saturated)).dyn, saturated), {0, 0, 1});
    const D logits = leaf({3}, {1000, -1000, 0});
    const auto loss = bce_with_logits_each(front(logits), front(constant(Dtype::f64, {3}, {0, 1, .5})));
    expect_near(numbers(loss.dyn), {1000, 1000, .69314718}, 1e-6);
    expect_near(gradient(loss.dyn, logits), {1, -1, 0}, 1e-6);
  }
};

// Every case on both backends, contiguous and as views.
void everywhere(void (*on_portable)(), void (*on_cpu)()) {
  for (bool views : {false, true}) {
    Kinks<Portable>::views = Kinks<Cpu>::views = views;
    for (auto* run : {on_portable, on_cpu}) {
      SCOPED_TRACE(std::string(run == on_cpu ? "Cpu" : "Portable") + (views ? ", views" : ", contiguous"));
      run();
    }
  }
}
#define KINKS(name) \
  TEST(Kinks, name) { everywhere(Kinks<Portable>::name, Kinks<Cpu>::name); }
KINKS(at_zero)
KINKS(of_ties)
KINKS(clamp_passes_its_bounds)
KINKS(products_with_zeros)
KINKS(log_sum_exp_of_nothing)
KINKS(saturated_activations)
KINKS(sixteen_bits)
KINKS(repeated_indices)
KINKS(scattering_products_and_extremes)
KINKS(softmax_and_layer_norm_keep_the_graph)
KINKS(sixteen_bits_in_composites)
KINKS(hidden_branches)
KINKS(of_norms_and_losses)
#undef KINKS

}  // namespace hearth::test
