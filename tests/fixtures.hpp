// tests/fixtures: expected values that were computed elsewhere, from tests/fixtures/*.safetensors.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "hearth/store/safetensors.hpp"
#include "hearth/tensor/tensor.hpp"

namespace hearth::test {

inline const Safetensors& fixture_file(const std::string& name) {
  static std::vector<std::pair<std::string, Safetensors>> open;
  for (auto& [known, file] : open)
    if (known == name) return file;
  open.emplace_back(name, Safetensors::open(std::string(HEARTH_FIXTURES) + "/" + name + ".safetensors"));
  return open.back().second;
}

/// One entry as a tensor of stack B; fails the test if it is not there.
template <class B, int Rank, class Kind = Float>
Tensor<B, Rank, Kind> fixture(const std::string& file, const std::string& name) {
  const auto* entry = fixture_file(file).find(name);
  if (!entry) {
    ADD_FAILURE() << "no fixture " << name;
    return {};
  }
  return as_tensor<Rank, Kind>(Dyn<B>(B::upload({}, entry->spec, entry->bytes.data())));
}
inline bool has_fixture(const std::string& file, const std::string& name) { return fixture_file(file).find(name) != nullptr; }

/// |a - b| <= tolerance * max(1, |b|), element by element, with the worst one in the message.
template <class B, int R>
testing::AssertionResult close(const Tensor<B, R>& a, const Tensor<B, R>& b, double tolerance = 1e-5) {
  if (!a.defined() || !b.defined()) return testing::AssertionFailure() << "a tensor is not there";
  if (a.shape() != b.shape()) return testing::AssertionFailure() << "shapes " << to_string(a.shape()) << " and " << to_string(b.shape());
  const auto x = a.template to_vector<double>(), y = b.template to_vector<double>();
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!(std::fabs(x[i] - y[i]) <= tolerance * std::fmax(1, std::fabs(y[i]))) && !(std::isnan(x[i]) && std::isnan(y[i])))
      return testing::AssertionFailure() << "element " << i << " of " << to_string(a.shape()) << " is " << x[i] << ", expected " << y[i];
  return testing::AssertionSuccess();
}

}  // namespace hearth::test
