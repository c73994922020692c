// tests/unit/cpu_low_bits: quantised arrays and value-sized results of Cpu against Portable, and values by hand.
// SPDX-License-Identifier: Apache-2.0
#include "cpu_arrays.hpp"

using namespace hearth;
using namespace hearth::test;

namespace {

using Numbers = std::vector<double>;
using Handle = Cpu::Handle;

const std::vector<Storage> storages = {Storage::i8, Storage::u8, Storage::i4, Storage::u4, Storage::i2, Storage::f8_e4m3, Storage::f8_e5m2, Storage::f4_e2m1};

TEST(cpu_low_bits, equal_portable_in_every_scheme) {
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    QuantScheme scheme;
    scheme.storage = storages[std::size_t(round) % storages.size()];
    const bool floats = round % 8 >= 5;
    scheme.symmetric = floats || random() % 2;
    Shape shape;
    const int rank = int(pick(random, 1, 3));
    for (int i = 0; i < rank; ++i) shape.push(pick(random, 1, 11));
    scheme.axis = int(pick(random, -1, rank - 1));
    if (scheme.axis >= 0 && random() % 2) scheme.block = pick(random, 1, 5);
    Shape scales;
    if (scheme.axis >= 0 && scheme.block == 0) scales = {shape[scheme.axis]};
    if (scheme.block > 0) {
      scales = shape;
      scales[scheme.axis] = (shape[scheme.axis] + scheme.block - 1) / scheme.block;
    }
    const Dtype dtype = float_dtypes[random() % 4];
    const Numbers values = reals(random, element_count(shape), -30, 30);
    const std::vector<Operand> scale_and_zero = {{{dtype, scales}, reals(random, element_count(scales), 0.05, 0.5)},
                                                 {{Dtype::i32, scales}, whole_numbers(random, element_count(scales), -5, 5)}};
    const auto run = [&](const auto& op, const Operand& x) {
      using Op = std::remove_cvref_t<decltype(op)>;
      Operands<Op, Portable::Handle> reference{upload<Portable>(x.spec, x.values), upload<Portable>(scale_and_zero[0].spec, scale_and_zero[0].values)};
      Operands<Op, Handle> views{strided(x.spec, x.values, random), strided(scale_and_zero[0].spec, scale_and_zero[0].values, random)};
      if (!scheme.symmetric) {
        reference[2] = upload<Portable>(scale_and_zero[1].spec, scale_and_zero[1].values);
        views[2] = strided(scale_and_zero[1].spec, scale_and_zero[1].values, random);
      }
      const auto expected = Portable::run(op, reference)[0];
      const auto got = Cpu::run(op, views)[0];
      EXPECT_EQ(Cpu::spec(got), Portable::spec(expected));
      EXPECT_EQ(numbers(got), numbers<Portable>(expected)) << to_string(op) << " of " << to_string(x.spec);
      return Operand{Cpu::spec(got), numbers(got)};
    };
    const Operand stored = run(op::Quantize{scheme}, {{dtype, shape}, values});
    run(op::Dequantize{scheme, dtype, shape}, stored);
    if (HasFailure()) return;
  }
}

TEST(cpu_low_bits, every_code_of_every_storage) {
  for (Storage storage : storages) {
    const int codes = storage == Storage::i2 ? 4 : storage == Storage::i4 || storage == Storage::u4 || storage == Storage::f4_e2m1 ? 16 : 256;
    const std::int64_t per_byte = codes == 256 ? 1 : codes == 16 ? 2 : 4;
    QuantScheme scheme{storage, true, -1, 0};
    if (storage == Storage::u8 || storage == Storage::u4) scheme.symmetric = false;
    const Spec bytes{storage == Storage::i8 ? Dtype::i8 : Dtype::u8, {256}};
    Numbers all;
    for (int i = 0; i < 256; ++i) all.push_back(storage == Storage::i8 ? i - 128 : i);
    const op::Dequantize read{scheme, Dtype::f32, {256 * per_byte}};
    const op::Quantize write{scheme};
    Operands<op::Dequantize, Portable::Handle> reference{upload<Portable>(bytes, all), upload<Portable>({Dtype::f32, {}}, {1}), {}};
    Operands<op::Dequantize, Handle> in{upload<Cpu>(bytes, all), upload<Cpu>({Dtype::f32, {}}, {1}), {}};
    if (!scheme.symmetric) {
      reference[2] = upload<Portable>({Dtype::i32, {}}, {0});
      in[2] = upload<Cpu>({Dtype::i32, {}}, {0});
    }
    const Handle values = Cpu::run(read, in)[0];
    expect_close(numbers(values), numbers<Portable>(Portable::run(read, reference)[0]), 0, to_string(read));
    // Halfway between neighbours, and far beyond: ties and saturation.
    Numbers points = numbers(values), more;
    for (double p : points) more.insert(more.end(), {p, p * 1.03125, p + 0.5, p + 0.25, p * 1.0625});
    for (double p : {1e9, -1e9, double(INFINITY), -double(INFINITY), std::nan("")}) more.push_back(p);
    const Spec spec{Dtype::f32, {std::int64_t(more.size())}};
    Operands<op::Quantize, Portable::Handle> expected{upload<Portable>(spec, more), reference[1], reference[2]};
    Operands<op::Quantize, Handle> got{upload<Cpu>(spec, more), in[1], in[2]};
    EXPECT_EQ(numbers(Cpu::run(write, got)[0]), numbers<Portable>(Portable::run(write, expected)[0])) << to_string(write);
  }
}

