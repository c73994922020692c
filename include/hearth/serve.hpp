// serve: what a model's author writes once, so that programs can run the model through hearth/infer.hpp on every built backend.
//   hearth::Session load_digits(const std::string& path, const std::string& backend) {
//     return hearth::serve(path, backend, "image", {1, 28, 28}, []<class B>(hearth::On<B>) { return DigitNet<B>(); });
//   }
//   void register_digits() { hearth::register_model("digits", load_digits); }
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "hearth/built.hpp"
#include "infer.hpp"
#include "nn/nn.hpp"
#include "store/model.hpp"

namespace hearth {

/// Stands for a backend in a call: make(On<B>{}) gives the model on B.
template <class B>
struct On {
  using Backend = B;
};

/// A loaded model. run() takes a whole number of inputs.
class Session::Body {
 public:
  std::string input, backend;
  std::vector<std::int64_t> shape;  ///< of one input
  std::int64_t input_size = 1, output_size = 0;

  virtual ~Body() = default;
  virtual std::vector<float> run(std::span<const float> values, std::int64_t count) const = 0;
};

namespace detail {

/// Raises that the backend is not in this build.
Session no_such_backend(const std::string& backend);

/// How many numbers one input has; an error, and 0, if there are none or more than memory holds.
std::int64_t input_size(const std::string& input, const Shape& shape);

/// A model M on B whose inputs have the given rank, the batch included.
template <class B, class M, int Rank>
struct Served final : Session::Body {
  M model;

  Served(const std::string& path, const std::string& name, M made) : model(std::move(made)) {
    backend = name;
    (void)hearth::load(path, model);
    eval(model);
  }
  std::vector<float> run(std::span<const float> values, std::int64_t count) const override {
    Shape batch{count};
    for (std::int64_t size : shape) batch.push(size);
    return model(tensor<B>(values).template reshape<Rank>(batch)).template to_vector<float>();
  }
};

template <int Rank, class B, class M>
Session serve_on(const std::string& path, const std::string& backend, std::string input, const Shape& shape, M model) {
  const std::int64_t size = input_size(input, shape);
  if (size == 0) return {};
  auto* body = new Served<B, M, Rank>(path, backend, std::move(model));
  Session session(body);  // owns it from here, whatever happens
  body->input = std::move(input);
  body->shape.assign(shape.begin(), shape.end());
  body->input_size = size;
  // One run finds the size of the output, and that the model takes such inputs at all.
  const std::vector<float> zeros(std::size_t(body->input_size));
  body->output_size = std::int64_t(body->run(zeros, 1).size());
  return session;
}

}  // namespace detail

/// Loads a file into the model that `make(On<B>{})` gives, for the backend of that name. `shape` is that of one input, without the
/// batch that the model's first axis is; the model's call takes a Tensor<B, N + 1> of Float.
template <std::size_t N, class Make>
Session serve(const std::string& path, const std::string& backend, std::string input, const Dim (&shape)[N], Make make) {
#define HEARTH_SERVE(name, Backend) \
  if (backend == #name) return detail::serve_on<int(N) + 1, Backend>(path, backend, std::move(input), detail::to_shape(shape), make(On<Backend>{}));
  HEARTH_BUILT_BACKENDS(HEARTH_SERVE)
#undef HEARTH_SERVE
  return detail::no_such_backend(backend);
}

}  // namespace hearth
