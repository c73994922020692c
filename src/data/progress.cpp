// data/progress: drawing the bar.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/data/progress.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>

namespace hearth {

namespace {
std::int64_t now() { return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
}  // namespace

Progress::Progress(std::string title, std::int64_t total)
    : title_(std::move(title)), total_(total), start_(now()), terminal_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  if (terminal_) std::fprintf(stderr, "\r\033[K");
}

void Progress::step(const std::string& note) {
  ++done_;
  if (!terminal_ || total_ < 1) return;
  const int state = int(1000 * done_ / total_);
  if (state == shown_) return;
  shown_ = state;
  constexpr int width = 30;
  const int full = int(width * done_ / total_);
  std::string bar(std::size_t(full), '=');
  bar.resize(width, ' ');
  std::fprintf(stderr, "\r\033[K%s [%s] %lld/%lld %.1f s %s", title_.c_str(), bar.c_str(), static_cast<long long>(done_), static_cast<long long>(total_),
               double(now() - start_) / 1000, note.c_str());
  std::fflush(stderr);
}

void Progress::step(const std::string& name, double value) {
  sum_ += value;
  ++numbers_;
  step(name + ' ' + fixed(value, 4));
}

std::string fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

}  // namespace hearth
