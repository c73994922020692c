// tests/unit/cpu_move: views, copies, gathers and scatters of Cpu: hand values, and Portable over dtypes and layouts.
// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "unit/cpu_support.hpp"

namespace hearth::testing {
namespace {

/// Random indices below `size`, of an integer dtype.
Both indices(Dtype dtype, const Shape& shape, std::int64_t size, Numbers& numbers) {
  std::vector<std::byte> bytes(std::size_t(element_count(shape)) * size_of(dtype));
  with_type(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::size_t i = 0; i < bytes.size(); i += sizeof(T)) {
      const T value = convert<T>(numbers.below(size));
      std::memcpy(&bytes[i], &value, sizeof(T));
    }
  });
  return both({dtype, shape}, bytes);
}
TEST(CpuMove, ReshapePermuteSlice) {  // cases.md B13
  Cpu::Handle x = Cpu::make({}, op::Iota{{Dtype::f32, {24}}, 0, 0, 1});
  x = Cpu::run(op::Permute{{0, 3, 1, 2}}, {Cpu::run(op::Reshape{{1, 2, 4, 3}}, {x})[0]})[0];
  const auto slice = [&](std::int64_t a, std::int64_t b, std::int64_t c) {
    const Cpu::Handle part = Cpu::run(op::Slice{{0, 0, 0, 0}, {1, a, b, c}, {1, 1, 1, 1}}, {x})[0];
    return values_of<float, Cpu>(Cpu::run(op::Reshape{{-1}}, {part})[0]);
  };
  std::vector<float> want;
  for (int c = 0; c < 3; ++c)
    for (int i = 0; i < 8; ++i) want.push_back(float(3 * i + c));
  EXPECT_EQ(slice(3, 2, 4), want);
  std::vector<float> shorter;
  for (int c = 0; c < 2; ++c)
    for (int i = 0; i < 3; ++i) shorter.push_back(float(3 * i + c));
  EXPECT_EQ(slice(2, 1, 3), shorter);
}

