// store/safetensors: the header is read by events, not into a tree, so that nothing is allocated that the file does not hold;
// then every tensor's place is checked against the file.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/store/safetensors.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#define nlohmann hearth_nlohmann  // its functions under names of ours: a program may use another version
#include <nlohmann/json.hpp>
#include <optional>

namespace hearth {

namespace {

static_assert(std::endian::native == std::endian::little, "safetensors is little-endian; this machine would have to swap bytes");

struct Name {
  std::string_view text;
  Dtype dtype;
};
constexpr Name dtype_names[] = {{"F64", Dtype::f64}, {"F32", Dtype::f32}, {"F16", Dtype::f16}, {"BF16", Dtype::bf16}, {"I64", Dtype::i64},
                                {"I32", Dtype::i32}, {"I16", Dtype::i16}, {"I8", Dtype::i8},   {"U64", Dtype::u64},   {"U32", Dtype::u32},
                                {"U16", Dtype::u16}, {"U8", Dtype::u8},   {"BOOL", Dtype::boolean}};
static_assert(std::size(dtype_names) == dtype_count);

/// What the header says of one tensor, before it is believed.
struct Claim {
  std::string name;
  std::optional<std::string> dtype;
  std::optional<std::vector<std::uint64_t>> shape, offsets;
};

/// Takes the header's events. Anything that the format does not have stops the parse with a sentence in `error`.
class HeaderEvents : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::vector<Claim> claims;
  std::vector<std::pair<std::string, std::string>> metadata;
  std::string error;

  bool null() override { return stop("null has no place in it"); }
  bool boolean(bool) override { return stop("a boolean has no place in it"); }
  bool number_integer(number_integer_t value) override { return stop("the number " + std::to_string(value) + " is negative"); }
  bool number_unsigned(number_unsigned_t value) override {
    if (!list_) return stop("the number " + std::to_string(value) + " stands outside a list");
    if (list_->size() == 64) return stop("a list has more than 64 numbers");
    list_->push_back(value);
    return true;
  }
  bool number_float(number_float_t, const string_t& text) override { return stop("the number " + text + " is not a whole one"); }
  bool string(string_t& value) override {
    if (depth_ == 2 && in_metadata_) return metadata.emplace_back(key_, value), true;
    if (depth_ == 2 && key_ == "dtype" && !list_) return claims.back().dtype = value, true;
    return stop("the text \"" + value.substr(0, 64) + "\" has no place there");
  }
  bool binary(binary_t&) override { return stop("binary data has no place in it"); }
  bool start_object(std::size_t) override {
    if (depth_ == 2 || list_) return stop("objects are nested too deep");
    if (++depth_ == 2 && !in_metadata_) claims.push_back({key_, {}, {}, {}});
    return true;
  }
  bool end_object() override {
    if (--depth_ == 1) in_metadata_ = false;
    return true;
  }
  bool key(string_t& value) override {
    key_ = value;
    if (depth_ == 1) {
      in_metadata_ = value == "__metadata__";
      if (in_metadata_ && std::exchange(seen_metadata_, true)) return stop("__metadata__ is there twice");
      return true;
    }
    if (in_metadata_) return true;
    const Claim& claim = claims.back();
    if ((value == "dtype" && claim.dtype) || (value == "shape" && claim.shape) || (value == "data_offsets" && claim.offsets))
      return stop("\"" + claim.name + "\" has the key " + value + " twice");
    if (value != "dtype" && value != "shape" && value != "data_offsets") return stop("\"" + claim.name + "\" has the unknown key \"" + value.substr(0, 64) + "\"");
    return true;
  }
  bool start_array(std::size_t) override {
    if (depth_ != 2 || in_metadata_ || list_) return stop(depth_ == 0 ? "it is a list, not an object" : "a list has no place there");
    Claim& claim = claims.back();
    if (key_ == "shape") list_ = &claim.shape.emplace();
    else if (key_ == "data_offsets") list_ = &claim.offsets.emplace();
    else return stop("a list has no place there");
    return true;
  }
  bool end_array() override {
    list_ = nullptr;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) override {
    return stop("it is not JSON (at byte " + std::to_string(position) + ")");
  }

