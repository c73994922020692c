// regression: how a disease progressed within a year, predicted from ten measurements: by ordinary least squares, and by a small
// network trained beside it.
//   regression <diabetes.csv>
// SPDX-License-Identifier: Apache-2.0
#include <hearth/cpu.hpp>
#include <hearth/hearth.hpp>

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
  return tensor<Cpu>(numbers, {rows, -1});
}

/// The share of the variation that a prediction leaves unexplained is 1 - r^2; the error is the root of the mean square.
double error(const Tensor<Cpu, 2>& predicted, const Tensor<Cpu, 2>& actual) { return std::sqrt(mse_loss(predicted, actual).item()); }

int main(int argc, char** argv) try {
  const auto table = read_csv(argc > 1 ? argv[1] : "examples/data/diabetes/diabetes.csv");
  Generator generator{.seed = 7};
  const auto shuffled = table.index_select(0, randperm<Cpu>(table.size(0), {}, generator));

  // Every column to mean 0 and deviation 1, by what the training rows say; the last one is the target.
  const std::int64_t train_rows = 342;
  const auto known = shuffled[{s(0, train_rows)}];
  const auto scaled = (shuffled - known.mean(0, keep)) / known.std(0, keep);
  const auto x = scaled[{s(0, train_rows), s(0, -1)}], y = scaled[{s(0, train_rows), s(-1)}];
  const auto test_x = scaled[{s(train_rows), s(0, -1)}], test_y = scaled[{s(train_rows), s(-1)}];

  // Ordinary least squares: the columns are centred, so no intercept is left to find.
  const double least_squares_error = error(matmul(test_x, least_squares(x, y)), test_y);

  manual_seed<B>(1);
  auto model = sequential(make_linear<B>(10, 16), Tanh{}, Dropout{.p = 0.1}, make_linear<B>(16, 1));
  Optimizer optimizer(AdamW{.weight_decay = 0.1}, model);
  const std::int64_t steps = 400;
  const CosineSchedule schedule{.start = 5e-3, .steps = steps};
  const auto inputs = from_inner(x), targets = from_inner(y);
  for (std::int64_t step = 0; step < steps; ++step) {
    optimizer.set_rate(schedule.rate(step));
    optimizer.step(model, backward(mse_loss(model(inputs), targets)));
  }
  eval(model);
  const double network_error = error(inference(model)(test_x), test_y);

  std::cout << "test error in deviations of the target, " << test_x.size(0) << " patients\n"
            << "ordinary least squares: " << fixed(least_squares_error, 4) << '\n'
            << "network:                " << fixed(network_error, 4) << '\n';
  return network_error <= least_squares_error ? 0 : 1;
} catch (const Error& problem) {
  std::cerr << "regression: " << problem.what() << '\n';
  return 1;
}
