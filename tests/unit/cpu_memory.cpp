// tests/unit/cpu_memory: the allocator, transfers and threads of Cpu.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>

#include "unit/cpu_support.hpp"

namespace hearth::testing {
namespace {

Cpu::Handle floats(std::int64_t count) { return Cpu::make({}, op::Full{{Dtype::f32, {count}}, 1.0}); }

TEST(CpuMemory, TransfersKeepEveryBit) {
  Numbers numbers(41);
  for (Dtype dtype : all_dtypes())
    for (Look look : looks) {
      const Both x = laid_out(look, dtype, {3, 4, 5}, numbers, -4, 4, true);
      EXPECT_EQ(bytes_of<Cpu>(x.cpu), bytes_of<Portable>(x.portable));
      std::vector<std::byte> again(bytes_of<Cpu>(x.cpu).size());
      const Ref<Completion> done = Cpu::download_async(x.cpu, again.data());
      done->wait();
      EXPECT_TRUE(done->ready());
      EXPECT_EQ(again, bytes_of<Cpu>(x.cpu));
    }
  EXPECT_EQ(Cpu::name(), "Cpu");
  EXPECT_EQ(Cpu::error(floats(1)), nullptr);
}

TEST(CpuMemory, CountsWhatIsLive) {
  Cpu::trim({});
  const MemoryStats before = Cpu::memory_stats({});
  {
    const Cpu::Handle a = floats(1000);
    EXPECT_EQ(Cpu::memory_stats({}).live, before.live + 4000);
    const Cpu::Handle b = a;
    EXPECT_EQ(Cpu::memory_stats({}).live, before.live + 4000);
  }
  const MemoryStats after = Cpu::memory_stats({});
  EXPECT_EQ(after.live, before.live);
  EXPECT_GE(after.peak, before.live + 4000);
  EXPECT_GE(after.reserved, after.live);
  // What is freed is kept, and given back by trim.
  { const Cpu::Handle large = floats(1 << 20); }
  EXPECT_GE(Cpu::memory_stats({}).reserved, before.reserved + (std::size_t(4) << 20));
  Cpu::trim({});
  EXPECT_LT(Cpu::memory_stats({}).reserved, before.reserved + (std::size_t(1) << 20));
}

TEST(CpuMemory, ReusesFreedBlocks) {
  { const Cpu::Handle warm = floats(100000); }
  const std::size_t reserved = Cpu::memory_stats({}).reserved;
  for (int i = 0; i < 1000; ++i) floats(100000 - i % 7);
  EXPECT_EQ(Cpu::memory_stats({}).reserved, reserved);
}

TEST(CpuMemory, SizesThatChangeDoNotHoard) {
  for (int i = 1; i < 200; ++i) floats(i * 50000);
  const MemoryStats stats = Cpu::memory_stats({});
  EXPECT_LT(stats.reserved, 2 * stats.peak + (std::size_t(128) << 20));
  Cpu::trim({});
}

TEST(CpuMemory, UploadMakesBoolsOfAnyBytes) {
  std::vector<std::byte> from(100000);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = std::byte(i % 256);
  const Cpu::Handle x = upload<Cpu>({Dtype::boolean, {100000}}, from);
  const std::vector<std::byte> to = bytes_of<Cpu>(x);
  for (std::size_t i = 0; i < to.size(); ++i) ASSERT_EQ(to[i], std::byte(i % 256 != 0)) << i;
}

TEST(CpuMemory, UploadRefusesSizesWhoseStridesOverflow) {
  const Error error = error_of([] { Cpu::upload({}, {Dtype::f32, {0, std::int64_t(1) << 62, 8}}, nullptr); });
  EXPECT_EQ(error.kind, ErrorKind::user);
  EXPECT_EQ(error.op, "upload");
  EXPECT_EQ(error.message, "f32[0, 4611686018427387904, 8] passes 2^63 - 1 bytes");
}

TEST(CpuMemory, ImpossibleSizesAreErrors) {  // cases.md G49
  const Spec huge{Dtype::f32, {std::int64_t(1) << 58}};
  const Error error = error_of([&] { Cpu::make({}, op::Full{huge, 0}); });
  EXPECT_EQ(error.kind, ErrorKind::device);
  EXPECT_EQ(error.op, "Full");
  EXPECT_NE(error.message.find("1152921504606846976 bytes"), std::string::npos) << error.message;
  EXPECT_EQ((values_of<float, Cpu>(floats(2))), (std::vector<float>{1, 1}));
  const Cpu::Handle stretched = Cpu::run(op::Expand{{std::int64_t(1) << 30, std::int64_t(1) << 30}}, {Cpu::make({}, op::Full{{Dtype::f32, {1, 1}}, 0})})[0];
  EXPECT_EQ(error_of([&] { Cpu::run(op::Unary{UnaryCode::neg}, {stretched}); }).kind, ErrorKind::device);
  EXPECT_EQ((values_of<float, Cpu>(floats(2))), (std::vector<float>{1, 1}));
}

TEST(CpuMemory, ACapHolds) {
  Cpu::trim({});
  Cpu::set_memory_cap(Cpu::memory_stats({}).reserved + (std::size_t(1) << 20));
  EXPECT_EQ(error_of([] { floats(1 << 20); }).kind, ErrorKind::device);
  EXPECT_EQ((values_of<float, Cpu>(floats(1000))).size(), 1000u);
  // What is cached makes room before an error is made.
  for (std::int64_t count : {50000, 100000, 150000, 200000}) floats(count);
  Cpu::set_memory_cap(0);
  EXPECT_EQ((values_of<float, Cpu>(floats(1 << 20))).size(), std::size_t(1) << 20);
}

TEST(CpuMemory, ThreadsShareArrays) {
  const std::size_t before = Cpu::memory_stats({}).live;
  {
    const Cpu::Handle shared = floats(50000);
    std::atomic<int> wrong{0};
    std::vector<std::thread> callers;
    for (int t = 0; t < 4; ++t)
      callers.emplace_back([&, t] {
        for (int i = 0; i < 50; ++i) {
          Cpu::Handle x = Cpu::run(op::BinaryScalar{BinaryCode::add, double(t), Side::right}, {shared})[0];
          x = Cpu::run(op::Binary{BinaryCode::add}, {std::move(x), shared})[0];
          x = Cpu::run(op::Reduce{ReduceCode::sum, {0}}, {std::move(x)})[0];
          if (values_of<float, Cpu>(x)[0] != 50000.f * float(t + 2)) ++wrong;
        }
      });
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(wrong, 0);
  }
  EXPECT_EQ(Cpu::memory_stats({}).live, before);
}

TEST(CpuMemory, ThreadCountsAreKept) {
  const int before = Cpu::threads();
  EXPECT_GE(before, 1);
  Cpu::set_threads(3);
  EXPECT_EQ(Cpu::threads(), 3);
  EXPECT_EQ(error_of([] { Cpu::set_threads(0); }).kind, ErrorKind::user);
  EXPECT_EQ(Cpu::threads(), 3);
  Cpu::set_threads(before);
}

TEST(CpuMemory, LongLoopsDoNotGrow) {  // cases.md B17
  Cpu::Handle t3 = Cpu::make({}, op::Full{{Dtype::f32, {10}}, 0}), t2 = floats(10);
  const Cpu::Handle ones = Cpu::make({}, op::Full{{Dtype::f32, {10, 10}}, 1});
  const auto step = [&] {
    const Cpu::Handle sum = Cpu::run(op::Reshape{{10}}, {Cpu::run(op::Reduce{ReduceCode::sum, {1}}, {ones})[0]})[0];
    t3 = Cpu::run(op::Binary{BinaryCode::add}, {std::move(t3), sum})[0];
    t2 = Cpu::run(op::Binary{BinaryCode::add}, {std::move(t2), t3})[0];
  };
  for (int i = 0; i < 100; ++i) step();
  const MemoryStats early = Cpu::memory_stats({});
  for (int i = 100; i < 1000; ++i) step();
  EXPECT_EQ((values_of<float, Cpu>(t3)), std::vector<float>(10, 10000));
  EXPECT_EQ((values_of<float, Cpu>(t2)), std::vector<float>(10, 5005001));
  EXPECT_EQ(Cpu::memory_stats({}).live, early.live);
  EXPECT_EQ(Cpu::memory_stats({}).reserved, early.reserved);
}

}  // namespace
}  // namespace hearth::testing
