// cpu/sort: Sort and TopK. Elements become unsigned keys that order as the numerics contract wants them (-0 equals 0, NaN is the
// largest, the complement for descending), and a key goes with its place, so that no two entries are equal and any method is stable.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <bit>

#include "lanes.hpp"
#include "radix.hpp"

namespace hearth::cpu {

namespace {

template <class T>
auto key_of(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return std::uint32_t(value);
  } else if constexpr (std::is_integral_v<T>) {
    using Bits = std::conditional_t<(sizeof(T) > 4), std::uint64_t, std::uint32_t>;
    if constexpr (std::is_signed_v<T>) return Bits(Bits(std::int64_t(value)) ^ (Bits(1) << (sizeof(Bits) * 8 - 1)));
    else return Bits(value);
  } else {
    using V = Compute<T>;
    using Bits = std::conditional_t<(sizeof(V) > 4), std::uint64_t, std::uint32_t>;
    const V v = V(value);
    if (v != v) return Bits(~Bits(0));
    const Bits bits = std::bit_cast<Bits>(v == 0 ? V(0) : v), sign = Bits(1) << (sizeof(Bits) * 8 - 1);
    return Bits(bits & sign ? ~bits : bits | sign);
  }
}

template <class T, class Key, class Entry>
bool sort_lanes(const Array& x, const Array& values, const Array& places, int axis, bool descending, std::int64_t kept) {
  const std::int64_t length = x.spec.shape[axis];
  const T* const from = data_of<const T>(x);
  T* const to = data_of<T>(values);
  std::int64_t* const place_to = data_of<std::int64_t>(places);
  const bool all = kept == length, radix = all && length >= radix_from;
  std::atomic<bool> out_of_memory{false};  // with exceptions the allocation itself throws
  for_lanes<2>(x.spec.shape, axis, {&x.strides, &values.strides}, [&](const LaneGroup<2>& lanes) {
    const Scratch<Entry> scratch(radix ? 2 * length : length);
    if (!scratch.data()) {
      out_of_memory = true;
      return;
    }
    Entry* const entries = scratch.data();
    for (std::int64_t k = 0; k < lanes.count; ++k) {
      const T* in = from + lanes.first[0] + k * lanes.lane[0];
      for (std::int64_t i = 0; i < length; ++i) {
        const Key key = Key(key_of(in[i * lanes.step[0]]));
        set_entry(entries[i], descending ? Key(~key) : key, i);
      }
      if (all) {
        sort_entries(entries, entries + (radix ? length : 0), length, int(sizeof(Key)));
      } else {
        std::nth_element(entries, entries + kept, entries + length);
        std::sort(entries, entries + kept);
      }
      const std::int64_t out = lanes.first[1] + k * lanes.lane[1];
      for (std::int64_t i = 0; i < kept; ++i) {
        const std::int64_t place = place_of(entries[i]);
        to[out + i * lanes.step[1]] = in[place * lanes.step[0]];
        place_to[out + i * lanes.step[1]] = place;
      }
    }
  });
  return !out_of_memory;
}

std::array<Handle, 2> sorted(const Handle& x, int axis, bool descending, std::int64_t kept, const std::array<Spec, 2>& specs) {
  std::array<Handle, 2> results{allocate(specs[0]), allocate(specs[1])};
  if (!results[0] || !results[1]) return {};
  const bool done = with_type(x->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using Key = decltype(key_of(T{}));
    if constexpr (sizeof(Key) == 4)
      if (x->spec.shape[axis] <= std::int64_t(0xffffffff))
        return sort_lanes<T, Key, PackedPlace>(*x, *results[0], *results[1], axis, descending, kept);
    return sort_lanes<T, std::uint64_t, KeyedPlace>(*x, *results[0], *results[1], axis, descending, kept);
  });
  if (!done) return {};
  return results;
}

}  // namespace

Results<op::Sort, Handle> execute(const op::Sort& op, Operands<op::Sort, Handle> in, const Results<op::Sort, Spec>& specs) {
  const int axis = normalize_axis("sort", op.axis, in[0]->spec.shape.size());
  return sorted(in[0], axis, op.descending, in[0]->spec.shape[axis], specs);
}

Results<op::TopK, Handle> execute(const op::TopK& op, Operands<op::TopK, Handle> in, const Results<op::TopK, Spec>& specs) {
  const int axis = normalize_axis("topk", op.axis, in[0]->spec.shape.size());
  return sorted(in[0], axis, op.largest, op.k, specs);
}

}  // namespace hearth::cpu
