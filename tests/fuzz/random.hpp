// tests/fuzz/random: seeded draws for the fuzzers, and hostile values for fields of any type. One seed gives one program, on every machine.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "hearth/core/enum_names.hpp"
#include "hearth/op/op.hpp"
#include "hearth/op/philox.hpp"

namespace hearth::fuzz {

/// How many programs a test draws: the program's first argument; and the seed of the first one: the second.
std::uint64_t count();
std::uint64_t first_seed();
/// Says what runs now, for the message when the process dies or takes more than half a minute over it.
void now(const std::string& what);

class Random {
 public:
  explicit Random(std::uint64_t seed) : seed_(seed) {}

  std::uint64_t bits() {
    const auto words = philox(seed_, count_++);
    return std::uint64_t(words[0]) << 32 | words[1];
  }
  /// In [low, high].
  std::int64_t number(std::int64_t low, std::int64_t high) { return low + std::int64_t(bits() % std::uint64_t(high - low + 1)); }
  int integer(int low, int high) { return int(number(low, high)); }
  bool one_in(int n) { return number(1, n) == 1; }
  double uniform(double low, double high) { return low + (high - low) * double(bits() >> 11) * 0x1p-53; }
  template <class T>
  const T& pick(const std::vector<T>& list) {
    return list[std::size_t(number(0, std::int64_t(list.size()) - 1))];
  }
  template <class E>
  E name() {
    return static_cast<E>(number(0, std::int64_t(reflect::enum_names<E>.size()) - 1));
  }

  // Values that no caller has any business to give: what a hostile file or a bug upstream may hold.
  void spoil(bool& value) { value = !value; }
  void spoil(int& value) { value = one_in(3) ? (one_in(2) ? INT32_MAX : INT32_MIN) : integer(-3, 9); }
  void spoil(std::int64_t& value) {
    constexpr std::int64_t far[] = {INT64_MIN, INT64_MIN + 1, -1, std::int64_t(1) << 31, std::int64_t(1) << 40, std::int64_t(1) << 62, INT64_MAX};
    value = one_in(2) ? far[number(0, 6)] : number(-2, 9);
  }
  void spoil(std::uint64_t& value) { value = bits(); }
  void spoil(double& value) {
    constexpr double far[] = {0, -0.0, 1e-310, 1e300, -1e300, INFINITY, -INFINITY, NAN};
    value = one_in(2) ? far[number(0, 7)] : uniform(-3, 3);
  }
  void spoil(Dtype& value) { value = Dtype(number(0, dtype_count - 1)); }
  template <class E>
    requires std::is_enum_v<E>
  void spoil(E& value) {
    value = name<E>();
  }
  void spoil(std::string& value) { value.assign(std::size_t(number(0, 5)), char(number(0, 255))); }
  void spoil(Scalar& value) {
    std::int64_t whole = 0;
    double real = 0;
    spoil(whole);
    spoil(real);
    const Scalar choices[] = {Scalar(), Scalar(one_in(2)), Scalar(whole), Scalar(bits()), Scalar(real)};
    value = choices[number(0, 4)];
  }
  template <class T, int N>
  void spoil(InlineList<T, N>& list) {
    const std::int64_t how = number(0, 3);
    T value{};
    spoil(value);
    if (how == 0 && list.size() < N) list.push(value);
    else if (how == 1 && !list.empty()) list.pop();
    else if (!list.empty()) list[integer(0, list.size() - 1)] = value;
  }
  template <class T>
  void spoil(std::vector<T>& list) {
    if (list.empty() || one_in(4)) list.emplace_back();
    else if (one_in(4)) list.pop_back();
    else spoil(list[std::size_t(number(0, std::int64_t(list.size()) - 1))]);
  }
  void spoil(AnyOp& any) { any = one_in(3) ? AnyOp() : one_in(2) ? AnyOp(op::MatMul{}) : AnyOp(op::Softmax{integer(-4, 4)}); }
  /// Of a structure one field.
  template <class T>
  void spoil(T& structure) {
    const std::int64_t victim = number(0, std::int64_t(reflect::field_count<T>) - 1);
    std::int64_t i = 0;
    reflect::each(structure, [&](std::string_view, auto& field) {
      if (i++ == victim) spoil(field);
    });
  }

 private:
  std::uint64_t seed_, count_ = 0;
};

}  // namespace hearth::fuzz
