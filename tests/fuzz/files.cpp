// tests/fuzz/files: files from outside, mutated: safetensors, a model's, a checkpoint, IDX plain and gzipped. Each is read or is an Error of
// kind file, nothing of what is given lies outside the file, and no more memory is taken than the file justifies.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "hearth/autodiff/autodiff.hpp"
#include "hearth/data/idx.hpp"
#include "hearth/nn/nn.hpp"
#include "hearth/optim/optimizer.hpp"
#include "hearth/portable.hpp"
#include "hearth/store/checkpoint.hpp"
#include "random.hpp"

namespace {
// All of this program's memory from `new`, and the most that there was since the last mark.
std::atomic<std::size_t> taken{0}, most{0};
constexpr std::size_t margin = 16;  // keeps the size in front of the block, and its alignment
}  // namespace

void* operator new(std::size_t size) {
  auto* block = static_cast<std::size_t*>(std::malloc(size + margin));
  if (!block) throw std::bad_alloc();
  *block = size;
  const std::size_t now = taken.fetch_add(size) + size;
  for (std::size_t seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
  }
  return reinterpret_cast<char*>(block) + margin;
}
void operator delete(void* memory) noexcept {
  if (!memory) return;
  auto* block = reinterpret_cast<std::size_t*>(static_cast<char*>(memory) - margin);
  taken -= *block;
  std::free(block);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

namespace hearth::fuzz {
namespace {

using B = Autodiff<Portable>;

/// The bytes that f takes from memory at most, beyond what was there.
template <class F>
std::size_t memory_of(F&& f) {
  const std::size_t before = taken;
  most = before;
  f();
  return most - before;
}

class Folder {
 public:
  Folder() : path_((std::filesystem::temp_directory_path() / ("hearth_fuzz_" + std::to_string(getpid()))).string()) {}
  ~Folder() { std::filesystem::remove(path_); }
  const std::string& file() const { return path_; }
  void write(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }
  std::string bytes() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::string path_;
};

/// f() ends well, or with an Error of kind file.
template <class F>
bool reads(F&& f) {
  try {
    f();
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::file) << error.what();
    EXPECT_FALSE(error.message.empty());
  } catch (const std::exception& other) {
    ADD_FAILURE() << "untyped: " << other.what();
  }
  return false;
}

/// One to four edits: of bytes, of words of JSON, of the length in front.
void mutate(std::string& file, Random& random) {
  static const std::vector<std::string> words = {"{", "}", "[", "]", ",", ":", "\"", "null", "true", "-1", "1e9", "0.5", "18446744073709551615", "9223372036854775807", "4294967296",
                                                 "\"dtype\"", "\"F32\"", "\"F64\"", "\"BOOL\"", "\"shape\"", "\"data_offsets\"", "\"__metadata__\":", "[0,0]", "[1,2,3]", "\\u0000", "\xff", "{}", "[[", "model/"};
  for (std::int64_t edits = random.number(1, 4); edits > 0; --edits) {
    const std::size_t header = std::min<std::size_t>(file.size(), 8 + std::size_t(random.number(0, 900)));
    const std::size_t at = random.one_in(4) ? std::size_t(random.number(0, std::int64_t(file.size()))) : std::size_t(random.number(0, std::int64_t(header)));
    switch (random.number(0, 7)) {
      case 0: file.erase(at, std::size_t(random.number(1, 9))); break;
      case 1: file.insert(at, random.pick(words)); break;
      case 2:
        if (at < file.size()) file[at] = char(random.number(0, 255));
        break;
      case 3:  // a digit becomes another
        if (const std::size_t digit = file.find_first_of("0123456789", at); digit != file.npos) file[digit] = char('0' + random.number(0, 9));
        break;
      case 4: file.resize(at); break;
      case 5: file.insert(at, file.substr(std::size_t(random.number(0, std::int64_t(file.size()))), std::size_t(random.number(0, 120)))); break;
      case 6:  // the header's length follows what was done to it, so that the edits before are seen at all
        if (file.size() >= 8) {
          const std::size_t end = file.rfind('}');
          const std::uint64_t length = end == file.npos || end < 8 ? random.bits() >> random.number(0, 63) : end - 7;
          std::memcpy(file.data(), &length, 8);
        }
        break;
      default: file.append(std::size_t(random.number(1, 16)), char(random.number(0, 255)));
    }
  }
}

/// A good file of random tensors.
void write_random(const std::string& path, Random& random) {
  std::vector<SafetensorsEntry> entries;
  std::vector<std::vector<std::byte>> data;
  for (std::int64_t i = random.number(0, 5); i > 0; --i) {
    Spec spec{Dtype(random.number(0, dtype_count - 1)), {}};
    for (std::int64_t axes = random.number(0, 3); axes > 0; --axes) spec.shape.push(random.number(0, 4));
    data.emplace_back(std::size_t(element_count(spec.shape)) * size_of(spec.dtype));
    entries.push_back({"layer." + std::to_string(i) + ".weight", spec, data.back()});
  }
  for (std::size_t i = 0; i < entries.size(); ++i) entries[i].bytes = data[i];
  const std::vector<std::pair<std::string, std::string>> metadata = {{"format", "pt"}};
  write_safetensors(path, entries, random.one_in(2) ? metadata : std::vector<std::pair<std::string, std::string>>());
}

TEST(Files, SafetensorsAreReadOrRefused) {
  const Folder folder;
  std::uint64_t good = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + count(); ++seed) {
    Random random(seed);
    write_random(folder.file(), random);
    std::string bytes = folder.bytes();
    ASSERT_TRUE(reads([&] { (void)Safetensors::open(folder.file()); }));
    mutate(bytes, random);
    now("safetensors, seed " + std::to_string(seed));
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + bytes);
    const bool mapped = random.one_in(2);
    if (mapped) folder.write(bytes);
    const std::size_t memory = memory_of([&] {
      good += reads([&] {
        const Safetensors file = mapped ? Safetensors::open(folder.file(), {.allow_trailing = random.one_in(4)}) : Safetensors::parse(std::as_bytes(std::span(bytes)));
        for (const auto& entry : file.entries()) {
          EXPECT_EQ(entry.bytes.size(), std::size_t(element_count(entry.spec.shape)) * size_of(entry.spec.dtype));
          EXPECT_EQ(file.find(entry.name), &entry);
          volatile std::byte sum{};
          for (std::byte b : entry.bytes) sum = sum ^ b;  // under a sanitizer this sees every byte
        }
      });
    });
    // A tensor of the header takes some 40 bytes there and ten times as much when parsed; an error quotes a little.
    EXPECT_LE(memory, 32 * bytes.size() + 16384);
  }
  EXPECT_GT(good, count() / 50);
}

