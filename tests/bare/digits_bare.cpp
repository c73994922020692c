// tests/bare/digits_bare: a trained network on a small machine: Portable, no exceptions, no type information, nothing shared. It sees in 100
// digits what the normal build sees (unit/digits_classes), and says what is wrong with broken files.
// SPDX-License-Identifier: Apache-2.0
#include "bare.hpp"
#include "digits_fixture.hpp"

using namespace hearth;
using namespace bare;
using B = Portable;

namespace {

const std::string fixture = "tests/fixtures/digits.safetensors";

void classes_are_the_same() {
  quiet();
  const auto outcome = digits_fixture::run<B>(fixture);
  check(reports == 0, "no error: " + last_report);
  check(outcome.classes.size() == 100 && outcome.classes == outcome.expected_classes, "the classes are the same");
  check(outcome.scores.size() == 1000 && outcome.scores.size() == outcome.expected_scores.size(), "a score for each class");
  for (std::size_t i = 0; i < outcome.scores.size() && i < outcome.expected_scores.size(); ++i)
    check(std::fabs(outcome.scores[i] - outcome.expected_scores[i]) < 1e-3f, "score " + std::to_string(i));
}

bool loads(const Safetensors& file, std::string_view text) {
  DigitNet<B> model;
  const auto before = to_vector<float>(model.output.weight);
  LoadOptions options;
  options.prefix = "model/";
  quiet();
  (void)load(file, model, options);
  const bool told = text.empty() ? reports == 0 : reports == 1 && last_report.find(text) != std::string::npos;
  check(told, "load says \"" + std::string(text) + "\", not \"" + last_report + "\"");
  check(!pending_error(), "nothing is pending after load");
  return to_vector<float>(model.output.weight) != before;
}

void broken_files_change_nothing() {
  quiet();
  check(!Safetensors::open("tests/fixtures/no_such_file") && reports == 1 && last_report.find("cannot be opened") != std::string::npos, "a file that is not there");
  DigitNet<B> model;
  quiet();
  check(load("tests/fixtures/no_such_file", model).loaded.empty() && reports == 1, "nor does load");
  const std::string texts[] = {"", "{", "[]", "null", "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", "{\"a\":\"\\ud800\"}", "{\"a\":1e400}", "{\"\xff\":{}}",
                               std::string(100000, '['), std::string("{\"a\":") + std::string(100000, '{')};
  for (const std::string& text : texts) {
    std::vector<std::byte> bytes(8 + text.size());
    const std::uint64_t length = text.size();
    std::memcpy(bytes.data(), &length, 8);
    std::memcpy(bytes.data() + 8, text.data(), text.size());
    quiet();
    check(!Safetensors::parse(bytes) && reports == 1 && !pending_error(), "the header " + text.substr(0, 40) + " is refused");
  }
  const Safetensors good = Safetensors::open(fixture);
  check(loads(good, ""), "the whole file");
  // Without one tensor.
  std::vector<SafetensorsEntry> less;
  for (const auto& entry : good.entries())
    if (entry.name != "model/output.bias") less.push_back(entry);
  const std::string path = "digits_bare.partial.safetensors";
  write_safetensors(path, less);
  check(!loads(Safetensors::open(path), "output.bias"), "a tensor is missing");
  // A model with a value that carries an error is not saved.
  std::remove(path.c_str());
  model.output.weight.dyn = Dyn<B>::full({}, {Dtype::f32, {-1}}, 0);
  quiet();
  save(path, model);
  check(reports > 0 && !pending_error() && !std::fopen(path.c_str(), "rb"), "a model that carries an error is not saved");
}

void memory_may_run_out() {
  const Safetensors file = Safetensors::open(fixture);
  const auto pictures = digits_fixture::stored<B, 4, Int>(file, "pictures").narrow(0, 0, 2);
  survives_little_memory<B>("digits", [&] {
    DigitNet<B> model;
    LoadOptions options;
    options.prefix = "model/";
    if (load(file, model, options).loaded.empty()) {  // the handler was told; stand for the model by what is sure to be out of memory
      check(reports > 0, "a model that is not loaded is reported");
      return std::vector<Dyn<B>>{Dyn<B>::full({}, {Dtype::u8, {std::int64_t(1) << 60}}, 0)};
    }
    eval(model);
    return std::vector<Dyn<B>>{model(pictures.cast<Float>() / 255).dyn};
  }, 8);
}

}  // namespace

int main() {
  set_error_handler(count_report);
  classes_are_the_same();
  broken_files_change_nothing();
  memory_may_run_out();
  return result();
}
