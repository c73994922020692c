// tests/fuzz/main: the arguments of a fuzzer (how many programs, and the first seed), and a last word when it dies.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>

#include "random.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HEARTH_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HEARTH_SANITIZED 1
#endif
#endif

namespace hearth::fuzz {
namespace {

std::uint64_t programs = 300, seed = 1;
char current[4096];

void last_word(int signal) {
  const char* const sentence = signal == SIGALRM ? "\nfuzz: takes more than half a minute: " : "\nfuzz: the process dies in: ";
  const bool said = write(2, sentence, std::strlen(sentence)) >= 0 && write(2, current, std::strlen(current)) >= 0 && write(2, "\n", 1) >= 0;
  _exit(said ? 1 : 2);
}

}  // namespace

std::uint64_t count() { return programs; }
std::uint64_t first_seed() { return seed; }

void now(const std::string& what) {
  const std::size_t size = std::min(what.size(), sizeof current - 1);
  std::memcpy(current, what.data(), size);
  current[size] = 0;
  alarm(30);
}

}  // namespace hearth::fuzz

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc > 1) hearth::fuzz::programs = std::strtoull(argv[1], nullptr, 10);
  if (argc > 2) hearth::fuzz::seed = std::strtoull(argv[2], nullptr, 10);
  std::signal(SIGALRM, hearth::fuzz::last_word);
#ifndef HEARTH_SANITIZED
  for (int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS}) std::signal(signal, hearth::fuzz::last_word);
  // Memory that is not an array's has no cap of its own: an op that asks for more than this is a fault to be seen.
  const rlimit limit{rlim_t(8) << 30, rlim_t(8) << 30};
  setrlimit(RLIMIT_AS, &limit);
#endif
  return RUN_ALL_TESTS();
}
