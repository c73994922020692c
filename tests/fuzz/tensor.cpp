// tests/fuzz/tensor: the typed front with wild numbers for every size, axis, position and count, and now and then a tensor that was never
// made: each call gives a tensor or an Error with its kind, and the next good call works.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>

#include "hearth/portable.hpp"
#include "hearth/tensor/functional.hpp"
#include "hearth/tensor/linalg.hpp"
#include "hearth/tensor/linear.hpp"
#include "hearth/tensor/math.hpp"
#include "hearth/tensor/print.hpp"
#include "hearth/tensor/tensor.hpp"
#include "random.hpp"

namespace hearth::fuzz {
namespace {

using namespace hearth::index;
using B = Portable;
template <int R, class K = Float>
using T = Tensor<B, R, K>;

/// Draws what calls take.
struct Draw {
  Random random;

  /// Mostly small, sometimes far away.
  std::int64_t n() {
    std::int64_t value = random.number(-1, 5);
    if (random.one_in(12)) random.spoil(value);
    return value;
  }
  int axis() { return random.one_in(8) ? random.integer(-9, 9) : random.integer(-3, 2); }
  double real() {
    double value = random.uniform(-3, 3);
    if (random.one_in(8)) random.spoil(value);
    return value;
  }
  Range range() {
    const auto end_or = [&]() -> Range { return s(n(), n(), random.one_in(3) ? n() : 1); };
    switch (random.number(0, 3)) {
      case 0: return end_or();
      case 1: return s(n(), end);
      case 2: return s(end, n(), -1);
      default: return Range{};
    }
  }
  template <int R, class K = Float>
  T<R, K> x() {
    if (random.one_in(60)) return {};
    Shape shape;
    for (int i = 0; i < R; ++i) shape.push(random.one_in(10) ? 0 : random.number(1, 4));
    if constexpr (std::is_same_v<K, Int>) return randint<B, R>(shape, 0, random.number(1, 6));
    else if constexpr (std::is_same_v<K, Bool>) return randint<B, R>(shape, 0, 2).to_bool();
    else return normal<B, R>(shape, 0., 1.);
  }
};

/// Makes the call's result be read, so that whatever is late happens now.
template <int R, class K>
void use(const T<R, K>& y) {
  if (!y.dyn || element_count(y.shape()) > 1 << 20) return;
  (void)y.template to_vector<float>();
}
template <int R, class K>
void use(const std::vector<T<R, K>>& list) {
  for (std::size_t i = 0; i < std::min<std::size_t>(list.size(), 8); ++i) use(list[i]);
}
template <class... List>
void use(const std::tuple<List...>& list) {
  std::apply([](const auto&... one) { (use(one), ...); }, list);
}
template <class A, std::size_t N>
void use(const std::array<A, N>& list) {
  for (const A& one : list) use(one);
}
inline void use(const std::string&) {}

struct Case {
  const char* text;
  std::function<void(Draw&)> run;
};
#define HEARTH_CASE(...) Case{#__VA_ARGS__, []([[maybe_unused]] Draw& d) { use(__VA_ARGS__); }}

const std::vector<Case>& cases() {
  static const std::vector<Case> list = {
      HEARTH_CASE(d.x<3>().reshape({d.n(), d.n()})),
      HEARTH_CASE(d.x<3, Int>().reshape({-1, d.n(), d.n(), d.n()})),
      HEARTH_CASE(d.x<3>().permute({d.axis(), d.axis(), d.axis()})),
      HEARTH_CASE(d.x<2>().swap_axes(d.axis(), d.axis())),
      HEARTH_CASE(d.x<3>().move_axis(d.axis(), d.axis())),
      HEARTH_CASE(d.x<3>().squeeze(d.axis())),
      HEARTH_CASE(d.x<3>().squeeze({d.axis(), d.axis()})),
      HEARTH_CASE(d.x<3>().unsqueeze(d.axis())),
      HEARTH_CASE(d.x<2>().unsqueeze({d.axis(), d.axis()})),
      HEARTH_CASE(d.x<2>().expand({d.n(), d.n(), d.n()})),
      HEARTH_CASE(d.x<3>().flip({d.axis(), d.axis()})),
      HEARTH_CASE(d.x<3>().roll(d.n(), d.axis())),
      HEARTH_CASE(d.x<2>().tile({d.n(), d.n(), d.n()})),
      HEARTH_CASE(d.x<2>().repeat_interleave(d.n(), d.axis())),
      HEARTH_CASE(d.x<2>().pad({{d.n(), d.n()}, {d.n(), d.n()}}, d.random.name<PadMode>())),
      HEARTH_CASE(d.x<2>().unfold(d.axis(), d.n(), d.n(), d.n())),
      HEARTH_CASE(d.x<3>().narrow(d.axis(), d.n(), d.n())),
      HEARTH_CASE(d.x<3>().split(d.n(), d.axis())),
      HEARTH_CASE(d.x<3>().split(std::vector<std::int64_t>{d.n(), d.n()}, d.axis())),
      HEARTH_CASE(d.x<3>().chunk(d.n(), d.axis())),
      HEARTH_CASE(d.x<3>().chunk<2>(d.axis())),
      HEARTH_CASE(d.x<3>().unbind(d.axis())),
      HEARTH_CASE(d.x<3>().tril(d.n())),
      HEARTH_CASE(d.x<2>().triu(d.n())),
      HEARTH_CASE(d.x<3>().diagonal(d.n())),
      HEARTH_CASE(d.x<3>()[d.n()]),
      HEARTH_CASE(d.x<3>()[{d.range(), d.range()}]),
      HEARTH_CASE(d.x<3>()(d.range(), d.n(), newaxis)),
      HEARTH_CASE(d.x<2>()[d.x<2, Bool>()]),
      HEARTH_CASE(d.x<2>().assign({d.range(), d.n()}, d.x<1>())),
      HEARTH_CASE(d.x<2>().assign({d.n(), d.range()}, d.real())),
      HEARTH_CASE(d.x<2>().gather(d.axis(), d.x<2, Int>())),
      HEARTH_CASE(d.x<2>().take_along(d.x<2, Int>(), d.axis())),
      HEARTH_CASE(d.x<2>().scatter(d.axis(), d.x<2, Int>(), d.x<2>(), d.random.name<ScatterMode>())),
      HEARTH_CASE(d.x<2>().index_select(d.axis(), d.x<1, Int>())),
      HEARTH_CASE(d.x<2>().take(d.x<2, Int>(), d.axis())),
      HEARTH_CASE(d.x<3>().gather_nd<2>(d.x<2, Int>())),
      HEARTH_CASE(d.x<2>().scatter_nd(d.x<2, Int>(), d.x<1>(), d.random.name<ScatterMode>())),
      HEARTH_CASE(d.x<3>().masked_fill(d.x<2, Bool>(), d.real())),
      HEARTH_CASE(d.x<3>().sum(d.axis())),
      HEARTH_CASE(d.x<3>().max({d.axis(), d.axis()})),
      HEARTH_CASE(d.x<3, Int>().mean(d.axis(), keep)),
      HEARTH_CASE(d.x<3>().var(d.axis(), Correction{d.real()})),
      HEARTH_CASE(d.x<3>().norm(Order{d.real()})),
      HEARTH_CASE(d.x<3>().logsumexp(d.axis())),
      HEARTH_CASE(d.x<3>().argmax(d.axis())),
      HEARTH_CASE(d.x<2>().argmin()),
      HEARTH_CASE(d.x<2>() + d.x<3>()),
      HEARTH_CASE(d.x<2, Int>() / d.x<1, Int>()),
      HEARTH_CASE(d.x<2>() * d.real()),
      HEARTH_CASE(d.x<2>() < d.x<2>()),
      HEARTH_CASE(matmul(d.x<2>(), d.x<2>())),
      HEARTH_CASE(matmul(d.x<3>(), d.x<2>())),
      HEARTH_CASE(softmax(d.x<2>(), d.axis())),
      HEARTH_CASE(layer_norm(d.x<2>(), d.x<1>(), d.x<1>(), d.real())),
      HEARTH_CASE(group_norm(d.x<3>(), d.n(), d.x<1>())),
      HEARTH_CASE(linear(d.x<2>(), d.x<2>(), d.x<1>())),
      HEARTH_CASE(embedding(d.x<2, Int>(), d.x<2>())),
      HEARTH_CASE(dropout(d.x<2>(), d.real())),
      HEARTH_CASE(cross_entropy(d.x<2>(), d.x<1, Int>())),
      HEARTH_CASE(rope(d.x<3>(), d.x<2>(), d.x<2>())),
      HEARTH_CASE(eye<B>(d.n(), d.n())),
      HEARTH_CASE(linspace<B>(d.real(), d.real(), d.n())),
      HEARTH_CASE(arange<B>(d.real(), d.real(), d.real())),
      HEARTH_CASE(arange<B>(d.n(), d.n(), d.n())),
      HEARTH_CASE(zeros<B>({d.n(), d.n()})),
      HEARTH_CASE(uniform<B>({d.n(), 2}, d.real(), d.real())),
      HEARTH_CASE(normal<B>({d.n()}, d.real(), d.real())),
      HEARTH_CASE(bernoulli<B>({d.n()}, d.real())),
      HEARTH_CASE(randint<B>({d.n()}, d.n(), d.n())),
      HEARTH_CASE(randperm<B>(d.n())),
      HEARTH_CASE(one_hot(d.x<1, Int>(), d.n())),
      HEARTH_CASE(tensor<B>(std::vector<float>(3), {d.n(), d.n()})),
      HEARTH_CASE(d.x<2>().cast(Dtype(d.random.number(0, dtype_count - 1)))),
      HEARTH_CASE(d.x<2>().cast<Int>(Dtype(d.random.number(0, dtype_count - 1)))),
      HEARTH_CASE(to_string(d.x<3>())),
      HEARTH_CASE(std::string(1, char(d.x<1>().item()))),
  };
  return list;
}

TEST(Tensor, CallsGiveTensorsOrTypedErrors) {
  Portable::set_memory_cap(std::size_t(64) << 20);
  manual_seed<B>(1);
  std::vector<std::uint64_t> good(cases().size()), refused(cases().size());
  for (std::uint64_t seed = first_seed(); seed < first_seed() + count(); ++seed) {
    Draw draw{Random(seed)};
    const std::size_t which = std::size_t(draw.random.number(0, std::int64_t(cases().size()) - 1));
    const std::string what = "seed " + std::to_string(seed) + ": " + cases()[which].text;
    now(what);
    SCOPED_TRACE(what);
    try {
      cases()[which].run(draw);
      ++good[which];
    } catch (const Error& error) {
      EXPECT_TRUE(error.kind == ErrorKind::user || error.kind == ErrorKind::device) << error.what();
      EXPECT_FALSE(error.op.empty() || error.message.empty()) << error.what();
      ++refused[which];
      ASSERT_EQ((tensor<B>({1.f, 2.f}) + 1).sum().item(), 5);
    } catch (const std::exception& other) {
      ADD_FAILURE() << "untyped: " << other.what();
    }
  }
  Portable::set_memory_cap(~std::size_t(0));
  if (count() < 1000 * cases().size()) return;  // too few for the calls that are seldom right
  for (std::size_t i = 0; i < cases().size(); ++i) EXPECT_TRUE(good[i] > 0 && refused[i] > 0) << cases()[i].text << ": " << good[i] << " good, " << refused[i] << " refused";
}

}  // namespace
}  // namespace hearth::fuzz
