// op/names: the spellings of the tables' codes.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/op/codes.hpp"

namespace hearth {

// clang-format off
#define HEARTH_UNARY(name, ...) #name,
#define HEARTH_BINARY(name, ...) #name,
#define HEARTH_COMPARE(name, ...) #name,
#define HEARTH_REDUCE(name, ...) #name,
#define HEARTH_SCAN(name, ...) #name,
namespace {
constexpr std::string_view unary_names[] = {
#include "hearth/op/unary.def"
};
constexpr std::string_view binary_names[] = {
#include "hearth/op/binary.def"
};
constexpr std::string_view compare_names[] = {
#include "hearth/op/compare.def"
};
constexpr std::string_view reduce_names[] = {
#include "hearth/op/reduce.def"
};
constexpr std::string_view scan_names[] = {
#include "hearth/op/scan.def"
};
}  // namespace
#undef HEARTH_UNARY
#undef HEARTH_BINARY
#undef HEARTH_COMPARE
#undef HEARTH_REDUCE
#undef HEARTH_SCAN
// clang-format on

std::string_view name_of(UnaryCode code) { return unary_names[int(code)]; }
std::string_view name_of(BinaryCode code) { return binary_names[int(code)]; }
std::string_view name_of(CompareCode code) { return compare_names[int(code)]; }
std::string_view name_of(ReduceCode code) { return reduce_names[int(code)]; }
std::string_view name_of(ScanCode code) { return scan_names[int(code)]; }

}  // namespace hearth
