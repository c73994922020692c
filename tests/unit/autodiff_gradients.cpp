// unit/autodiff_gradients: first and second derivatives of every primitive op, and of every row of the tables, against differences.
// SPDX-License-Identifier: Apache-2.0
#include "gradient_check.hpp"
#include "second_order.hpp"

namespace hearth::test {

Handle indices(const Shape& shape, const std::vector<std::int64_t>& numbers) { return array<std::int64_t>(shape, numbers); }
Handle mask(const Shape& shape) {
  std::vector<double> bits;
  for (std::int64_t i = 0; i < element_count(shape); ++i) bits.push_back(double(i % 3 != 1));
  return from_doubles(Dtype::boolean, shape, bits);
}

// ---- the rows

TEST(Gradients, unary) {
  using namespace kinds;
#define HEARTH_UNARY(name, kinds, low, high, ...) \
  if (((kinds)&F) != 0) check_gradients(function(op::Unary{UnaryCode::name}), {spread({2, 3}, low, high)});
#include "hearth/op/unary.def"
#undef HEARTH_UNARY
}

TEST(Gradients, binary) {
  using namespace kinds;
  // The order of zeta has no gradient.
  auto check = [](BinaryCode code, double a_low, double a_high, double b_low, double b_high) {
    CheckOptions options;
    if (code == BinaryCode::zeta) options.constant = {0};
    check_gradients(function(op::Binary{code}), {spread({2, 3}, a_low, a_high, 1), spread({2, 3}, b_low, b_high, 2)}, options);
    check_gradients(function(op::Binary{code}), {spread({2, 1, 3}, a_low, a_high, 1), spread({4, 1}, b_low, b_high, 2)}, options);
    check_gradients(function(op::Binary{code}), {spread({}, a_low, a_high, 1), spread({2, 2}, b_low, b_high, 2)}, options);
  };
#define HEARTH_BINARY(name, kinds, a_low, a_high, b_low, b_high, ...) \
  if (((kinds)&F) != 0) check(BinaryCode::name, a_low, a_high, b_low, b_high);
#include "hearth/op/binary.def"
#undef HEARTH_BINARY
}

TEST(Gradients, binary_scalar) {
  using namespace kinds;
  auto check = [](BinaryCode code, double a_low, double a_high, double b_low, double b_high) {
    const Handle a = spread({2, 3}, a_low, a_high, 1), b = spread({2, 3}, b_low, b_high, 2);
    if (code != BinaryCode::zeta) check_gradients(function(op::BinaryScalar{code, (b_low + 2 * b_high) / 3, Side::right}), {a});
    check_gradients(function(op::BinaryScalar{code, (2 * a_low + a_high) / 3, Side::left}), {b});
  };
#define HEARTH_BINARY(name, kinds, a_low, a_high, b_low, b_high, ...) \
  if (((kinds)&F) != 0) check(BinaryCode::name, a_low, a_high, b_low, b_high);
#include "hearth/op/binary.def"
#undef HEARTH_BINARY
}

TEST(Gradients, choosing) {
  check_gradients(function(op::Select{}), {mask({2, 3}), spread({2, 3}, -1, 1, 1), spread({2, 3}, -1, 1, 2)});
  check_gradients(function(op::Select{}), {mask({2, 1, 3}), spread({4, 1}, -1, 1, 1), spread({}, -1, 1, 2)});
  check_gradients(function(op::SelectScalar{0.5, Side::left}), {mask({2, 3}), spread({2, 3}, -1, 1)});
  check_gradients(function(op::SelectScalar{0.5, Side::right}), {mask({2, 3}), spread({1, 3}, -1, 1)});
  check_gradients(function(op::Cast{Dtype::f64}), {spread({2, 3}, -1, 1)});
  check_gradients(function(op::Clamp{-0.5, 0.6}), {spread({2, 3}, -1, 1)});
  check_gradients(function(op::Clamp{Scalar(), 0.1}), {spread({2, 3}, -1, 1)});
  check_gradients(function(op::Clamp{-0.1, Scalar()}), {spread({2, 3}, -1, 1)});
}

// ---- views and moves

TEST(Gradients, views) {
  const Handle x = spread({2, 3, 4}, -2, 2);
  check_gradients(function(op::Reshape{{4, -1}}), {x});
  check_gradients(function(op::Permute{{2, 0, 1}}), {x});
  check_gradients(function(op::Permute{{-1, 0, -2}}), {x});
  check_gradients(function(op::Expand{{2, 2, 3, 3}}), {spread({2, 1, 3}, -2, 2)});
  check_gradients(function(op::Slice{{1, 2, 0}, {1, 2, 2}, {1, -2, 3}}), {x});
  check_gradients(function(op::Unfold{1, 2, 1, 1}), {x});
  check_gradients(function(op::Unfold{-1, 2, 1, 2}), {x});
  check_gradients(function(op::Unfold{0, 2, 3, 1}), {spread({7, 2}, -2, 2)});
  check_gradients(function(op::Fold{0, 4, 1, 1}), {spread({3, 2, 2}, -2, 2)});
  check_gradients(function(op::Fold{-1, 9, 3, 2}), {spread({2, 2, 3}, -2, 2)});
}

TEST(Gradients, joining_and_padding) {
  check_gradients(function(op::Concat{1}), {spread({2, 1}, -2, 2, 1), spread({2, 3}, -2, 2, 2), spread({2, 2}, -2, 2, 3)});
  check_gradients(function(op::Concat{-2}), {spread({1, 2}, -2, 2, 1), spread({2, 2}, -2, 2, 2)}, {.constant = {0}});
  for (PadMode mode : {PadMode::constant, PadMode::reflect, PadMode::replicate, PadMode::circular}) {
    check_gradients(function(op::Pad{{1, 2}, {0, 2}, mode, 3.5}), {spread({3, 4}, -2, 2)});
    check_gradients(function(op::PadGrad{{1, 2}, {0, 2}, mode}), {spread({4, 8}, -2, 2)});
  }
  check_gradients(function(op::SliceAssign{{1, 3}, {2, 2}, {1, -2}}), {spread({3, 4}, -2, 2, 1), spread({2, 2}, -2, 2, 2)});
  check_gradients(function(op::SliceAssign{{0, 0}, {3, 2}, {1, 1}}), {spread({3, 4}, -2, 2, 1), spread({3, 1}, -2, 2, 2)});
}

TEST(Gradients, gathering_and_scattering) {
  const Handle x = spread({3, 4}, 0.5, 2), source = spread({2, 3}, 0.6, 1.9, 2);
  const Handle index = indices({2, 3}, {0, 3, 0, 2, 2, 1}), places = indices({2, 3, 1}, {0, 2, 1, 1, 0, 2}), cells = indices({3, 2}, {0, 1, 2, 3, 0, 1});
  check_gradients(function(op::Gather{1}), {x, index});
  check_gradients(function(op::Gather{-2}), {x, indices({4, 2}, {0, 1, 0, 0, 2, 1, 1, 1})});
  check_gradients(function(op::GatherNd{}), {x, places});
  check_gradients(function(op::GatherNd{}), {x, cells});
  for (ScatterMode mode : {ScatterMode::assign, ScatterMode::add, ScatterMode::mul, ScatterMode::max, ScatterMode::min}) {
    check_gradients(function(op::Scatter{1, mode}), {x, index, source});
    check_gradients(function(op::Scatter{-2, mode}), {x, indices({2, 3}, {0, 1, 2, 0, 2, 2}), source});
    check_gradients(function(op::ScatterNd{mode}), {x, cells, spread({3}, 0.6, 1.9, 2)});
    check_gradients(function(op::ScatterNd{mode}), {x, indices({3, 1}, {1, 0, 1}), spread({3, 4}, 0.6, 1.9, 2)});
  }
}

// ---- reductions and order

TEST(Gradients, reductions) {
  const Handle x = spread({2, 3, 4}, 0.5, 1.5), zeros = from_doubles(Dtype::f64, {2, 4}, {2, 0, 3, 1, 0, 5, 0, 2});
  for (ReduceCode code : {ReduceCode::sum, ReduceCode::mean, ReduceCode::prod, ReduceCode::max, ReduceCode::min}) {
    check_gradients(function(op::Reduce{code, {1}}), {x});
    check_gradients(function(op::Reduce{code, {2, 0}}), {x});
    check_gradients(function(op::Reduce{code, {-1}}), {x});
    check_gradients(function(op::Reduce{code, {}}), {x});
    check_gradients(function(op::Reduce{code, {0, 1, 2}}), {x});
  }
  check_gradients(function(op::Reduce{ReduceCode::prod, {1}}), {zeros});
  check_gradients(function(op::Reduce{ReduceCode::prod, {0, 1}}), {zeros});
}

TEST(Gradients, running_reductions) {
  const Handle x = spread({2, 5}, 0.5, 1.5), zeros = from_doubles(Dtype::f64, {2, 5}, {2, 0, 3, 1, 2, 5, 0, 2, 0, 3});
  for (ScanCode code : {ScanCode::sum, ScanCode::prod, ScanCode::max, ScanCode::min, ScanCode::logsumexp})
    for (bool reverse : {false, true}) {
      check_gradients(function(op::Scan{code, 1, reverse}), {x});
      check_gradients(function(op::Scan{code, -2, reverse}), {x});
    }
  check_gradients(function(op::Scan{ScanCode::prod, 1, false}), {zeros});
  check_gradients(function(op::Scan{ScanCode::prod, 1, true}), {zeros});
}

TEST(Gradients, order) {
  const Handle x = spread({3, 4}, -1, 1);
  check_gradients(function(op::Sort{1, false}), {x});
  check_gradients(function(op::Sort{-2, true}), {x});
  check_gradients(function(op::TopK{1, 2, true}), {x});
  check_gradients(function(op::TopK{0, 2, false}), {x});
  check_gradients(function(op::Unique{}), {x});
}

// ---- products, windows, resampling

TEST(Gradients, matmul) {
  check_gradients(function(op::MatMul{}), {spread({2, 3}, -1, 1, 1), spread({3, 4}, -1, 1, 2)});
  check_gradients(function(op::MatMul{}), {spread({2, 1, 2, 3}, -1, 1, 1), spread({3, 3, 2}, -1, 1, 2)});
  check_gradients(function(op::MatMul{}), {spread({2, 2, 3}, -1, 1, 1), spread({3, 2}, -1, 1, 2)});
}

ConvGeometry geometry(int axes, std::int64_t stride, std::int64_t dilation, std::int64_t before, std::int64_t after, std::int64_t groups) {
  return {Shape::filled(axes, stride), Shape::filled(axes, dilation), Shape::filled(axes, before), Shape::filled(axes, after), groups};
}

TEST(Gradients, convolutions) {
  const ConvGeometry line = geometry(1, 1, 1, 1, 0, 1), plane = geometry(2, 2, 1, 1, 1, 2), wide = geometry(2, 1, 2, 1, 2, 1), space = geometry(3, 1, 1, 0, 1, 1);
  const Handle x1 = spread({2, 2, 5}, -1, 1, 1), w1 = spread({3, 2, 2}, -1, 1, 2), bias = spread({3}, -1, 1, 3);
  const Handle x2 = spread({1, 4, 4, 4}, -1, 1, 1), w2 = spread({2, 2, 3, 2}, -1, 1, 2);
  const Handle x3 = spread({1, 1, 2, 3, 2}, -1, 1, 1), w3 = spread({2, 1, 2, 2, 1}, -1, 1, 2);
  check_gradients(function(op::Conv{line}), {x1, w1, bias});
  check_gradients(function(op::Conv{line}), {x1, w1, Handle()});
  check_gradients(function(op::Conv{plane}), {x2, w2, Handle()});
  check_gradients(function(op::Conv{wide}), {x2, spread({2, 4, 2, 2}, -1, 1, 2), Handle()});
  check_gradients(function(op::Conv{space}), {x3, w3, Handle()});
  check_gradients(function(op::ConvInputGrad{line, {5}}), {spread({2, 3, 5}, -1, 1, 1), w1});
  check_gradients(function(op::ConvInputGrad{plane, {4, 4}}), {spread({1, 2, 2, 3}, -1, 1, 1), w2});
  check_gradients(function(op::ConvWeightGrad{line, {2}}), {x1, spread({2, 3, 5}, -1, 1, 2)});
  check_gradients(function(op::ConvWeightGrad{plane, {3, 2}}), {x2, spread({1, 2, 2, 3}, -1, 1, 2)});
}

TEST(Gradients, pools) {
  const PoolGeometry plane{{2, 3}, {1, 2}, {1, 1}, {1, 1}, {0, 1}, false, {}}, adaptive{{1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, false, {2, 3}},
      dilated{{2}, {2}, {2}, {1}, {1}, true, {}};
  const Handle x = spread({1, 2, 4, 5}, -1, 1), line = spread({2, 1, 7}, -1, 1);
  check_gradients(function(op::MaxPool{plane}), {x});
  check_gradients(function(op::MaxPool{adaptive}), {x});
  check_gradients(function(op::MaxPool{dilated}), {line});
  const PoolGeometry windows{{2, 3}, {1, 2}, {1, 1}, {1, 1}, {0, 1}, true, {}};
  for (bool count_padding : {true, false}) {
    check_gradients(function(op::AvgPool{windows, count_padding}), {x});
    check_gradients(function(op::AvgPoolGrad{windows, count_padding, {4, 5}}), {spread({1, 2, 4, 3}, -1, 1)});
  }
  check_gradients(function(op::AvgPool{adaptive, true}), {x});
  check_gradients(function(op::AvgPoolGrad{adaptive, true, {4, 5}}), {spread({1, 2, 2, 3}, -1, 1)});
}

TEST(Gradients, resampling) {
  for (InterpolateMode mode : {InterpolateMode::nearest, InterpolateMode::nearest_exact, InterpolateMode::linear, InterpolateMode::cubic,
                               InterpolateMode::lanczos, InterpolateMode::area}) {
    const bool smooth = mode == InterpolateMode::linear || mode == InterpolateMode::cubic || mode == InterpolateMode::lanczos;
    for (bool corners : {false, true}) {
      if (corners && !smooth) continue;
      const Resampling resampling{mode, {5, 2}, {}, corners, false};
      check_gradients(function(op::Interpolate{resampling}), {spread({1, 2, 3, 4}, -1, 1)});
      check_gradients(function(op::InterpolateGrad{resampling, {3, 4}}), {spread({1, 2, 5, 2}, -1, 1)});
    }
  }
  check_gradients(function(op::Interpolate{{InterpolateMode::linear, {3}, {}, false, true}}), {spread({1, 1, 7}, -1, 1)});
}

// ---- matrices, transforms, low bits

/// A matrix of distinct numbers with a heavy diagonal, so that no decomposition is near a singular case.
Handle matrix(const Shape& shape, double diagonal, int seed) {
  auto numbers = doubles(spread(shape, -1, 1, seed));
  const std::int64_t m = shape[-2], n = shape[-1];
  for (std::int64_t i = 0; i < std::int64_t(numbers.size()); ++i)
    if (i / n % m == i % n) numbers[std::size_t(i)] += diagonal + 0.7 * double(i % n);
  return from_doubles(Dtype::f64, shape, numbers);
}
/// f of (x + x^T) / 2: what reads one triangle of a symmetric matrix has a symmetric gradient.
template <class Op>
Function symmetric(const Op& op) {
  return function(to_string(op), [op]<class S>(Values<S> in) {
    const Dyn<S> a = Scalar(0.5) * (in[0] + transpose(in[0]));
    Values<S> out;
    for (auto& result : apply<S>(op, {a.handle})) out.push_back(Dyn<S>(std::move(result)));
    return out;
  });
}

TEST(Gradients, factorizations) {
  check_gradients(symmetric(op::Cholesky{false}), {matrix({2, 3, 3}, 3, 1)});
  check_gradients(symmetric(op::Cholesky{true}), {matrix({3, 3}, 3, 1)});
  check_gradients(function(op::Lu{}), {matrix({2, 3, 3}, 0, 1)});
  check_gradients(function(op::Lu{}), {matrix({2, 4}, 0, 2)});
  check_gradients(function(op::Lu{}), {matrix({4, 2}, 0, 2)});
  check_gradients(function(op::Qr{false}), {matrix({2, 3, 3}, 2, 1)});
  check_gradients(function(op::Qr{false}), {matrix({4, 2}, 1, 2)});
  check_gradients(function(op::Qr{false}), {matrix({2, 4}, 1, 2)});
  check_gradients(function(op::Qr{true}), {matrix({2, 4}, 1, 2)});
  check_gradients(symmetric(op::Eigh{}), {matrix({2, 3, 3}, 1, 1)});
  check_gradients(function(op::Svd{false}), {matrix({3, 3}, 1, 1)});
  check_gradients(function(op::Svd{false}), {matrix({2, 4, 2}, 1, 1)});
  check_gradients(function(op::Svd{false}), {matrix({2, 3}, 1, 1)});
  check_gradients(function(op::Svd{true}), {matrix({2, 2}, 1, 1)});
}

TEST(Gradients, values_of_full_svd) {
  check_gradients(function("singular values",
                           []<class S>(Values<S> in) {
                             auto out = call<S>(op::Svd{true}, in[0]);
                             return Values<S>{out[1]};
                           }),
                  {matrix({3, 2}, 1, 1)});
}

TEST(Gradients, triangular_systems) {
  for (int bits = 0; bits < 16; ++bits) {
    const op::TriangularSolve op{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0};
    check_gradients(function(op), {matrix({3, 3}, 2, 1), op.left ? spread({2, 3, 2}, -1, 1, 2) : spread({2, 2, 3}, -1, 1, 2)});
  }
}

TEST(Gradients, fourier) {
  for (Norm norm : {Norm::none, Norm::forward, Norm::orthogonal})
    for (bool inverse : {false, true}) {
      check_gradients(function(op::Fft{0, inverse, norm}), {spread({5, 2, 2}, -1, 1)});
      check_gradients(function(op::Fft{-1, inverse, norm}), {spread({2, 4, 2}, -1, 1)});
    }
}

TEST(Gradients, scales_of_stored_numbers) {
  const Handle stored = from_doubles(Dtype::i8, {2, 5}, {3, -7, 100, 4, 0, -128, 5, 6, 9, -2});
  check_gradients(function(op::Dequantize{{Storage::i8, true, -1, 0}, Dtype::f64, {2, 5}}), {stored, spread({1}, 0.1, 0.2), Handle()});
  check_gradients(function(op::Dequantize{{Storage::i8, true, 1, 0}, Dtype::f64, {2, 5}}), {stored, spread({5}, 0.1, 0.2), Handle()});
  check_gradients(function(op::Dequantize{{Storage::i8, false, 1, 2}, Dtype::f64, {2, 5}}), {stored, spread({2, 3}, 0.1, 0.2), indices({2, 3}, {1, 2, 3, 4, 5, 6})});
}

}  // namespace hearth::test