template <Backend S>
struct Net {
  Linear<S> up;
  BatchNorm<S> norm;
  Linear<S> down;
};
Net<B> make_net() { return {make_linear<B>(2, 3), make_batch_norm<B>(3), make_linear<B>(3, 1, {.bias = false})}; }
struct Counters {
  std::int64_t step = 7;
  double best = 0.5;
  bool warm = true;
};

/// The values of all tensors of a model, in order.
struct Values final : Walker<B> {
  std::vector<std::vector<std::byte>> bytes;
  void param(std::string_view, Dyn<B>& value, int) override { add(value); }
  void buffer(std::string_view, Dyn<B>& value, int, Kinds) override { add(value); }
  void add(const Dyn<B>& value) {
    bytes.emplace_back(std::size_t(element_count(value.shape())) * size_of(value.dtype()));
    B::download(value.handle, bytes.back().data());
  }
};
std::vector<std::vector<std::byte>> values_of(const Net<B>& net) {
  Values values;
  walk<B>(net, values);
  return values.bytes;
}

TEST(Files, CheckpointsAreReadOrRefused) {
  const Folder folder;
  Net<B> net = make_net();
  Optimizer<B> optimizer(Adam{.rate = 0.1}, net);
  optimizer.step(net, backward(square(net.up.weight).sum()));
  Checkpoint<B> checkpoint;
  checkpoint.add("model", net);
  checkpoint.add("optimizer", optimizer);
  checkpoint.add("generator", Generator{});
  checkpoint.add("counters", Counters{});
  checkpoint.save(folder.file());
  const std::string whole = folder.bytes();

  std::map<std::string, std::uint64_t> good;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + count(); ++seed) {
    Random random(seed);
    std::string bytes = whole;
    if (!random.one_in(20)) mutate(bytes, random);
    folder.write(bytes);
    now("checkpoint, seed " + std::to_string(seed));
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + bytes.substr(0, 4096));
    Checkpoint<B> read;
    if (!reads([&] { read = Checkpoint<B>::open(folder.file()); })) continue;
    Net<B> other = make_net();
    const auto before = values_of(other);
    if (reads([&] { read.get("model", other); })) ++good["model"];
    else EXPECT_TRUE(values_of(other) == before) << "a load that failed has changed the model";
    Optimizer<B> stepped(Adam{.rate = 0.1}, other);
    good["optimizer"] += reads([&] { read.get("optimizer", stepped); });
    Generator generator;
    good["generator"] += reads([&] { read.get("generator", generator); });
    Counters counters;
    good["counters"] += reads([&] { read.get("counters", counters); });
  }
  for (const char* section : {"model", "optimizer", "generator", "counters"}) EXPECT_GT(good[section], count() / 50) << section;
}

TEST(Files, IdxIsReadOrRefused) {
  const Folder folder;
  std::uint64_t good = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + count(); ++seed) {
    Random random(seed);
    const std::pair<char, std::int64_t> type = random.pick<std::pair<char, std::int64_t>>({{8, 1}, {9, 1}, {11, 2}, {12, 4}, {13, 4}, {14, 8}});
    const std::int64_t axes = random.number(0, 4);
    std::string bytes{0, 0, type.first, char(axes)};
    std::int64_t size = type.second;
    for (std::int64_t i = 0; i < axes; ++i) {
      const std::int64_t n = random.number(0, 5);
      bytes += std::string{0, 0, 0, char(n)};
      size *= n;
    }
    for (; size > 0; --size) bytes += char(random.number(0, 255));
    const bool zipped = random.one_in(2), before = random.one_in(2);
    if (before) mutate(bytes, random);
    const std::size_t plain = bytes.size();
    if (zipped) {
      gzFile out = gzopen(folder.file().c_str(), "wb");
      gzwrite(out, bytes.data(), unsigned(bytes.size()));
      gzclose(out);
      bytes = folder.bytes();
    }
    if (!before) mutate(bytes, random);
    folder.write(bytes);
    now("IDX, seed " + std::to_string(seed));
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::size_t memory = memory_of([&] {
      good += reads([&] {
        const TensorData data = read_idx(folder.file());
        EXPECT_EQ(data.bytes.size(), std::size_t(data.count()) * size_of(data.spec.dtype));
      });
    });
    // Data comes in steps of a megabyte.
    EXPECT_LE(memory, 3 * std::max(plain, bytes.size()) + (std::size_t(1) << 20) + 16384);
  }
  EXPECT_GT(good, count() / 50);
}

}  // namespace
}  // namespace hearth::fuzz
