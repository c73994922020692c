// together: Hearth in one program with googletest and yaml-cpp, the two that a deep-learning library's options broke before. Each does
// its work, and an exception of each is caught as its own.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <hearth/hearth.hpp>
#include <hearth/portable.hpp>
#include <yaml-cpp/yaml.h>

TEST(Together, SettingsFromYaml) {
  const YAML::Node settings = YAML::Load("{sizes: [2, 3], rate: 0.5}");
  const auto sizes = settings["sizes"].as<std::vector<std::int64_t>>();
  const auto x = hearth::full<hearth::Portable, 2>(hearth::Shape{sizes[0], sizes[1]}, settings["rate"].as<double>());
  EXPECT_EQ(x.sum().item(), 3);
}

TEST(Together, EachCatchesItsOwn) {
  EXPECT_THROW(YAML::Load("[1, 2"), YAML::Exception);
  EXPECT_THROW((void)(hearth::zeros<hearth::Portable>({2}) + hearth::zeros<hearth::Portable>({3})), hearth::Error);
  EXPECT_THROW((void)(hearth::zeros<hearth::Portable>({2}) + hearth::zeros<hearth::Portable>({3})), std::exception);
}
