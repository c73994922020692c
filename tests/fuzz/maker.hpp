// tests/fuzz/maker: what the functions draw with that make plausible calls. There is one for each op, `make`, in the file of its family; it
// knows what the op takes from the op's comment, not from infer.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>

#include "calls.hpp"
#include "hearth/op/formula.hpp"

namespace hearth::fuzz {

/// What these functions draw with.
class Maker {
 public:
  Maker(Random& r, std::optional<Dtype> wanted) : random(r), wanted_(wanted) {}
  Random& random;
  std::vector<Operand> operands;

  /// The wanted dtype where there is one, else any of these kinds.
  Dtype dtype(Kinds kinds) {
    if (wanted_) return *wanted_;
    for (;;)
      if (const Dtype d = random.one_in(3) ? Dtype::f32 : Dtype(random.number(0, dtype_count - 1)); kinds_of(d) & kinds) return d;
  }
  Dtype floating() { return dtype(kinds::F); }
  Dtype number() { return dtype(kinds::F | kinds::I); }
  Dtype any() { return dtype(kinds::F | kinds::I | kinds::B); }
  Dtype real() { return wanted_ ? *wanted_ : random.one_in(2) ? Dtype::f32 : Dtype::f64; }
  Dtype index_dtype() { return random.one_in(2) ? Dtype::i64 : random.pick<Dtype>({Dtype::i32, Dtype::i16, Dtype::i8, Dtype::u8, Dtype::u64}); }
  /// x's dtype, or f32 beside a 16-bit float.
  Dtype beside(Dtype x) { return is_float(x) && size_of(x) == 2 && random.one_in(3) ? Dtype::f32 : x; }

  std::int64_t size() { return random.one_in(16) ? 0 : random.number(1, 5); }
  std::int64_t some() { return random.number(1, 4); }  ///< where 0 is an error
  Shape shape(int least = 0, int most = 4) {
    Shape result;
    for (int i = random.integer(least, most); i > 0; --i) result.push(size());
    return result;
  }
  Shape full_shape(int least = 0, int most = 4) {
    Shape result;
    for (int i = random.integer(least, most); i > 0; --i) result.push(some());
    return result;
  }
  /// A shape that broadcasts to this one.
  Shape stretched(const Shape& to) {
    Shape result;
    for (int i = random.one_in(3) ? random.integer(0, to.size()) : 0; i < to.size(); ++i) result.push(random.one_in(4) ? 1 : to[i]);
    return result;
  }
  int axis(int rank) {
    const int axis = random.integer(0, std::max(rank, 1) - 1);
    return random.one_in(2) ? axis - rank : axis;
  }
  Scalar scalar() {
    if (random.one_in(8)) {
      Scalar any;
      random.spoil(any);
      if (any) return any;
    }
    return random.one_in(2) ? Scalar(random.number(-3, 3)) : Scalar(double(random.number(-12, 12)) / 4);
  }
  /// One that may stand beside elements of d.
  Scalar scalar(Dtype d) {
    const Scalar any = scalar();
    return is_float(d) || any.kind() != Scalar::Kind::floating ? any : Scalar(random.number(-3, 3));
  }

  Spec operand(Dtype d, const Shape& s, Fill fill = {}) {
    operands.push_back({Spec{d, s}, fill});
    return {d, s};
  }
  void absent() { operands.push_back({}); }
  void maybe(Dtype d, const Shape& s, Fill fill = {}) {
    if (random.one_in(2)) operand(d, s, fill);
    else absent();
  }
  Fill ordinary() { return {random.one_in(3) ? Fill::edges : Fill::plain}; }

 private:
  std::optional<Dtype> wanted_;
};

template <class Code>
Code code_for(Maker& m, std::optional<Dtype> dtype) {
  for (int tries = 0;; ++tries)
    if (const Code code = m.random.name<Code>(); !dtype || tries == 5000 || (kinds_of(code) & kinds_of(*dtype))) return code;
}
/// A code and a dtype that go together.
template <class Code>
Dtype draw_code(Maker& m, Code& code) {
  const Dtype dtype = m.any();
  code = code_for<Code>(m, dtype);
  return dtype;
}

/// Shapes of a convolution, a pool or another op over windows.
struct Convolved {
  Shape x, weight, y;
};
/// Those of a convolution, and its geometry.
Convolved convolution(Maker& m, ConvGeometry& g, int least = 1, int most = 3);

#define HEARTH_ANY_OP(Name) void make(op::Name& op, Maker& m);
#include "hearth/op/ops.def"

}  // namespace hearth::fuzz
