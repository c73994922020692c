// store/safetensors: the format, and cases 37 of the bug log: broken and hostile files.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/store/safetensors.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>

#include "host_memory.hpp"

using namespace hearth;
using hearth::test::largest_host_block;

namespace {

std::string file_of(std::string header, std::string data, std::optional<std::uint64_t> length = {}) {
  const std::uint64_t n = length.value_or(header.size());
  return std::string(reinterpret_cast<const char*>(&n), 8) + header + data;
}
Safetensors parse(const std::string& bytes, SafetensorsOptions options = {}) {
  return Safetensors::parse(std::as_bytes(std::span(bytes)), options);
}
const std::string one("\0\0\x80\x3f", 4);

std::string error_of(const std::string& bytes, SafetensorsOptions options = {}) {
  try {
    parse(bytes, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::file) << error.what();
    return error.what();
  }
  return "no error";
}

TEST(Safetensors, reads_the_good_file) {
  const std::string bytes = file_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", one);
  ASSERT_EQ(bytes.size(), 66u);
  const Safetensors file = parse(bytes);
  ASSERT_EQ(file.entries().size(), 1u);
  const auto* a = file.find("a");
  ASSERT_TRUE(a);
  EXPECT_EQ(a->spec, (Spec{Dtype::f32, {1}}));
  float value;
  std::memcpy(&value, a->bytes.data(), 4);
  EXPECT_EQ(value, 1.0f);
  EXPECT_FALSE(file.find("b"));
}

struct Bad {
  const char* name;
  std::string bytes;
  const char* says;
};
class BadFile : public testing::TestWithParam<Bad> {};
TEST_P(BadFile, is_a_typed_error) {
  largest_host_block = 0;
  const std::string error = error_of(GetParam().bytes);
  EXPECT_LT(largest_host_block, 4096u) << "a file of " << GetParam().bytes.size() << " bytes justifies no more";
  EXPECT_NE(error.find(GetParam().says), std::string::npos) << error;
}
std::string tensor(const std::string& dtype, const std::string& shape, const std::string& offsets, std::string data = one) {
  return file_of(R"({"a":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}", std::move(data));
}
const std::string good_header = R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
INSTANTIATE_TEST_SUITE_P(
    Case37, BadFile,
    testing::Values(
        Bad{"short", std::string(7, '\0'), "has 7 bytes"}, Bad{"huge_length", file_of(good_header, one, ~std::uint64_t(0)), "announces a header"},
        Bad{"one_past_the_end", file_of(good_header, one, 59), "announces a header of 59 bytes and has 58"},
        Bad{"list", file_of("[]", ""), "a list, not an object"}, Bad{"not_json", file_of("{\"a\":", ""), "not JSON"},
        Bad{"number", file_of("5", ""), "stands outside a list"}, Bad{"empty_header", file_of("", ""), "not JSON"},
        Bad{"offsets_reversed", tensor("F32", "[1]", "[4,0]"), "lies at [4, 0]"},
        Bad{"offsets_past_the_end", tensor("F32", "[1]", "[0,8]"), "lies at [0, 8] of 4 bytes"},
        Bad{"offsets_negative", tensor("F32", "[1]", "[-4,0]"), "negative"}, Bad{"one_offset", tensor("F32", "[1]", "[0]"), "has 1 data_offsets"},
        Bad{"no_offsets", tensor("F32", "[1]", "[]"), "has 0 data_offsets"},
        Bad{"shape_too_large", tensor("F32", "[2]", "[0,4]"), "takes 8 bytes by its shape [2] and has 4"},
        Bad{"shape_overflows", tensor("F32", "[4611686018427387904,4]", "[0,4]"), "larger than memory"},
        Bad{"nine_dimensions", tensor("F32", "[1,1,1,1,1,1,1,1,1]", "[0,4]"), "9 dimensions"},
        Bad{"unknown_dtype", tensor("F33", "[1]", "[0,4]"), "unknown dtype F33"},
        Bad{"no_shape", file_of(R"({"a":{"dtype":"F32","data_offsets":[0,4]}})", one), "has no shape"},
        Bad{"no_dtype", file_of(R"({"a":{"shape":[1],"data_offsets":[0,4]}})", one), "has no dtype"},
        Bad{"name_twice", file_of(R"({"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", one), "there twice"},
        Bad{"key_twice", file_of(R"({"a":{"dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4]}})", one), "dtype twice"},
        Bad{"unknown_key", file_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"run":"me"}})", one), "unknown key"},
        Bad{"overlap", file_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}})", one + "xx"), "overlaps"},
        Bad{"gap", file_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[1],"data_offsets":[5,6]}})", one + "xx"), "gap"},
        Bad{"trailing", tensor("F32", "[1]", "[0,4]", one + "x"), "1 bytes follow"},
        Bad{"nested", file_of(R"({"a":{"dtype":{"b":{}}}})", ""), "nested too deep"}, Bad{"bool_2", tensor("BOOL", "[1]", "[0,1]", "\2"), "neither 0 nor 1"},
        Bad{"float_size", tensor("F32", "[1.0]", "[0,4]"), "not a whole one"}),
    [](const auto& bad) { return std::string(bad.param.name); });

