// portable/complex: a complex number, without what <complex> brings along.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>

#include "hearth/core/config.hpp"

namespace hearth::portable {

struct Complex {
  double real = 0, imaginary = 0;

  friend Complex operator+(Complex a, Complex b) { return {a.real + b.real, a.imaginary + b.imaginary}; }
  friend Complex operator-(Complex a, Complex b) { return {a.real - b.real, a.imaginary - b.imaginary}; }
  friend Complex operator-(Complex a) { return {-a.real, -a.imaginary}; }
  friend Complex operator*(Complex a, Complex b) {
    return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
  }
  friend Complex operator*(double a, Complex b) { return {a * b.real, a * b.imaginary}; }
  /// By the larger part of b first, so that its square cannot overflow (Smith 1962).
  friend Complex operator/(Complex a, Complex b) {
    if (std::fabs(b.real) >= std::fabs(b.imaginary)) {
      const double ratio = b.imaginary / b.real, scale = b.real + b.imaginary * ratio;
      return {(a.real + a.imaginary * ratio) / scale, (a.imaginary - a.real * ratio) / scale};
    }
    const double ratio = b.real / b.imaginary, scale = b.real * ratio + b.imaginary;
    return {(a.real * ratio + a.imaginary) / scale, (a.imaginary * ratio - a.real) / scale};
  }
  friend Complex conjugate(Complex a) { return {a.real, -a.imaginary}; }
  friend double absolute(Complex a) { return std::hypot(a.real, a.imaginary); }
};

}  // namespace hearth::portable
