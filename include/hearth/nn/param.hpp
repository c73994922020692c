// nn/param: the fields of a module that training and files care about: parameters, buffers and the mode.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "../tensor/tensor.hpp"

namespace hearth {

/// A trained and saved tensor: a leaf of the tape where B records gradients. Made by param(x), never by accident.
/// Two fields that hold the same leaf are tied: `model.head.weight = model.embedding.weight;` and they stay so through steps,
/// copies, files and moves to other backends.
template <class B, int Rank>
class Param : public Tensor<B, Rank> {
 public:
  Param() = default;
  explicit Param(Tensor<B, Rank> value) : Tensor<B, Rank>(require_gradient(std::move(value))) {}
  template <class T>
    requires std::is_same_v<T, Tensor<B, Rank>>
  Param(const T&) = delete;  // hearth: a tensor does not become a parameter by itself; write param(x)
};

template <class B, int Rank>
Param<B, Rank> param(Tensor<B, Rank> value) {
  return Param<B, Rank>(std::move(value));
}

/// The tensor in an optional parameter, or one that stands for an absent operand.
template <class B, int Rank>
Tensor<B, Rank> optional_tensor(const std::optional<Param<B, Rank>>& value) {
  return value ? Tensor<B, Rank>(*value) : Tensor<B, Rank>();
}

/// A saved tensor that is not trained: running statistics, say. Calling a module is const, and a call in training mode may replace
/// a buffer; each copy of a module has its own. Never part of the tape.
template <class B, int Rank, class Kind = Float>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(Tensor<B, Rank, Kind> value) : value_(detach(std::move(value))) {}
  const Tensor<B, Rank, Kind>& get() const { return value_; }
  /// Not while another thread calls the same module. A value that carries an error is not taken: the call that made it tells.
  void set(Tensor<B, Rank, Kind> value) const {
    if (!value.error()) value_ = detach(std::move(value));
  }
  /// For walkers, which load and move buffers.
  Dyn<B>& dyn() const { return value_.dyn; }

 private:
  mutable Tensor<B, Rank, Kind> value_;
};

/// Whether a module is being trained: dropout drops and batch norm measures only then. Found and set by train(model) and eval(model).
struct Mode {
  bool training = true;
};

}  // namespace hearth
