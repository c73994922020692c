// infer: running trained models inside other programs. No templates, and nothing else of Hearth: what a model is, and the
// backends that it runs on, stay in the source file that registers it (hearth/serve.hpp).
//   register_digits();                                     // written by the model's author
//   hearth::Session session = hearth::load("digits.safetensors", "cpu");
//   std::vector<float> scores = session.run("image", pixels);
// Whatever goes wrong is thrown as a hearth::Error, a std::exception whose what() is a sentence with the facts.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/config.hpp"

namespace hearth {

/// A model in memory, on one backend, ready to run. To be moved, not copied. Default made it holds no model.
class Session {
 public:
  /// What run() forwards to; hearth/serve.hpp makes it.
  class Body;

  Session() noexcept = default;
  explicit Session(Body* body) noexcept : body_(body) {}
  Session(Session&& other) noexcept : body_(other.body_) { other.body_ = nullptr; }
  Session& operator=(Session&& other) noexcept;
  ~Session();

  /// The model's output for one or more inputs, one behind the other: k * input_size() numbers give k * output_size(). The input is
  /// called by its name, so that a model that changes its input is noticed. May be called from any number of threads at once.
  std::vector<float> run(const std::string& input, std::span<const float> values) const;

  const std::string& input_name() const;
  /// Of one input, without the batch: {1, 28, 28}.
  const std::vector<std::int64_t>& input_shape() const;
  std::int64_t input_size() const;
  std::int64_t output_size() const;
  /// Where it runs: "cpu".
  const std::string& backend() const;

 private:
  const Body& body() const;
  Body* body_ = nullptr;
};

/// Makes a session from a file and the name of a backend. A model's author writes one, with hearth::serve.
using MakeSession = Session (*)(const std::string& path, const std::string& backend);

/// Says how a model is made, under the name that its files carry. A second registration of a name replaces the first. Thread-safe.
void register_model(const std::string& name, MakeSession make);

/// Loads a model that was saved as safetensors. Which one it is stands in the file's metadata, under "model".
Session load(const std::string& path, const std::string& backend = "cpu");

/// A backend that Hearth knows of.
struct BackendStatus {
  std::string name;
  bool available = false;
  std::string reason;  ///< why it is not available, or empty
};
std::vector<BackendStatus> backends();

}  // namespace hearth
