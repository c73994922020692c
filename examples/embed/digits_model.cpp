// embed/digits_model: the only file of this program that knows what the model is.
// SPDX-License-Identifier: Apache-2.0
#include <hearth/serve.hpp>

#include "../digits/model.hpp"

static hearth::Session load_digits(const std::string& path, const std::string& backend) {
  return hearth::serve(path, backend, "image", {1, 28, 28}, []<class B>(hearth::On<B>) { return DigitNet<B>(); });
}

void register_digits() { hearth::register_model("digits", load_digits); }
