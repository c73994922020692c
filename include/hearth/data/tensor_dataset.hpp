// data/tensor_dataset: tensors whose first axes belong together, (images, labels) say, as a dataset that a Loader takes batches from.
//   TensorDataset points{x, y};
//   Loader loader(points, {.batch_size = 32, .shuffle = true});
//   for (const auto& [inputs, targets] : loader) ...
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tuple>

#include "../tensor/tensor.hpp"
#include "loader.hpp"

namespace hearth {

/// Item i is the slice at i of every tensor. The elements stay where they are, shared with the tensors; a batch is a copy of its rows, on
/// their device. An error if the tensors are not equally long.
template <class... T>
class TensorDataset {
  static_assert(sizeof...(T) > 0, "hearth: a dataset has at least one tensor");
  static_assert(((T::rank > 0) && ...), "hearth: the tensors of a dataset have a first axis, over which the items lie");

 public:
  explicit TensorDataset(T... tensors) : tensors_(std::move(tensors)...) {
    const LetGo errors;
    const auto good = [](const auto& x) { return x.defined() && !x.error(); };
    const auto check = [&](const auto& first, const auto&... others) {
      if (!good(first) || (!good(others) || ...)) return;
      if (((others.size(0) != first.size(0)) || ...))
        return (void)fail("dataset", "the tensors are not equally long: " + (to_string(first.shape()) + ... + (" and " + to_string(others.shape()))),
                          {first.shape(), others.shape()...}, "the first axis of each goes over the items");
      size_ = first.size(0);
    };
    std::apply(check, tensors_);
  }

  /// How many items there are. (None, without exceptions, where the tensors do not go together or one carries an error.)
  std::int64_t size() const { return size_; }
  /// The tensors as they are: `const auto& [images, labels] = dataset.tensors();`
  const std::tuple<T...>& tensors() const { return tensors_; }

  /// The items at these positions, which may repeat, one tensor of each kind. A position out of range is an error.
  std::tuple<T...> batch(std::span<const std::int64_t> rows) const {
    const auto select = [&]<class X>(const X& x) { return x.index_select(0, tensor<typename X::Backend>(rows, x.device())); };
    return std::apply([&](const auto&... each) { return std::tuple<T...>(select(each)...); }, tensors_);
  }
  /// `length` items from `start` on, as views. An error where they are not all there.
  TensorDataset narrow(std::int64_t start, std::int64_t length) const {
    return std::apply([&](const auto&... each) { return TensorDataset(each.narrow(0, start, length)...); }, tensors_);
  }

 private:
  std::tuple<T...> tensors_;
  std::int64_t size_ = 0;
};

/// `count` items of a dataset, drawn by the seed, and the others: to hold some back for validation. An error if there are not so many.
template <class... T>
std::pair<TensorDataset<T...>, TensorDataset<T...>> random_split(const TensorDataset<T...>& data, std::int64_t count, std::uint64_t seed = 0) {
  const LetGo errors;
  if (count < 0 || count > data.size()) {
    (void)fail("random_split", std::to_string(count) + " of " + std::to_string(data.size()) + " items cannot be drawn");
    count = 0;
  }
  const std::vector<std::int64_t> order = epoch_order(data.size(), true, seed, -1);  // no loader's epoch has this order
  const auto part = [&](std::span<const std::int64_t> rows) { return std::make_from_tuple<TensorDataset<T...>>(data.batch(rows)); };
  return {part(std::span(order).first(std::size_t(count))), part(std::span(order).subspan(std::size_t(count)))};
}

}  // namespace hearth
