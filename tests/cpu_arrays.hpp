// tests/cpu_arrays: arrays of any backend from numbers and back, the same numbers under awkward strides, and the comparison of Cpu
// with Portable on random operands.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "hearth/cpu.hpp"
#include "hearth/portable.hpp"

namespace hearth::test {

template <class B>
HandleOf<B> upload(const Spec& spec, const std::vector<double>& numbers) {
  EXPECT_EQ(std::size_t(element_count(spec.shape)), numbers.size());
  std::vector<std::byte> bytes(numbers.size() * size_of(spec.dtype) + 1);
  with_type(spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::size_t i = 0; i < numbers.size(); ++i) reinterpret_cast<T*>(bytes.data())[i] = convert<T>(numbers[i]);
  });
  return B::upload({}, spec, bytes.data());
}
template <class B = Cpu>
std::vector<double> numbers(const HandleOf<B>& x) {
  const Spec spec = B::spec(x);
  const std::size_t count = std::size_t(element_count(spec.shape));
  std::vector<std::byte> bytes(count * size_of(spec.dtype) + 1);
  B::download(x, bytes.data());
  std::vector<double> result;
  with_type(spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::size_t i = 0; i < count; ++i) result.push_back(convert<double>(reinterpret_cast<const T*>(bytes.data())[i]));
  });
  return result;
}

using Random = std::mt19937;
inline std::int64_t pick(Random& random, std::int64_t low, std::int64_t high) {
  return low + std::int64_t(random() % std::uint64_t(high - low + 1));
}
/// Integers from low to high: sums of products stay exact in every float type, whatever the order.
inline std::vector<double> whole_numbers(Random& random, std::int64_t count, std::int64_t low = -3, std::int64_t high = 3) {
  std::vector<double> result;
  for (std::int64_t i = 0; i < count; ++i) result.push_back(double(pick(random, low, high)));
  return result;
}
inline std::vector<double> reals(Random& random, std::int64_t count, double low = -1, double high = 1) {
  std::vector<double> result;
  for (std::int64_t i = 0; i < count; ++i) result.push_back(low + (high - low) * double(random()) / 4294967295.0);
  return result;
}

/// The numbers as an array of Cpu with other strides: axes stored in another order, read backwards or with gaps from a larger array.
inline Cpu::Handle strided(const Spec& spec, const std::vector<double>& values, Random& random) {
  const int rank = spec.shape.size();
  Axes order = all_axes(rank);
  for (int i = rank - 1; i > 0; --i) std::swap(order[i], order[int(pick(random, 0, i))]);
  // Axis order[i] of the array is axis i of the memory: `step` apart, from `ahead`, backwards where the step is negative.
  Shape memory, start, step, size;
  Axes back = order;
  for (int i = 0; i < rank; ++i) {
    const std::int64_t gap = pick(random, 1, 2), ahead = pick(random, 0, 1), length = spec.shape[order[i]];
    const bool backwards = pick(random, 0, 2) == 0 && length > 0;
    memory.push(ahead + gap * length + 1);
    start.push(backwards ? ahead + gap * (length - 1) : ahead);
    step.push(backwards ? -gap : gap);
    size.push(length);
    back[order[i]] = i;
  }
  std::vector<double> larger(std::size_t(element_count(memory)), 77);
  const Strides strides = contiguous_strides(memory);
  Shape at = Shape::filled(rank, 0);
  for (double value : values) {
    std::int64_t offset = 0;
    for (int i = 0; i < rank; ++i) offset += (start[i] + step[i] * at[order[i]]) * strides[i];
    larger[std::size_t(offset)] = value;
    for (int i = rank - 1; i >= 0 && ++at[i] == spec.shape[i]; --i) at[i] = 0;
  }
  const Cpu::Handle all = upload<Cpu>({spec.dtype, memory}, larger);
  const Cpu::Handle part = Cpu::run(op::Slice{start, size, step}, {all})[0];
  const Cpu::Handle result = Cpu::run(op::Permute{back}, {part})[0];
  EXPECT_EQ(Cpu::spec(result), spec);
  return result;
}

inline void expect_close(const std::vector<double>& got, const std::vector<double>& expected, double tolerance, const std::string& what) {
  ASSERT_EQ(got.size(), expected.size()) << what;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i] == expected[i] || (std::isnan(got[i]) && std::isnan(expected[i]))) continue;
    ASSERT_NEAR(got[i], expected[i], tolerance * (1 + std::abs(expected[i]))) << what << ", element " << i;
  }
}

/// An operand for both backends, in Cpu both contiguous and strided.
struct Operand {
  Spec spec;
  std::vector<double> values;
};
/// Runs an op of both backends on the same operands, in Cpu contiguous, strided and with another number of threads, and compares all results.
template <class Op>
void compare_with_portable(const Op& op, const std::vector<Operand>& operands, double tolerance, Random& random) {
  Operands<Op, Portable::Handle> reference;
  Operands<Op, Cpu::Handle> plain, views;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Operand& operand = operands[i];
    reference[i] = upload<Portable>(operand.spec, operand.values);
    plain[i] = upload<Cpu>(operand.spec, operand.values);
    views[i] = strided(operand.spec, operand.values, random);
  }
  const auto expected = Portable::run(op, reference);
  std::string what = to_string(op);
  for (const Operand& operand : operands) what.append(" ").append(to_string(operand.spec));
  const auto first = Cpu::run(op, plain);
  const auto check = [&](const auto& got, double within, const std::string& how) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(Cpu::spec(got[i]), Portable::spec(expected[i])) << what;
      expect_close(numbers(got[i]), within < 0 ? numbers(first[i]) : numbers<Portable>(expected[i]), std::max(within, 0.0), what + ", " + how);
      if (::testing::Test::HasFatalFailure()) return;
    }
  };
  check(first, tolerance, "contiguous");
  if (::testing::Test::HasFatalFailure()) return;
  check(Cpu::run(op, views), tolerance, "strided");
  if (::testing::Test::HasFatalFailure()) return;
  const int threads = Cpu::threads();
  Cpu::set_threads(threads == 1 ? 3 : 1);
  const auto again = Cpu::run(op, plain);
  Cpu::set_threads(threads);
  check(again, -1, "another number of threads");
}

inline const std::vector<Dtype> number_dtypes = {Dtype::f64, Dtype::f32, Dtype::f16, Dtype::bf16, Dtype::i64, Dtype::i32,
                                                 Dtype::i16, Dtype::i8,  Dtype::u64, Dtype::u32,  Dtype::u16, Dtype::u8};
inline const std::vector<Dtype> float_dtypes = {Dtype::f64, Dtype::f32, Dtype::f16, Dtype::bf16};

inline double epsilon_of(Dtype dtype) { return dtype == Dtype::f64 ? 1e-15 : dtype == Dtype::f32 ? 6e-8 : dtype == Dtype::f16 ? 5e-4 : 4e-3; }

}  // namespace hearth::test
