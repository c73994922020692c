// store/model-inl: the walkers that read a model out and put values in.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../backend/dyn-inl.hpp"
#include "../backend/transfer.hpp"
#include "model.hpp"

namespace hearth::detail {

template <class B>
TensorData host_copy(const Dyn<B>& value) {
  TensorData data{value.spec(), std::vector<std::byte>(std::size_t(element_count(value.shape())) * size_of(value.dtype()))};
  if (!read_elements<B>(value.handle, data.bytes.data())) return fail("save", "a value could not be read");
  return data;
}

template <class B>
void ModelFile<B>::Reader::param(std::string_view path, Dyn<B>& value, int) {
  if (!value || pending_error()) return;
  const void* leaf = leaf_identity(value);
  for (auto& [known, name] : leaves)
    if (known == leaf) return (void)ties.emplace_back(std::string(path), name);
  leaves.emplace_back(leaf, std::string(path));
  names.emplace_back(path);
  data.push_back(host_copy(value));
}
template <class B>
void ModelFile<B>::Reader::buffer(std::string_view path, Dyn<B>& value, int, Kinds) {
  if (!value || pending_error()) return;
  names.emplace_back(path);
  data.push_back(host_copy(value));
}

template <class B>
void ModelFile<B>::Places::param(std::string_view path, Dyn<B>& value, int rank) {
  Wanted w{std::string(path), value ? value.spec() : Spec{}, bool(value), rank, kinds::F, -1};
  const void* leaf = value ? leaf_identity(value) : nullptr;
  for (std::size_t i = 0; leaf && i < leaves.size(); ++i)
    if (leaves[i] == leaf) {
      w.tied_to = int(i);
      break;
    }
  wanted.push_back(std::move(w));
  values.push_back(&value);
  leaves.push_back(leaf);
  is_param.push_back(true);
}
template <class B>
void ModelFile<B>::Places::buffer(std::string_view path, Dyn<B>& value, int rank, Kinds kind) {
  wanted.push_back({std::string(path), value ? value.spec() : Spec{}, bool(value), rank, kind, -1});
  values.push_back(&value);
  leaves.push_back(nullptr);
  is_param.push_back(false);
}

template <class B>
void ModelFile<B>::write(const std::string& path, Reader& reader, std::span<const std::pair<std::string, std::string>> metadata) {
  const LetGo errors;
  if (pending_error()) return;  // a value carried an error, and its reader was told
  std::vector<SafetensorsEntry> entries;
  for (std::size_t i = 0; i < reader.names.size(); ++i) entries.push_back({reader.names[i], reader.data[i].spec, reader.data[i].bytes});
  std::vector<std::pair<std::string, std::string>> all(metadata.begin(), metadata.end());
  for (auto& [alias, name] : reader.ties) all.emplace_back("tied:" + alias, name);
  write_safetensors(path, entries, all);
}

template <class B>
LoadReport ModelFile<B>::fill(const Safetensors& file, std::string_view path, Places& places, const LoadOptions& options, const DeviceOf<B>& device) {
  LoadReport report;
  const LetGo errors;
  const std::vector<int> source = match_names(path, places.wanted, file, options, report);
  const auto unchanged = [&] {  // without exceptions: nothing was loaded
    report.loaded.clear();
    return report;
  };
  if (pending_error()) return unchanged();
  std::vector<Dyn<B>> made(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {  // everything that may fail, before anything is changed
    if (source[i] < 0) continue;
    const Safetensors::Entry& entry = file.entries()[std::size_t(source[i])];
    const Wanted& w = places.wanted[i];
    Dyn<B> value(B::upload(w.defined ? B::device(places.values[i]->handle) : device, entry.spec, entry.bytes.data()));
    if (w.defined && w.spec.dtype != entry.spec.dtype) value = Dyn<B>::cast(std::move(value), w.spec.dtype);
    if (value.error()) return unchanged();
    if constexpr (is_autodiff<B>)  // what is frozen stays so
      if (places.is_param[i] && (!w.defined || B::tracked(places.values[i]->handle))) value = Dyn<B>(B::track(std::move(value.handle)));
    made[i] = std::move(value);
  }
  for (std::size_t i = 0; i < source.size(); ++i) {
    const int tied = places.wanted[i].tied_to;
    if (tied >= 0 && source[i] == source[std::size_t(tied)]) *places.values[i] = *places.values[std::size_t(tied)];
    else if (made[i]) *places.values[i] = std::move(made[i]);
  }
  return report;
}

}  // namespace hearth::detail
