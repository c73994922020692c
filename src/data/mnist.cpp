// data/mnist: the two files of a part, and whether they go together.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/data/mnist.hpp"

#include <filesystem>

#include "hearth/data/idx.hpp"

namespace hearth::detail {

namespace {

Failure broken(const std::string& path, const std::string& what) { return fail(Error(ErrorKind::file, "read_mnist", path + ": " + what)); }

/// The path of the file as it is stored: plain or gzipped.
std::string stored(const std::string& folder, const std::string& name) {
  const std::filesystem::path plain = std::filesystem::path(folder) / name;
  std::error_code unreadable;
  return std::filesystem::exists(plain, unreadable) ? plain.string() : plain.string() + ".gz";
}

/// Bytes of this rank.
TensorData read_bytes(const std::string& path, int rank) {
  TensorData data = read_idx(path);
  if (pending_error()) return {};
  if (data.spec.dtype != Dtype::u8 || data.spec.shape.size() != rank)
    return broken(path, "holds " + to_string(data.spec) + "; it should be u8 of " + std::to_string(rank) + (rank == 1 ? " dimension" : " dimensions"));
  return data;
}

}  // namespace

MnistFiles read_mnist(const std::string& folder, const std::string& part) {
  const std::string of_images = stored(folder, part + "-images-idx3-ubyte");
  MnistFiles both{.images = read_bytes(of_images, 3), .labels = {}};
  if (pending_error()) return {};
  both.labels = read_bytes(stored(folder, part + "-labels-idx1-ubyte"), 1);
  if (pending_error()) return {};
  const std::int64_t images = both.images.spec.shape[0], labels = both.labels.spec.shape[0];
  if (images != labels) return broken(of_images, "holds " + std::to_string(images) + " images, but there are " + std::to_string(labels) + " labels");
  return both;
}

}  // namespace hearth::detail
