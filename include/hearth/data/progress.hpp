// data/progress: a bar that tells how far a loop has come.
//   Progress progress("epoch 3", loader.size());
//   for (auto& batch : loader) { ... progress.step("loss", loss.item()); }
//   std::cout << "epoch 3: loss " << fixed(progress.mean(), 4) << '\n';
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "../core/config.hpp"

namespace hearth {

/// Writes to the error stream, and only where that is a terminal, so that a log holds no bars. The bar goes away when it dies.
class Progress {
 public:
  Progress(std::string title, std::int64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// One more is done; `note` stands behind the bar.
  void step(const std::string& note = {});
  /// The same with a number behind the bar, of which mean() is kept: step("loss", loss.item()).
  void step(const std::string& name, double value);
  /// The mean of the numbers so far; NaN of none.
  double mean() const { return sum_ / double(numbers_); }

 private:
  std::string title_;
  std::int64_t total_, done_ = 0, numbers_ = 0, start_;
  double sum_ = 0;
  int shown_ = -1;  // the last state drawn, in 1/1000
  bool terminal_;
};

/// "97.25": a number with so many digits behind the point, for notes and tables.
std::string fixed(double value, int digits = 2);

}  // namespace hearth
