// unit/core_ref: one counted pointer: lifetimes, exact uniqueness, threads.
// SPDX-License-Identifier: Apache-2.0
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "hearth/core/loan.hpp"

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

TEST(Loan, BringsBackWhatWasLetGo) {
  int alive = 0;
  {
    Ref<Derived> a = make_ref<Derived>(alive);
    const Derived* const object = a.get();
    Loan loan(a);
    EXPECT_TRUE(a.unique()) << "a loan is no owner";
    { const Ref<Base> gone = std::move(a); }
    EXPECT_EQ(alive, 1);
    a = loan.take<Derived>();
    EXPECT_EQ(a.get(), object);
    EXPECT_TRUE(a.unique());
    EXPECT_FALSE(loan.take<Derived>());
  }
  EXPECT_EQ(alive, 0);
}

TEST(Loan, EndsWithWhatCameBack) {
  int alive = 0;
  Ref<Derived> kept;
  {
    Ref<Derived> a = make_ref<Derived>(alive), b = make_ref<Derived>(alive);
    const Loan first(a), second(b);
    kept = std::move(b);  // not let go: it is whoever's has it
    a = {};
    EXPECT_EQ(alive, 2);
  }
  EXPECT_EQ(alive, 1);
  EXPECT_TRUE(kept.unique());
  kept = {};
  EXPECT_EQ(alive, 0) << "the loan is over";
}

TEST(Loan, OfASharedObjectIsAnOwner) {
  int alive = 0;
  Ref<Derived> a = make_ref<Derived>(alive), b = a;
  {
    Loan loan(a);
    Loan again(a);
    a = b = {};
    EXPECT_EQ(alive, 1);
    EXPECT_EQ(loan.take<Derived>()->value, 3);
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
  Loan nothing{Ref<Derived>()};
  EXPECT_FALSE(nothing.take<Derived>());
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
