// store/model: a model's parameters and buffers in a safetensors file, by field path, and back. Compiled per backend and never per model.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../core/match.hpp"
#include "../nn/walk.hpp"
#include "safetensors.hpp"

namespace hearth {

struct Rename {
  std::string from, to;  ///< patterns: {"blocks.*.w", "layers.*.weight"} renames what the file calls blocks.3.w
};

struct LoadOptions {
  bool strict = true;           ///< missing, unexpected and mismatched names are one error that lists them all; else they are reported
  bool convert = false;         ///< accept another dtype of the same kind and convert it
  std::vector<Rename> renames = {};  ///< applied in order to each name of the file
  std::string prefix = {};           ///< only names that begin so count, and are used without it: "model."
};

/// What load found. Sentences, with shapes and near names.
struct LoadReport {
  std::vector<std::string> loaded, missing, unexpected, mismatched;
};

namespace detail {
/// A place in a model that wants a value.
struct Wanted {
  std::string name;
  Spec spec;             ///< of the value that is there, if one is
  bool defined = false;  ///< without one, any shape of `rank` and `kinds` fits
  int rank = 0;
  Kinds kinds = 0;
  int tied_to = -1;      ///< an earlier place that holds the same leaf
};
/// Which entry of the file each place gets (-1: none), and the report; raises what strictness demands.
std::vector<int> match_names(std::string_view path, std::span<const Wanted> wanted, const Safetensors& file, const LoadOptions& options, LoadReport& report);

template <class B>
struct ModelFile {
  struct Reader final : Walker<B> {
    std::vector<std::string> names;
    std::vector<TensorData> data;
    std::vector<std::pair<const void*, std::string>> leaves;
    std::vector<std::pair<std::string, std::string>> ties;  // alias, name
    void param(std::string_view path, Dyn<B>& value, int rank) override;
    void buffer(std::string_view path, Dyn<B>& value, int rank, Kinds kind) override;
  };
  struct Places final : Walker<B> {
    std::vector<Wanted> wanted;
    std::vector<Dyn<B>*> values;
    std::vector<const void*> leaves;
    std::vector<bool> is_param;
    void param(std::string_view path, Dyn<B>& value, int rank) override;
    void buffer(std::string_view path, Dyn<B>& value, int rank, Kinds kind) override;
  };
  static void write(const std::string& path, Reader& reader, std::span<const std::pair<std::string, std::string>> metadata);
  static LoadReport fill(const Safetensors& file, std::string_view path, Places& places, const LoadOptions& options, const DeviceOf<B>& device);
};
}  // namespace detail

/// Saves every parameter and buffer under its field path. Tied parameters are stored once; the metadata names the others.
template <class M>
void save(const std::string& path, const M& model, std::span<const std::pair<std::string, std::string>> metadata = {}) {
  typename detail::ModelFile<BackendOf<M>>::Reader reader;
  walk<BackendOf<M>>(model, reader);
  detail::ModelFile<BackendOf<M>>::write(path, reader, metadata);
}

/// The same with metadata written out: save(path, model, {{"model", "digits"}}).
template <class M>
void save(const std::string& path, const M& model, std::initializer_list<std::pair<std::string, std::string>> metadata) {
  save(path, model, std::span(metadata.begin(), metadata.size()));
}

/// Fills a model from a file. Nothing is changed if an error is raised (without exceptions: handed to the handler). Parameters that are tied in the model stay tied, unless the
/// file has different values for them; frozen ones stay frozen.
template <class M>
  requires requires { typename BackendOf<M>; }
LoadReport load(const Safetensors& file, M& model, const LoadOptions& options = {}, std::string_view path = "file") {
  typename detail::ModelFile<BackendOf<M>>::Places places;
  walk<BackendOf<M>>(model, places);
  return detail::ModelFile<BackendOf<M>>::fill(file, path, places, options, {});
}
template <class M>
  requires requires { typename BackendOf<M>; }
LoadReport load(const std::string& path, M& model, const LoadOptions& options = {}) {
  const Safetensors file = Safetensors::open(path);
  return file ? load(file, model, options, path) : LoadReport{};
}

}  // namespace hearth