TEST(Safetensors, loads_what_must_load) {
  EXPECT_EQ(parse(tensor("F32", "[]", "[0,4]")).entries()[0].spec.shape, Shape{});
  EXPECT_EQ(parse(tensor("F32", "[0]", "[0,0]", "")).entries()[0].spec.shape, Shape{0});
  EXPECT_EQ(parse(tensor("F32", "[0,4611686018427387904]", "[0,0]", "")).entries().size(), 1u);
  const auto file = parse(file_of(R"({"__metadata__":{"format":"pt","note":"é"},"größe.weight":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}   )", one));
  ASSERT_EQ(file.metadata().size(), 2u);
  EXPECT_EQ(file.metadata()[1].second, "é");
  EXPECT_TRUE(file.find("größe.weight"));
  EXPECT_EQ(parse(file_of("{}", "")).entries().size(), 0u);
  SafetensorsOptions trailing;
  trailing.allow_trailing = true;
  EXPECT_EQ(parse(tensor("F32", "[1]", "[0,4]", one + "x"), trailing).entries().size(), 1u);
}

TEST(Safetensors, header_limit_can_be_raised) {
  const std::string padded = good_header + std::string(126'000'000 - good_header.size(), ' ');
  const std::string bytes = file_of(padded, one);
  EXPECT_NE(error_of(bytes).find("the limit is 100000000"), std::string::npos);
  EXPECT_EQ(parse(bytes, {.max_header = 200'000'000}).entries().size(), 1u);
}

TEST(Safetensors, writes_what_it_reads) {
  const std::string path = (std::filesystem::temp_directory_path() / "hearth_written.safetensors").string();
  const std::vector<float> w{1, 2, 3, 4, 5, 6};
  const std::vector<std::uint8_t> b{7};
  const SafetensorsEntry entries[] = {{"layer.weight", {Dtype::f32, {2, 3}}, std::as_bytes(std::span(w))}, {"flag", {Dtype::u8, {}}, std::as_bytes(std::span(b))}};
  const std::pair<std::string, std::string> metadata[] = {{"step", "12"}};
  write_safetensors(path, entries, metadata);
  const Safetensors file = Safetensors::open(path);
  ASSERT_EQ(file.entries().size(), 2u);
  EXPECT_EQ(file.find("layer.weight")->spec, entries[0].spec);
  EXPECT_EQ(std::memcmp(file.find("layer.weight")->bytes.data(), w.data(), 24), 0);
  EXPECT_EQ(file.metadata()[0].second, "12");
  std::ifstream raw(path, std::ios::binary);
  std::uint64_t length = 0;
  raw.read(reinterpret_cast<char*>(&length), 8);
  EXPECT_EQ(length % 8, 0u);
  std::filesystem::remove(path);
  EXPECT_FALSE(std::filesystem::exists(path + ".partial"));
}

