// data/idx: the format, plain and gzipped, and files that lie.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/data/idx.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

using namespace hearth;

namespace {

class Idx : public testing::Test {
 protected:
  std::string path = (std::filesystem::temp_directory_path() / "hearth_test.idx").string();
  void write(const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }
  std::string error() {
    try {
      read_idx(path);
    } catch (const Error& e) {
      EXPECT_EQ(e.kind, ErrorKind::file);
      return e.what();
    }
    return "no error";
  }
  ~Idx() override { std::filesystem::remove(path); }
};
const std::string two_by_three("\0\0\x08\2\0\0\0\2\0\0\0\3\1\2\3\4\5\6", 18);

TEST_F(Idx, reads_bytes) {
  write(two_by_three);
  const TensorData data = read_idx(path);
  EXPECT_EQ(data.spec, (Spec{Dtype::u8, {2, 3}}));
  EXPECT_EQ(data.to_vector<int>(), (std::vector<int>{1, 2, 3, 4, 5, 6}));
}

TEST_F(Idx, reads_gzip) {
  gzFile out = gzopen(path.c_str(), "wb");
  gzwrite(out, two_by_three.data(), unsigned(two_by_three.size()));
  gzclose(out);
  EXPECT_EQ(read_idx(path).to_vector<int>(), (std::vector<int>{1, 2, 3, 4, 5, 6}));
  // A stream cut short is refused.
  std::ifstream in(path, std::ios::binary);
  std::string all((std::istreambuf_iterator<char>(in)), {});
  write(all.substr(0, all.size() - 9));
  EXPECT_NE(error(), "no error");
}

TEST_F(Idx, swaps_bytes_of_wide_types) {
  write(std::string("\0\0\x0b\1\0\0\0\2\x01\x02\xff\xfe", 12));
  EXPECT_EQ(read_idx(path).to_vector<int>(), (std::vector<int>{258, -2}));
  write(std::string("\0\0\x0d\1\0\0\0\1\x3f\x80\0\0", 12));
  EXPECT_EQ(read_idx(path).to_vector<float>(), (std::vector<float>{1}));
}

TEST_F(Idx, refuses_what_is_broken) {
  write("");
  EXPECT_NE(error().find("is not an IDX file"), std::string::npos);
  write(std::string("\1\0\x08\1\0\0\0\0", 8));
  EXPECT_NE(error().find("is not an IDX file"), std::string::npos);
  write(std::string("\0\0\x07\1\0\0\0\0", 8));
  EXPECT_NE(error().find("unknown element type 7"), std::string::npos);
  write(std::string("\0\0\x08\x09", 4) + std::string(36, '\0'));
  EXPECT_NE(error().find("9 dimensions"), std::string::npos);
  write(two_by_three.substr(0, 10));
  EXPECT_NE(error().find("inside its header"), std::string::npos);
  write(two_by_three.substr(0, 17));
  EXPECT_NE(error().find("ends after 5 of the 6 bytes"), std::string::npos);
  write(two_by_three + "x");
  EXPECT_NE(error().find("goes on behind"), std::string::npos);
  // 2^32 - 1 squared bytes announced: refused without an allocation of that size.
  write(std::string("\0\0\x08\2\xff\xff\xff\xff\xff\xff\xff\xff", 12));
  EXPECT_NE(error(), "no error");
  write(std::string("\0\0\x0e\3\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 16));
  EXPECT_NE(error().find("more elements than memory can hold"), std::string::npos);
  std::filesystem::remove(path);
  EXPECT_NE(error().find("cannot be opened"), std::string::npos);
}

}  // namespace
