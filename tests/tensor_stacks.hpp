// tests/tensor_stacks: what the tests of the typed front share: its stacks, and every layout that a value can have.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "hearth/tensor/tensor.hpp"
#include "stacks.hpp"

namespace hearth::test {

/// The same elements in a row-major array of their own.
template <class B, int R, class K>
Tensor<B, R, K> materialized(const Tensor<B, R, K>& x) {
  std::vector<std::byte> elements(std::size_t(x.element_count()) * size_of(x.dtype()));
  B::download(x.dyn.handle, elements.data());
  return Tensor<B, R, K>(Dyn<B>(B::upload(x.device(), x.spec(), elements.data())));
}

/// x itself and as a permuted, reversed, stepped and cut view of other arrays.
template <class B, int R, class K>
std::vector<Tensor<B, R, K>> layouts(const Tensor<B, R, K>& x) {
  using T = Tensor<B, R, K>;
  std::vector<T> all{x};
  Axes reversed_axes;
  for (int i = R; i-- > 0;) reversed_axes.push(i);
  all.push_back(T(Dyn<B>::permute(materialized(T(Dyn<B>::permute(x.dyn, reversed_axes))).dyn, reversed_axes)));
  T flipped = x, stepped = x, cut = x;
  for (int axis = 0; axis < R; ++axis) flipped = flipped.flip(axis);
  flipped = materialized(flipped);
  for (int axis = 0; axis < R; ++axis) flipped = flipped.flip(axis);
  all.push_back(flipped);
  if (x.element_count() == 0) return all;
  for (int axis = 0; axis < R; ++axis) stepped = stepped.repeat_interleave(2, axis);
  stepped = materialized(stepped);
  for (int axis = 0; axis < R; ++axis) stepped = stepped.swap_axes(0, axis)[{index::s(1, index::end, 2)}].swap_axes(0, axis);
  all.push_back(stepped);
  for (int axis = 0; axis < R; ++axis) cut = concat({cut.narrow(axis, 0, 1), cut, cut.narrow(axis, 0, 1)}, axis);
  cut = materialized(cut);
  for (int axis = 0; axis < R; ++axis) cut = cut.narrow(axis, 1, x.size(axis));
  all.push_back(cut);
  return all;
}

/// EXPECT that f throws an Error whose text contains `part`.
template <class F>
void expect_error(F f, const char* part) {
  try {
    f();
    FAIL() << "no error; expected one with: " << part;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

template <class T>
void expect_near(const std::vector<T>& got, const std::vector<T>& want, double tolerance) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (want[i] != want[i]) EXPECT_TRUE(got[i] != got[i]) << "element " << i << " is " << got[i] << ", not NaN";
    else EXPECT_TRUE(got[i] == want[i] || std::abs(double(got[i]) - double(want[i])) <= tolerance) << "element " << i << ": " << got[i] << ", not " << want[i];
  }
}

/// Device `number` of a backend; where it has one device only, that one.
template <class B>
DeviceOf<B> device_number(int number) {
  DeviceOf<B> device{};
  if constexpr (requires { device.index = number; }) device.index = number;
  return device;
}

}  // namespace hearth::test