 private:
  bool stop(std::string why) {
    if (error.empty()) error = std::move(why);
    return false;
  }
  int depth_ = 0;
  bool in_metadata_ = false, seen_metadata_ = false;
  std::string key_;
  std::vector<std::uint64_t>* list_ = nullptr;
};

/// A read-only mapping of a file, or bytes in memory.
class Bytes {
 public:
  Bytes() = default;
  explicit Bytes(std::span<const std::byte> bytes) : copy_(bytes.begin(), bytes.end()), view_(copy_) {}
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  ~Bytes() {
    if (mapped_) munmap(mapped_, view_.size());
  }
  /// The reason why not, or empty.
  std::string map(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return "cannot be opened";
    struct stat status;
    std::string problem;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) problem = "is not a regular file";
    else if (status.st_size > 0) {
      void* place = mmap(nullptr, std::size_t(status.st_size), PROT_READ, MAP_PRIVATE, file, 0);
      if (place == MAP_FAILED) problem = "cannot be mapped into memory";
      else {
        mapped_ = place;
        view_ = {static_cast<const std::byte*>(place), std::size_t(status.st_size)};
      }
    }
    ::close(file);
    return problem;
  }
  std::span<const std::byte> view() const { return view_; }

 private:
  std::vector<std::byte> copy_;
  std::span<const std::byte> view_;
  void* mapped_ = nullptr;
};

Failure broken(std::string_view path, std::string what, std::string hint = {}) {
  return fail(Error(ErrorKind::file, "safetensors", std::string(path) + ": " + std::move(what), {}, std::move(hint)));
}

/// The claim as an entry if it holds against `data`; else a sentence in `problem`.
Safetensors::Entry checked(const Claim& claim, std::span<const std::byte> data, std::string& problem) {
  const std::string who = "tensor \"" + claim.name + "\" ";
  Safetensors::Entry entry{claim.name, {}, {}};
  auto stop = [&](const std::string& what) {
    problem = who + what;
    return entry;
  };
  if (!claim.dtype) return stop("has no dtype");
  if (!claim.shape) return stop("has no shape");
  if (!claim.offsets) return stop("has no data_offsets");
  const auto* known = std::find_if(std::begin(dtype_names), std::end(dtype_names), [&](const Name& n) { return n.text == *claim.dtype; });
  if (known == std::end(dtype_names)) return stop("has the unknown dtype " + claim.dtype->substr(0, 64));
  entry.spec.dtype = known->dtype;
  if (claim.shape->size() > std::size_t(max_rank)) return stop("has " + std::to_string(claim.shape->size()) + " dimensions; Hearth has at most " + std::to_string(max_rank));
  std::uint64_t size = size_of(known->dtype);
  bool zero = false, overflow = false;
  for (std::uint64_t s : *claim.shape) {
    zero |= s == 0;
    overflow |= s > std::uint64_t(INT64_MAX) || __builtin_mul_overflow(size, s, &size);
    entry.spec.shape.push(std::int64_t(s));
  }
  if (overflow && !zero) return stop("is larger than memory can be: " + to_string(entry.spec.shape));
  if (overflow) return stop("has a size that no array can have: " + to_string(entry.spec.shape));
  if (claim.offsets->size() != 2) return stop("has " + std::to_string(claim.offsets->size()) + " data_offsets in place of 2");
  const std::uint64_t begin = (*claim.offsets)[0], end = (*claim.offsets)[1];
  if (begin > end || end > data.size())
    return stop("lies at [" + std::to_string(begin) + ", " + std::to_string(end) + "] of " + std::to_string(data.size()) + " bytes of data");
  if (end - begin != size)
    return stop("takes " + std::to_string(size) + " bytes by its shape " + to_string(entry.spec.shape) + " and has " + std::to_string(end - begin));
  if (known->dtype == Dtype::boolean)
    for (std::byte b : data.subspan(begin, size))
      if (std::to_integer<unsigned>(b) > 1) return stop("has a bool that is neither 0 nor 1");
  entry.bytes = data.subspan(begin, size);
  return entry;
}

}  // namespace

