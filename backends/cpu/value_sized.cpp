// cpu/value_sized: results whose size depends on values.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "array.hpp"

namespace hearth::cpu {

Results<op::NonZero, Handle> execute(const op::NonZero&, Operands<op::NonZero, Handle> in, const Results<op::NonZero, Spec>&) {
  const Handle x = contiguous(in[0]);
  if (!x) return {};
  const Shape& shape = x->spec.shape;
  const std::int64_t size = count_of(*x);
  std::vector<std::int64_t> found;  // positions in row-major order
  with_type(x->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* values = data_of<const T>(x);
    for (std::int64_t i = 0; i < size; ++i)
      if (convert<bool>(values[i])) found.push_back(i);
  });
  Handle out = allocate({Dtype::i64, {std::int64_t(found.size()), shape.size()}});
  if (!out) return {};
  std::int64_t* index = data_of<std::int64_t>(out);
  for (std::int64_t position : found) {
    for (int axis = shape.size() - 1; axis >= 0; --axis) {
      index[axis] = position % shape[axis];
      position /= shape[axis];
    }
    index += shape.size();
  }
  return {out};
}

// Equal values are one: 0 and -0, of which the first in row-major order is kept. Each NaN is a value of its own, and they come last.
Results<op::Unique, Handle> execute(const op::Unique&, Operands<op::Unique, Handle> in, const Results<op::Unique, Spec>& specs) {
  const Handle x = contiguous(in[0]);
  Handle inverse = allocate(specs[1]);
  if (!x || !inverse) return {};
  const std::int64_t size = count_of(*x);
  std::int64_t* position = data_of<std::int64_t>(inverse);
  Handle distinct, counts;
  with_type(x->spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Compute<T>;
    const T* values = data_of<const T>(x);
    struct Item {
      C value;
      std::int64_t at;
    };
    std::vector<Item> items(static_cast<std::size_t>(size));
    for (std::int64_t i = 0; i < size; ++i) items[std::size_t(i)] = {C(values[i]), i};
    std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
      const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
      if (a.value == b.value || (a_nan && b_nan)) return a.at < b.at;
      return b_nan || (!a_nan && a.value < b.value);
    });
    std::vector<std::int64_t> first, count;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i > 0 && items[i].value == items[i - 1].value) ++count.back();
      else first.push_back(items[i].at), count.push_back(1);
      position[items[i].at] = std::int64_t(first.size()) - 1;
    }
    distinct = allocate({x->spec.dtype, {std::int64_t(first.size())}});
    counts = allocate({Dtype::i64, {std::int64_t(first.size())}});
    if (!distinct || !counts) return;
    for (std::size_t i = 0; i < first.size(); ++i) data_of<T>(distinct)[i] = values[first[i]];
    std::copy(count.begin(), count.end(), data_of<std::int64_t>(counts));
  });
  return {distinct, inverse, counts};
}

}  // namespace hearth::cpu
