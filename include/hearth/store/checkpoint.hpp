// store/checkpoint: everything that a training run needs to go on bit for bit, in one safetensors file: the model, the optimiser,
// generators, loaders, counters.
//   Checkpoint<B> checkpoint;
//   checkpoint.add("model", model);          checkpoint.add("optimizer", optimizer);
//   checkpoint.add("generator", default_generator<B>());   checkpoint.add("loader", loader);
//   checkpoint.save("run.safetensors");
// Inside a loop over the loader save at the top, before the batch is used: the run goes on with that batch.
// and, later, with a model, an optimiser and a loader made as before:
//   auto checkpoint = Checkpoint<B>::open("run.safetensors");
//   checkpoint.get("model", model);          checkpoint.get("optimizer", optimizer);     checkpoint.get("loader", loader);
//   Generator generator;
//   checkpoint.get("generator", generator);  set_default_generator<B>(generator);
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../nn/state.hpp"
#include "model.hpp"

namespace hearth {

namespace detail {
/// Sections by name: entries "section/name", numbers in the metadata.
struct CheckpointFile {
  std::vector<std::string> names;
  std::vector<TensorData> data;
  std::vector<std::pair<std::string, std::string>> numbers;  // and the names of tied parameters
  std::vector<std::string> sections;

  /// An error if there is a section of that name already.
  bool begin(std::string_view section);
  void add_number(std::string_view section, std::string_view name, const Scalar& value);
  void save(const std::string& path) const;
};
/// The number that a metadata text spells; an Error of kind file for anything else.
Scalar parse_scalar(std::string_view text);

template <class B>
struct CheckpointState {
  static void add(CheckpointFile& file, std::string_view section, const State<B>& state);
  static void add_model(CheckpointFile& file, std::string_view section, typename ModelFile<B>::Reader& reader);
  static State<B> read(const Safetensors& file, std::string_view path, std::string_view section, const DeviceOf<B>& device);
};

template <class T>
concept HasState = requires(const T& object) { object.state().tensors; };
/// Its state is a plain aggregate of numbers: a Loader.
template <class T>
concept HasNumbers = !HasState<T> && requires(T& object) { object.restore(object.state()); };
}  // namespace detail

/// B is the model's backend.
template <class B>
class Checkpoint {
  using Values = Inner<B>;

 public:
  Checkpoint() = default;
  /// A checkpoint from a file, to get() parts of.
  static Checkpoint open(const std::string& path) {
    Checkpoint checkpoint;
    checkpoint.path_ = path;
    checkpoint.read_ = Safetensors::open(path);
    return checkpoint;
  }

  /// A module, anything with state() and restore() (an Optimizer, a Loader), or a plain aggregate of numbers (a Generator, your own
  /// counters). Two sections of one name are an error.
  template <class T>
  void add(std::string_view section, const T& object) {
    const LetGo errors;
    if (written_.begin(section)) write(section, object);
  }
  void save(const std::string& path) const { written_.save(path); }

  /// Puts a section back into an object of the kind that was added. An Error of kind file if the file has no such section.
  template <class T>
  void get(std::string_view section, T& object, const DeviceOf<B>& device = {}) const {
    const LetGo errors;
    if (!HEARTH_EXCEPTIONS && !read_) return;
    if constexpr (detail::HasState<T>) {
      const auto state = detail::CheckpointState<Values>::read(read_, path_, section, device);
      if (!pending_error()) object.restore(state);
    } else if constexpr (detail::HasNumbers<T>) {
      auto state = object.state();
      get(section, state, device);
      object.restore(state);
    } else if constexpr (requires { typename BackendOf<T>; }) {
      LoadOptions options;
      options.prefix = std::string(section) + "/";
      (void)load(read_, object, options, path_);
    } else {
      const auto state = detail::CheckpointState<Values>::read(read_, path_, section, device);
      if (!pending_error()) restore(object, state);
    }
  }

 private:
  template <class T>
  void write(std::string_view section, const T& object) {
    if constexpr (detail::HasState<T>) {
      detail::CheckpointState<Values>::add(written_, section, object.state());
    } else if constexpr (detail::HasNumbers<T>) {
      write(section, object.state());
    } else if constexpr (requires { typename BackendOf<T>; }) {
      typename detail::ModelFile<B>::Reader reader;
      walk<B>(object, reader);
      detail::CheckpointState<B>::add_model(written_, section, reader);
    } else {
      detail::CheckpointState<Values>::add(written_, section, state_of<Values>(object));
    }
  }

  detail::CheckpointFile written_;
  std::string path_;
  Safetensors read_;
};

}  // namespace hearth
