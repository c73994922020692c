// tests/fuzz/geometry: random geometries of convolutions and pools in 1 to 3 dimensions. Sizes against the written formula, counted window by
// window; values of both backends against plain sums over those windows. All values are small integers, so that sums are exact.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>

#include "hearth/cpu.hpp"
#include "hearth/portable.hpp"
#include "run.hpp"

namespace hearth::fuzz {
namespace {

/// One spatial axis.
struct Axis {
  std::int64_t size, kernel, stride, dilation, before, after;
  bool ceil_mode = false;

  std::int64_t at(std::int64_t window, std::int64_t k) const { return window * stride - before + k * dilation; }
  /// Windows that end inside the input and its padding; with the ceil mode also those that hang over the end, if they start before it.
  std::int64_t windows() const {
    std::int64_t count = 0;
    while (at(count, kernel - 1) < size + after) ++count;
    if (!ceil_mode) return count;
    const bool rest = at(count - 1, kernel - 1) + 1 < size + after;
    if (rest && at(count, 0) < size) return count + 1;
    if (!rest && count > 0 && at(count - 1, 0) >= size) return count - 1;
    return count;
  }
};

struct Drawn {
  std::vector<Axis> axes;
  std::int64_t batch, groups, in, out;  ///< in, out: channels of one group
};
Drawn draw(Random& random, bool pool) {
  Drawn d{{}, random.number(1, 2), pool ? 1 : random.number(1, 3), random.number(1, 3), random.number(1, 2)};
  const int spatial = random.integer(1, 3);
  const bool ceil_mode = pool && random.one_in(2);
  for (int i = 0; i < spatial; ++i) {
    Axis a{random.number(1, spatial == 1 ? 20 : 7), random.number(1, 4), random.number(1, 4), random.number(1, 3), random.number(0, 4), random.number(0, 4), ceil_mode};
    const std::int64_t reach = a.dilation * (a.kernel - 1);
    if (pool) {  // each window must hold an element: paddings are shorter than it, and the input not shorter than a step
      a.size = std::max(a.size, a.dilation);
      a.before = std::min(a.before, reach / 2), a.after = std::min(a.after, reach / 2);
    }
    d.axes.push_back(a);
  }
  return d;
}
std::string text(const Drawn& d) {
  std::string s = "batch " + std::to_string(d.batch) + ", groups " + std::to_string(d.groups) + ", channels " + std::to_string(d.in) + " to " + std::to_string(d.out);
  for (const Axis& a : d.axes)
    s += "; size " + std::to_string(a.size) + " kernel " + std::to_string(a.kernel) + " stride " + std::to_string(a.stride) + " dilation " + std::to_string(a.dilation) +
         " padding " + std::to_string(a.before) + ", " + std::to_string(a.after) + (a.ceil_mode ? " ceil" : "");
  return s;
}

/// f(index) for each index below `sizes`, row-major.
void each(const std::vector<std::int64_t>& sizes, const std::function<void(const std::vector<std::int64_t>&)>& f) {
  std::int64_t total = 1;
  for (std::int64_t size : sizes) total *= size;
  std::vector<std::int64_t> index(sizes.size());
  for (std::int64_t i = 0; i < total; ++i) {
    std::int64_t rest = i;
    for (std::size_t k = sizes.size(); k-- > 0; rest /= sizes[k]) index[k] = rest % sizes[k];
    f(index);
  }
}
std::int64_t offset(const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& index) {
  std::int64_t at = 0;
  for (std::size_t k = 0; k < sizes.size(); ++k) at = at * sizes[k] + index[k];
  return at;
}
std::vector<std::int64_t> joined(std::vector<std::int64_t> first, const std::vector<std::int64_t>& last) {
  first.insert(first.end(), last.begin(), last.end());
  return first;
}
Shape shape_of(const std::vector<std::int64_t>& sizes) {
  Shape shape;
  for (std::int64_t size : sizes) shape.push(size);
  return shape;
}
std::vector<float> whole_numbers(std::int64_t count, Random& random) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(float(random.number(-9, 9)));
  return values;
}
std::int64_t product(const std::vector<std::int64_t>& sizes) {
  std::int64_t total = 1;
  for (std::int64_t size : sizes) total *= size;
  return total;
}

template <class B, class Op>
std::vector<TensorData> run(const Op& op, const std::vector<std::pair<Shape, std::vector<float>>>& in) {
  Operands<Op, HandleOf<B>> operands{};
  for (std::size_t i = 0; i < in.size(); ++i) operands[i] = B::upload({}, {Dtype::f32, in[i].first}, in[i].second.data());
  std::vector<TensorData> results;
  for (const auto& result : hearth::apply<B>(op, std::move(operands))) results.push_back(read<B>(result));
  return results;
}
template <class Op>
void expect_all(const Op& op, const std::vector<std::pair<Shape, std::vector<float>>>& in, const Shape& shape, const std::vector<float>& expected, float tolerance) {
  const auto compare = [&](const char* backend, const TensorData& got) {
    ASSERT_EQ(got.spec.shape, shape) << backend;
    const auto values = got.view<float>();
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(values[i], expected[i], tolerance) << backend << " at " << i;
  };
  compare("Portable", run<Portable>(op, in)[0]);
  compare("Cpu", run<Cpu>(op, in)[0]);
}

/// Which of the lists a convolution's sums run over: every (x, weight, y) offset triple that belongs together.
void each_product(const Drawn& d, const std::vector<std::int64_t>& xs, const std::vector<std::int64_t>& ws, const std::vector<std::int64_t>& ys,
                  const std::function<void(std::int64_t, std::int64_t, std::int64_t)>& f) {
  each(ys, [&](const std::vector<std::int64_t>& y) {
    each(std::vector<std::int64_t>(ws.begin() + 1, ws.end()), [&](const std::vector<std::int64_t>& k) {
      std::vector<std::int64_t> x{y[0], y[1] / d.out * d.in + k[0]}, w = joined({y[1]}, k);
      for (std::size_t i = 0; i < d.axes.size(); ++i) {
        const std::int64_t at = d.axes[i].at(y[i + 2], k[i + 1]);
        if (at < 0 || at >= d.axes[i].size) return;
        x.push_back(at);
      }
      f(offset(xs, x), offset(ws, w), offset(ys, y));
    });
  });
}

TEST(Geometry, ConvolutionsFollowTheFormula) {
  for (std::uint64_t seed = first_seed(); seed < first_seed() + count(); ++seed) {
    Random random(seed);
    const Drawn d = draw(random, false);
    now("conv seed " + std::to_string(seed) + ": " + text(d));
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + text(d));
    std::vector<std::int64_t> xs{d.batch, d.groups * d.in}, ws{d.groups * d.out, d.in}, ys{d.batch, d.groups * d.out};
    ConvGeometry g;
    g.groups = d.groups;
    Shape x_size, w_size;
    for (const Axis& a : d.axes) {
      xs.push_back(a.size), ws.push_back(a.kernel), ys.push_back(a.windows());
      g.stride.push(a.stride), g.dilation.push(a.dilation), g.before.push(a.before), g.after.push(a.after);
      x_size.push(a.size), w_size.push(a.kernel);
    }
    const Spec x{Dtype::f32, shape_of(xs)}, w{Dtype::f32, shape_of(ws)}, y{Dtype::f32, shape_of(ys)};
    if (product(ys) == 0) {  // some window has no place
      ASSERT_THROW((void)hearth::infer(op::Conv{g}, {&x, &w, nullptr}), Error);
      ASSERT_THROW((void)hearth::infer(op::ConvInputGrad{g, x_size}, {&y, &w}), Error);
      ASSERT_THROW((void)hearth::infer(op::ConvWeightGrad{g, w_size}, {&x, &y}), Error);
      continue;
    }
    ASSERT_EQ(hearth::infer(op::Conv{g}, {&x, &w, nullptr})[0], y);
    ASSERT_EQ(hearth::infer(op::ConvInputGrad{g, x_size}, {&y, &w})[0], x);
    ASSERT_EQ(hearth::infer(op::ConvWeightGrad{g, w_size}, {&x, &y})[0], w);

    const auto xv = whole_numbers(product(xs), random), wv = whole_numbers(product(ws), random), gv = whole_numbers(product(ys), random);
    std::vector<float> yv(gv.size()), dx(xv.size()), dw(wv.size());
    each_product(d, xs, ws, ys, [&](std::int64_t i, std::int64_t k, std::int64_t o) {
      const auto at = [](std::int64_t n) { return std::size_t(n); };
      yv[at(o)] += xv[at(i)] * wv[at(k)];
      dx[at(i)] += gv[at(o)] * wv[at(k)];
      dw[at(k)] += gv[at(o)] * xv[at(i)];
    });
    expect_all(op::Conv{g}, {{x.shape, xv}, {w.shape, wv}}, y.shape, yv, 0);
    expect_all(op::ConvInputGrad{g, x_size}, {{y.shape, gv}, {w.shape, wv}}, x.shape, dx, 0);
    expect_all(op::ConvWeightGrad{g, w_size}, {{x.shape, xv}, {y.shape, gv}}, w.shape, dw, 0);
    if (HasFatalFailure()) return;
  }
}

