// op/codes: the enumerations that ops carry. Those of the tables are stamped; a code's name is its spelling everywhere.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string_view>

#include "../core/dtype.hpp"

namespace hearth {

/// Kinds of tensors that a row accepts, as a set.
using Kinds = unsigned;
namespace kinds {
inline constexpr Kinds F = 1, I = 2, B = 4;
}
constexpr Kinds kinds_of(Dtype d) { return is_float(d) ? kinds::F : is_bool(d) ? kinds::B : kinds::I; }

#define HEARTH_UNARY(name, ...) name,
#define HEARTH_BINARY(name, ...) name,
#define HEARTH_COMPARE(name, ...) name,
#define HEARTH_REDUCE(name, ...) name,
#define HEARTH_SCAN(name, ...) name,
enum class UnaryCode : unsigned char {
#include "unary.def"
};
enum class BinaryCode : unsigned char {
#include "binary.def"
};
enum class CompareCode : unsigned char {
#include "compare.def"
};
enum class ReduceCode : unsigned char {
#include "reduce.def"
};
enum class ScanCode : unsigned char {
#include "scan.def"
};
#undef HEARTH_UNARY
#undef HEARTH_BINARY
#undef HEARTH_COMPARE
#undef HEARTH_REDUCE
#undef HEARTH_SCAN

enum class ArgCode : unsigned char { max, min };
enum class Side : unsigned char { left, right };  ///< on which side of the tensor the scalar stands
enum class Distribution : unsigned char {
  uniform,  ///< float in [a, b)
  normal,   ///< float with mean a and standard deviation b
  integer,  ///< integer in [a, b)
  bits,     ///< every bit random
};
enum class ScatterMode : unsigned char { assign, add, mul, max, min };
enum class PadMode : unsigned char { constant, reflect, replicate, circular };
enum class InterpolateMode : unsigned char { nearest, nearest_exact, linear, cubic, lanczos, area };
enum class GridPadding : unsigned char { zeros, border, reflection };
enum class Norm : unsigned char { none, forward, orthogonal };  ///< which direction of a Fourier transform carries the factor: none, 1/n or 1/sqrt(n)
enum class Activation : unsigned char { none, relu, sigmoid, tanh, gelu, gelu_tanh, silu };
enum class Reduction : unsigned char { none, mean, sum };
enum class CollectiveCode : unsigned char { all_reduce, all_gather, reduce_scatter, broadcast, all_to_all, barrier };
enum class Storage : unsigned char { i8, u8, i4, u4, i2, f8_e4m3, f8_e5m2, f4_e2m1 };  ///< element formats of quantised arrays

std::string_view name_of(UnaryCode code);
std::string_view name_of(BinaryCode code);
std::string_view name_of(CompareCode code);
std::string_view name_of(ReduceCode code);
std::string_view name_of(ScanCode code);

}  // namespace hearth
