// unit/core_ref: one counted pointer: lifetimes, exact uniqueness, threads.
// SPDX-License-Identifier: Apache-2.0
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "hearth/core/ref.hpp"

namespace {

using namespace hearth;

struct Base : Counted {
  explicit Base(int& alive_count) : alive(alive_count) { ++alive; }
  ~Base() override { --alive; }
  int& alive;
};
struct Derived : Base {
  using Base::Base;
  int value = 3;
};

TEST(Ref, FreesWithTheLastOwner) {
  int alive = 0;
  {
    Ref<Derived> a = make_ref<Derived>(alive);
    EXPECT_TRUE(a.unique());
    Ref<Base> b = a;
    EXPECT_FALSE(a.unique());
    EXPECT_EQ(alive, 1);
    b = Ref<Base>();
    EXPECT_TRUE(a.unique());
    EXPECT_EQ(a->value, 3);
    const auto& same = a;
    a = same;
    EXPECT_EQ(alive, 1);
    Ref<Derived> c = std::move(a);
    EXPECT_FALSE(a);
    EXPECT_TRUE(c.unique());
    EXPECT_EQ((*c).value, 3);
  }
  EXPECT_EQ(alive, 0);
}

TEST(Ref, NullOwnsNothing) {
  const Ref<Derived> null;
  EXPECT_FALSE(null);
  EXPECT_FALSE(null.unique());
  EXPECT_EQ(null.get(), nullptr);
  EXPECT_EQ(null, Ref<Derived>());
}

TEST(Ref, DetachHandsOverOwnership) {
  int alive = 0;
  Ref<Derived> a = make_ref<Derived>(alive);
  Derived* raw = a.detach();
  EXPECT_FALSE(a);
  EXPECT_EQ(alive, 1);
  release(raw);
  EXPECT_EQ(alive, 0);
}

TEST(Ref, CountsAcrossThreads) {
  int alive = 0;
  Ref<Derived> shared = make_ref<Derived>(alive);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([copy = shared] {
      for (int i = 0; i < 20000; ++i) {
        Ref<Derived> mine = copy;
        Ref<Base> base = mine;
        Ref<Base> moved = std::move(base);
      }
    });
  for (auto& thread : threads) thread.join();
  threads.clear();
  EXPECT_TRUE(shared.unique());
  shared = {};
  EXPECT_EQ(alive, 0);
}

}  // namespace
