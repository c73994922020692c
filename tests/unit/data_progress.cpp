// data/progress: what the bar shows on a terminal (a pseudo-terminal in place of the error stream), and that it shows nothing elsewhere.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/data/progress.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <functional>

namespace hearth {
namespace {

/// What `write` sends to the error stream while that is `file`.
void with_error_stream(int file, const std::function<void()>& write) {
  std::fflush(stderr);
  const int before = dup(STDERR_FILENO);
  ASSERT_GE(dup2(file, STDERR_FILENO), 0);
  write();
  std::fflush(stderr);
  dup2(before, STDERR_FILENO);
  close(before);
}
std::string all_from(int file) {
  fcntl(file, F_SETFL, O_NONBLOCK);
  std::string text;
  char part[4096];
  for (ssize_t n = 0; (n = read(file, part, sizeof part)) > 0;) text.append(part, std::size_t(n));
  return text;
}
std::string on_a_terminal(const std::function<void()>& write) {
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  EXPECT_TRUE(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
  const int terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
  EXPECT_GE(terminal, 0);
  with_error_stream(terminal, write);
  const std::string text = all_from(master);
  close(terminal);
  close(master);
  return text;
}

/// A bare root directory may have none.
bool machine_has_terminals() {
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  const bool has = master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0 && access(ptsname(master), R_OK | W_OK) == 0;
  if (master >= 0) close(master);
  return has;
}
class Progresses : public testing::Test {
 protected:
  void SetUp() override {
    if (!machine_has_terminals()) GTEST_SKIP() << "this machine has no pseudo-terminals";
  }
};

TEST_F(Progresses, grow_on_a_terminal_and_go_away) {
  const std::string text = on_a_terminal([] {
    Progress progress("epoch 3", 4);
    for (const char* note : {"loss 4", "loss 3", "loss 2", "loss 1"}) progress.step(note);
  });
  // Title, bar, count and note of each step; 30 columns, of which 7, 15, 22 and 30 are full.
  const std::string want[] = {"epoch 3 [" + std::string(7, '=') + std::string(23, ' ') + "] 1/4 ", "epoch 3 [" + std::string(15, '=') + std::string(15, ' ') + "] 2/4 ",
                              "epoch 3 [" + std::string(22, '=') + std::string(8, ' ') + "] 3/4 ", "epoch 3 [" + std::string(30, '=') + "] 4/4 "};
  std::size_t at = 0;
  for (int i = 0; i < 4; ++i) {
    at = text.find(want[i], at);
    ASSERT_NE(at, text.npos) << want[i] << " is not in " << text;
    EXPECT_NE(text.find(" s loss " + std::to_string(4 - i), at), text.npos) << text;
  }
  EXPECT_TRUE(text.ends_with("\r\033[K")) << text;  // the line is empty again
}

TEST_F(Progresses, do_not_draw_what_would_look_the_same) {
  const std::string text = on_a_terminal([] {
    Progress progress("many", 1'000'000);
    for (int i = 0; i < 5000; ++i) progress.step();
  });
  EXPECT_EQ(std::count(text.begin(), text.end(), '['), 6 + 7) << text;  // 6 states of 1/1000, 7 times "erase the line"
}

TEST(Progress, writes_nothing_where_nobody_looks) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  with_error_stream(ends[1], [] {
    Progress progress("epoch", 2);
    progress.step("loss");
    progress.step("loss");
  });
  EXPECT_EQ(all_from(ends[0]), "");
  close(ends[0]);
  close(ends[1]);
}
TEST_F(Progresses, of_nothing_draw_no_bar) {
  EXPECT_EQ(on_a_terminal([] { Progress("nothing to do", 0).step(); }), "\r\033[K");
}

TEST(Progress, numbers_with_so_many_digits) {
  EXPECT_EQ(fixed(97.25), "97.25");
  EXPECT_EQ(fixed(97.256), "97.26");
  EXPECT_EQ(fixed(-0.5, 4), "-0.5000");
}

}  // namespace
}  // namespace hearth
