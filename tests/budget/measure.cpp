// measure: runs a command several times and prints the least processor time (user and system, all its children included) in seconds
// and the most memory that one of its processes held, in MB. Processor time rather than time on the clock: machines that run tests are
// shared, and a budget is about what the compiler has to do.
//   measure <most runs> <seconds that are good enough to stop> <command> [arguments...]
// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace {

double seconds(const timeval& time) { return double(time.tv_sec) + 1e-6 * double(time.tv_usec); }

}  // namespace

int main(int count, char** arguments) {
  if (count < 4) return 2;
  const int runs = std::atoi(arguments[1]);
  const double enough = std::atof(arguments[2]);
  double best = 1e9;
  long peak = 0;
  for (int run = 0; run < runs && best > enough; ++run) {
    const pid_t child = fork();
    if (child < 0) return 2;
    if (child == 0) {
      dup2(2, 1);  // what the command says is not part of the answer
      execvp(arguments[3], arguments + 3);
      std::perror(arguments[3]);
      _exit(127);
    }
    int status = 0;
    rusage used{};
    if (wait4(child, &status, 0, &used) != child) return 2;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      std::fprintf(stderr, "measure: %s failed\n", arguments[3]);
      return 1;
    }
    best = std::min(best, seconds(used.ru_utime) + seconds(used.ru_stime));
    peak = std::max(peak, used.ru_maxrss);
  }
  std::printf("%.3f %ld\n", best, peak / 1024);
}
