// data/loader: order, batches, workers, errors and resuming.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/data/loader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <stdexcept>
#include <thread>

using namespace hearth;

namespace {

struct Numbers {
  std::int64_t n;
  std::int64_t size() const { return n; }
  int operator[](std::int64_t i) const { return int(i); }
};
struct Batches {
  std::int64_t n;
  std::int64_t size() const { return n; }
  std::vector<std::int64_t> batch(std::span<const std::int64_t> indices) const { return {indices.begin(), indices.end()}; }
};

template <class L>
std::vector<int> run(L& loader) {
  std::vector<int> seen;
  for (auto& batch : loader)
    for (auto i : batch) seen.push_back(int(i));
  return seen;
}

TEST(Loader, gives_every_item_once_in_batches) {
  Numbers data{10};
  Loader loader(data, {.batch_size = 4});
  std::vector<std::size_t> sizes;
  for (auto& batch : loader) sizes.push_back(batch.size());
  EXPECT_EQ(sizes, (std::vector<std::size_t>{4, 4, 2}));
  EXPECT_EQ(loader.size(), 3);
  Loader dropping(data, {.batch_size = 4, .drop_last = true});
  EXPECT_EQ(dropping.size(), 2);
  EXPECT_EQ(run(dropping), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
  Numbers none{0};
  Loader empty(none, {});
  EXPECT_TRUE(run(empty).empty());
}

TEST(Loader, order_depends_on_the_seed_alone) {
  Numbers data{103};
  std::vector<std::vector<int>> first, second;
  for (int workers : {0, 1, 3, 8}) {
    Loader loader(data, {.batch_size = 7, .shuffle = true, .workers = workers, .seed = 42});
    first.push_back(run(loader));
    second.push_back(run(loader));
  }
  for (auto& order : first) EXPECT_EQ(order, first[0]);
  for (auto& order : second) EXPECT_EQ(order, second[0]);
  EXPECT_NE(first[0], second[0]);
  Loader other(data, {.batch_size = 7, .shuffle = true, .seed = 43});
  EXPECT_NE(run(other), first[0]);
  auto sorted = first[0];
  std::sort(sorted.begin(), sorted.end());
  for (int i = 0; i < 103; ++i) ASSERT_EQ(sorted[std::size_t(i)], i);
}

TEST(Loader, shuffle_is_fair) {
  // Each of the 6 orders of 3 items in 6,000 epochs: about 1,000 times (5 standard deviations are 145).
  std::array<int, 27> counts{};
  for (int epoch = 0; epoch < 6000; ++epoch) {
    const auto order = epoch_order(3, true, 7, epoch);
    ++counts[std::size_t(order[0] * 9 + order[1] * 3 + order[2])];
  }
  for (int code : {5, 7, 11, 15, 19, 21}) EXPECT_NEAR(counts[std::size_t(code)], 1000, 145);
}

TEST(Loader, a_dataset_may_make_batches_itself) {
  Batches data{5};
  Loader loader(data, {.batch_size = 2, .workers = 2});
  EXPECT_EQ(run(loader), (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(Loader, collates_with_a_function) {
  Numbers data{6};
  Loader loader(data, {.batch_size = 3}, [](const std::vector<int>& items) { return items[0] + items[1] + items[2]; });
  std::vector<int> sums;
  for (int sum : loader) sums.push_back(sum);
  EXPECT_EQ(sums, (std::vector<int>{3, 12}));
}

struct Faulty {
  std::int64_t size() const { return 20; }
  int operator[](std::int64_t i) const {
    if (i == 9) throw std::runtime_error("item 9 cannot be decoded");
    return int(i);
  }
};
TEST(Loader, an_error_in_a_worker_reaches_the_caller_at_its_batch) {
  for (int workers : {0, 1, 4}) {
    Faulty data;
    Loader loader(data, {.batch_size = 4, .workers = workers});
    std::vector<int> seen;
    std::string error;
    try {
      for (auto& batch : loader) seen.insert(seen.end(), batch.begin(), batch.end());
    } catch (const std::runtime_error& e) {
      error = e.what();
    }
    EXPECT_EQ(error, "item 9 cannot be decoded");
    EXPECT_EQ(seen, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
  }
}

TEST(Loader, resumes_at_any_batch_and_between_epochs) {
  Numbers data{50};
  for (int workers : {0, 2}) {
    const LoaderOptions options{.batch_size = 4, .shuffle = true, .workers = workers, .seed = 5};
    Loader whole(data, options);
    run(whole);
    const std::vector<int> second = run(whole), third = run(whole);

    for (const std::int64_t stop : {0, 1, 6, 12}) {  // of 13 batches
      Loader half(data, options);
      run(half);
      std::vector<int> seen;
      LoaderState state;
      for (auto& batch : half) {
        state = half.state();
        if (state.position == stop) break;
        seen.insert(seen.end(), batch.begin(), batch.end());
      }
      Loader resumed(data, {.batch_size = 4, .shuffle = true, .workers = workers, .seed = 99});
      resumed.restore(state);
      const std::vector<int> rest = run(resumed);
      seen.insert(seen.end(), rest.begin(), rest.end());
      EXPECT_EQ(seen, second) << stop;
      EXPECT_EQ(run(resumed), third) << stop;
    }
    Loader between(data, options), resumed(data, options);
    run(between);
    resumed.restore(between.state());
    EXPECT_EQ(run(resumed), second);
  }
}

TEST(Loader, leaving_early_stops_the_workers) {
  Numbers data{1'000'000};
  Loader loader(data, {.batch_size = 1, .workers = 4});
  for (int i = 0; i < 50; ++i)
    for (auto& batch : loader) {
      (void)batch;
      break;
    }
  EXPECT_EQ(loader.state().epoch, 50);
}

TEST(Loader, workers_work_at_the_same_time) {
  std::atomic<int> running = 0, most = 0;
  struct Watched {
    std::atomic<int>*running, *most;
    std::int64_t size() const { return 64; }
    int operator[](std::int64_t i) const {
      const int now = ++*running;
      int seen = most->load();
      while (now > seen && !most->compare_exchange_weak(seen, now)) {}
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      --*running;
      return int(i);
    }
  } data{&running, &most};
  Loader loader(data, {.batch_size = 1, .workers = 4});
  EXPECT_EQ(run(loader).size(), 64u);
  EXPECT_GE(most.load(), 3);
}

/// Rows in memory, whose batches say how often they were made and copied.
struct Rows {
  struct Batch {
    explicit Batch(std::vector<float> v) : values(std::move(v)) { ++made; }
    Batch(Batch&&) = default;
    Batch(const Batch& other) : values(other.values) { ++copied; }
    std::vector<float> values;
    static inline std::atomic<int> made = 0, copied = 0;
  };
  std::int64_t size() const { return 1000; }
  Batch batch(std::span<const std::int64_t> indices) const { return Batch(std::vector<float>(indices.size() * 784, 0.5f)); }
};

// A batch from memory costs what the same slice costs by hand: it is made once, and moved from there to the caller.
TEST(Loader, batches_are_made_once_and_never_copied) {
  const Rows data;
  for (int workers : {0, 2}) {
    Loader loader(data, {.batch_size = 64, .shuffle = true, .workers = workers, .seed = 1});
    Rows::Batch::made = Rows::Batch::copied = 0;
    std::size_t values = 0;
    for (const auto& batch : loader) values += batch.values.size();
    EXPECT_EQ(values, 784'000u);
    EXPECT_EQ(Rows::Batch::made, 16);
    EXPECT_EQ(Rows::Batch::copied, 0);
  }
}

TEST(Loader, a_batch_may_be_larger_than_the_data) {
  Numbers data{5}, none{0};
  for (const std::int64_t size : {std::int64_t(6), INT64_MAX}) {
    Loader all(data, {.batch_size = size}), full(data, {.batch_size = size, .drop_last = true}), empty(none, {.batch_size = size, .workers = 1});
    EXPECT_EQ(all.size(), 1);
    EXPECT_EQ(run(all), (std::vector<int>{0, 1, 2, 3, 4}));
    EXPECT_EQ(full.size(), 0);
    EXPECT_EQ(run(full), std::vector<int>{});
    EXPECT_EQ(run(empty), std::vector<int>{});
  }
}

TEST(Loader, starts_no_more_workers_than_batches) {
  Numbers data{6};
  Loader loader(data, {.batch_size = 2, .workers = 1 << 30});  // no system has so many threads
  EXPECT_EQ(run(loader), (std::vector<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(run(loader), (std::vector<int>{0, 1, 2, 3, 4, 5}));
}

TEST(Loader, refuses_nonsense) {
  Numbers data{10};
  EXPECT_THROW((Loader(data, LoaderOptions{.batch_size = 0})), Error);
  EXPECT_THROW((Loader(data, LoaderOptions{.workers = -1})), Error);
  Loader loader(data, {.batch_size = 4});
  EXPECT_THROW(loader.restore({.seed = 0, .epoch = 1, .position = 4}), Error);
}

}  // namespace
