// regression: how a disease progressed within a year, predicted from ten measurements: by ordinary least squares, and by a small
// network trained beside it.
//   regression <diabetes.csv>
// SPDX-License-Identifier: Apache-2.0
#include <hearth/cpu.hpp>
#include <hearth/hearth.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <sstream>

using namespace hearth;
using namespace hearth::index;
using B = Autodiff<Cpu>;

/// The numbers of a table with a line of headings, [rows, columns].
Tensor<Cpu, 2> read_csv(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Error(ErrorKind::file, "read_csv", "cannot open " + path);
  std::vector<double> numbers;
  std::string line, cell;
  std::int64_t rows = 0;
  for (std::getline(file, line); std::getline(file, line); ++rows)
    for (std::istringstream cells(line); std::getline(cells, cell, ',');) numbers.push_back(std::stod(cell));
  return tensor<Cpu>(numbers, {rows, std::int64_t(numbers.size()) / std::max(rows, std::int64_t(1))});
}

/// The root of the mean square of the differences.
double error(const Tensor<Cpu, 2>& predicted, const Tensor<Cpu, 2>& actual) { return std::sqrt(mse_loss(predicted, actual).item()); }

/// A small network trained on rows x and their targets y.
auto train_network(const Tensor<Cpu, 2>& x, const Tensor<Cpu, 2>& y) {
  auto model = sequential(make_linear<B>(10, 64), Tanh{}, Dropout{.p = 0.5}, make_linear<B>(64, 1));
  Optimizer optimizer(AdamW{.weight_decay = 0.1}, model);
  const CosineSchedule schedule{.start = 5e-3, .steps = 200};
  const auto inputs = from_inner(x), targets = from_inner(y);
  for (std::int64_t step = 0; step < schedule.steps; ++step) {
    optimizer.set_rate(schedule.rate(step));
    optimizer.step(model, backward(mse_loss(model(inputs), targets)));
  }
  eval(model);
  return inference(model);
}

int main(int argc, char** argv) try {
  const auto table = read_csv(argc > 1 ? argv[1] : "examples/data/diabetes/diabetes.csv");
  manual_seed<Cpu>(1);
  const auto rows = table.index_select(0, randperm<Cpu>(table.size(0)));

  // Each fifth of the patients is predicted from the other four.
  constexpr int folds = 5;
  const auto parts = rows.chunk(folds, 0);
  double least_squares_error = 0, network_error = 0;
  for (int fold = 0; fold < folds; ++fold) {
    std::vector<Tensor<Cpu, 2>> others;
    for (int i = 0; i < folds; ++i)
      if (i != fold) others.push_back(parts[std::size_t(i)]);
    const auto known = concat(others, 0);
    const auto& test = parts[std::size_t(fold)];

    // Every column to mean 0 and deviation 1, by what is known; the last one is the target.
    const auto scale = [&](const Tensor<Cpu, 2>& x) { return (x - known.mean(0, keep)) / known.std(0, keep); };
    const auto x = scale(known)[{s(), s(0, -1)}], y = scale(known)[{s(), s(-1)}];
    const auto test_x = scale(test)[{s(), s(0, -1)}], test_y = scale(test)[{s(), s(-1)}];

    least_squares_error += error(matmul(test_x, least_squares(x, y)), test_y) / folds;  // all means are 0: no intercept to find
    network_error += error(train_network(x, y)(test_x), test_y) / folds;
  }

  std::cout << "test error in deviations of the target, mean of " << folds << " folds\n"
            << "ordinary least squares: " << fixed(least_squares_error, 4) << '\n'
            << "network:                " << fixed(network_error, 4) << '\n';
  return network_error <= least_squares_error ? 0 : 1;
} catch (const std::exception& problem) {
  std::cerr << "regression: " << problem.what() << '\n';
  return 1;
}