TEST(CpuMove, WritesThroughAReversedSlice) {  // cases.md B11
  const Cpu::Handle x = Cpu::make({}, op::Iota{{Dtype::f32, {6}}, 0, 0, 1});
  const Cpu::Handle backwards = Cpu::run(op::Slice{{5}, {6}, {-1}}, {x})[0];
  const Cpu::Handle twice = Cpu::run(op::BinaryScalar{BinaryCode::mul, 2.0, Side::right}, {backwards})[0];
  const Cpu::Handle base = Cpu::make({}, op::Full{{Dtype::f32, {6}}, 0});
  const Cpu::Handle y = Cpu::run(op::SliceAssign{{5}, {6}, {-1}}, {base, twice})[0];
  EXPECT_EQ((values_of<float, Cpu>(y)), (std::vector<float>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ((values_of<float, Cpu>(base)), std::vector<float>(6, 0));
}

TEST(CpuMove, ViewsShareTheirBuffer) {
  const std::size_t before = Cpu::memory_stats({}).live;
  Numbers numbers(31);
  const Both x = laid_out(Look::contiguous, Dtype::i16, {4, 6}, numbers);
  const Both stretched = run(op::Expand{{3, 4, 6}}, x), turned = run(op::Permute{{-1, 0, 1}}, stretched), some = run(op::Slice{{5, 0, 3}, {3, 2, 2}, {-2, 2, -3}}, turned);
  const Both windows = run(op::Unfold{1, 3, 1, 2}, x), flat = run(op::Reshape{{2, 12}}, x);
  EXPECT_EQ(Cpu::memory_stats({}).live, before + 48);
  for (const Both& view : {stretched, turned, some, windows, flat}) EXPECT_TRUE(same(view));
  EXPECT_TRUE(same(run(op::Reshape{{-1}}, some)));
}

TEST(CpuMove, JoinsEqualPortable) {
  Numbers numbers(32);
  for (Dtype dtype : all_dtypes())
    for (Look look : looks)
      for (int axis : {0, 1, -1}) {
        const Both a = laid_out(look, dtype, {3, 4, 5}, numbers), b = laid_out(look == Look::empty ? look : Look::sliced, dtype, {3, 4, 5}, numbers);
        EXPECT_TRUE(same(run(op::Concat{axis}, a, b, a))) << name_of(look) << axis;
      }
}

TEST(CpuMove, PaddingsEqualPortable) {
  Numbers numbers(33);
  for (PadMode mode : {PadMode::constant, PadMode::reflect, PadMode::replicate, PadMode::circular})
    for (Dtype dtype : {Dtype::f32, Dtype::f64, Dtype::f16, Dtype::bf16, Dtype::u8, Dtype::i32, Dtype::boolean})
      for (Look look : looks) {
        if (look == Look::empty && mode != PadMode::constant) continue;
        const Both x = laid_out(look, dtype, {4, 5, 6}, numbers);
        const Shape before{0, 2, 3}, after{3, 4, 1};
        EXPECT_TRUE(same(run(op::Pad{before, after, mode, Scalar(2)}, x))) << int(mode) << name_of(look);
        if (dtype == Dtype::boolean) continue;
        const Both g = laid_out(look == Look::empty ? Look::contiguous : look, dtype, {7, 11, 10}, numbers);
        EXPECT_TRUE(same(run(op::PadGrad{before, after, mode}, g), 1, 1e-13)) << int(mode) << name_of(look);
      }
}

TEST(CpuMove, FoldEqualsPortable) {
  Numbers numbers(34);
  for (Dtype dtype : {Dtype::f32, Dtype::bf16, Dtype::i16})
    for (Look look : {Look::contiguous, Look::permuted, Look::sliced, Look::reversed, Look::stretched})
      for (std::int64_t step : {1, 2, 5})
        for (std::int64_t dilation : {1, 3}) {
          const std::int64_t length = 17, size = 4, windows = (length - dilation * (size - 1) - 1) / step + 1;
          const Both x = laid_out(look, dtype, {3, windows, 2, size}, numbers);
          EXPECT_TRUE(same(run(op::Fold{1, length, step, dilation}, x), 1)) << name_of(look) << step << dilation;
        }
}

TEST(CpuMove, NothingAlongAHugeAxisTakesNoTime) {
  const std::int64_t huge = std::int64_t(1) << 40, most = std::int64_t(1) << 31;  // most: that a step may be
  const Both window = both({Dtype::f32, {1, 0, 3}}, {}), row = both({Dtype::f32, {huge, 0}}, {}), longer = both({Dtype::f32, {huge + 2, 0}}, {});
  EXPECT_EQ(run(op::Fold{0, most, most, 2}, window).spec().shape, (Shape{most, 0}));
  EXPECT_EQ(run(op::Pad{{1, 0}, {1, 0}, PadMode::reflect, 0}, row).spec().shape, (Shape{huge + 2, 0}));
  EXPECT_EQ(run(op::PadGrad{{1, 0}, {1, 0}, PadMode::reflect}, longer).spec().shape, (Shape{huge, 0}));
}

// The lists of where elements come from are as long as an axis: the result that does not fit is refused before they are made.
TEST(CpuMove, AFoldThatDoesNotFitIsRefusedAtOnce) {
  const std::int64_t most = std::int64_t(1) << 31;
  const Both x = both({Dtype::f32, {1, 3}}, std::vector<std::byte>(12));
  Cpu::set_memory_cap(std::size_t(16) << 20);
  std::optional<ErrorKind> kind;
  try {
    (void)Cpu::run(op::Fold{0, most, most, 2}, {x.cpu});
  } catch (const Error& error) {
    kind = error.kind;
  }
  Cpu::set_memory_cap(0);
  EXPECT_EQ(kind, ErrorKind::device);
}

TEST(CpuMove, GathersEqualPortable) {
  Numbers numbers(35);
  for (Dtype dtype : all_dtypes())
    for (Look look : {Look::contiguous, Look::permuted, Look::sliced, Look::stepped, Look::reversed, Look::stretched})
      for (Dtype index_dtype : {Dtype::i64, Dtype::u8, Dtype::i32}) {
        const Both x = laid_out(look, dtype, {5, 6, 7}, numbers);
        for (int axis : {0, 1, -1}) {
          const Both index = indices(index_dtype, {4, 5, 6}, x.spec().shape[axis], numbers);
          EXPECT_TRUE(same(run(op::Gather{axis}, x, index))) << name_of(look) << axis;
          EXPECT_TRUE(same(run(op::Gather{axis}, x, run(op::Permute{{0, 2, 1}}, run(op::Permute{{0, 2, 1}}, index)))));
        }
        for (std::int64_t k : {1, 2, 3}) EXPECT_TRUE(same(run(op::GatherNd{}, x, indices(index_dtype, {3, 4, k}, 5, numbers)))) << name_of(look) << k;
      }
}

TEST(CpuMove, ScattersEqualPortable) {
  Numbers numbers(36);
  for (ScatterMode mode : {ScatterMode::assign, ScatterMode::add, ScatterMode::mul, ScatterMode::max, ScatterMode::min})
    for (Dtype dtype : all_dtypes()) {
      if (is_bool(dtype) && (mode == ScatterMode::add || mode == ScatterMode::mul)) continue;
      for (Look look : {Look::contiguous, Look::permuted, Look::sliced, Look::stretched}) {
        const Both base = laid_out(look, dtype, {5, 6, 7}, numbers, -2, 2);
        for (int axis : {0, 1, -1}) {
          const Both index = indices(Dtype::i32, {4, 5, 6}, base.spec().shape[axis], numbers), source = laid_out(look, dtype, {4, 5, 6}, numbers, -2, 2);
          EXPECT_TRUE(same(run(op::Scatter{axis, mode}, base, index, source), 1)) << int(mode) << name_of(look) << axis;
        }
        for (std::int64_t k : {1, 2, 3}) {
          Shape rows{9};
          for (int i = int(k); i < 3; ++i) rows.push(base.spec().shape[i]);
          const Both index = indices(Dtype::i64, {9, k}, 3, numbers), source = laid_out(look, dtype, rows, numbers, -2, 2);
          EXPECT_TRUE(same(run(op::ScatterNd{mode}, base, index, source), 1)) << int(mode) << name_of(look) << k;
        }
      }
    }
}

// Few sources on a long axis, many on a short one, and many rows on few places.
TEST(CpuMove, ScattersOfAllProportionsEqualPortable) {
  Numbers numbers(37);
  for (Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::i32})
    for (ScatterMode mode : {ScatterMode::add, ScatterMode::assign}) {
      for (const auto& [size, count] : std::vector<std::pair<std::int64_t, std::int64_t>>{{1000, 3}, {3, 1000}, {50, 5000}, {20000, 2000}}) {
        const Both base = laid_out(Look::contiguous, dtype, {2, size}, numbers), source = laid_out(Look::contiguous, dtype, {2, count}, numbers);
        EXPECT_TRUE(same(run(op::Scatter{1, mode}, base, indices(Dtype::i64, {2, count}, size, numbers), source), 1)) << size << " " << count;
      }
      const Both table = laid_out(Look::contiguous, dtype, {30, 300}, numbers), rows = laid_out(Look::contiguous, dtype, {2000, 300}, numbers);
      EXPECT_TRUE(same(run(op::ScatterNd{mode}, table, indices(Dtype::i64, {2000, 1}, 30, numbers), rows), 1));
    }
}

TEST(CpuMove, ScatterAddByHand) {  // cases.md C26
  const Cpu::Handle zeros = Cpu::make({}, op::Full{{Dtype::f32, {2, 5}}, 0});
  const auto y = Cpu::run(op::Scatter{1, ScatterMode::add}, {zeros, array<Cpu, std::int64_t>({2, 2}, {0, 3, 1, 1}), array<Cpu, float>({2, 2}, {1, 2, 3, 4})})[0];
  EXPECT_EQ((values_of<float, Cpu>(y)), (std::vector<float>{1, 0, 0, 2, 0, 0, 7, 0, 0, 0}));
  // An empty index changes nothing.
  const auto same_again = Cpu::run(op::Scatter{1, ScatterMode::add}, {y, array<Cpu, std::int64_t>({2, 0}, {}), array<Cpu, float>({2, 0}, {})})[0];
  EXPECT_EQ((values_of<float, Cpu>(same_again)), (values_of<float, Cpu>(y)));
  // Assign keeps the last of duplicates.
  const Cpu::Handle base = Cpu::make({}, op::Iota{{Dtype::f32, {9}}, 0, 1, 1});
  const auto assigned = Cpu::run(op::Scatter{0, ScatterMode::assign},
                                 {base, array<Cpu, std::int64_t>({5}, {0, 1, 1, 1, 2}), array<Cpu, float>({5}, {11, 12, 13, 14, 15})})[0];
  EXPECT_EQ((values_of<float, Cpu>(assigned)), (std::vector<float>{11, 14, 15, 4, 5, 6, 7, 8, 9}));
  // The gradient of an embedding of rows 1, 1, 0.
  const auto rows = Cpu::run(op::ScatterNd{ScatterMode::add}, {Cpu::make({}, op::Full{{Dtype::f32, {3, 2}}, 0}), array<Cpu, std::int64_t>({3, 1}, {1, 1, 0}),
                                                               Cpu::make({}, op::Full{{Dtype::f32, {3, 2}}, 1})})[0];
  EXPECT_EQ((values_of<float, Cpu>(rows)), (std::vector<float>{1, 1, 2, 2, 0, 0}));
}

TEST(CpuMove, IndicesOutOfRangeAreErrorsBeforeAnyWrite) {  // cases.md D34
  const Cpu::Handle table = Cpu::make({}, op::Iota{{Dtype::f32, {3, 2}}, 0, 0, 1});
  for (std::int64_t bad : {std::int64_t(3), std::int64_t(-1), std::int64_t(1) << 33}) {
    const Cpu::Handle index = array<Cpu, std::int64_t>({2, 1}, {1, bad});
    const Error nd = error_of([&] { Cpu::run(op::GatherNd{}, {table, index}); });
    EXPECT_EQ(nd.kind, ErrorKind::user);
    EXPECT_NE(nd.message.find("index " + std::to_string(bad)), std::string::npos) << nd.message;
    EXPECT_NE(nd.message.find("size 3"), std::string::npos) << nd.message;
    EXPECT_EQ(error_of([&] { Cpu::run(op::Gather{0}, {table, array<Cpu, std::int64_t>({1, 2}, {0, bad})}); }).kind, ErrorKind::user);
    Cpu::Handle own = Cpu::make({}, op::Full{{Dtype::f32, {3, 2}}, 5});
    EXPECT_EQ(error_of([&] { Cpu::run(op::ScatterNd{ScatterMode::add}, {own, index, Cpu::make({}, op::Full{{Dtype::f32, {2, 2}}, 1})}); }).kind, ErrorKind::user);
    EXPECT_EQ((values_of<float, Cpu>(own)), std::vector<float>(6, 5));
  }
  // The first wrong one of many is named, whatever the threads.
  std::vector<std::int32_t> many(200000, 1);
  many[100001] = 7;
  many[190000] = -4;
  const Error error = error_of([&] { Cpu::run(op::Gather{0}, {Cpu::make({}, op::Full{{Dtype::f32, {3}}, 1}), array<Cpu, std::int32_t>({200000}, many)}); });
  EXPECT_NE(error.message.find("index 7 "), std::string::npos) << error.message;
}

TEST(CpuMove, SliceAssignEqualsPortable) {
  Numbers numbers(38);
  for (Dtype dtype : all_dtypes())
    for (Look look : {Look::contiguous, Look::permuted, Look::stretched, Look::sliced})
      for (const Shape& from : {Shape{2, 3}, Shape{3}, Shape{2, 1}, Shape{}}) {
        const Both base = laid_out(look, dtype, {5, 7}, numbers), source = laid_out(Look::contiguous, dtype, from, numbers);
        EXPECT_TRUE(same(run(op::SliceAssign{{4, 1}, {2, 3}, {-3, 2}}, base, source))) << name_of(look);
      }
  // A base that is nobody else's is written in place.
  Cpu::Handle own = Cpu::make({}, op::Full{{Dtype::f32, {1000}}, 1});
  const std::size_t live = Cpu::memory_stats({}).live;
  own = Cpu::run(op::SliceAssign{{0}, {1}, {1}}, {std::move(own), array<Cpu, float>({1}, {2})})[0];
  EXPECT_EQ(Cpu::memory_stats({}).live, live);
}

TEST(CpuMove, MadeArraysEqualPortable) {
  for (Dtype dtype : all_dtypes())
    for (const Shape& shape : {Shape{}, Shape{5}, Shape{3, 0, 2}, Shape{3, 4, 5}, Shape{70000}}) {
      const auto check = [&](const auto& op) { EXPECT_TRUE(same({Cpu::make({}, op), Portable::make({}, op)})) << to_string(op); };
      check(op::Full{{dtype, shape}, 2.5});
      if (!is_bool(dtype))
        for (int axis = 0; axis < std::max(1, shape.size()); ++axis) check(op::Iota{{dtype, shape}, axis, -3, 2});
      const std::uint64_t key = 0x123456789abcdefull, offset = 0xfffffffeull;
      if (is_float(dtype)) {
        check(op::Random{{dtype, shape}, Distribution::uniform, -1.0, 3.0, key, offset});
        const op::Random normal{{dtype, shape}, Distribution::normal, 1.0, 2.0, key, offset};
        EXPECT_TRUE(same({Cpu::make({}, normal), Portable::make({}, normal)}, 4, 1e-6));
      } else {
        check(op::Random{{dtype, shape}, Distribution::bits, 0, 1, key, offset});
      }
      if (is_integer(dtype)) check(op::Random{{dtype, shape}, Distribution::integer, 3, 100, key, offset});
    }
}

}  // namespace
}  // namespace hearth::testing
