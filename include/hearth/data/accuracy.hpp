// data/accuracy: how often a classifier is right.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>

#include "../nn/model.hpp"
#include "tensor_dataset.hpp"

namespace hearth {

/// How many rows of scores [n, classes] are largest at their label [n].
template <class B>
std::int64_t correct_count(const Tensor<B, 2>& scores, const Tensor<B, 1, Int>& labels) {
  const LetGo errors;
  if (!scores.error() && !labels.error() && scores.size(0) != labels.size(0)) {  // labels of length 1 would broadcast
    (void)fail("accuracy", "there is not one label for each row of scores: " + to_string(scores.shape()) + " and " + to_string(labels.shape()),
               {scores.shape(), labels.shape()});
    return 0;
  }
  const auto predicted = scores.argmax(1);
  return (predicted == labels.cast(predicted.dtype())).to_int().sum().item();
}

/// The share of rows of scores [n, classes] that are largest at their label [n]: from 0 to 1, and NaN of no rows.
template <class B>
double accuracy(const Tensor<B, 2>& scores, const Tensor<B, 1, Int>& labels) {
  const std::int64_t right = correct_count(scores, labels);
  return scores.error() || scores.size(0) == 0 ? std::numeric_limits<double>::quiet_NaN() : double(right) / double(scores.size(0));
}

/// The same for a model over a dataset of (inputs, labels), `batch_size` items at once. It runs a copy of the model in evaluation mode and
/// records no gradients; the model stays as it is.
template <class Model, class Inputs, class B>
double accuracy(const Model& model, const TensorDataset<Inputs, Tensor<B, 1, Int>>& data, std::int64_t batch_size = 256) {
  const NoGrad scope;
  Model evaluated = model;
  eval(evaluated);
  if (batch_size < 1) {
    (void)fail("accuracy", "the batch size is " + std::to_string(batch_size) + "; it must be at least 1");
    batch_size = 1;
  }
  std::int64_t right = 0;
  for (std::int64_t start = 0; start < data.size(); start += std::min(batch_size, data.size() - start)) {
    const auto part = data.narrow(start, std::min(batch_size, data.size() - start));
    const auto& [inputs, labels] = part.tensors();
    right += correct_count(evaluated(inputs), labels);
  }
  return data.size() == 0 ? std::numeric_limits<double>::quiet_NaN() : double(right) / double(data.size());
}

}  // namespace hearth
