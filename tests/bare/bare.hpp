// tests/bare/bare: what the programs here share. No test framework: it would bring exceptions along.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "hearth/backend/dyn.hpp"
#include "hearth/portable.hpp"

static_assert(!HEARTH_EXCEPTIONS, "these tests are about Hearth without exceptions");

namespace bare {

using namespace hearth;

inline int failures = 0, checks = 0;
inline void check(bool good, const std::string& what) {
  ++checks;
  if (good) return;
  std::printf("failed: %s\n", what.c_str());
  ++failures;
}

/// What the handler got since the last call of `quiet`.
inline int reports = 0;
inline std::string last_report;
inline void count_report(const Error& error) {
  ++reports;
  last_report = error.what();
}
inline void quiet() { reports = 0, last_report.clear(); }

inline bool says(const Error* error, std::string_view text) { return error && std::string_view(error->what()).find(text) != std::string_view::npos; }

inline void unlimited() { Portable::set_memory_cap(std::numeric_limits<std::size_t>::max()); }

/// Row-major bytes of a value that has some.
template <class B>
std::vector<std::byte> bytes_of(const Dyn<B>& x) {
  const Spec spec = B::spec(x.handle);
  std::vector<std::byte> bytes(std::size_t(element_count(spec.shape)) * size_of(spec.dtype));
  B::download(x.handle, bytes.data());
  return bytes;
}

/// Runs `f`, which gives a list of values, with less and less memory than it takes. Every value must be what it is with enough memory, or
/// carry "out of memory"; what is out must have been reported; nothing may stay pending, nothing may leak.
template <class B, class F>
void survives_little_memory(const std::string& name, F f, int limits = 24) {
  const auto live = [] { return Portable::memory_stats({}).live; };
  const std::size_t before = live();
  portable::Memory::peak = before;
  quiet();
  std::vector<std::vector<std::byte>> expected;
  for (const Dyn<B>& value : f()) {
    check(value && !value.error(), name + ": works with enough memory " + (value.error() ? value.error()->what() : ""));
    expected.push_back(value && !value.error() ? bytes_of(value) : std::vector<std::byte>());
  }
  const std::size_t need = Portable::memory_stats({}).peak - before;
  check(reports == 0 && live() == before, name + ": leaves nothing behind");
  int failed = 0;
  for (int i = 0; i <= limits; ++i) {
    quiet();
    const std::size_t cap = i == limits ? need - 1 : need * std::size_t(i) / std::size_t(limits);
    const std::string at = name + " with " + std::to_string(cap) + " of " + std::to_string(need) + " bytes";
    Portable::set_memory_cap(before + cap);
    {
      const std::vector<Dyn<B>> values = f();
      unlimited();
      bool out = false;
      check(values.size() == expected.size(), at + ": has all its results");
      for (std::size_t k = 0; k < values.size() && k < expected.size(); ++k) {
        if (!values[k].error()) check(values[k] && bytes_of(values[k]) == expected[k], at + ": result " + std::to_string(k) + " is right or an error");
        else check(says(values[k].error(), "out of memory"), at + ": result " + std::to_string(k) + " tells why: " + values[k].error()->what());
        out = out || values[k].error();
      }
      check(!out || reports > 0, at + ": was reported");
      failed += out;
    }
    check(!pending_error(), at + ": nothing is pending");
    check(live() == before, at + ": nothing leaks");
  }
  check(need == 0 || failed > 0, name + ": memory did run out");
}

/// What main returns.
inline int result() {
  std::printf("%d checks, %d failed\n", checks, failures);
  return failures != 0;
}

}  // namespace bare
