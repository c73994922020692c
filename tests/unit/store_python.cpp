// unit/store_python: what Python's safetensors package wrote is read, and what Hearth writes is what that package writes, byte for byte.
// The file, and a check that Python reads it, come from tests/fixtures/make_safetensors.py.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include "hearth/core/half.hpp"
#include "hearth/core/tensor_data.hpp"
#include "hearth/store/safetensors.hpp"

namespace hearth {
namespace {

struct Named {
  std::string name;
  TensorData data;
};
template <class T>
Named of(std::string name, const std::vector<T>& values, const Shape& shape) {
  return {std::move(name), TensorData::from<T>(values, shape)};
}
Named flags() {
  TensorData data{{Dtype::boolean, {3}}, {std::byte(1), std::byte(0), std::byte(1)}};
  return {"flags", data};
}

/// The tensors of the script, in the order that Python's package gives them: by dtype, then by name.
std::vector<Named> expected() {
  constexpr float inf = std::numeric_limits<float>::infinity();
  return {of<std::uint64_t>("ulong", {std::numeric_limits<std::uint64_t>::max()}, {1}),
          of<std::int64_t>("long", {-(std::int64_t(1) << 40)}, {1}),
          of<double>("doubles", {1.0 / 3, -1e300}, {2}),
          of<float>("größe", {2}, {1}),
          of<float>("layers.0.weight", {1, -2, 3.5f, .25f, inf, -0.f}, {2, 3}),
          of<float>("nothing", {}, {0, 4}),
          of<float>("number", {42}, {}),
          of<std::uint32_t>("uints", {std::numeric_limits<std::uint32_t>::max()}, {1}),
          of<std::int32_t>("ints", {std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int32_t>::min()}, {2}),
          of<BFloat16>("brains", {BFloat16(1.f), BFloat16(-50.f)}, {2, 1}),
          of<Half>("halves", {Half(1.5f), Half(-65504.f), Half(0x1p-24f)}, {3}),
          of<std::uint16_t>("ushorts", {65535}, {1}),
          of<std::int16_t>("shorts", {32767, -32768}, {2}),
          of<std::int8_t>("small", {127, -128}, {2}),
          of<std::uint8_t>("bytes", {0, 128, 255}, {3}),
          flags()};
}
const std::string python_file = std::string(HEARTH_FIXTURES) + "/python.safetensors";

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(SafetensorsOfPython, AreRead) {
  const auto file = Safetensors::open(python_file);
  ASSERT_EQ(file.metadata().size(), 1u);
  EXPECT_EQ(file.metadata()[0].first, "format");
  EXPECT_EQ(file.metadata()[0].second, "pt");
  const auto all = expected();
  EXPECT_EQ(file.entries().size(), all.size());
  for (const Named& want : all) {
    const auto* found = file.find(want.name);
    ASSERT_TRUE(found) << want.name;
    EXPECT_EQ(found->spec, want.data.spec) << want.name;
    EXPECT_TRUE(std::equal(found->bytes.begin(), found->bytes.end(), want.data.bytes.begin(), want.data.bytes.end())) << want.name;
  }
}

TEST(SafetensorsOfPython, AreWhatHearthWrites) {
  const std::string path = (std::filesystem::temp_directory_path() / ("hearth_python_" + std::to_string(getpid()) + ".safetensors")).string();
  const auto all = expected();
  std::vector<SafetensorsEntry> entries;
  for (const Named& one : all) entries.push_back({one.name, one.data.spec, one.data.bytes});
  const std::pair<std::string, std::string> metadata[] = {{"format", "pt"}};
  write_safetensors(path, entries, metadata);
  const std::string ours = bytes_of(path), theirs = bytes_of(python_file);
  std::filesystem::remove(path);
  EXPECT_EQ(theirs.size(), 1108u);
  EXPECT_TRUE(ours == theirs) << ours.substr(0, 1008);
}

}  // namespace
}  // namespace hearth
