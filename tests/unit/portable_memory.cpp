// tests/unit/portable_memory: Portable's memory: transfers, counters, running out, value semantics, devices.
// SPDX-License-Identifier: Apache-2.0
#include "portable.hpp"

namespace hearth::test {
namespace {

struct Cap {
  explicit Cap(std::size_t bytes) { Portable::set_memory_cap(bytes); }
  ~Cap() { Portable::set_memory_cap(0); }
};

TEST(PortableMemory, KeepsBitsOfAllDtypes) {
  for (Dtype dtype : all_dtypes) {
    std::vector<unsigned char> bytes(6 * size_of(dtype));
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = dtype == Dtype::boolean ? i % 2 : (unsigned char)(37 * i + 11);
    const Array x = Portable::upload({}, {dtype, {2, 3}}, bytes.data());
    std::vector<unsigned char> back(bytes.size());
    Portable::download(x, back.data());
    EXPECT_EQ(bytes, back) << name_of(dtype);
    EXPECT_EQ(Portable::error(x), nullptr);
  }
}

TEST(PortableMemory, DownloadsAnyLayoutInRowMajorOrder) {
  for (Dtype dtype : all_dtypes) {
    const Numbers numbers = dtype == Dtype::boolean ? Numbers{1, 0, 0, 1, 1, 1} : counting({2, 3});
    for (const Array& x : layouts(dtype, {2, 3}, numbers)) expect(x, {dtype, {2, 3}}, numbers);
  }
}

TEST(PortableMemory, DownloadsAtOnceWhenAskedAsynchronously) {
  const Array x = array({3}, {1, 2, 3});
  float to[3] = {};
  const Ref<Completion> completion = Portable::download_async(x, to);
  EXPECT_TRUE(completion->ready());
  completion->wait();
  EXPECT_EQ(to[2], 3);
  Portable::sync({});
  Portable::trim({});
}

TEST(PortableMemory, TakesEmptyArraysAndScalars) {
  expect(array({2, 0, 3}, {}), {Dtype::f32, {2, 0, 3}}, {});
  expect(array({}, {7}), {Dtype::f32, {}}, {7});
}

TEST(PortableMemory, UploadMakesBoolsOfAnyBytes) {
  const unsigned char from[4] = {0, 1, 2, 255};
  const Array x = Portable::upload({}, {Dtype::boolean, {4}}, from);
  unsigned char to[4] = {};
  Portable::download(x, to);
  EXPECT_EQ(std::vector<int>(to, to + 4), (std::vector<int>{0, 1, 1, 1}));
}

TEST(PortableMemory, UploadRefusesSizesWhoseStridesOverflow) {
  EXPECT_THROW(Portable::upload({}, {Dtype::f32, {0, std::int64_t(1) << 62, 8}}, nullptr), Error);
  EXPECT_THROW(Portable::upload({}, {Dtype::f32, {2, -1}}, nullptr), Error);
}

TEST(PortableMemory, UploadCopies) {
  float from[2] = {1, 2};
  const Array x = Portable::upload({}, {Dtype::f32, {2}}, from);
  from[0] = 9;
  expect(x, {Dtype::f32, {2}}, {1, 2});
}

TEST(PortableMemory, CountsBytes) {
  const std::size_t before = Portable::memory_stats({}).live;
  {
    const Array x = array({256}, Numbers(256, 1));
    EXPECT_EQ(Portable::memory_stats({}).live, before + 1024);
    const Array view = run(op::Reshape{{16, 16}}, x);
    EXPECT_EQ(Portable::memory_stats({}).live, before + 1024) << "a view has no memory of its own";
    const Array y = run(op::Unary{UnaryCode::neg}, x);
    EXPECT_EQ(Portable::memory_stats({}).live, before + 2048);
  }
  EXPECT_EQ(Portable::memory_stats({}).live, before);
  EXPECT_EQ(Portable::memory_stats({}).reserved, before);
  EXPECT_GE(Portable::memory_stats({}).peak, before + 2048);
}

TEST(PortableMemory, ViewsKeepTheBufferAlive) {
  Array view;
  {
    const Array x = array({4}, {1, 2, 3, 4});
    view = run(op::Slice{{1}, {2}, {2}}, x);
  }
  expect(view, {Dtype::f32, {2}}, {2, 4});
}

TEST(PortableMemory, OutOfMemoryIsCaughtAndTheNextWorks) {
  const Array x = array({64}, Numbers(64, 2));
  {
    const Cap cap(Portable::memory_stats({}).live + 100);
    const std::size_t live = Portable::memory_stats({}).live;
    const Error error = error_of([&] { run(op::Unary{UnaryCode::neg}, x); });
    EXPECT_EQ(error.kind, ErrorKind::device);
    EXPECT_EQ(error.op, "Unary");
    EXPECT_TRUE(contains(error.what(), "256 bytes")) << error.what();
    EXPECT_EQ(Portable::memory_stats({}).live, live);
    EXPECT_EQ(error_of([&] { Portable::make({}, op::Full{{Dtype::f64, {13}}, 1}); }).kind, ErrorKind::device);
    EXPECT_EQ(error_of([&] { array({26}, Numbers(26)); }).kind, ErrorKind::device);
    expect(Portable::make({}, op::Full{{Dtype::f64, {12}}, 1}), {Dtype::f64, {12}}, Numbers(12, 1));
  }
  expect(run(op::Unary{UnaryCode::neg}, x), {Dtype::f32, {64}}, Numbers(64, -2));
}

TEST(PortableMemory, KernelsThatNeedScratchMemoryFailWithoutHarm) {
  const Array x = array({16}, Numbers(16, 2)), index = indices({16}, Numbers(16, 0));
  const std::size_t live = Portable::memory_stats({}).live;
  {
    const Cap cap(live + 64 + 100);  // the result fits, the work array does not
    EXPECT_EQ(error_of([&] { run(op::Scatter{0, ScatterMode::add}, x, index, x); }).kind, ErrorKind::device);
    EXPECT_EQ(Portable::memory_stats({}).live, live);
  }
  expect(run(op::Gather{0}, x, index), {Dtype::f32, {16}}, Numbers(16, 2));
}

TEST(PortableMemory, MoreThanTheMachineHasIsAnError) {
  const Error error = error_of([] { Portable::make({}, op::Full{{Dtype::u8, {std::int64_t(1) << 60}}, 1}); });
  EXPECT_EQ(error.kind, ErrorKind::device);
  EXPECT_EQ(error.op, "Full");
  EXPECT_TRUE(contains(error.what(), "1152921504606846976 bytes")) << error.what();
  expect(Portable::make({}, op::Full{{Dtype::u8, {2}}, 4}), {Dtype::u8, {2}}, {4, 4});
}

TEST(PortableMemory, ValuesNeverChangeUnderTheirOwners) {
  const Array x = array({2, 2}, {1, 2, 3, 4});
  const Array view = run(op::Permute{{1, 0}}, x), row = run(op::Slice{{0, 0}, {1, 2}, {1, 1}}, x);
  run(op::Unary{UnaryCode::exp}, x);
  run(op::Unary{UnaryCode::exp}, view);
  run(op::SliceAssign{{0, 0}, {2, 1}, {1, 1}}, x, array({1, 1}, {9}));
  run(op::SliceAssign{{0, 0}, {1, 1}, {1, 1}}, row, array({1, 1}, {9}));
  run(op::Scatter{0, ScatterMode::add}, view, indices({1, 2}, {0, 1}), array({1, 2}, {5, 5}));
  run(op::Sort{0, true}, view);
  Portable::run(op::Binary{BinaryCode::add}, {x, x});
  expect(x, {Dtype::f32, {2, 2}}, {1, 2, 3, 4});
  expect(view, {Dtype::f32, {2, 2}}, {1, 3, 2, 4});
  expect(row, {Dtype::f32, {1, 2}}, {1, 2});
}

TEST(PortableMemory, OperandsGivenAwayMayBeTheSame) {
  Array x = array({2}, {1, 2});
  x = Portable::run(op::Binary{BinaryCode::add}, {x, x})[0];
  expect(x, {Dtype::f32, {2}}, {2, 4});
}

TEST(PortableMemory, ResultsLiveWhereTheirOperandsDo) {
  const float from[1] = {1};
  const Array on_first = Portable::upload({0}, {Dtype::f32, {1}}, from), on_second = Portable::upload({1}, {Dtype::f32, {1}}, from);
  EXPECT_EQ(Portable::device(run(op::Unary{UnaryCode::neg}, on_second)), Portable::Device{1});
  EXPECT_EQ(Portable::device(run(op::Reshape{{1, 1}}, on_second)), Portable::Device{1});
  EXPECT_EQ(Portable::device(Portable::make({1}, op::Full{{Dtype::f32, {1}}, 0})), Portable::Device{1});
  EXPECT_FALSE(Portable::device(on_first) == Portable::device(on_second));
  const Error error = error_of([&] { run(op::Binary{BinaryCode::add}, on_first, on_second); });
  EXPECT_EQ(error.kind, ErrorKind::user);
  EXPECT_TRUE(contains(error.what(), "devices 0 and 1")) << error.what();
}

TEST(PortableMemory, AnAbsentOperandIsAnError) {
  const Error error = error_of([] { run(op::Unary{UnaryCode::neg}, Array{}); });
  EXPECT_EQ(error.kind, ErrorKind::user);
  EXPECT_TRUE(contains(error.what(), "operand 0")) << error.what();
}

TEST(PortableMemory, ShapeErrorsComeFromInferenceBeforeAnyMemory) {
  const Array x = array({2}, {1, 2}), y = array({3}, {1, 2, 3});
  const std::size_t live = Portable::memory_stats({}).live;
  const Error error = error_of([&] { run(op::Binary{BinaryCode::add}, x, y); });
  EXPECT_EQ(error.kind, ErrorKind::user);
  EXPECT_EQ(error.op, "add");
  EXPECT_EQ(Portable::memory_stats({}).live, live);
}

TEST(PortableMemory, Name) { EXPECT_EQ(Portable::name(), "Portable"); }

}  // namespace
}  // namespace hearth::test
