// Printing: the same text as NumPy's for the same values.
// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "fixtures/print_cases.hpp"
#include "tensor_stacks.hpp"

namespace hearth::test {
namespace {

template <class B>
struct Print : testing::Test {};
TYPED_TEST_SUITE(Print, Stacks);

TYPED_TEST(Print, AsNumPy) {
  using B = TypeParam;
  for (const PrintCase& c : print_cases) {
    std::vector<double> values = c.values;
    if (c.range) {
      values.resize(std::size_t(element_count(c.spec.shape)));
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = c.values[0] + c.values[1] * double(i);
    }
    Dyn<B> x = DataFunctions<B>::write(DeviceOf<B>{}, c.spec, Dtype::f64, values.data());
    EXPECT_EQ(PrintFunctions<B>::text(x, {}), c.text) << to_string(c.spec);
    // The same through a view.
    Axes axes;
    for (int i = x.rank(); i-- > 0;) axes.push(i);
    const Dyn<B> turned = Dyn<B>::permute(std::move(x), axes);
    std::vector<std::byte> bytes(std::size_t(element_count(turned.shape())) * size_of(turned.dtype()));
    DataFunctions<B>::read(turned, turned.dtype(), bytes.data());
    const Dyn<B> stored = DataFunctions<B>::write(DeviceOf<B>{}, turned.spec(), turned.dtype(), bytes.data());
    EXPECT_EQ(PrintFunctions<B>::text(Dyn<B>::permute(stored, axes), {}), c.text) << to_string(c.spec);
  }
}

TYPED_TEST(Print, Options) {
  using B = TypeParam;
  const auto x = tensor<B>({{1., 2.}, {1. / 3, 4.}});
  std::ostringstream stream;
  stream << x << " and " << tensor<B>({true});
  EXPECT_EQ(stream.str(), "[[1.         2.        ]\n [0.33333334 4.        ]] and [ True]");
  EXPECT_EQ(to_string(x, {.precision = 2}), "[[1.   2.  ]\n [0.33 4.  ]]");
  EXPECT_EQ(to_string(arange<B>(10), {.threshold = 5, .edge_items = 2}), "[0 1 ... 8 9]");
  EXPECT_EQ(to_string(arange<B>(10), {.threshold = 5, .edge_items = -2}), "[0 ... 9]");
  EXPECT_EQ(to_string(arange<B>(10), {.threshold = 5, .edge_items = INT64_MAX}), to_string(arange<B>(10)));
  EXPECT_EQ(to_string(arange<B>(10), {.line_width = 9}), "[0 1 2 3\n 4 5 6 7\n 8 9]");
  EXPECT_EQ(to_string(ones<B>({2}, {}, Dtype::bf16) / 3), "[0.334 0.334]");
  const PrintOptions before = print_options();
  set_print_options({.precision = 1});
  EXPECT_EQ(to_string(x), "[[1.  2. ]\n [0.3 4. ]]");
  set_print_options(before);
}

}  // namespace
}  // namespace hearth::test
