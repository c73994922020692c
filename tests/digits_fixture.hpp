// tests/digits_fixture: the trained model of examples/digits and 100 digits, as fixtures/make_digits.py stored them, on any backend.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../examples/digits/model.hpp"
#include "hearth/store/model.hpp"

namespace digits_fixture {

using namespace hearth;

template <class B, int Rank, class Kind>
Tensor<B, Rank, Kind> stored(const Safetensors& file, std::string_view name) {
  const auto* entry = file.find(name);
  if (!entry) return fail("fixture", "there is no array " + std::string(name));
  return as_tensor<Rank, Kind>(Dyn<B>(B::upload({}, entry->spec, entry->bytes.data())));
}

/// What the model makes of the pictures, and what NumPy made of them.
struct Outcome {
  std::vector<std::int64_t> classes, expected_classes;
  std::vector<float> scores, expected_scores;
};
template <class B>
Outcome run(const std::string& path) {
  const Safetensors file = Safetensors::open(path);
  DigitNet<B> model;
  LoadOptions options;
  options.prefix = "model/";
  (void)load(file, model, options);
  eval(model);
  const auto pictures = stored<B, 4, Int>(file, "pictures").template cast<Float>() / 255;
  const auto scores = model(pictures);
  return {scores.argmax(1).to_vector(), stored<B, 1, Int>(file, "classes").to_vector(), scores.to_vector(), stored<B, 2, Float>(file, "scores").to_vector()};
}

}  // namespace digits_fixture
