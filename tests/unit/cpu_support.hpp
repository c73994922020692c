// tests/unit/cpu_support: the same arrays on Cpu and on Portable, in every layout, and comparing what both make of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "hearth/cpu.hpp"
#include "hearth/op/philox.hpp"
#include "hearth/portable.hpp"

namespace hearth::testing {

template <class B>
HandleOf<B> upload(const Spec& spec, const std::vector<std::byte>& bytes) {
  return B::upload({}, spec, bytes.data());
}
template <class B, class T>
HandleOf<B> array(const Shape& shape, const std::vector<T>& values) {
  if constexpr (std::is_same_v<T, bool>) {
    std::vector<unsigned char> bytes(values.begin(), values.end());
    return B::upload({}, Spec{Dtype::boolean, shape}, bytes.data());
  } else {
    return B::upload({}, Spec{dtype_of<T>, shape}, values.data());
  }
}
template <class B>
std::vector<std::byte> bytes_of(const HandleOf<B>& handle) {
  const Spec& spec = B::spec(handle);
  std::vector<std::byte> bytes(std::size_t(element_count(spec.shape)) * size_of(spec.dtype));
  B::download(handle, bytes.data());
  return bytes;
}
template <class T, class B>
std::vector<T> values_of(const HandleOf<B>& handle) {
  EXPECT_EQ(B::spec(handle).dtype, dtype_of<T>);
  const std::vector<std::byte> bytes = bytes_of<B>(handle);
  std::vector<T> values(bytes.size() / sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    values[i] = value;
  }
  return values;
}
/// Any element as a double, for messages and for float comparisons.
inline double number(Dtype dtype, const std::byte* at) {
  return with_type(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T value;
    std::memcpy(&value, at, sizeof value);
    return double(Compute<T>(value));
  });
}

/// One array on both backends.
struct Both {
  Cpu::Handle cpu;
  Portable::Handle portable;
  const Spec& spec() const { return Cpu::spec(cpu); }
};
inline Both both(const Spec& spec, const std::vector<std::byte>& bytes) { return {upload<Cpu>(spec, bytes), upload<Portable>(spec, bytes)}; }
/// A copy of the handles is taken, so that neither backend may work in place.
template <class Op, class... Operand>
auto run(const Op& op, const Operand&... in) {
  auto cpu = Cpu::run(op, {in.cpu...});
  auto portable = Portable::run(op, {in.portable...});
  if constexpr (Op::outputs == 1) {
    return Both{cpu[0], portable[0]};
  } else {
    std::vector<Both> results;
    for (std::size_t i = 0; i < cpu.size(); ++i) results.push_back({cpu[i], portable[i]});
    return results;
  }
}

/// Seeded numbers for tests.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : seed_(seed) {}
  std::uint64_t bits() {
    const auto words = philox(seed_, count_++);
    return std::uint64_t(words[0]) << 32 | words[1];
  }
  std::int64_t below(std::int64_t range) { return std::int64_t(bits() % std::uint64_t(range)); }
  double uniform(double low, double high) { return low + (high - low) * double(bits() >> 11) * 0x1p-53; }

 private:
  std::uint64_t seed_, count_ = 0;
};

/// Elements of `dtype` in [low, high] (integers: cut to what the dtype holds), with edge values strewn in where `edges`.
inline std::vector<std::byte> random_bytes(const Spec& spec, Numbers& numbers, double low, double high, bool edges) {
  const std::size_t count = std::size_t(element_count(spec.shape));
  std::vector<std::byte> bytes(count * size_of(spec.dtype));
  with_type(spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::size_t i = 0; i < count; ++i) {
      T value = convert<T>(numbers.uniform(low, high));
      if constexpr (std::is_same_v<T, bool>) value = numbers.below(2) != 0;
      if (edges && numbers.below(6) == 0) {
        if constexpr (is_float(dtype_of<T>)) {
          const double inf = std::numeric_limits<double>::infinity();
          const double choices[] = {0.0, -0.0, 1, -1, inf, -inf, std::nan(""), 1e-40, -1e-310, 1e4, -1e4, 65504, 0.5, -2.5, 3.5, 1e30, -1e30, 2};
          value = T(choices[numbers.below(18)]);
        } else if constexpr (!std::is_same_v<T, bool>) {
          const T choices[] = {0, 1, T(-1), std::numeric_limits<T>::max(), std::numeric_limits<T>::min(), 2, T(-2), 7};
          value = choices[numbers.below(8)];
        }
      }
      std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
    }
  });
  return bytes;
}

enum class Look { contiguous, permuted, sliced, stepped, reversed, stretched, empty };
inline constexpr Look looks[] = {Look::contiguous, Look::permuted, Look::sliced, Look::stepped, Look::reversed, Look::stretched, Look::empty};

