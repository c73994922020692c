// op/special: the logarithm of gamma, digamma, the inverse error function and Hurwitz's zeta function, in f64.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "hearth/op/scalar_math.hpp"

namespace hearth {

namespace {

constexpr double pi = 3.14159265358979323846, infinity = std::numeric_limits<double>::infinity(),
                 nan = std::numeric_limits<double>::quiet_NaN();

/// digamma around its positive root r: the sum over n of (-1)^(n + 1) zeta(n + 1, r) (x - r)^n (NIST DLMF 5.15.1), where the
/// asymptotic series would lose all digits. `root_rest` is what r has beyond a double.
double digamma_near_root(double x) {
  constexpr double root = 0x1.762d86356be3fp+0, root_rest = 0x1.b86a722197829p-54;
  constexpr double coefficients[] = {
      0.96767224544762117,    -0.44276316898359211,   0.25849976095565101,     -0.16394270544240653,   0.10782405069126237,
      -0.072199561256454711,  0.048804288164143107,   -0.033161126474847359,   0.022597648232218105,   -0.015424765904948959,
      0.010538791616612175,   -0.0072045343863568682, 0.0049267813957298534,   -0.0033698016554393281, 0.0023051263267349278,
      -0.0015769367714301972, 0.0010788252019162966,  -0.00073807093899600513, 0.00050495326583460204, -0.00034546802510630770,
      0.00023635601564027053, -0.00016170622091974803, 0.00011063372768747410, -0.000075691795821950659};
  const double t = (x - root) - root_rest;
  double sum = 0;
  for (int n = int(std::size(coefficients)) - 1; n >= 0; --n) sum = (sum + coefficients[n]) * t;
  return sum;
}

}  // namespace

double log_gamma(double x) {
#if defined(__GLIBC__) || defined(__APPLE__) || defined(__FreeBSD__)
  int sign = 0;
  return ::lgamma_r(x, &sign);
#else
  return std::lgamma(x);
#endif
}

/// Poles: -inf at +0, inf at -0, NaN at negative integers.
double digamma(double x) {
  if (std::isnan(x) || x == infinity) return x;
  if (x == 0) return std::signbit(x) ? infinity : -infinity;
  if (x < 0) {  // reflection, DLMF 5.5.4; the cotangent from the distance to the nearest pole, which is exact
    const double pole = std::nearbyint(x), distance = x - pole;
    if (std::isinf(x) || distance == 0) return nan;
    return digamma(1 - x) - pi / std::tan(pi * distance);
  }
  if (std::fabs(x - 1.4616321449683622) < 0.25) return digamma_near_root(x);
  double shift = 0;  // recurrence, DLMF 5.5.2
  for (; x < 10; x += 1) shift -= 1 / x;
  // Asymptotic series, DLMF 5.11.2: ln x - 1 / 2x - the sum of B_2k / (2k x^2k).
  constexpr double terms[] = {1. / 12, -1. / 120, 1. / 252, -1. / 240, 1. / 132, -691. / 32760, 1. / 12, -3617. / 8160};
  const double square = 1 / (x * x);
  double sum = 0;
  for (int k = int(std::size(terms)) - 1; k >= 0; --k) sum = (sum + terms[k]) * square;
  return std::log(x) - 0.5 / x - sum + shift;
}

/// A first guess by Winitzki ("A handy approximation for the error function and its inverse", 2008; relative error 2e-3), then
/// two of Halley's steps, each of which triples the digits. Near +-1 they work on erfc, which keeps its digits there.
double erfinv(double x) {
  const double size = std::fabs(x);
  if (std::isnan(x) || size > 1) return nan;
  if (size == 1) return std::copysign(infinity, x);
  if (x == 0) return x;
  constexpr double a = 0.147;
  const double logarithm = std::log1p(-size * size), half = 2 / (pi * a) + 0.5 * logarithm;
  // sqrt(half^2 - logarithm / a) - half, without cancellation where the logarithm is small
  double y = std::sqrt(-logarithm / a / (std::sqrt(half * half - logarithm / a) + half));
  for (int step = 0; step < 2; ++step) {
    const double error = size < 0.5 ? std::erf(y) - size : (1 - size) - std::erfc(y);
    const double newton = error / (2 / std::sqrt(pi) * std::exp(-y * y));
    y -= newton / (1 + y * newton);
  }
  return std::copysign(y, x);
}

/// NaN for s < 1 and for q < 0 with an s that is no integer; inf at s = 1 and where q is 0 or a negative integer.
double hurwitz_zeta(double s, double q) {
  if (std::isnan(s) || std::isnan(q) || s < 1) return nan;
  if (s == 1) return infinity;
  if (q <= 0) {
    const double floor = std::floor(q);
    if (q == floor) return infinity;
    if (s != std::floor(s)) return nan;
    // The recurrence down from the fraction r = q - floor(q), its finite sum taken as the difference of two zetas: the sum over
    // 1 <= j <= n of (j - r)^-s is zeta(s, 1 - r) - zeta(s, 1 - q). Both fractions are rounded once only.
    const double below = hurwitz_zeta(s, (floor + 1) - q) - hurwitz_zeta(s, 1 - q), r = q - floor;
    return hurwitz_zeta(s, r) + (std::fmod(s, 2) == 0 ? below : -below);
  }
  if (q == infinity) return 0;
  // Euler and Maclaurin (DLMF 25.11.28): the first terms as they are, the rest as an integral with corrections B_2k / (2k)!.
  constexpr double terms[] = {1. / 12,
                              -1. / 720,
                              1. / 30240,
                              -1. / 1209600,
                              1. / 47900160,
                              -5.2841901386874931848e-10,
                              1.3382536530684678833e-11,
                              -3.3896802963225828668e-13,
                              8.5860620562778445641e-15,
                              -2.174868698558061873e-16};
  double sum = 0, a = q;
  for (const double enough = std::max(10.0, 2 * s); a < enough; a += 1) {
    const double term = std::pow(a, -s);
    sum += term;
    if (term <= sum * 1e-18) return sum;
  }
  const double power = std::pow(a, -s);
  double rest = 0, factor = s * power / a;  // s (s + 1) ... (s + 2k - 2) a^(-s - 2k + 1)
  for (int k = 0; k < int(std::size(terms)); ++k) {
    rest += terms[k] * factor;
    factor *= (s + 2 * k + 1) / a * ((s + 2 * k + 2) / a);
  }
  return sum + (std::pow(a, 1 - s) / (s - 1) + 0.5 * power + rest);
}

}  // namespace hearth
