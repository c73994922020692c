// unit/autodiff_edges: gradients at the edges of shapes and graphs, on Portable and Cpu: arrays of nothing, results that nobody uses, one
// value in many roles.
// SPDX-License-Identifier: Apache-2.0
#include "cpu_arrays.hpp"
#include "hearth/autodiff/autodiff.hpp"

namespace hearth::test {
namespace {

using List = std::vector<double>;

template <class B>
struct Graph {
  using A = Autodiff<B>;
  using D = Dyn<A>;
  static D constant(const Shape& shape, const List& numbers, Dtype dtype = Dtype::f64) { return D(A::from_inner(upload<B>({dtype, shape}, numbers))); }
  static D leaf(const Shape& shape, const List& numbers) { return D(A::track(constant(shape, numbers).handle)); }
  static D total(const D& x) { return reshape(sum(x, all_axes(x.rank())), {}); }
  static List gradient(const D& y, const D& x) {
    const auto gradients = A::backward(total(y).handle, {.seed = {}, .retain = true});
    const auto* found = gradients.find(x.handle);
    EXPECT_TRUE(found);
    return found ? numbers<B>(*found) : List{};
  }
  static std::string message(const auto& f) {
    try {
      f();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
};
template <class B>
struct Edges : testing::Test {};
using Both = testing::Types<Portable, Cpu>;
TYPED_TEST_SUITE(Edges, Both);

// Each operand gets a gradient of its own spec, finite, and nothing hangs.
TYPED_TEST(Edges, of_nothing) {
  using B = TypeParam;
  using E = Graph<B>;
  using A = typename E::A;
  using D = typename E::D;
  auto check = [](const std::string& name, const std::vector<Shape>& shapes, const auto& f) {
    SCOPED_TRACE(name);
    std::vector<D> in;
    for (const Shape& shape : shapes) in.push_back(E::leaf(shape, List(std::size_t(element_count(shape)), 0.5)));
    const auto gradients = A::backward(E::total(f(in)).handle);
    for (std::size_t i = 0; i < in.size(); ++i) {
      const auto* found = gradients.find(in[i].handle);
      ASSERT_TRUE(found) << "operand " << i;
      EXPECT_EQ(B::spec(*found), in[i].spec());
      for (double number : numbers<B>(*found)) EXPECT_TRUE(std::isfinite(number)) << "operand " << i;
    }
  };
  auto op = [&]<class Op>(const Op& one, const std::vector<Shape>& shapes) {
    check(to_string(one), shapes, [&](const std::vector<D>& in) {
      Operands<Op, typename A::Handle> operands{};
      for (std::size_t i = 0; i < in.size(); ++i) operands[i] = in[i].handle;
      return D(apply<A>(one, operands)[0]);
    });
  };
  check("broadcast", {{0, 3}, {1, 1}}, [](auto in) { return in[0] * in[1]; });
  check("broadcast of a number", {{0, 3}, {}}, [](auto in) { return in[0] / in[1]; });
  check("concat", {{0, 2}, {3, 2}}, [](auto in) { return concat(std::vector<D>{in[0], in[1]}, 0); });
  for (const auto& shapes : std::vector<std::vector<Shape>>{{{4, 0}, {0, 4}}, {{0, 3}, {3, 4}}, {{0, 2, 3}, {3, 4}}, {{0, 2, 3}, {1, 3, 4}}, {{2, 2, 0}, {0, 4}}})
    op(op::MatMul{}, shapes);

  const ConvGeometry line{{1}, {1}, {0}, {0}, 1}, plane{{1, 1}, {1, 1}, {0, 0}, {0, 0}, 1};
  for (const auto& shapes : std::vector<std::vector<Shape>>{{{0, 2, 5}, {3, 2, 2}, {3}}, {{2, 2, 5}, {0, 2, 2}, {0}}, {{2, 0, 5}, {3, 0, 2}, {3}}}) {
    op(op::Conv{line}, shapes);
    op(op::ConvBiasActivation{line, Activation::gelu}, shapes);
  }
  op(op::ConvInputGrad{line, {5}}, {{0, 3, 4}, {3, 2, 2}});
  op(op::ConvWeightGrad{line, {2}}, {{0, 2, 5}, {0, 3, 4}});
  op(op::DeformConv{plane, 1}, {{0, 2, 3, 3}, {0, 8, 2, 2}, {2, 2, 2, 2}});
  op(op::MaxPool{{{2}, {2}, {1}, {0}, {0}, false, {}}}, {{0, 2, 5}});
  op(op::AvgPool{{{2}, {2}, {1}, {0}, {0}, false, {}}, true}, {{0, 2, 5}});
  op(op::Interpolate{{InterpolateMode::linear, {4}, {}, false, false}}, {{0, 2, 3}});
  op(op::GridSample{}, {{1, 2, 3, 3}, {1, 0, 2, 2}});

  for (const auto& shapes : std::vector<std::vector<Shape>>{{{0, 3}, {4, 3}, {4}}, {{2, 0}, {4, 0}, {4}}, {{2, 3}, {0, 3}, {0}}, {{0, 2, 3}, {4, 3}, {4}}})
    op(op::Linear{Activation::gelu}, shapes);
  for (const Shape& shape : {Shape{0, 3}, Shape{3, 0}}) {
    op(op::Softmax{}, {shape});
    op(op::LogSoftmax{}, {shape});
    op(op::Sort{1, false}, {shape});
    op(op::Reduce{ReduceCode::prod, {1}}, {shape});
    for (ScanCode code : {ScanCode::sum, ScanCode::prod, ScanCode::max, ScanCode::logsumexp}) op(op::Scan{code, 1, false}, {shape});
  }
  op(op::Reduce{ReduceCode::max, {1}}, {{0, 3}});
  op(op::Reduce{ReduceCode::mean, {1}}, {{0, 3}});
  op(op::TopK{1, 0, true}, {{3, 4}});
  op(op::LayerNorm{}, {{0, 3}, {3}, {3}});
  op(op::RmsNorm{}, {{0, 3}, {3}});
  op(op::GroupNorm{2, 1e-5}, {{0, 4, 3}, {4}, {4}});
  op(op::Attention{}, {{0, 2, 3, 4}, {0, 2, 3, 4}, {0, 2, 3, 4}});
  op(op::Attention{}, {{1, 2, 3, 4}, {1, 2, 0, 4}, {1, 2, 0, 4}});
  op(op::Attention{{.causal = true, .softcap = 2}}, {{1, 2, 0, 4}, {1, 2, 3, 4}, {1, 2, 3, 4}});
  op(op::Rope{}, {{2, 0, 4}, {0, 2}, {0, 2}});
  op(op::LstmCell{}, {{0, 8}, {0, 2}});
  op(op::GruCell{}, {{2, 0}, {2, 0}, {2, 0}});
  op(op::Slice{{1}, {0}, {1}}, {{3}});
  op(op::Pad{{1}, {1}, PadMode::constant, 0}, {{0}});
  op(op::Unfold{1, 2, 1, 1}, {{0, 2}});
  op(op::Fold{0, 2, 1, 1}, {{1, 0, 2}});
  op(op::Cholesky{}, {{0, 3, 3}});
  op(op::Svd{}, {{0, 3, 2}});
  op(op::TriangularSolve{true}, {{3, 3}, {3, 0}});
  op(op::InverseRealFft{}, {{0, 3, 2}});

  const D rows = E::constant({0, 2}, {}, Dtype::i64), targets = E::constant({0}, {}, Dtype::i64);
  check("gather", {{3, 2}}, [&](auto in) { return gather(in[0], rows, 0); });
  for (ScatterMode mode : {ScatterMode::assign, ScatterMode::add, ScatterMode::mul, ScatterMode::max})
    check("scatter", {{3, 2}, {0, 2}}, [&](auto in) { return D::scatter(in[0], rows, in[1], 0, mode); });
  check("cross entropy", {{0, 3}, {3}}, [&](auto in) { return call<A>(op::CrossEntropy{Reduction::none, {}, 0.1}, in[0], targets, in[1]); });
}

TYPED_TEST(Edges, results_that_nobody_uses) {
  using B = TypeParam;
  using E = Graph<B>;
  using A = typename E::A;
  const auto x = E::leaf({3}, {3, 1, 2}), weights = E::constant({3}, {1, 10, 100});
  EXPECT_EQ(E::gradient(call<A>(op::Sort{0, false}, x)[0] * weights, x), (List{100, 1, 10}));
  EXPECT_EQ(E::gradient(call<A>(op::TopK{0, 2, true}, x)[0], x), (List{1, 0, 1}));
  const auto image = E::leaf({1, 1, 4}, {1, 5, 2, 7});
  EXPECT_EQ(E::gradient(call<A>(op::MaxPool{{{2}, {2}, {1}, {0}, {0}, false, {}}}, image)[0], image), (List{0, 1, 0, 1}));
  // One result of several floats alone: mean and variance of a batch, and the cell of an LSTM at gates of 0.
  const auto batch = E::leaf({2, 1}, {1, 3});
  EXPECT_EQ(E::gradient(call<A>(op::BatchNormTraining{}, batch, typename E::D(), typename E::D())[1], batch), (List{.5, .5}));
  EXPECT_EQ(E::gradient(call<A>(op::BatchNormTraining{}, batch, typename E::D(), typename E::D())[2], batch), (List{-1, 1}));
  const auto gates = E::leaf({1, 4}, {0, 0, 0, 0}), cell = E::leaf({1, 1}, {2});
  const auto next = call<A>(op::LstmCell{}, gates, cell)[1];  // sigmoid(f) c + sigmoid(i) tanh(g)
  EXPECT_EQ(E::gradient(next, gates), (List{0, .5, .5, 0}));
  EXPECT_EQ(E::gradient(next, cell), List{.5});
}

TYPED_TEST(Edges, one_value_in_many_roles) {
  using B = TypeParam;
  using E = Graph<B>;
  using A = typename E::A;
  const auto x = E::leaf({2}, {3, 4}), number = E::leaf({}, {2});
  auto y = x;
  y = y * y;
  y = y + y;  // in place where only y holds it
  EXPECT_EQ(E::gradient(y, x), (List{12, 16}));
  EXPECT_EQ(numbers<B>(x.handle.value), (List{3, 4}));
  EXPECT_EQ(E::gradient(number * x, number), List{7});
  EXPECT_EQ(E::gradient(number * x, x), (List{2, 2}));
  // Both operands of one op, and of one composite.
  const auto square = E::leaf({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(E::gradient(matmul(square, square), square), (List{7, 11, 9, 13}));
  EXPECT_EQ(E::gradient(call<A>(op::Linear{}, square, square, typename E::D(), typename E::D()), square), (List{8, 12, 8, 12}));
  // Parts of a leaf that overlap, forwards and backwards.
  const auto row = E::leaf({4}, {1, 2, 3, 4});
  EXPECT_EQ(E::gradient(narrow(row, 0, 0, 3) * narrow(row, 0, 1, 3), row), (List{2, 4, 6, 3}));
  EXPECT_EQ(E::gradient(E::D::slice(row, {3}, {4}, {-1}) * row, row), (List{8, 6, 4, 2}));
  // At two orders: x and the gradient of x^3, by hand.
  EXPECT_EQ(E::gradient(x * x * x + (x * x) * 3.0, x), (List{45, 72}));
  // Only a leaf has an entry; what was computed is none, until it is made one.
  const auto doubled = x * 2.0;
  EXPECT_EQ(A::backward(E::total(doubled).handle).find(doubled.handle), nullptr);
  const typename E::D fresh(A::track(doubled.handle));
  EXPECT_EQ(E::gradient(fresh * fresh, fresh), (List{12, 16}));
  EXPECT_EQ(A::backward(E::total(fresh).handle).find(x.handle), nullptr);
  // More operands than a mask has bits.
  std::vector<typename E::D> many;
  for (int i = 0; i < 40; ++i) many.push_back(E::constant({1}, {double(i)}));
  many[36] = E::leaf({1}, {5});
  EXPECT_EQ(E::gradient(concat(many, 0) * 2.0, many[36]), List{2});
}

TYPED_TEST(Edges, seeds_that_do_not_fit) {
  using B = TypeParam;
  using E = Graph<B>;
  using A = typename E::A;
  const auto x = E::leaf({2}, {3, 4}) * 2.0;
  const auto with = [&](const Spec& spec, const List& numbers) {
    return E::message([&] { (void)A::backward(x.handle, {.seed = upload<B>(spec, numbers), .retain = true}); });
  };
  EXPECT_EQ(with({Dtype::f32, {2}}, {1, 1}), "backward: the seed gradient is f32[2], the loss f64[2]");
  EXPECT_EQ(with({Dtype::f64, {1, 2}}, {1, 1}), "backward: the seed gradient is f64[1, 2], the loss f64[2]");
  EXPECT_EQ(with({Dtype::f64, {3}}, {1, 1, 1}), "backward: the seed gradient is f64[3], the loss f64[2]");
  EXPECT_EQ(with({Dtype::f64, {2}}, {1, 1}), "no error");
}

}  // namespace
}  // namespace hearth::test