/// An array of `shape` (empty: with its first size 0) that lies in memory as `look` says.
inline Both laid_out(Look look, Dtype dtype, Shape shape, Numbers& numbers, double low = -4, double high = 4, bool edges = false) {
  const int rank = shape.size();
  const auto fresh = [&](const Shape& of) { return both({dtype, of}, random_bytes({dtype, of}, numbers, low, high, edges)); };
  const Shape ones = Shape::filled(rank, 1), zeros = Shape::filled(rank, 0);
  switch (look) {
    case Look::contiguous: return fresh(shape);
    case Look::permuted: {
      Axes axes;
      Shape stored = shape;
      for (int i = 0; i < rank; ++i) axes.push(rank - 1 - i), stored[i] = shape[rank - 1 - i];
      return run(op::Permute{axes}, fresh(stored));
    }
    case Look::sliced: {
      Shape stored = shape;
      for (auto& size : stored) size += 3;
      return run(op::Slice{ones, shape, ones}, fresh(stored));
    }
    case Look::stepped: {
      Shape stored = shape;
      stored[-1] = shape[-1] * 3;
      Shape step = ones;
      step[-1] = 3;
      return run(op::Slice{zeros, shape, step}, fresh(stored));
    }
    case Look::reversed: {
      Shape start = shape;
      for (auto& size : start) size = size > 0 ? size - 1 : 0;
      return run(op::Slice{start, shape, Shape::filled(rank, -1)}, fresh(shape));
    }
    case Look::stretched: {
      Shape stored = shape;
      stored[0] = 1;
      return run(op::Expand{shape}, fresh(stored));
    }
    case Look::empty: {
      shape[0] = 0;
      return fresh(shape);
    }
  }
  return {};
}

/// How far apart two floats of a dtype are, in units of the last place of `want`; huge where one is NaN or infinite and the other not.
inline double distance(Dtype dtype, double got, double want) {
  if (std::isnan(got) && std::isnan(want)) return 0;
  if (got == want) return 0;
  if (!std::isfinite(got) || !std::isfinite(want)) return 1e30;
  const int digits = dtype == Dtype::f64 ? 53 : dtype == Dtype::f32 ? 24 : dtype == Dtype::f16 ? 11 : 8;
  const int lowest = dtype == Dtype::f64 ? -1021 : dtype == Dtype::f16 ? -13 : -125;
  int exponent = 0;
  std::frexp(want, &exponent);
  return std::fabs(got - want) / std::ldexp(1.0, std::max(exponent, lowest) - digits);
}

/// Are two arrays of one spec equal? NaN equals NaN and 0 equals -0; floats may be `ulps` apart, or `absolute`.
inline ::testing::AssertionResult same(const Spec& spec, const std::vector<std::byte>& got, const std::vector<std::byte>& want, double ulps = 0,
                                       double absolute = 0) {
  if (got.size() != want.size()) return ::testing::AssertionFailure() << got.size() << " bytes, not " << want.size();
  const std::size_t size = size_of(spec.dtype);
  for (std::size_t i = 0; i < got.size(); i += size) {
    if (std::memcmp(&got[i], &want[i], size) == 0) continue;
    const double a = number(spec.dtype, &got[i]), b = number(spec.dtype, &want[i]);
    if (is_float(spec.dtype) && (distance(spec.dtype, a, b) <= ulps || std::fabs(a - b) <= absolute)) continue;
    char text[160];
    std::snprintf(text, sizeof text, "element %zu of %s: %.17g, expected %.17g (%.1f ulp)", i / size, to_string(spec).c_str(), a, b,
                  distance(spec.dtype, a, b));
    return ::testing::AssertionFailure() << text;
  }
  return ::testing::AssertionSuccess();
}
inline ::testing::AssertionResult same(const Both& result, double ulps = 0, double absolute = 0) {
  if (Cpu::spec(result.cpu) != Portable::spec(result.portable))
    return ::testing::AssertionFailure() << to_string(Cpu::spec(result.cpu)) << ", expected " << to_string(Portable::spec(result.portable));
  return same(result.spec(), bytes_of<Cpu>(result.cpu), bytes_of<Portable>(result.portable), ulps, absolute);
}

inline std::vector<Dtype> all_dtypes() {
  std::vector<Dtype> list;
  for (int i = 0; i < dtype_count; ++i) list.push_back(Dtype(i));
  return list;
}
inline const char* name_of(Look look) {
  const char* const names[] = {"contiguous", "permuted", "sliced", "stepped", "reversed", "stretched", "empty"};
  return names[int(look)];
}

/// The Error that f throws; of kind internal where it throws none.
template <class F>
Error error_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error;
  }
  return Error(ErrorKind::internal, "", "nothing was thrown");
}

/// What f gives on one thread, which it must give on four as well.
template <class F>
auto same_on_threads(const F& f) {
  const int before = Cpu::threads();
  Cpu::set_threads(1);
  auto one = f();
  Cpu::set_threads(4);
  EXPECT_EQ(f(), one);
  Cpu::set_threads(before);
  return one;
}

}  // namespace hearth::testing
