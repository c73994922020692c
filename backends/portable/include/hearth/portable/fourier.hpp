// portable/fourier: the discrete Fourier transform of any length in n log n steps: by halves where n is a power of two, else as a
// convolution of such a length (Bluestein 1970).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "complex.hpp"

namespace hearth::portable {

class Fourier {
 public:
  /// Sums with exp(sign 2 pi i j k / n): sign is -1 forward and 1 for the inverse. No factor is applied.
  Fourier(std::int64_t n, int sign) : length_(std::size_t(n)), padded_(1) {
    if ((length_ & (length_ - 1)) != 0)
      while (padded_ < 2 * length_ - 1) padded_ *= 2;
    else padded_ = length_;
    for (std::size_t k = 0; k < padded_ / 2; ++k) roots_.push_back(root(k, padded_, sign));
    if (padded_ == length_) return;
    // j k = (j^2 + k^2 - (k - j)^2) / 2 turns the sum over x[j] into a convolution with the chirp exp(-sign pi i t^2 / n).
    std::vector<Complex> mirrored(padded_);
    for (std::size_t k = 0; k < length_; ++k) {
      chirp_.push_back(root(k * k % (2 * length_), 2 * length_, sign));
      mirrored[k] = conjugate(chirp_[k]);
      if (k) mirrored[padded_ - k] = conjugate(chirp_[k]);
    }
    spectrum_ = std::move(mirrored);
    halves(spectrum_);
  }

  /// x, of the length that this was made for, becomes its transform.
  void operator()(std::vector<Complex>& x) const {
    if (padded_ == length_) return halves(x);
    std::vector<Complex> work(padded_);
    for (std::size_t k = 0; k < length_; ++k) work[k] = x[k] * chirp_[k];
    halves(work);
    // The inverse transform is the conjugate of the transform of the conjugate, divided by the length.
    for (std::size_t k = 0; k < padded_; ++k) work[k] = conjugate(work[k] * spectrum_[k]);
    halves(work);
    for (std::size_t k = 0; k < length_; ++k) x[k] = 1 / double(padded_) * conjugate(work[k]) * chirp_[k];
  }

 private:
  static Complex root(std::size_t k, std::size_t n, int sign) {
    const double angle = sign * 2 * 3.141592653589793238463 * double(k) / double(n);
    return {std::cos(angle), std::sin(angle)};
  }
  /// The transform of even and of odd positions give that of all, level by level, from the order of reversed bits (Cooley and Tukey 1965).
  void halves(std::vector<Complex>& x) const {
    const std::size_t n = x.size();
    for (std::size_t i = 0, reversed = 0; i < n; ++i) {
      if (i < reversed) std::swap(x[i], x[reversed]);
      std::size_t bit = n / 2;
      for (; bit && (reversed & bit); bit /= 2) reversed ^= bit;
      reversed |= bit;
    }
    for (std::size_t half = 1; half < n; half *= 2)
      for (std::size_t start = 0; start < n; start += 2 * half)
        for (std::size_t k = 0; k < half; ++k) {
          const Complex even = x[start + k], odd = roots_[k * (n / (2 * half))] * x[start + half + k];
          x[start + k] = even + odd;
          x[start + half + k] = even - odd;
        }
  }

  std::size_t length_, padded_;
  std::vector<Complex> roots_, chirp_, spectrum_;
};

}  // namespace hearth::portable
