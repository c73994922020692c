// data/idx: header first, then data in bounded steps, so that a lying header costs nothing.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/data/idx.hpp"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <limits>

namespace hearth {

namespace {

Failure broken(const std::string& path, const std::string& what) { return fail(Error(ErrorKind::file, "read_idx", path + ": " + what)); }

class GzipFile {
 public:
  explicit GzipFile(const std::string& path) : file_(gzopen(path.c_str(), "rb")) {}
  GzipFile(const GzipFile&) = delete;
  GzipFile& operator=(const GzipFile&) = delete;
  ~GzipFile() {
    if (file_) gzclose(file_);
  }
  explicit operator bool() const { return file_ != nullptr; }
  /// How many bytes came: fewer than `size` at the end of the file, -1 for a broken stream.
  std::int64_t read(void* to, std::size_t size) {
    auto* out = static_cast<char*>(to);
    std::size_t done = 0;
    while (done < size) {
      const int got = gzread(file_, out + done, unsigned(std::min<std::size_t>(size - done, 1u << 20)));
      if (got < 0) return -1;
      if (got == 0) {  // the end, or a gzip stream that was cut: only zlib's error number tells
        int status = Z_OK;
        gzerror(file_, &status);
        if (status != Z_OK) return -1;
        break;
      }
      done += std::size_t(got);
    }
    return std::int64_t(done);
  }

 private:
  gzFile file_;
};

void swap_bytes(std::vector<std::byte>& bytes, std::size_t width) {
  if (std::endian::native == std::endian::big || width == 1) return;
  for (std::size_t i = 0; i + width <= bytes.size(); i += width) std::reverse(bytes.begin() + long(i), bytes.begin() + long(i + width));
}

}  // namespace

TensorData read_idx(const std::string& path) {
  GzipFile file(path);
  if (!file) return broken(path, "cannot be opened");
  unsigned char magic[4];
  if (file.read(magic, 4) != 4 || magic[0] != 0 || magic[1] != 0) return broken(path, "is not an IDX file: it does not begin with two zero bytes");

  TensorData data;
  switch (magic[2]) {
    case 0x08: data.spec.dtype = Dtype::u8; break;
    case 0x09: data.spec.dtype = Dtype::i8; break;
    case 0x0b: data.spec.dtype = Dtype::i16; break;
    case 0x0c: data.spec.dtype = Dtype::i32; break;
    case 0x0d: data.spec.dtype = Dtype::f32; break;
    case 0x0e: data.spec.dtype = Dtype::f64; break;
    default: return broken(path, "has the unknown element type " + std::to_string(magic[2]));
  }
  if (magic[3] > max_rank) return broken(path, "has " + std::to_string(magic[3]) + " dimensions; at most " + std::to_string(max_rank) + " can be read");
  std::uint64_t expected = size_of(data.spec.dtype);
  for (int i = 0; i < magic[3]; ++i) {
    unsigned char size[4];
    if (file.read(size, 4) != 4) return broken(path, "ends inside its header");
    const std::uint64_t n = std::uint64_t(size[0]) << 24 | std::uint64_t(size[1]) << 16 | std::uint64_t(size[2]) << 8 | size[3];
    data.spec.shape.push(std::int64_t(n));
    if (__builtin_mul_overflow(expected, n, &expected) || expected > std::uint64_t(std::numeric_limits<std::int64_t>::max()))
      return broken(path, "claims more elements than memory can hold: " + to_string(data.spec.shape));
  }

  constexpr std::size_t chunk = 1u << 20;
  while (data.bytes.size() < expected) {
    const std::size_t before = data.bytes.size(), step = std::size_t(std::min<std::uint64_t>(chunk, expected - before));
    data.bytes.resize(before + step);
    const std::int64_t got = file.read(data.bytes.data() + before, step);
    if (got < 0) return broken(path, "is not a sound gzip stream");
    if (std::size_t(got) != step)
      return broken(path, "ends after " + std::to_string(before + std::size_t(got)) + " of the " + std::to_string(expected) + " bytes that its header announces");
  }
  char extra;
  if (file.read(&extra, 1) != 0) return broken(path, "goes on behind the " + std::to_string(expected) + " bytes that its header announces, or is not a sound gzip stream");
  swap_bytes(data.bytes, size_of(data.spec.dtype));
  return data;
}

}  // namespace hearth
