// profile: the one table of all ops that were timed.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/profile/profile.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <mutex>

namespace hearth {

namespace {
struct Table {
  std::mutex lock;
  std::map<std::pair<std::string_view, std::string_view>, ProfileEntry> entries;
};
Table& table() {
  static Table only;
  return only;
}
}  // namespace

namespace detail {

double profile_clock() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void add_to_profile(std::string_view op, std::string_view code, double seconds, double bytes) {
  Table& all = table();
  const std::lock_guard guard(all.lock);
  ProfileEntry& entry = all.entries.try_emplace({op, code}, ProfileEntry{op, code}).first->second;
  ++entry.calls;
  entry.seconds += seconds;
  entry.bytes += bytes;
}

}  // namespace detail

std::vector<ProfileEntry> profile_entries() {
  Table& all = table();
  const std::lock_guard guard(all.lock);
  std::vector<ProfileEntry> result;
  for (const auto& [key, entry] : all.entries) result.push_back(entry);
  std::sort(result.begin(), result.end(), [](const ProfileEntry& a, const ProfileEntry& b) {
    return a.seconds != b.seconds ? a.seconds > b.seconds : std::pair(a.op, a.code) < std::pair(b.op, b.code);
  });
  return result;
}

void reset_profile() {
  Table& all = table();
  const std::lock_guard guard(all.lock);
  all.entries.clear();
}

std::string profile_table() {
  const auto entries = profile_entries();
  double seconds = 0;
  std::int64_t calls = 0;
  for (const auto& entry : entries) seconds += entry.seconds, calls += entry.calls;
  std::string text;
  char line[160];
  std::snprintf(line, sizeof line, "%-28s %10s %12s %12s %7s %9s\n", "op", "calls", "total ms", "mean us", "share", "GB/s");
  text += line;
  auto row = [&](const std::string& name, std::int64_t count, double time, double bytes) {
    std::snprintf(line, sizeof line, "%-28s %10lld %12.3f %12.3f %6.1f%% %9.2f\n", name.c_str(), static_cast<long long>(count), time * 1e3,
                  count > 0 ? time * 1e6 / double(count) : 0.0, seconds > 0 ? 100 * time / seconds : 0.0, time > 0 ? bytes / time / 1e9 : 0.0);
    text += line;
  };
  double bytes = 0;
  for (const auto& entry : entries) {
    std::string name(entry.op);
    if (!entry.code.empty()) name += " " + std::string(entry.code);
    row(name, entry.calls, entry.seconds, entry.bytes);
    bytes += entry.bytes;
  }
  row("all", calls, seconds, bytes);
  return text;
}

}  // namespace hearth
