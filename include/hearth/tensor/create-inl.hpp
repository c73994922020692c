// tensor/create-inl: the bodies of CreateFunctions.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>

#include "create.hpp"
#include "data-inl.hpp"
#include "refuse-inl.hpp"

namespace hearth {

template <class B>
Dyn<B> CreateFunctions<B>::full(const DeviceOf<B>& device, Dtype dtype, Kinds kind, const Shape& shape, Scalar value) {
  return Dyn<B>::full(device, Spec{detail::checked_dtype("full", dtype, kind), shape}, value);
}

template <class B>
Dyn<B> CreateFunctions<B>::range(const DeviceOf<B>& device, Dtype dtype, Kinds kind, Scalar start, Scalar stop, Scalar step) {
  const Spec spec{detail::checked_dtype("arange", dtype, kind), Shape{detail::range_count(start, stop, step)}};
  return Dyn<B>::iota(device, spec, 0, start, step);
}

template <class B>
Dyn<B> CreateFunctions<B>::linspace(const DeviceOf<B>& device, Dtype dtype, Kinds kind, double start, double stop, std::int64_t count) {
  (void)detail::checked_dtype("linspace", dtype, kind);
  if (count < 0) {
    (void)fail("linspace", std::to_string(count) + " numbers");
    return Dyn<B>::full(device, Spec{}, 0);
  }
  if (!std::isfinite(start) || !std::isfinite(stop)) {
    (void)fail("linspace", "from " + to_string(Scalar(start)) + " to " + to_string(Scalar(stop)) + ": both ends must be finite");
    return Dyn<B>::full(device, Spec{}, 0);
  }
  // From both ends to the middle, so that both are exact, and in f64, whatever the result is.
  const double whole = stop - start, gaps = double(count - 1);
  const double step = count < 3 ? 0 : std::isfinite(whole) ? whole / gaps : stop / gaps - start / gaps;
  const std::int64_t behind = count / 2;
  Dyn<B> numbers = Dyn<B>::iota(device, Spec{Dtype::f64, Shape{count - behind}}, 0, start, step);
  if (behind > 0) {
    Dyn<B> back = Dyn<B>::iota(device, Spec{Dtype::f64, Shape{behind}}, 0, stop, -step);
    back = Dyn<B>::slice(std::move(back), Shape{behind - 1}, Shape{behind}, Shape{-1});
    std::vector<Dyn<B>> halves;
    halves.push_back(std::move(numbers));
    halves.push_back(std::move(back));
    numbers = Dyn<B>::concat(std::move(halves), 0);
  }
  return Dyn<B>::cast(std::move(numbers), dtype);
}

template <class B>
Dyn<B> CreateFunctions<B>::eye(const DeviceOf<B>& device, Dtype dtype, Kinds kind, std::int64_t rows, std::int64_t columns) {
  Dyn<B> i = Dyn<B>::iota(device, Spec{Dtype::i64, Shape{rows, 1}}, 0, 0, 1), j = Dyn<B>::iota(device, Spec{Dtype::i64, Shape{1, columns}}, 1, 0, 1);
  return Dyn<B>::cast(Dyn<B>::compare(CompareCode::eq, std::move(i), std::move(j)), detail::checked_dtype("eye", dtype, kind));
}

template <class B>
Dyn<B> CreateFunctions<B>::one_hot(Dyn<B> index, std::int64_t classes, Dtype dtype) {
  Shape one = index.shape(), all = one;
  one.push(1);
  all.push(classes);
  index = Dyn<B>::reshape(std::move(index), one);
  Dyn<B> base = Dyn<B>::full(index.device(), Spec{dtype, all}, 0), source = Dyn<B>::full(index.device(), Spec{dtype, one}, 1);
  return Dyn<B>::scatter(std::move(base), std::move(index), std::move(source), one.size() - 1, ScatterMode::assign);
}

template <class B>
Dyn<B> CreateFunctions<B>::random(const DeviceOf<B>& device, Dtype dtype, Kinds kind, const Shape& shape, Distribution distribution, Scalar a,
                                  Scalar b, RandomSource source) {
  op::Random op{Spec{detail::checked_dtype("random", dtype, kind), shape}, distribution, a, b};
  (void)infer(op);  // before numbers are reserved
  const Draw draw = GeneratorFunctions<B>::reserve(device, source, std::uint64_t(element_count(shape)));
  op.key = draw.key;
  op.offset = draw.offset;
  return Dyn<B>(B::make(device, op));
}

template <class B>
Dyn<B> CreateFunctions<B>::bernoulli(const DeviceOf<B>& device, Dtype dtype, Kinds kind, const Shape& shape, double p, RandomSource source) {
  dtype = detail::checked_dtype("bernoulli", dtype, kind);
  if (!(p >= 0 && p <= 1)) (void)fail("bernoulli", "the probability " + to_string(Scalar(p)) + " is not in [0, 1]");
  Dyn<B> draws = random(device, Dtype::f32, kinds::F, shape, Distribution::uniform, 0.0, 1.0, source);
  return Dyn<B>::cast(Dyn<B>::compare_scalar(CompareCode::lt, std::move(draws), p), dtype);
}

template <class B>
Dyn<B> CreateFunctions<B>::permutation(const DeviceOf<B>& device, std::int64_t count, RandomSource source) {
  Dyn<B> draws = random(device, Dtype::i64, kinds::I, Shape{count}, Distribution::bits, 0, 0, source);
  return call<B>(op::Sort{0, false}, std::move(draws))[1];
}

template <class B>
Dyn<B> CreateFunctions<B>::from_memory(const DeviceOf<B>& device, Dtype dtype, Kinds kind, const Shape& shape, Dtype from_dtype, const void* from,
                                       std::int64_t count) {
  detail::check_count("tensor", count, shape);
  if (pending_error()) return Dyn<B>::from_failure();
  return DataFunctions<B>::write(device, Spec{detail::checked_dtype("tensor", dtype, kind), shape}, from_dtype, from);
}

template <class B>
Dyn<B> CreateFunctions<B>::from_strided(const DeviceOf<B>& device, Dtype dtype, Kinds kind, const Shape& shape, const Strides& strides,
                                        Dtype from_dtype, const void* from) {
  std::vector<std::byte> elements(std::size_t(element_count(shape)) * size_of(from_dtype));
  if (pending_error()) return Dyn<B>::from_failure();
  detail::gather_strided(from, shape, strides, size_of(from_dtype), elements.data());
  return DataFunctions<B>::write(device, Spec{detail::checked_dtype("from_strided", dtype, kind), shape}, from_dtype, elements.data());
}

}  // namespace hearth
