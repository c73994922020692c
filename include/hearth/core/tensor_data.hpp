// core/tensor_data: elements in host memory with their dtype and shape: what files hold and what tensors are made from.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstring>
#include <span>
#include <vector>

#include "convert.hpp"
#include "error.hpp"
#include "spec.hpp"

namespace hearth {

/// Row-major elements of `spec`. bytes.size() is element_count(spec.shape) * size_of(spec.dtype).
struct TensorData {
  Spec spec;
  std::vector<std::byte> bytes;

  std::int64_t count() const { return element_count(spec.shape); }

  /// A copy of host elements.
  template <class T>
  static TensorData from(std::span<const T> values, const Shape& shape) {
    if (element_count(shape) != std::int64_t(values.size()))
      return fail("tensor data", std::to_string(values.size()) + " values do not fill the shape " + to_string(shape), {shape});
    TensorData data{{dtype_of<T>, shape}, std::vector<std::byte>(values.size_bytes())};
    if (!values.empty()) std::memcpy(data.bytes.data(), values.data(), values.size_bytes());
    return data;
  }

  /// The elements as they are. An error if T is not their type.
  template <class T>
  std::span<const T> view() const {
    if (spec.dtype != dtype_of<T>)
      return fail("tensor data", "elements are " + std::string(name_of(spec.dtype)) + ", not " + std::string(name_of(dtype_of<T>)), {},
                  "to_vector converts them");
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

  /// The elements converted to T, by core/convert.hpp.
  template <class T>
  std::vector<T> to_vector() const {
    std::vector<T> values(bytes.size() / size_of(spec.dtype));
    with_type(spec.dtype, [&](auto tag) {
      using From = typename decltype(tag)::type;
      for (std::size_t i = 0; i < values.size(); ++i) {
        From element;
        std::memcpy(&element, bytes.data() + i * sizeof(From), sizeof(From));
        values[i] = convert<T>(element);
      }
    });
    return values;
  }
};

}  // namespace hearth
