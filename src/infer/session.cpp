// infer/session: what programs see of a loaded model.
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "hearth/serve.hpp"

namespace hearth {

Session::~Session() { delete body_; }

Session& Session::operator=(Session&& other) noexcept {
  std::swap(body_, other.body_);
  return *this;
}

namespace {
// Stands where a session has no model, so that its facts can be read in a build without exceptions.
struct NoModel final : Session::Body {
  NoModel() { input_size = 0; }
  std::vector<float> run(std::span<const float>, std::int64_t) const override { return {}; }
};
}  // namespace

const Session::Body& Session::body() const {
  if (body_) return *body_;
  static const NoModel none;
  (void)fail("session", "it holds no model", {}, "hearth::load makes one that does");
  return none;
}

std::vector<float> Session::run(const std::string& input, std::span<const float> values) const {
  const Body& model = body();
  if (!body_) return {};
  if (input != model.input) return fail("session", "the model has no input \"" + input + "\"; its input is \"" + model.input + "\"");
  const std::int64_t given = std::int64_t(values.size());
  if (model.input_size == 0 || given % model.input_size != 0)
    return fail("session", std::to_string(given) + " numbers are no whole number of inputs; \"" + input + "\" takes " + std::to_string(model.input_size) + " each");
  if (given == 0) return {};
  return model.run(values, given / model.input_size);
}

const std::string& Session::input_name() const { return body().input; }
const std::vector<std::int64_t>& Session::input_shape() const { return body().shape; }
std::int64_t Session::input_size() const { return body().input_size; }
std::int64_t Session::output_size() const { return body().output_size; }
const std::string& Session::backend() const { return body().backend; }

}  // namespace hearth
