// op/layouts: the elements are laid out in host memory, uploaded, and seen through views.
// SPDX-License-Identifier: Apache-2.0
#include "layouts.hpp"

#include <cstring>

namespace hearth::test {

namespace {

/// Calls f(index, position) for every element of `shape` in row-major order.
template <class F>
void each(const Shape& shape, F f) {
  const std::int64_t count = element_count(shape);
  Shape at = Shape::filled(shape.size(), 0);
  for (std::int64_t k = 0; k < count; ++k) {
    f(at, std::size_t(k));
    for (int a = shape.size() - 1; a >= 0 && ++at[a] == shape[a]; --a) at[a] = 0;
  }
}

/// An array of `shape` whose element `start + at * step` (axis by axis, axes in the order `order`) is element `at` of data. What lies
/// between is large or not a number, so that reading it shows.
TensorData laid_out(const TensorData& data, const Shape& shape, const Shape& start, const Shape& step, const Axes& order) {
  const std::size_t size = size_of(data.spec.dtype);
  TensorData result{{data.spec.dtype, shape}, std::vector<std::byte>(std::size_t(element_count(shape)) * size, std::byte(is_bool(data.spec.dtype) ? 1 : 0x7f))};
  const Strides strides = contiguous_strides(shape);
  each(data.spec.shape, [&](const Shape& at, std::size_t k) {
    std::int64_t offset = 0;
    for (int i = 0; i < order.size(); ++i) offset += (start[i] + at[order[i]] * step[i]) * strides[i];
    std::memcpy(result.bytes.data() + std::size_t(offset) * size, data.bytes.data() + k * size, size);
  });
  return result;
}

/// Along which axes of more than one element are all elements the same?
std::vector<int> equal_axes(const TensorData& data) {
  const std::size_t size = size_of(data.spec.dtype);
  const Strides strides = contiguous_strides(data.spec.shape);
  std::vector<int> result;
  for (int a = 0; a < data.spec.shape.size(); ++a) {
    bool same = data.spec.shape[a] > 1 && !data.bytes.empty();
    each(data.spec.shape, [&](const Shape& at, std::size_t k) {
      const std::size_t first = k - std::size_t(at[a] * strides[a]);
      same = same && std::memcmp(data.bytes.data() + k * size, data.bytes.data() + first * size, size) == 0;
    });
    if (same) result.push_back(a);
  }
  return result;
}

}  // namespace

bool has_layout(const TensorData& data, Layouts layout) {
  switch (layout) {
    case Layouts::contiguous: return true;
    case Layouts::permuted: return data.spec.shape.size() > 1;
    case Layouts::sliced:
    case Layouts::stepped:
    case Layouts::reversed: return data.spec.shape.size() > 0;
    case Layouts::stretched: return !equal_axes(data).empty();
  }
  __builtin_unreachable();
}

Array place(const Stack& stack, const TensorData& data, Layouts layout) {
  const Shape& shape = data.spec.shape;
  const int rank = shape.size();
  if (layout == Layouts::contiguous || !has_layout(data, layout)) return stack.upload(data);
  Axes order = all_axes(rank);
  Shape zeros = Shape::filled(rank, 0), ones = Shape::filled(rank, 1), larger = shape;
  const auto view = [&](const TensorData& stored, const AnyOp& op) { return stack.run(op, {stack.upload(stored)}, Operand::given)[0]; };
  switch (layout) {
    case Layouts::contiguous: break;
    case Layouts::permuted:
      larger = {};
      order = {};
      for (int i = rank; i-- > 0;) order.push(i), larger.push(shape[i]);
      return view(laid_out(data, larger, zeros, ones, order), op::Permute{order});
    case Layouts::sliced:
      for (std::int64_t& s : larger) s += 3;
      return view(laid_out(data, larger, ones, ones, order), op::Slice{ones, shape, ones});
    case Layouts::stepped: {
      for (std::int64_t& s : larger) s = 2 * s + 1;
      const Shape twos = Shape::filled(rank, 2);
      return view(laid_out(data, larger, ones, twos, order), op::Slice{ones, shape, twos});
    }
    case Layouts::reversed: {
      const Shape back = Shape::filled(rank, -1);
      Shape last = shape;
      for (std::int64_t& s : last) s = s > 0 ? s - 1 : 0;
      return view(laid_out(data, shape, last, back, order), op::Slice{last, shape, back});
    }
    case Layouts::stretched: {
      for (int a : equal_axes(data)) larger[a] = 1;
      TensorData once{{data.spec.dtype, larger}, {}};
      const std::size_t size = size_of(data.spec.dtype);
      each(shape, [&](const Shape& at, std::size_t k) {
        for (int a = 0; a < rank; ++a)
          if (at[a] >= larger[a]) return;
        once.bytes.insert(once.bytes.end(), data.bytes.begin() + std::ptrdiff_t(k * size), data.bytes.begin() + std::ptrdiff_t((k + 1) * size));
      });
      return view(once, op::Expand{shape});
    }
  }
  __builtin_unreachable();
}

}  // namespace hearth::test
