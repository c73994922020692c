// store/checkpoint-inl: states to and from the sections of a file.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "checkpoint.hpp"
#include "model-inl.hpp"

/// Each of these templates is stamped for each stack.
#define HEARTH_STORE_FUNCTIONS(X) X(detail::ModelFile) X(detail::CheckpointState)

namespace hearth::detail {

template <class B>
void CheckpointState<B>::add(CheckpointFile& file, std::string_view section, const State<B>& state) {
  for (const auto& [name, value] : state.tensors) {
    file.names.push_back(std::string(section) + "/" + name);
    file.data.push_back(host_copy(value));
  }
  for (const auto& [name, value] : state.values) file.add_number(section, name, value);
}

template <class B>
void CheckpointState<B>::add_model(CheckpointFile& file, std::string_view section, typename ModelFile<B>::Reader& reader) {
  for (std::size_t i = 0; i < reader.names.size(); ++i) {
    file.names.push_back(std::string(section) + "/" + reader.names[i]);
    file.data.push_back(std::move(reader.data[i]));
  }
  for (const auto& [alias, name] : reader.ties) file.numbers.emplace_back("tied:" + std::string(section) + "/" + alias, std::string(section) + "/" + name);
}

template <class B>
State<B> CheckpointState<B>::read(const Safetensors& file, std::string_view path, std::string_view section, const DeviceOf<B>& device) {
  State<B> state;
  state.file = path;
  const std::string prefix = std::string(section) + "/";
  for (const auto& entry : file.entries())
    if (entry.name.starts_with(prefix)) state.tensors.push_back({entry.name.substr(prefix.size()), Dyn<B>(B::upload(device, entry.spec, entry.bytes.data()))});
  for (const auto& [key, text] : file.metadata())
    if (key.starts_with(prefix)) state.set(std::string_view(key).substr(prefix.size()), parse_scalar(text));
  if (state.tensors.empty() && state.values.empty())
    return fail(Error(ErrorKind::file, "checkpoint", std::string(path) + " has no section \"" + std::string(section) + "\""));
  return state;
}

}  // namespace hearth::detail
