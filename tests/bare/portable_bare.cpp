// tests/bare/portable_bare: Portable built with -fno-exceptions -fno-rtti: errors go to the handler and travel in the handles.
// SPDX-License-Identifier: Apache-2.0
#include "bare.hpp"

using namespace hearth;
using namespace bare;
using Array = Portable::Handle;

namespace {

Array array(const Shape& shape, const float* values) { return Portable::upload({}, {Dtype::f32, shape}, values); }
Array add(Array a, Array b) { return Portable::run(op::Binary{BinaryCode::add}, {std::move(a), std::move(b)})[0]; }
bool holds(const Array& x, float first) {
  float values[8] = {};
  Portable::download(x, values);
  return !Portable::error(x) && values[0] == first;
}
bool carries(const Array& x, const char* text) {
  const Error* error = x ? Portable::error(x) : nullptr;
  return error && std::string(error->what()).find(text) != std::string::npos;
}

void shape_errors_travel() {
  const float values[3] = {1, 2, 3};
  const Array two = array({2}, values), three = array({3}, values);
  reports = 0;
  const Array bad = add(two, three);
  check(reports == 1, "one error, one report");
  check(carries(bad, "[2]"), "the result carries the shape error");
  check(!pending_error(), "nothing is pending after an op");
  const Array worse = add(bad, three), view = Portable::run(op::Reshape{{1}}, {bad})[0];
  check(worse->cause == bad->cause && view->cause == bad->cause, "every op on it yields the same error");
  check(reports == 1, "what follows from an error is not reported again");
  const auto sorted = Portable::run(op::Sort{0, false}, {worse});
  check(sorted[0]->cause == bad->cause && sorted[1]->cause == bad->cause, "all results carry it");
  const auto joined = Portable::run(op::Concat{0}, {two, bad});
  check(joined[0]->cause == bad->cause, "one failed operand of many is enough");
  check(element_count(Portable::spec(bad).shape) == 0, "a failed array is empty");
  float untouched = 7;
  Portable::download(bad, &untouched);
  check(reports == 2 && untouched == 7, "reading reports it and writes nothing");
  check(!pending_error(), "nothing is pending after a read");
  check(holds(add(two, two), 2), "the next op works");
}

void index_and_memory_errors_travel() {
  const float values[3] = {1, 2, 3};
  const std::int64_t outside[1] = {3};
  const Array x = array({3}, values), index = Portable::upload({}, {Dtype::i64, {1}}, outside);
  check(carries(Portable::run(op::Gather{0}, {x, index})[0], "index 3"), "an index error is carried");
  check(carries(Portable::run(op::Scatter{0, ScatterMode::add}, {x, index, array({1}, values)})[0], "index 3"), "also of a scatter");
  Portable::set_memory_cap(Portable::memory_stats({}).live + 4);
  check(carries(add(x, x), "out of memory"), "so is running out of memory");
  check(carries(Portable::make({}, op::Full{{Dtype::f32, {2}}, 1}), "out of memory"), "in a make op");
  check(carries(array({3}, values), "out of memory"), "in an upload");
  Portable::set_memory_cap(std::numeric_limits<std::size_t>::max());
  check(carries(Portable::make({}, op::Full{{Dtype::u8, {std::int64_t(1) << 60}}, 1}), "out of memory"), "more than there is");
  check(holds(add(x, x), 2), "the next op works");
}

void front_errors_reach_the_next_result() {
  const float values[2] = {1, 2};
  const Array x = array({2}, values);
  const int axis = normalize_axis("front", 5, 1);  // fails, and yields 0
  check(carries(Portable::run(op::Sort{axis, false}, {x})[0], "axis 5"), "a pending error becomes the result's");
  check(carries(Portable::run(op::Unary{UnaryCode::neg}, {Array{}})[0], "operand 0 is empty"), "an absent operand is an error");
  check(!pending_error(), "nothing is left pending");
  check(holds(add(x, x), 2), "the next op works");
}

}  // namespace

int main() {
  set_error_handler(count_report);
  shape_errors_travel();
  index_and_memory_errors_travel();
  front_errors_reach_the_next_result();
  check(Portable::memory_stats({}).live == 0, "nothing leaks");
  return result();
}
