// tests/unit/portable_move: Concat, Pad, Gather, Scatter and their kin on Portable.
// SPDX-License-Identifier: Apache-2.0
#include "portable.hpp"

namespace hearth::test {
namespace {

constexpr Dtype index_dtypes[] = {Dtype::i64, Dtype::i32, Dtype::i16, Dtype::i8, Dtype::u64, Dtype::u32, Dtype::u16, Dtype::u8};

Array concat(int axis, std::vector<Array> parts) { return Portable::run(op::Concat{axis}, std::move(parts))[0]; }
Array pad(PadMode mode, const Shape& before, const Shape& after, const Array& x, Scalar value = 0) { return run(op::Pad{before, after, mode, value}, x); }
Array scatter(ScatterMode mode, int axis, const Array& base, const Array& index, const Array& source) {
  return run(op::Scatter{axis, mode}, base, index, source);
}

TEST(PortableMove, ConcatJoins) {
  for (Dtype dtype : all_dtypes) {
    const Array a = array(dtype, {1, 2}, {1, 0}), b = array(dtype, {2, 2}, {0, 0, 1, 1});
    expect(concat(0, {a, b}), {dtype, {3, 2}}, {1, 0, 0, 0, 1, 1});
    expect(concat(-1, {b, b}), {dtype, {2, 4}}, {0, 0, 0, 0, 1, 1, 1, 1});
  }
  for (const Array& x : layouts(Dtype::f32, {2, 2}, {1, 2, 3, 4}))
    for (const Array& y : layouts(Dtype::f32, {2, 1}, {5, 6})) expect(concat(1, {x, y, x}), {Dtype::f32, {2, 5}}, {1, 2, 5, 1, 2, 3, 4, 6, 3, 4});
  const Array empty = array({0, 2}, {}), one = array({1, 2}, {1, 2});
  expect(concat(0, {empty, one, empty}), {Dtype::f32, {1, 2}}, {1, 2});
  expect(concat(0, {empty}), {Dtype::f32, {0, 2}}, {});
}

TEST(PortableMove, PadModes) {
  for (Dtype dtype : all_dtypes) {
    if (is_bool(dtype)) continue;
    for (const Array& x : layouts(dtype, {4}, {1, 2, 3, 4})) {
      expect(pad(PadMode::constant, {2}, {3}, x, 9), {dtype, {9}}, {9, 9, 1, 2, 3, 4, 9, 9, 9});
      expect(pad(PadMode::reflect, {2}, {3}, x), {dtype, {9}}, {3, 2, 1, 2, 3, 4, 3, 2, 1});
      expect(pad(PadMode::replicate, {2}, {3}, x), {dtype, {9}}, {1, 1, 1, 2, 3, 4, 4, 4, 4});
      expect(pad(PadMode::circular, {2}, {3}, x), {dtype, {9}}, {3, 4, 1, 2, 3, 4, 1, 2, 3});
    }
  }
  expect(pad(PadMode::constant, {1}, {0}, mask({2}, {0, 1}), true), {Dtype::boolean, {3}}, {1, 0, 1});
  expect(pad(PadMode::constant, {0}, {1}, array(Dtype::i8, {1}, {1}), 1000.0), {Dtype::i8, {2}}, {1, 127});
  expect(pad(PadMode::replicate, {5}, {0}, array({1}, {3})), {Dtype::f32, {6}}, Numbers(6, 3));
  expect(pad(PadMode::circular, {2}, {2}, array({2}, {1, 2})), {Dtype::f32, {6}}, {1, 2, 1, 2, 1, 2});
  expect(pad(PadMode::constant, {1}, {1}, array({0}, {}), 4), {Dtype::f32, {2}}, {4, 4});
  expect(pad(PadMode::constant, {}, {}, array({}, {7})), {Dtype::f32, {}}, {7});
}

// numpy.pad(arange(6).reshape(2, 3), ((1, 0), (1, 2)), mode)
TEST(PortableMove, PadsSeveralAxes) {
  const Array x = array({2, 3}, counting({6}));
  const Spec spec{Dtype::f32, {3, 6}};
  expect(pad(PadMode::constant, {1, 1}, {0, 2}, x, -1), spec, {-1, -1, -1, -1, -1, -1, -1, 0, 1, 2, -1, -1, -1, 3, 4, 5, -1, -1});
  expect(pad(PadMode::reflect, {1, 1}, {0, 2}, x), spec, {4, 3, 4, 5, 4, 3, 1, 0, 1, 2, 1, 0, 4, 3, 4, 5, 4, 3});
  expect(pad(PadMode::replicate, {1, 1}, {0, 2}, x), spec, {0, 0, 1, 2, 2, 2, 0, 0, 1, 2, 2, 2, 3, 3, 4, 5, 5, 5});
  expect(pad(PadMode::circular, {1, 1}, {0, 2}, x), spec, {5, 3, 4, 5, 3, 4, 2, 0, 1, 2, 0, 1, 5, 3, 4, 5, 3, 4});
}

TEST(PortableMove, PadGradAddsEachElementWhereItCameFrom) {
  for (Dtype dtype : all_dtypes) {
    if (is_bool(dtype)) continue;
    for (const Array& g : layouts(dtype, {9}, {1, 2, 3, 4, 5, 6, 7, 8, 9})) {
      const auto grad = [&](PadMode mode) { return run(op::PadGrad{{2}, {3}, mode}, g); };
      expect(grad(PadMode::constant), {dtype, {4}}, {3, 4, 5, 6});
      expect(grad(PadMode::replicate), {dtype, {4}}, {1 + 2 + 3, 4, 5, 6 + 7 + 8 + 9});
      expect(grad(PadMode::circular), {dtype, {4}}, {3 + 7, 4 + 8, 5 + 1 + 9, 6 + 2});
      expect(grad(PadMode::reflect), {dtype, {4}}, {3 + 9, 4 + 2 + 8, 5 + 1 + 7, 6});
    }
  }
}

TEST(PortableMove, PadGradIsTheAdjointOfPad) {
  // <g, pad(x)> = <pad_grad(g), x>, with whole numbers
  const Shape before{2, 1}, after{1, 2};
  Numbers x, g;
  for (int i = 0; i < 12; ++i) x.push_back((i * 7) % 11 - 5);
  for (int i = 0; i < 42; ++i) g.push_back((i * 5) % 13 - 6);
  for (PadMode mode : {PadMode::constant, PadMode::reflect, PadMode::replicate, PadMode::circular}) {
    const Numbers padded = values(pad(mode, before, after, array({3, 4}, x))), back = values(run(op::PadGrad{before, after, mode}, array({6, 7}, g)));
    double left = 0, right = 0;
    for (std::size_t i = 0; i < g.size(); ++i) left += g[i] * padded[i];
    for (std::size_t i = 0; i < x.size(); ++i) right += x[i] * back[i];
    EXPECT_EQ(left, right) << int(mode);
  }
}

TEST(PortableMove, GatherTakesAnyIndexDtype) {
  for (Dtype dtype : index_dtypes)
    for (const Array& x : layouts(Dtype::f32, {2, 3}, {1, 2, 3, 4, 5, 6}))
      for (const Array& index : layouts(dtype, {2, 2}, {2, 0, 1, 1})) {
        expect(run(op::Gather{1}, x, index), {Dtype::f32, {2, 2}}, {3, 1, 5, 5});
        expect(run(op::Gather{-1}, x, index), {Dtype::f32, {2, 2}}, {3, 1, 5, 5});
      }
  for (Dtype dtype : all_dtypes)
    expect(run(op::Gather{0}, array(dtype, {2, 2}, {0, 1, 1, 0}), indices({3, 1}, {1, 0, 1})), {dtype, {3, 1}}, {1, 0, 1});
  expect(run(op::Gather{0}, array({3}, {1, 2, 3}), indices({0}, {})), {Dtype::f32, {0}}, {});
  expect(run(op::Gather{0}, array({1}, {.5}), indices({2}, {0, 0})), {Dtype::f32, {2}}, {.5, .5});
}

// cases.md C 26, forward
TEST(PortableMove, ScatterAddsDuplicates) {
  const Array base = array({2, 5}, Numbers(10, 0)), index = indices({2, 2}, {0, 3, 1, 1}), v = array({2, 2}, {1, 2, 3, 4});
  expect(scatter(ScatterMode::add, 1, base, index, v), {Dtype::f32, {2, 5}}, {1, 0, 0, 2, 0, 0, 7, 0, 0, 0});
  expect(scatter(ScatterMode::add, 0, array({1}, {0}), indices({2}, {0, 0}), array({2}, {.2, .3})), {Dtype::f32, {1}}, {.5}, 1e-7);
  // The gradient of the embedding: rows 1, 1, 0 of [3, 2].
  expect(run(op::ScatterNd{ScatterMode::add}, array({3, 2}, Numbers(6, 0)), indices({3, 1}, {1, 1, 0}), array({3, 2}, Numbers(6, 1))),
         {Dtype::f32, {3, 2}}, {1, 1, 2, 2, 0, 0});
  // dv: what scatter's source receives is a gather of the upstream gradient w.
  expect(run(op::Gather{1}, array({2, 5}, counting({10})), index), {Dtype::f32, {2, 2}}, {0, 3, 6, 6});
  expect(scatter(ScatterMode::add, 1, array({2, 5}, counting({10})), indices({2, 0}, {}), array({2, 0}, {})), {Dtype::f32, {2, 5}}, counting({10}));
  const Array x = array({9}, {1, 2, 3, 4, 5, 6, 7, 8, 9}), repeated = indices({5}, {0, 1, 1, 1, 2});
  for (int time = 0; time < 3; ++time)
    expect(scatter(ScatterMode::assign, 0, x, repeated, array({5}, {11, 12, 13, 14, 15})), {Dtype::f32, {9}}, {11, 14, 15, 4, 5, 6, 7, 8, 9});
}

TEST(PortableMove, ScatterModesOnAllDtypes) {
  const Array index = indices({4}, {0, 2, 0, 2});
  for (Dtype dtype : all_dtypes) {
    if (is_bool(dtype)) continue;
    for (const Array& base : layouts(dtype, {3}, {4, 5, 6}))
      for (const Array& source : layouts(dtype, {4}, {1, 2, 7, 9})) {
        expect(scatter(ScatterMode::assign, 0, base, index, source), {dtype, {3}}, {7, 5, 9});
        expect(scatter(ScatterMode::add, 0, base, index, source), {dtype, {3}}, {12, 5, 17});
        expect(scatter(ScatterMode::mul, 0, base, index, source), {dtype, {3}}, {28, 5, 108});
        expect(scatter(ScatterMode::max, 0, base, index, source), {dtype, {3}}, {7, 5, 9});
        expect(scatter(ScatterMode::min, 0, base, index, source), {dtype, {3}}, {1, 5, 2});
      }
  }
  const Array truth = mask({3}, {0, 1, 1}), source = mask({4}, {1, 0, 0, 1});
  expect(scatter(ScatterMode::assign, 0, truth, index, source), {Dtype::boolean, {3}}, {0, 1, 1});
  expect(scatter(ScatterMode::max, 0, truth, index, source), {Dtype::boolean, {3}}, {1, 1, 1});
  expect(scatter(ScatterMode::min, 0, truth, index, source), {Dtype::boolean, {3}}, {0, 1, 0});
}

TEST(PortableMove, ScatterEdges) {
  expect(scatter(ScatterMode::max, 0, array({2}, {1, nan}), indices({2}, {0, 1}), array({2}, {nan, 2})), {Dtype::f32, {2}}, {nan, nan});
  expect(scatter(ScatterMode::add, 0, array(Dtype::u8, {1}, {250}), indices({1}, {0}), array(Dtype::u8, {1}, {10})), {Dtype::u8, {1}}, {4});
  expect(scatter(ScatterMode::mul, 0, array(Dtype::i8, {1}, {100}), indices({1}, {0}), array(Dtype::i8, {1}, {3})), {Dtype::i8, {1}}, {44});
  const auto wide = exact_values<std::int64_t>(
      scatter(ScatterMode::assign, 0, exact<std::int64_t>({1}, {0}), indices({1}, {0}), exact<std::int64_t>({1}, {9007199254740993})));
  EXPECT_EQ(wide[0], 9007199254740993);
  const std::uint64_t top = ~std::uint64_t(0);
  EXPECT_EQ(exact_values<std::uint64_t>(scatter(ScatterMode::max, 0, exact<std::uint64_t>({1}, {1}), indices({1}, {0}), exact<std::uint64_t>({1}, {top})))[0], top);
  // f16 sums of many ones are exact: they are added wide.
  const Array ones = array(Dtype::f16, {4096}, Numbers(4096, 1));
  expect(scatter(ScatterMode::add, 0, array(Dtype::f16, {1}, {0}), indices({4096}, Numbers(4096, 0)), ones), {Dtype::f16, {1}}, {4096});
  // index smaller than base along the other axis
  expect(scatter(ScatterMode::add, 1, array({3, 2}, Numbers(6, 0)), indices({1, 3}, {0, 0, 1}), array({1, 3}, {1, 2, 3})), {Dtype::f32, {3, 2}},
         {3, 3, 0, 0, 0, 0});
}

TEST(PortableMove, GatherNdPicksSlices) {
  for (Dtype dtype : index_dtypes)
    for (const Array& x : layouts(Dtype::f32, {3, 2}, {1, 2, 3, 4, 5, 6})) {
      expect(run(op::GatherNd{}, x, array(dtype, {3, 1}, {1, 1, 0})), {Dtype::f32, {3, 2}}, {3, 4, 3, 4, 1, 2});
      for (const Array& index : layouts(dtype, {2, 2}, {2, 0, 0, 1})) expect(run(op::GatherNd{}, x, index), {Dtype::f32, {2}}, {5, 2});
      expect(run(op::GatherNd{}, x, array(dtype, {2}, {2, 1})), {Dtype::f32, {}}, {6});
    }
  for (Dtype dtype : all_dtypes)
    expect(run(op::GatherNd{}, array(dtype, {2, 2}, {0, 1, 1, 0}), indices({1, 2, 1}, {1, 0})), {dtype, {1, 2, 2}}, {1, 0, 0, 1});
  expect(run(op::GatherNd{}, array({3, 2}, counting({6})), indices({0, 1}, {})), {Dtype::f32, {0, 2}}, {});
}

TEST(PortableMove, ScatterNdModes) {
  const Array index = indices({3, 2}, {0, 1, 2, 0, 0, 1});
  for (Dtype dtype : all_dtypes) {
    if (is_bool(dtype)) continue;
    for (const Array& base : layouts(dtype, {3, 2}, {1, 2, 3, 4, 5, 6}))
      for (const Array& source : layouts(dtype, {3}, {7, 2, 3})) {
        expect(run(op::ScatterNd{ScatterMode::assign}, base, index, source), {dtype, {3, 2}}, {1, 3, 3, 4, 2, 6});
        expect(run(op::ScatterNd{ScatterMode::add}, base, index, source), {dtype, {3, 2}}, {1, 12, 3, 4, 7, 6});
        expect(run(op::ScatterNd{ScatterMode::mul}, base, index, source), {dtype, {3, 2}}, {1, 42, 3, 4, 10, 6});
        expect(run(op::ScatterNd{ScatterMode::max}, base, index, source), {dtype, {3, 2}}, {1, 7, 3, 4, 5, 6});
        expect(run(op::ScatterNd{ScatterMode::min}, base, index, source), {dtype, {3, 2}}, {1, 2, 3, 4, 2, 6});
      }
  }
  // rows, later ones over earlier ones
  expect(run(op::ScatterNd{ScatterMode::assign}, array({2, 2}, Numbers(4, 0)), indices({2, 1}, {1, 1}), array({2, 2}, {1, 2, 3, 4})), {Dtype::f32, {2, 2}},
         {0, 0, 3, 4});
}

// cases.md D 34 and the numerics contract: typed, naming op, index and size, before any write.
TEST(PortableMove, IndicesOutOfRangeAreErrors) {
  const Array x = array({3, 2}, counting({6}));
  const std::int64_t beyond = std::int64_t(1) << 33;
  for (std::int64_t bad : {std::int64_t(3), std::int64_t(-1), beyond}) {
    const Array index = exact<std::int64_t>({2, 1}, {0, bad});
    const Array row = array({2, 2}, Numbers(4, 1)), single = array({2, 1}, Numbers(2, 1));
    const Error errors[] = {
        error_of([&] { run(op::GatherNd{}, x, index); }),
        error_of([&] { run(op::ScatterNd{ScatterMode::add}, x, index, row); }),
        error_of([&] { run(op::Gather{0}, x, index); }),
        error_of([&] { run(op::Scatter{0, ScatterMode::assign}, x, index, single); }),
    };
    const char* ops[] = {"gather_nd", "scatter_nd", "gather", "scatter"};
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(errors[i].kind, ErrorKind::user);
      EXPECT_EQ(errors[i].op, ops[i]);
      EXPECT_TRUE(contains(errors[i].message, "index " + std::to_string(bad))) << errors[i].what();
      EXPECT_TRUE(contains(errors[i].message, "size 3")) << errors[i].what();
    }
  }
  const Error huge = error_of([&] { run(op::Gather{0}, array({2}, {1, 2}), exact<std::uint64_t>({1}, {~0ull})); });
  EXPECT_TRUE(contains(huge.message, "index 18446744073709551615")) << huge.what();
  const Error second = error_of([&] { run(op::GatherNd{}, x, indices({1, 2}, {2, 2})); });
  EXPECT_TRUE(contains(second.message, "index 2 is out of range for axis 1 of size 2")) << second.what();
  EXPECT_EQ(error_of([&] { run(op::Gather{0}, array({0}, {}), indices({1}, {0})); }).kind, ErrorKind::user);
  expect(x, {Dtype::f32, {3, 2}}, counting({6}));
  expect(run(op::Gather{0}, x, indices({1, 2}, {2, 0})), {Dtype::f32, {1, 2}}, {4, 1});
}

// cases.md B 11
TEST(PortableMove, SliceAssignWritesThroughAReversedSlice) {
  const Array x = array({6}, counting({6})), base = array({6}, Numbers(6, 0));
  const Array twice = run(op::BinaryScalar{BinaryCode::mul, 2, Side::right}, run(op::Slice{{5}, {6}, {-1}}, x));
  const op::SliceAssign assign{{5}, {6}, {-1}};
  expect(run(assign, base, twice), {Dtype::f32, {6}}, {0, 2, 4, 6, 8, 10});
  const Array sum = run(op::Binary{BinaryCode::add}, run(op::Slice{{5}, {6}, {-1}}, base), twice);
  expect(run(assign, base, sum), {Dtype::f32, {6}}, {0, 2, 4, 6, 8, 10});
}

TEST(PortableMove, SliceAssignWritesWhereSliceReads) {
  for (Dtype dtype : all_dtypes) {
    const Numbers zeros(12, 0);
    for (const Array& base : layouts(dtype, {3, 4}, zeros)) {
      expect(run(op::SliceAssign{{0, 1}, {2, 2}, {2, 2}}, base, array(dtype, {2, 2}, {1, 0, 1, 1})), {dtype, {3, 4}}, {0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1});
      expect(run(op::SliceAssign{{1, 0}, {1, 4}, {1, 1}}, base, array(dtype, {}, {1})), {dtype, {3, 4}}, {0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0});
      expect(run(op::SliceAssign{{0, 3}, {3, 1}, {1, 1}}, base, array(dtype, {3, 1}, {1, 0, 1})), {dtype, {3, 4}}, {0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1});
      expect(run(op::SliceAssign{{0, 0}, {0, 4}, {1, 1}}, base, array(dtype, {0, 4}, {})), {dtype, {3, 4}}, zeros);
    }
  }
}

}  // namespace
}  // namespace hearth::test