// A file is seen through a mapping: opening a large one takes none of its size from the heap.
TEST(Safetensors, opening_maps_the_file) {
  const std::string path = (std::filesystem::temp_directory_path() / "hearth_large.safetensors").string();
  {
    std::vector<float> w(std::size_t(8) << 20, 1);  // 32 MiB
    w.back() = 7;
    const SafetensorsEntry entry{"w", {Dtype::f32, {8 << 20}}, std::as_bytes(std::span(w))};
    write_safetensors(path, std::span(&entry, 1));
  }
  largest_host_block = 0;
  const Safetensors file = Safetensors::open(path);
  EXPECT_LT(largest_host_block, 4096u);
  float first = 0, last = 0;
  const auto bytes = file.find("w")->bytes;
  std::memcpy(&first, bytes.data(), 4);
  std::memcpy(&last, bytes.data() + bytes.size() - 4, 4);
  EXPECT_EQ(first, 1);
  EXPECT_EQ(last, 7);
  std::filesystem::remove(path);
}

TEST(Safetensors, writing_refuses_nonsense) {
  const std::vector<float> w{1, 2};
  const SafetensorsEntry wrong_size[] = {{"a", {Dtype::f32, {3}}, std::as_bytes(std::span(w))}};
  EXPECT_THROW(write_safetensors("/tmp/hearth_never", wrong_size), Error);
  const SafetensorsEntry twice[] = {{"a", {Dtype::f32, {2}}, std::as_bytes(std::span(w))}, {"a", {Dtype::f32, {2}}, std::as_bytes(std::span(w))}};
  EXPECT_THROW(write_safetensors("/tmp/hearth_never", twice), Error);
  // What readers would refuse, or read as something else.
  for (const char* name : {"__metadata__", "\xff", "a\xc3"}) {
    const SafetensorsEntry entry[] = {{name, {Dtype::f32, {2}}, std::as_bytes(std::span(w))}};
    EXPECT_THROW(write_safetensors("/tmp/hearth_never", entry), Error) << name;
  }
  const std::pair<std::string, std::string> same_key[] = {{"k", "1"}, {"k", "2"}}, no_text[] = {{"k", "\xfe"}};
  EXPECT_THROW(write_safetensors("/tmp/hearth_never", {}, same_key), Error);
  EXPECT_THROW(write_safetensors("/tmp/hearth_never", {}, no_text), Error);
  EXPECT_FALSE(std::filesystem::exists("/tmp/hearth_never"));
  EXPECT_THROW(write_safetensors("/no/such/folder/x", {}), Error);
  EXPECT_THROW(Safetensors::open("/no/such/file"), Error);
  EXPECT_THROW(Safetensors::open("/tmp"), Error);
}

TEST(Safetensors, writing_replaces_files_only) {
  const std::string pipe = testing::TempDir() + "hearth_pipe_" + std::to_string(::getpid());
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THROW(write_safetensors(pipe, {}), Error);
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_FALSE(std::filesystem::exists(pipe + ".partial"));
  std::filesystem::remove(pipe);
}

// Every cut and every flipped byte of a good file is read right or refused; none may crash or read outside the file.
TEST(Safetensors, survives_every_cut_and_flip) {
  const std::string good = file_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[2],"data_offsets":[4,6]}})", one + "xy");
  int refused = 0;
  auto attempt = [&](const std::string& bytes) {
    try {
      const Safetensors file = parse(bytes);
      for (const auto& entry : file.entries()) ASSERT_EQ(entry.bytes.size(), std::size_t(element_count(entry.spec.shape)) * size_of(entry.spec.dtype));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind, ErrorKind::file);
      ++refused;
    }
  };
  for (std::size_t n = 0; n < good.size(); ++n) attempt(good.substr(0, n));
  EXPECT_EQ(refused, int(good.size()));
  for (std::size_t i = 0; i < good.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = good;
      flipped[i] = char(flipped[i] ^ 1 << bit);
      attempt(flipped);
    }
  EXPECT_GT(refused, 400);
}

}  // namespace
