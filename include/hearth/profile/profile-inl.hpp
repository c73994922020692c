// profile/profile-inl: how Profile<B> runs an op: on B, with a clock.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../backend/apply-inl.hpp"
#include "profile.hpp"

namespace hearth {

template <class B>
template <class Op>
auto Profile<B>::run(const Op& op, Operands<Op, Handle> in) -> Results<Op, Handle> {
  double bytes = 0;
  for (const Handle& handle : in) bytes += bytes_of(handle);
  const double start = detail::profile_clock();
  auto out = apply<B>(op, std::move(in));
  for (const Handle& handle : out)
    if (handle && !B::error(handle)) {
      B::sync(B::device(handle));
      break;
    }
  const double seconds = detail::profile_clock() - start;
  for (const Handle& handle : out) bytes += bytes_of(handle);
  const std::string_view label = label_of(op);
  detail::add_to_profile(op_name<Op>, label == op_name<Op> ? std::string_view() : label, seconds, bytes);
  return out;
}

}  // namespace hearth
