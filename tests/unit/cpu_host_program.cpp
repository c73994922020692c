// unit/cpu_host_program: what the program around Hearth set stays as it set it, and no more threads come than were allowed (case 50).
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <cfenv>
#include <clocale>
#include <filesystem>
#include <thread>

#include "hearth/cpu.hpp"
#include "hearth/nn/nn.hpp"
#include "hearth/optim/optimizer.hpp"

namespace hearth {
namespace {

/// Threads of this process.
int thread_count() {
  int count = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    (void)task;
    ++count;
  }
  return count;
}
/// Enough work that a loop is shared among threads where it may be.
void work(int rounds) {
  for (int i = 0; i < rounds; ++i) {
    const auto x = randn<Cpu>({256, 256});
    (void)(exp(matmul(x, x)).sum() + randn<Cpu>({1 << 18}).sort().values.sum()).item();
  }
}
/// The most threads that were there while 8 callers worked.
int most_threads_with_callers() {
  std::atomic<int> working{8};
  std::vector<std::thread> callers;
  for (int t = 0; t < 8; ++t)
    callers.emplace_back([&] {
      work(4);
      --working;
    });
  int most = 0;
  while (working > 0) {
    most = std::max(most, thread_count());
    std::this_thread::yield();
  }
  for (auto& caller : callers) caller.join();
  return most;
}

// The first test of this program: no worker has been started yet.
TEST(CpuHostProgram, CallersGetNoMoreThreadsThanTheLimit) {
  std::thread([] {}).join();  // with the first thread of a program, ThreadSanitizer starts one of its own
  const int before = thread_count(), normal = Cpu::threads();
  Cpu::set_threads(1);
  EXPECT_LE(most_threads_with_callers(), before + 8);  // each caller works alone
  Cpu::set_threads(2);
  EXPECT_LE(most_threads_with_callers(), before + 8 + 1);
  Cpu::set_threads(normal);
  EXPECT_EQ(Cpu::threads(), normal);
}

TEST(CpuHostProgram, SettingsOfTheProcessStay) {
  // Another library's threads: OpenMP, where this machine has it, with a number that nothing else would choose.
  void* openmp = dlopen("libgomp.so.1", RTLD_NOW);
  int (*get)() = nullptr;
  if (openmp) {
    reinterpret_cast<void (*)(int)>(dlsym(openmp, "omp_set_num_threads"))(7);
    get = reinterpret_cast<int (*)()>(dlsym(openmp, "omp_get_max_threads"));
    ASSERT_EQ(get(), 7);
  }
  cpu_set_t allowed, now;
  ASSERT_EQ(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
  const std::string locale = std::setlocale(LC_ALL, nullptr), folder = std::filesystem::current_path();
  ASSERT_EQ(std::fesetround(FE_TOWARDZERO), 0);

  const int threads = Cpu::threads();
  Cpu::set_threads(3);
  auto model = sequential(make_linear<Autodiff<Cpu>>(32, 32), Tanh{}, make_linear<Autodiff<Cpu>>(32, 1));
  const auto clone = model;
  Optimizer optimizer(Adam{}, model);
  optimizer.step(model, backward(model(randn<Autodiff<Cpu>>({64, 32})).sum()));
  (void)inference(clone)(randn<Cpu>({64, 32})).to_vector();
  work(1);
  Cpu::set_threads(threads);

  EXPECT_EQ(std::fegetround(), FE_TOWARDZERO);
  std::fesetround(FE_TONEAREST);
  volatile float small = 1e-40f;
  EXPECT_GT(small * 1.f, 0.f) << "small numbers are flushed to zero";
  EXPECT_EQ(sched_getaffinity(0, sizeof(now), &now), 0);
  EXPECT_TRUE(CPU_EQUAL(&allowed, &now));
  EXPECT_EQ(locale, std::setlocale(LC_ALL, nullptr));
  EXPECT_EQ(folder, std::filesystem::current_path());
  if (get) {
    EXPECT_EQ(get(), 7);
    std::thread([&] { work(1); }).join();
    EXPECT_EQ(get(), 7);
  }
}

}  // namespace
}  // namespace hearth
