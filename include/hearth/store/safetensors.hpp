// store/safetensors: reading and writing the safetensors format. Files from outside are hostile until every bound has been checked.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../core/ref.hpp"
#include "../core/tensor_data.hpp"

namespace hearth {

struct SafetensorsOptions {
  std::uint64_t max_header = 100'000'000;  ///< bytes; a longer header is refused, as the reference reader does
  bool allow_trailing = false;             ///< accept bytes behind the last tensor
};

/// A safetensors file, mapped into memory: tensors are read where they lie. Cheap to copy; the mapping lives as long as a copy does.
class Safetensors {
 public:
  struct Entry {
    std::string name;
    Spec spec;
    std::span<const std::byte> bytes;  ///< row-major, little-endian; valid while the Safetensors lives
  };

  /// Maps a file. Everything wrong with it is an Error of kind file, found before any tensor can be read.
  static Safetensors open(const std::string& path, const SafetensorsOptions& options = {});
  /// The same over a copy of bytes in memory; `name` stands for the path in messages.
  static Safetensors parse(std::span<const std::byte> bytes, const SafetensorsOptions& options = {}, std::string_view name = "memory");

  /// Without exceptions: was the file read? An error went to the handler if not.
  explicit operator bool() const { return bool(body_); }

  /// In the order of the data.
  std::span<const Entry> entries() const;
  /// Null if there is none of that name.
  const Entry* find(std::string_view name) const;
  /// The __metadata__ of the file.
  std::span<const std::pair<std::string, std::string>> metadata() const;

 private:
  struct Body;
  const Body* body() const;
  Ref<Counted> body_;  // a Body
};

/// A tensor to write. `bytes` must hold the elements of `spec`, row-major.
using SafetensorsEntry = Safetensors::Entry;

/// Writes a file that every safetensors reader accepts: data in the given order, header padded to 8 bytes. The file appears
/// under its name only when it is complete.
void write_safetensors(const std::string& path, std::span<const SafetensorsEntry> entries,
                       std::span<const std::pair<std::string, std::string>> metadata = {});

}  // namespace hearth
