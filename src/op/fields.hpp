// op/fields: what writing, reading and comparing ops share: which types their fields have.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <type_traits>
#include <vector>

#include "hearth/core/enum_names.hpp"
#include "hearth/op/op.hpp"

namespace hearth::detail {

template <class T>
inline constexpr bool is_inline_list = false;
template <class T, int N>
inline constexpr bool is_inline_list<InlineList<T, N>> = true;
template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;
template <class T>
inline constexpr bool is_list = is_inline_list<T> || is_vector<T>;

/// Neither number, name nor list: a struct whose fields are walked.
template <class T>
inline constexpr bool is_structure = !std::is_arithmetic_v<T> && !std::is_enum_v<T> && !is_list<T> && !std::is_same_v<T, std::string> &&
                                     !std::is_same_v<T, Scalar> && !std::is_same_v<T, Spec> && !std::is_same_v<T, AnyOp>;

}  // namespace hearth::detail