struct Safetensors::Body final : Counted {
  Bytes bytes;
  std::vector<Entry> entries;  // by place
  std::vector<std::size_t> by_name;
  std::vector<std::pair<std::string, std::string>> metadata;

  Body() = default;
  explicit Body(std::span<const std::byte> b) : bytes(b) {}

  /// Reads the header and checks every claim in it; false after a failure that was raised.
  bool read(std::string_view path, const SafetensorsOptions& options) {
    const std::span<const std::byte> all = bytes.view();
    if (all.size() < 8) return broken(path, "has " + std::to_string(all.size()) + " bytes; the length of a header alone takes 8"), false;
    std::uint64_t length = 0;
    std::memcpy(&length, all.data(), 8);
    if (length > all.size() - 8) return broken(path, "announces a header of " + std::to_string(length) + " bytes and has " + std::to_string(all.size() - 8)), false;
    if (length > options.max_header)
      return broken(path, "has a header of " + std::to_string(length) + " bytes; the limit is " + std::to_string(options.max_header), "raise SafetensorsOptions::max_header"), false;
    const auto* text = reinterpret_cast<const char*>(all.data()) + 8;
    HeaderEvents header;
    const bool good = nlohmann::json::sax_parse(text, text + length, &header);
    if (!good || !header.error.empty()) return broken(path, "has a broken header: " + (header.error.empty() ? "it is not JSON" : header.error)), false;

    const std::span<const std::byte> data = all.subspan(8 + length);
    for (const Claim& claim : header.claims) {
      std::string problem;
      entries.push_back(checked(claim, data, problem));
      if (!problem.empty()) return broken(path, problem), false;
    }
    metadata = std::move(header.metadata);

    // Tensors fill the data without gap or overlap; empty ones sort ahead of what begins at the same place.
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return a.bytes.data() != b.bytes.data() ? a.bytes.data() < b.bytes.data() : a.bytes.size() < b.bytes.size();
    });
    const std::byte* next = data.data();
    for (const Entry& entry : entries) {
      if (entry.bytes.data() != next)
        return broken(path, "tensor \"" + entry.name + "\" begins at byte " + std::to_string(entry.bytes.data() - data.data()) + " of the data where " +
                                std::to_string(next - data.data()) + " was expected: " + (entry.bytes.data() < next ? "it overlaps the one before it" : "there is a gap")),
               false;
      next = entry.bytes.data() + entry.bytes.size();
    }
    if (next != data.data() + data.size() && !options.allow_trailing)
      return broken(path, std::to_string(data.data() + data.size() - next) + " bytes follow the last tensor", "set SafetensorsOptions::allow_trailing to accept them"), false;

    by_name.resize(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) by_name[i] = i;
    std::sort(by_name.begin(), by_name.end(), [&](std::size_t a, std::size_t b) { return entries[a].name < entries[b].name; });
    for (std::size_t i = 1; i < by_name.size(); ++i)
      if (entries[by_name[i]].name == entries[by_name[i - 1]].name) return broken(path, "tensor \"" + entries[by_name[i]].name + "\" is there twice"), false;
    return true;
  }
};

Safetensors Safetensors::open(const std::string& path, const SafetensorsOptions& options) {
  const LetGo errors;
  Safetensors file;
  auto body = make_ref<Body>();
  const std::string problem = body->bytes.map(path);
  if (!problem.empty()) return broken(path, problem), Safetensors();
  if (!body->read(path, options)) return {};
  file.body_ = std::move(body);
  return file;
}

Safetensors Safetensors::parse(std::span<const std::byte> bytes, const SafetensorsOptions& options, std::string_view name) {
  const LetGo errors;
  Safetensors file;
  auto body = make_ref<Body>(bytes);
  if (!body->read(name, options)) return {};
  file.body_ = std::move(body);
  return file;
}