TEST(Geometry, PoolsFollowTheFormula) {
  for (std::uint64_t seed = first_seed(); seed < first_seed() + count(); ++seed) {
    Random random(seed ^ 0x9001);
    const Drawn d = draw(random, true);
    now("pool seed " + std::to_string(seed) + ": " + text(d));
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + text(d));
    std::vector<std::int64_t> xs{d.batch, d.in}, ys{d.batch, d.in}, kernel;
    PoolGeometry g;
    for (const Axis& a : d.axes) {
      xs.push_back(a.size), ys.push_back(a.windows()), kernel.push_back(a.kernel);
      g.kernel.push(a.kernel), g.stride.push(a.stride), g.dilation.push(a.dilation), g.before.push(a.before), g.after.push(a.after);
      g.ceil_mode = a.ceil_mode;
    }
    const Spec x{Dtype::f32, shape_of(xs)}, y{Dtype::f32, shape_of(ys)};
    if (product(ys) == 0) {
      ASSERT_THROW((void)hearth::infer(op::MaxPool{g}, {&x}), Error);
      ASSERT_THROW((void)hearth::infer(op::AvgPool{g}, {&x}), Error);
      continue;
    }
    ASSERT_EQ(hearth::infer(op::MaxPool{g}, {&x})[0], y);
    const bool counted = random.one_in(2);
    const auto xv = whole_numbers(product(xs), random);
    std::vector<float> largest, mean;
    each(ys, [&](const std::vector<std::int64_t>& at) {
      float most = -100, sum = 0, inside = 0, padded = 0;
      each(kernel, [&](const std::vector<std::int64_t>& k) {
        std::vector<std::int64_t> from{at[0], at[1]};
        bool in = true, in_padding = true;
        for (std::size_t i = 0; i < k.size(); ++i) {
          const Axis& a = d.axes[i];
          from.push_back(a.at(at[i + 2], k[i]));
          in &= from.back() >= 0 && from.back() < a.size;
          in_padding &= from.back() < a.size + a.after;  // what hangs over the end is no padding
        }
        padded += in_padding;
        if (!in) return;
        const float value = xv[std::size_t(offset(xs, from))];
        most = std::max(most, value), sum += value, ++inside;
      });
      largest.push_back(most);
      mean.push_back(sum / (counted ? padded : inside));
    });
    expect_all(op::MaxPool{g}, {{x.shape, xv}}, y.shape, largest, 0);
    expect_all(op::AvgPool{g, counted}, {{x.shape, xv}}, y.shape, mean, 1e-5f);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace hearth::fuzz