TEST(cpu_low_bits, by_hand) {
  const Handle x = upload<Cpu>({Dtype::f32, {6}}, {0.5, 1.5, -1.25, 300, -300, std::nan("")}), half = upload<Cpu>({Dtype::f32, {}}, {0.5});
  EXPECT_EQ(numbers(Cpu::run(op::Quantize{{Storage::i8, true, -1, 0}}, {x, half, {}})[0]), (Numbers{1, 3, -2, 127, -128, 0}));
  const Handle zero = upload<Cpu>({Dtype::i32, {}}, {10});
  EXPECT_EQ(numbers(Cpu::run(op::Quantize{{Storage::u8, false, -1, 0}}, {x, half, zero})[0]), (Numbers{11, 13, 8, 255, 0, 0}));
  const Handle huge = upload<Cpu>({Dtype::i64, {}}, {1e12});
  EXPECT_EQ(numbers(Cpu::run(op::Quantize{{Storage::u8, false, -1, 0}}, {x, half, huge})[0]), (Numbers{255, 255, 255, 255, 255, 0}));
  // Two to a byte, low bits first; the last byte is half empty.
  const Handle nibbles = Cpu::run(op::Quantize{{Storage::i4, true, -1, 0}}, {upload<Cpu>({Dtype::f32, {3}}, {1, -1, 7}), upload<Cpu>({Dtype::f32, {}}, {1}), {}})[0];
  EXPECT_EQ(numbers(nibbles), (Numbers{0xf1, 0x07}));
  EXPECT_EQ(numbers(Cpu::run(op::Dequantize{{Storage::i4, true, -1, 0}, Dtype::f32, {3}}, {nibbles, half, {}})[0]), (Numbers{.5, -.5, 3.5}));
}

TEST(cpu_value_sized, nonzero_and_unique_equal_portable) {
  Random random(2);
  std::vector<Dtype> dtypes = number_dtypes;
  dtypes.push_back(Dtype::boolean);
  for (int round = 0; round < 100; ++round) {
    const Dtype dtype = dtypes[random() % dtypes.size()];
    Shape shape;
    const int rank = int(pick(random, 0, 4));
    for (int i = 0; i < rank; ++i) shape.push(pick(random, round % 10 == 0 ? 0 : 1, 6));
    Numbers values = whole_numbers(random, element_count(shape), -2, 2);
    if (is_float(dtype))
      for (double& v : values) v = random() % 6 == 0 ? std::nan("") : random() % 6 == 0 ? -0.0 : v;
    compare_with_portable(op::NonZero{}, {{{dtype, shape}, values}}, 0, random);
    compare_with_portable(op::Unique{}, {{{dtype, shape}, values}}, 0, random);
    if (HasFatalFailure()) return;
  }
}

TEST(cpu_value_sized, by_hand) {
  const Handle x = upload<Cpu>({Dtype::f32, {2, 3}}, {0, 3, -1, 3, -0.0, std::nan("")});
  EXPECT_EQ(numbers(Cpu::run(op::NonZero{}, {x})[0]), (Numbers{0, 1, 0, 2, 1, 0, 1, 2}));
  const auto [values, positions, counts] = Cpu::run(op::Unique{}, {x});
  expect_close(numbers(values), {-1, 0, 3, std::nan("")}, 0, "values");
  EXPECT_EQ(numbers(positions), (Numbers{1, 2, 0, 2, 1, 3}));
  EXPECT_EQ(numbers(counts), (Numbers{1, 2, 2, 1}));
  // Many blocks: indices stay in order.
  Numbers many(200000, 0.0), expected;
  for (std::size_t i = 0; i < many.size(); i += 7) many[i] = 1, expected.push_back(double(i));
  EXPECT_EQ(numbers(Cpu::run(op::NonZero{}, {upload<Cpu>({Dtype::u8, {200000}}, many)})[0]), expected);
}

}  // namespace