const Safetensors::Body* Safetensors::body() const { return static_cast<const Body*>(body_.get()); }

std::span<const Safetensors::Entry> Safetensors::entries() const {
  if (!body_) return {};
  return body()->entries;
}

const Safetensors::Entry* Safetensors::find(std::string_view name) const {
  if (!body_) return nullptr;
  const auto& order = body()->by_name;
  auto it = std::lower_bound(order.begin(), order.end(), name, [&](std::size_t i, std::string_view n) { return body()->entries[i].name < n; });
  return it != order.end() && body()->entries[*it].name == name ? &body()->entries[*it] : nullptr;
}

std::span<const std::pair<std::string, std::string>> Safetensors::metadata() const {
  if (!body_) return {};
  return body()->metadata;
}

void write_safetensors(const std::string& path, std::span<const SafetensorsEntry> entries, std::span<const std::pair<std::string, std::string>> metadata) {
  const LetGo errors;
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) {
    auto& block = header["__metadata__"] = nlohmann::ordered_json::object();
    for (const auto& [key, value] : metadata) {
      if (block.contains(key)) return (void)fail("write_safetensors", "two values of the metadata are named \"" + key + "\"");
      block[key] = value;
    }
  }
  std::uint64_t offset = 0;
  for (const SafetensorsEntry& entry : entries) {
    if (entry.name == "__metadata__") return (void)fail("write_safetensors", "no tensor may be named \"__metadata__\", which is the file's own");
    if (header.contains(entry.name)) return (void)fail("write_safetensors", "two tensors are named \"" + entry.name + "\"");
    const std::uint64_t size = std::uint64_t(element_count(entry.spec.shape)) * size_of(entry.spec.dtype);
    if (size != entry.bytes.size())
      return (void)fail("write_safetensors", "tensor \"" + entry.name + "\" has " + std::to_string(entry.bytes.size()) + " bytes where " + to_string(entry.spec) + " takes " + std::to_string(size));
    std::string_view dtype;
    for (const Name& n : dtype_names)
      if (n.dtype == entry.spec.dtype) dtype = n.text;
    header[entry.name] = {{"dtype", dtype}, {"shape", std::vector<std::int64_t>(entry.spec.shape.begin(), entry.spec.shape.end())}, {"data_offsets", {offset, offset + size}}};
    offset += size;
  }
  std::string text = header.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::ignore);
  // What is not UTF-8 was left out, and would come back as another text.
  if (nlohmann::ordered_json::parse(text, nullptr, false) != header)
    return (void)fail("write_safetensors", "a name or a text of the metadata is not UTF-8, which the format demands");
  text.resize((text.size() + 7) / 8 * 8, ' ');

  // What is there is replaced, so it must be a file: a device or a pipe would be lost.
  if (struct stat there; ::stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode)) return (void)broken(path, "is not a regular file");
  // Written beside its place and moved there when whole, and on the disk: neither a reader nor a lost machine leaves half a file.
  const std::string temporary = path + ".partial";
  std::FILE* out = std::fopen(temporary.c_str(), "wb");
  if (!out) return (void)broken(path, "cannot be written");
  const std::uint64_t length = text.size();
  bool good = std::fwrite(&length, 8, 1, out) == 1 && std::fwrite(text.data(), 1, text.size(), out) == text.size();
  for (const SafetensorsEntry& entry : entries)
    if (!entry.bytes.empty()) good = good && std::fwrite(entry.bytes.data(), 1, entry.bytes.size(), out) == entry.bytes.size();
  good = std::fflush(out) == 0 && fsync(fileno(out)) == 0 && good;
  good = std::fclose(out) == 0 && good;
  if (!good || std::rename(temporary.c_str(), path.c_str()) != 0) {
    std::remove(temporary.c_str());
    return (void)broken(path, "could not be written in full");
  }
}

}  // namespace hearth
