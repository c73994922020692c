// cpu/fft: the Fourier transform along one axis, of any length in n log n steps. Lengths of small prime factors by mixed radices
// (Cooley and Tukey 1965), others as a convolution of such a length (Bluestein 1970). Computed in doubles.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <complex>
#include <vector>

#include "array.hpp"
#include "threads.hpp"

namespace hearth::cpu {

namespace {

using Complex = std::complex<double>;

/// a b without the checks for infinite results that operator* makes.
inline Complex times(Complex a, Complex b) { return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()}; }
inline Complex root(std::int64_t k, std::int64_t n, int sign) {
  const double angle = sign * 2 * 3.141592653589793238463 * double(k) / double(n);
  return {std::cos(angle), std::sin(angle)};
}

/// Lengths whose prime factors are 2, 3 and 5.
class SmoothTransform {
 public:
  SmoothTransform(std::int64_t n, int sign) : n_(n), sign_(sign) {
    for (std::int64_t k = 0; k < n; ++k) roots_.push_back(root(k, n, sign));
    for (std::int64_t rest = n; rest > 1;)
      for (int p : {4, 2, 3, 5})
        if (rest % p == 0) {
          factors_.push_back(p);
          rest /= p;
          break;
        }
  }
  static bool fits(std::int64_t n) {
    for (int p : {2, 3, 5})
      while (n % p == 0) n /= p;
    return n == 1;
  }
  /// `x` becomes its transform; `work` is room for as many.
  void operator()(Complex* x, Complex* work) const {
    // Stockham's order: each pass reads one array and writes the other, and the result is in order at the end.
    Complex *from = x, *to = work;
    std::int64_t done = 1, rest = n_;
    for (int p : factors_) {
      rest /= p;
      for (std::int64_t j = 0; j < rest; ++j)
        for (std::int64_t k = 0; k < done; ++k) {
          Complex part[5];
          for (int q = 0; q < p; ++q) part[q] = times(from[(q * rest + j) * done + k], roots_[std::size_t(q * k * (n_ / (done * p)))]);
          Complex* out = to + j * done * p + k;
          butterfly(p, part, out, done);
        }
      done *= p;
      std::swap(from, to);
    }
    if (from != x) std::copy(from, from + n_, x);
  }

 private:
  void butterfly(int p, const Complex* a, Complex* out, std::int64_t step) const {
    if (p == 2) {
      out[0] = a[0] + a[1];
      out[step] = a[0] - a[1];
    } else if (p == 4) {
      const Complex s = a[0] + a[2], d = a[0] - a[2], t = a[1] + a[3], u = a[1] - a[3];
      const Complex turned = sign_ < 0 ? Complex(u.imag(), -u.real()) : Complex(-u.imag(), u.real());
      out[0] = s + t;
      out[step] = d + turned;
      out[2 * step] = s - t;
      out[3 * step] = d - turned;
    } else {
      for (int r = 0; r < p; ++r) {
        Complex sum = a[0];
        for (int q = 1; q < p; ++q) sum += times(a[q], roots_[std::size_t((r * q % p) * (n_ / p))]);
        out[r * step] = sum;
      }
    }
  }
  std::int64_t n_;
  int sign_;
  std::vector<Complex> roots_;
  std::vector<int> factors_;
};

class Transform {
 public:
  Transform(std::int64_t n, int sign) : n_(n), padded_(padded_length(n)), inner_(padded_, SmoothTransform::fits(n) ? sign : -1) {
    if (padded_ == n) return;
    // j k = (j^2 + k^2 - (k - j)^2) / 2 turns the sum over x[j] into a convolution with a chirp.
    spectrum_.resize(std::size_t(padded_));
    std::vector<Complex> work(static_cast<std::size_t>(padded_));
    for (std::int64_t k = 0; k < n; ++k) {
      const auto square = std::int64_t(static_cast<unsigned long long>(k) * static_cast<unsigned long long>(k) % static_cast<unsigned long long>(2 * n));
      chirp_.push_back(root(square, 2 * n, sign));
      spectrum_[std::size_t(k)] = std::conj(chirp_.back());
      if (k) spectrum_[std::size_t(padded_ - k)] = std::conj(chirp_.back());
    }
    inner_(spectrum_.data(), work.data());
  }
  /// How many numbers `x` and `work` have room for.
  std::int64_t room() const { return padded_; }
  /// The first n numbers of `x` become their transform.
  void operator()(Complex* x, Complex* work) const {
    if (padded_ == n_) return inner_(x, work);
    for (std::int64_t k = 0; k < n_; ++k) x[k] = times(x[k], chirp_[std::size_t(k)]);
    std::fill(x + n_, x + padded_, Complex());
    inner_(x, work);
    // The inverse transform is the conjugate of the transform of the conjugate, divided by the length.
    for (std::int64_t k = 0; k < padded_; ++k) x[k] = std::conj(times(x[k], spectrum_[std::size_t(k)]));
    inner_(x, work);
    for (std::int64_t k = 0; k < n_; ++k) x[k] = times(std::conj(x[k]) / double(padded_), chirp_[std::size_t(k)]);
  }

 private:
  static std::int64_t padded_length(std::int64_t n) {
    if (SmoothTransform::fits(n)) return n;
    std::int64_t length = 2 * n - 1;
    while (!SmoothTransform::fits(length)) ++length;
    return length;
  }
  std::int64_t n_, padded_;
  SmoothTransform inner_;
  std::vector<Complex> chirp_, spectrum_;
};

template <class T>
void transform_lines(const op::Fft& op, int axis, const Array& x, T* target) {
  const Shape& shape = x.spec.shape;
  const std::int64_t n = shape[axis];
  double factor = 1;
  if (op.norm == Norm::orthogonal) factor = 1 / std::sqrt(double(n));
  if (op.norm == Norm::forward && !op.inverse) factor = 1 / double(n);
  const Transform transform(n, op.inverse ? 1 : -1);
  std::int64_t inner = 1, outer = 1;
  for (int i = axis + 1; i + 1 < shape.size(); ++i) inner *= shape[i];
  for (int i = 0; i < axis; ++i) outer *= shape[i];
  const T* source = data_of<const T>(x);
  parallel_for(outer * inner, row_grain(16 * n), [&](std::int64_t begin, std::int64_t end) {
    std::vector<Complex> line(static_cast<std::size_t>(transform.room())), work(line.size());
    for (std::int64_t at = begin; at < end; ++at) {
      const std::int64_t first = at / inner * n * inner + at % inner;
      for (std::int64_t i = 0; i < n; ++i) {
        const T* from = source + 2 * (first + i * inner);
        line[std::size_t(i)] = {double(from[0]), double(from[1])};
      }
      transform(line.data(), work.data());
      for (std::int64_t i = 0; i < n; ++i) {
        T* to = target + 2 * (first + i * inner);
        to[0] = T(factor * line[std::size_t(i)].real());
        to[1] = T(factor * line[std::size_t(i)].imag());
      }
    }
  });
}

}  // namespace

Results<op::Fft, Handle> execute(const op::Fft& op, Operands<op::Fft, Handle> in, const Results<op::Fft, Spec>& specs) {
  const Handle x = contiguous(in[0]);
  Handle out = allocate(specs[0]);
  if (!x || !out || count_of(*x) == 0) return {out};
  const int axis = normalize_axis("fft", op.axis, x->spec.shape.size() - 1);
  if (x->spec.dtype == Dtype::f64) transform_lines(op, axis, *x, data_of<double>(out));
  else transform_lines(op, axis, *x, data_of<float>(out));
  return {out};
}

}  // namespace hearth::cpu
