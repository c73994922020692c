// data/loader: batches of a dataset, in an order that depends on the seed alone, made ahead by worker threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "../core/error.hpp"
#include "../core/ref.hpp"

namespace hearth {

/// Anything with a size and items by index. Items may be asked for from several threads at once.
template <class D>
concept Dataset = requires(const D& dataset, std::int64_t i) {
  { dataset.size() } -> std::convertible_to<std::int64_t>;
  dataset[i];
};
/// A dataset that makes a whole batch itself, from indices: cheaper than items that are put together afterwards.
template <class D>
concept BatchDataset = requires(const D& dataset, std::span<const std::int64_t> indices) {
  { dataset.size() } -> std::convertible_to<std::int64_t>;
  dataset.batch(indices);
};

struct LoaderOptions {
  std::int64_t batch_size = 32;
  bool shuffle = false;
  bool drop_last = false;  ///< leave out a last batch that is not full
  int workers = 0;         ///< threads that make batches ahead; 0: the caller's own
  int prefetch = 2;        ///< batches made ahead per worker
  std::uint64_t seed = 0;
};

/// Where a loader stands: enough to go on exactly there.
struct LoaderState {
  std::uint64_t seed = 0;
  std::int64_t epoch = 0;     ///< epochs begun
  std::int64_t position = 0;  ///< batches of the current epoch that are done with; all of them between two epochs
};

/// The indices of one epoch: 0 .. n-1, shuffled by Fisher and Yates' method with Philox keyed by seed and epoch.
std::vector<std::int64_t> epoch_order(std::int64_t size, bool shuffle, std::uint64_t seed, std::int64_t epoch);

namespace detail {

/// Makes batch `index` of an epoch. Called from any thread, never twice for one index.
class BatchMaker {
 public:
  virtual ~BatchMaker() = default;
  virtual Ref<Counted> make(std::int64_t index) const = 0;
};

/// Hands out batches first, first + 1, ... count - 1 in order, whoever made them. An error in a worker comes out of next()
/// for the batch that it belongs to.
class Prefetcher {
 public:
  Prefetcher(const BatchMaker& maker, std::int64_t first, std::int64_t count, int workers, int prefetch);
  ~Prefetcher();
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;
  /// The next batch, or null after the last.
  Ref<Counted> next();

 private:
  struct State;
  State* state_;
};

template <class T>
struct Boxed final : Counted {
  explicit Boxed(T v) : value(std::move(v)) {}
  T value;
};

/// What a batch of single items becomes unless a function says otherwise: a vector of them.
struct CollectItems {
  template <class Item>
  std::vector<Item> operator()(std::vector<Item> items) const {
    return items;
  }
};

}  // namespace detail

/// `for (auto& batch : loader)` runs one epoch. The dataset must outlive the loader.
template <class D, class Collate = detail::CollectItems>
  requires(Dataset<D> || BatchDataset<D>)
class Loader {
 public:
  Loader(const D& dataset, LoaderOptions options, Collate collate = {})
      : dataset_(&dataset), options_(options), collate_(std::move(collate)), state_{.seed = options.seed} {
    options_.batch_size = std::max<std::int64_t>(options.batch_size, 1);
    if (options.batch_size < 1) (void)fail("loader", "the batch size is " + std::to_string(options.batch_size) + "; it must be at least 1");
    if (options.workers < 0) (void)fail("loader", "the number of workers is " + std::to_string(options.workers));
  }
  Loader(const D&&, LoaderOptions, Collate = {}) = delete;  // a dataset that ends with the statement

  /// Batches in an epoch.
  std::int64_t size() const {
    const std::int64_t n = std::int64_t(dataset_->size()), b = options_.batch_size;
    return n / b + (!options_.drop_last && n % b > 0);  // a batch may be larger than the data
  }

  LoaderState state() const { return state_; }
  /// Goes on where another loader over the same data stood; the next `for` runs the rest of that epoch.
  void restore(const LoaderState& state) {
    if (state.position < 0 || state.position > size() || state.epoch < 0)
      return (void)fail("loader", "no such place: epoch " + std::to_string(state.epoch) + ", batch " + std::to_string(state.position) + " of " + std::to_string(size()));
    state_ = state;
    resumed_ = state.epoch > 0 && state.position < size();
  }

  static auto make_batch(const D& dataset, const Collate& collate, std::span<const std::int64_t> indices) {
    if constexpr (BatchDataset<D>) {
      return dataset.batch(indices);
    } else {
      std::vector<std::remove_cvref_t<decltype(dataset[0])>> items;
      items.reserve(indices.size());
      for (std::int64_t i : indices) items.push_back(dataset[i]);
      return collate(std::move(items));
    }
  }
  using Batch = decltype(make_batch(std::declval<const D&>(), std::declval<const Collate&>(), {}));

  class End {};
  /// One epoch under way.
  class Iterator {
   public:
    Batch& operator*() { return static_cast<detail::Boxed<Batch>*>(current_.get())->value; }
    Iterator& operator++() {
      ++loader_->state_.position;
      advance();
      return *this;
    }
    friend bool operator==(const Iterator& it, End) { return !it.current_; }

   private:
    friend Loader;
    explicit Iterator(Loader& loader)
        : loader_(&loader),
          maker_(loader, epoch_order(std::int64_t(loader.dataset_->size()), loader.options_.shuffle, loader.state_.seed, loader.state_.epoch - 1)),
          prefetcher_(maker_, loader.state_.position, loader.size(), loader.options_.workers, loader.options_.prefetch) {
      advance();
    }
    void advance() { current_ = prefetcher_.next(); }
    Loader* loader_;
    struct Maker final : detail::BatchMaker {
      Maker(const Loader& l, std::vector<std::int64_t> o) : loader(&l), order(std::move(o)) {}
      Ref<Counted> make(std::int64_t index) const override {
        const std::int64_t from = index * loader->options_.batch_size;
        const std::size_t count = std::size_t(std::min(loader->options_.batch_size, std::int64_t(order.size()) - from));
        return make_ref<detail::Boxed<Batch>>(make_batch(*loader->dataset_, loader->collate_, std::span(order).subspan(std::size_t(from), count)));
      }
      const Loader* loader;
      std::vector<std::int64_t> order;
    } maker_;
    detail::Prefetcher prefetcher_;
    Ref<Counted> current_;
  };

  /// Starts an epoch, or goes on with the one that restore() named. An epoch that was left early counts as done.
  Iterator begin() {
    if (!std::exchange(resumed_, false)) {
      ++state_.epoch;
      state_.position = 0;
    }
    return Iterator(*this);
  }
  End end() const { return {}; }

 private:
  const D* dataset_;
  LoaderOptions options_;
  Collate collate_;
  LoaderState state_;
  bool resumed_ = false;
};

template <class D>
Loader(const D&, LoaderOptions) -> Loader<D>;
template <class D, class Collate>
Loader(const D&, LoaderOptions, Collate) -> Loader<D, Collate>;

}  // namespace hearth
