// unit/op_text: ops as text and back, their equality, and hostile text and attributes for every op of the list.
// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hearth/core/enum_names.hpp"
#include "hearth/op/op.hpp"

namespace {

using namespace hearth;

/// Draws values for fields of every type: ordinary ones, or hostile ones that a file may hold.
class Draw {
 public:
  Draw(unsigned seed, bool hostile) : random_(seed), hostile_(hostile) {}
  int number(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  void into(bool& value) { value = number(0, 1); }
  void into(int& value) { value = hostile_ && number(0, 3) == 0 ? (number(0, 1) ? INT32_MAX : INT32_MIN) : number(-2, 4); }
  void into(std::int64_t& value) {
    constexpr std::int64_t far[] = {INT64_MIN, INT64_MIN + 1, -1, std::int64_t(1) << 31, std::int64_t(1) << 62, INT64_MAX - 1, INT64_MAX};
    value = hostile_ && number(0, 3) == 0 ? far[number(0, 6)] : number(0, 5);
  }
  void into(std::uint64_t& value) { value = std::uint64_t(random_()) << 32 | random_(); }
  void into(double& value) {
    constexpr double far[] = {-0.0, 1e-310, 1e300, INFINITY, -INFINITY, NAN, -NAN};
    value = number(0, 3) == 0 ? far[number(0, 6)] : number(0, 9) / 7.0;
  }
  void into(Dtype& value) { value = Dtype(number(0, dtype_count - 1)); }
  template <class E>
    requires std::is_enum_v<E>
  void into(E& value) {
    value = static_cast<E>(number(0, int(reflect::enum_names<E>.size()) - 1));
  }
  void into(std::string& value) {
    value.clear();
    for (int i = number(0, 6); i > 0; --i) value += char(number(0, 255));
  }
  void into(Scalar& value) {
    const int kind = number(0, 4);
    std::int64_t integer = 0;
    std::uint64_t wide = 0;
    double real = 0;
    into(integer);
    into(wide);
    into(real);
    value = kind == 0 ? Scalar() : kind == 1 ? Scalar(integer % 2 == 0) : kind == 2 ? Scalar(integer) : kind == 3 ? Scalar(wide) : Scalar(real);
  }
  template <class T, int N>
  void into(InlineList<T, N>& list) {
    list = {};
    for (int i = number(0, number(0, 3) ? 3 : N); i > 0; --i) {
      T value{};
      into(value);
      list.push(value);
    }
  }
  template <class T>
  void into(std::vector<T>& list) {
    list.clear();
    for (int i = number(0, 3); i > 0; --i) into(list.emplace_back());
  }
  void into(AnyOp& any) {
    op::Reduce reduce;
    op::Conv conv;
    fill(reduce);
    fill(conv);
    any = number(0, 1) ? AnyOp(reduce) : AnyOp(conv);
    if (number(0, 2)) return;
    op::Fused inner;
    inner.steps.push_back({any, {0, -1}});
    any = inner;
  }
  template <class T>
  void into(T& structure) {
    fill(structure);
  }
  template <class T>
  void fill(T& structure) {
    reflect::each(structure, [&](std::string_view, auto& field) { into(field); });
  }
  template <class T>
  T one() {
    T value{};
    fill(value);
    return value;
  }

 private:
  std::mt19937 random_;
  bool hostile_;
};

/// What the tests do with each op of the list, its type forgotten so that the tests are compiled once.
struct Entry {
  std::string_view name;
  OpCode code;
  int inputs;
  AnyOp (*draw)(Draw&);
  AnyOp (*fresh)();
  std::vector<Spec> (*infer)(const AnyOp&, const std::vector<const Spec*>&);
};
template <class Op>
std::vector<Spec> infer_any(const AnyOp& any, const std::vector<const Spec*>& specs) {
  if constexpr (Op::inputs == 0) {
    return {infer(any.as<Op>())};
  } else {
    Operands<Op, const Spec*> in{};
    if constexpr (Op::inputs == many) in = specs;
    else
      for (std::size_t i = 0; i < in.size(); ++i) in[i] = specs[i];
    const auto out = infer(any.as<Op>(), in);
    return {out.begin(), out.end()};
  }
}
template <class Op>
AnyOp draw_any(Draw& draw) {
  return draw.one<Op>();
}
template <class Op>
AnyOp fresh_any() {
  return Op{};
}
constexpr Entry entries[] = {
#define HEARTH_ANY_OP(Name) {op_name<op::Name>, OpCode::Name, op::Name::inputs, draw_any<op::Name>, fresh_any<op::Name>, infer_any<op::Name>},
#include "hearth/op/ops.def"
};

TEST(OpText, ReadsAsDocumented) {
  EXPECT_EQ(to_string(op::Reduce{ReduceCode::sum, {1}}), "Reduce{code: sum, axes: [1]}");
  EXPECT_EQ(to_string(op::MatMul{}), "MatMul{}");
  EXPECT_EQ(to_string(op::BinaryScalar{BinaryCode::pow, 2.0, Side::left}), "BinaryScalar{code: pow, scalar: 2.0, side: left}");
  EXPECT_EQ(to_string(op::Full{{Dtype::boolean, {2, 3}}, true}), "Full{spec: bool[2, 3], value: true}");
  EXPECT_EQ(to_string(op::Conv{{{1}, {3}, {2}, {2}, 4}}), "Conv{geometry: {stride: [1], dilation: [3], before: [2], after: [2], groups: 4}}");
  EXPECT_EQ(to_string(op::LayerNorm{2, 1e-5}), "LayerNorm{axes: 2, epsilon: 1e-05}");
  EXPECT_EQ(to_string(op::Launch{"a\"b\\\n", {1}, {}, {Scalar(), 2u}, {{Dtype::i8, {}}}}),
            "Launch{kernel: \"a\\\"b\\\\\\x0a\", grid: [1], group: [], scalars: [none, 2u], results: [i8[]]}");
  op::Fused fused;
  fused.steps = {{op::Unary{UnaryCode::exp}, {0}}, {op::LayerNorm{}, {1, -1, -1}}};
  fused.results = {2};
  EXPECT_EQ(to_string(AnyOp(fused)),
            "Fused{steps: [{op: Unary{code: exp}, in: [0]}, {op: LayerNorm{axes: 1, epsilon: 1e-05}, in: [1, -1, -1]}], results: [2]}");
  EXPECT_EQ(to_string(AnyOp()), "none");
}

TEST(OpText, EveryOpComesBack) {
  for (const Entry& entry : entries) {
    Draw draw(11, false);
    for (int i = 0; i < 40; ++i) {
      const AnyOp op = entry.draw(draw);
      const std::string text = to_string(op);
      const AnyOp back = parse_op(text);
      ASSERT_EQ(back.code(), entry.code) << text;
      EXPECT_TRUE(back == op) << text;
      EXPECT_EQ(to_string(back), text);
      EXPECT_EQ(text.substr(0, text.find('{')), entry.name);
    }
    EXPECT_TRUE(parse_op(std::string(entry.name) + "{}") == entry.fresh()) << entry.name;  // missing fields keep their defaults
  }
}

TEST(OpText, EqualityIsOfAllFields) {
  EXPECT_EQ((op::Sort{1, true}), (op::Sort{1, true}));
  EXPECT_FALSE((op::Sort{1, true}) == (op::Sort{1, false}));
  EXPECT_EQ((op::LayerNorm{1, NAN}), (op::LayerNorm{1, NAN}));
  EXPECT_FALSE((op::LayerNorm{1, 0.0}) == (op::LayerNorm{1, -0.0}));
  EXPECT_FALSE(AnyOp(op::Softmax{1}) == AnyOp(op::LogSoftmax{1}));
  EXPECT_EQ(AnyOp(), AnyOp());
  EXPECT_FALSE(AnyOp() == AnyOp(op::Full{}));
  op::Fused a;
  a.steps = {{op::Unary{UnaryCode::exp}, {0}}};
  op::Fused b = a;
  EXPECT_EQ(a, b);
  b.steps[0].op = op::Unary{UnaryCode::log};
  EXPECT_FALSE(a == b);
}

TEST(OpText, FieldsComeInAnyOrder) {
  EXPECT_EQ(parse_op(" TopK { k : 3 , axis:-1 } ").as<op::TopK>(), (op::TopK{-1, 3, true}));
  EXPECT_EQ(parse_op("Clamp{low: -1e-3, high: 3u}").as<op::Clamp>(), (op::Clamp{-1e-3, 3u}));
  EXPECT_EQ(parse_op("Dropout{p: 1}").as<op::Dropout>().p, 1.0);
}

std::string refusal(const std::string& text) {
  try {
    return "accepted " + to_string(parse_op(text));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::file) << text;
    return error.what();
  }
}

TEST(OpText, BrokenTextIsAFileError) {
  const char* cases[][2] = {
      {"", "parse_op: no such op at character 0"},
      {"none", "parse_op: no op at character 4"},
      {"Foo{}", "parse_op: no such op at character 3"},
      {"MatMul", "parse_op: expected '{' at character 6"},
      {"MatMul{", "parse_op: no such field at character 7"},
      {"MatMul{} x", "parse_op: more text than one op at character 9"},
      {"MatMul{x: 1}", "parse_op: no such field at character 8"},
      {"Sort{axis: 1", "parse_op: expected '}' at character 12"},
      {"Sort{axis 1}", "parse_op: expected ':' at character 10"},
      {"Sort{axis: 1, axis: 1}", "parse_op: a field is given twice at character 18"},
      {"Sort{axis: 99999999999}", "parse_op: expected a number of its type at character 22"},
      {"Sort{axis: 1.5}", "parse_op: expected a number of its type at character 14"},
      {"Sort{descending: yes}", "parse_op: expected true or false at character 20"},
      {"Unary{code: Exp}", "parse_op: no such name at character 15"},
      {"Unary{code: 7}", "parse_op: no such name at character 13"},
      {"Cast{dtype: F33}", "parse_op: no such dtype at character 15"},
      {"Full{spec: f32, value: 1}", "parse_op: expected '[' at character 14"},
      {"Full{value: 1e999}", "parse_op: expected a number of its type at character 17"},
      {"Full{value: 99999999999999999999}", "parse_op: expected a number of its type at character 32"},
      {"Full{value: -1u}", "parse_op: expected a number of its type at character 15"},
      {"Full{value: nan(0)}", "parse_op: no NaN has these bits at character 18"},
      {"Random{key: -1}", "parse_op: expected a number of its type at character 14"},
      {"Reshape{shape: [1, 2, 3, 4, 5, 6, 7, 8, 9]}", "parse_op: too long a list at character 39"},
      {"Reshape{shape: [1,]}", "parse_op: expected a number of its type at character 18"},
      {"Launch{kernel: \"abc", "parse_op: a string does not end at character 19"},
      {"Launch{kernel: \"\\q\"}", "parse_op: no such escape at character 16"},
      {"Launch{kernel: \"\\x4", "parse_op: no such escape at character 16"},
      {"Launch{kernel: abc}", "parse_op: expected '\"' at character 15"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(refusal(text), expected) << text;
  EXPECT_EQ(refusal(std::string("MatMul{}\0", 9)), "parse_op: more text than one op at character 8");
}

TEST(OpText, NestingIsBounded) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "Fused{steps: [{op: ";
  EXPECT_NE(refusal(text).find("nested too deeply"), std::string::npos);
  op::Fused fused;
  for (int depth = 0; depth < 10; ++depth) {
    op::Fused outer;
    outer.steps.push_back({fused, {}});
    fused = outer;
  }
  EXPECT_EQ(parse_op(to_string(fused)).as<op::Fused>(), fused);
}

TEST(OpText, MutatedTextIsReadOrRefused) {
  std::mt19937 random(5);
  int accepted = 0, refused = 0;
  for (const Entry& entry : entries) {
    Draw draw(3, true);
    for (int i = 0; i < 60; ++i) {
      std::string text = to_string(entry.draw(draw));
      for (int edits = draw.number(1, 3); edits > 0 && !text.empty(); --edits) {
        const std::size_t at = random() % text.size();
        switch (random() % 4) {
          case 0: text.erase(at, random() % 4); break;
          case 1: text.insert(at, 1, "{}[],:\"\\x-+.0159neuf \n"[random() % 22]); break;
          case 2: text[at] = char(random()); break;
          default: text += text.substr(at);
        }
      }
      try {
        const AnyOp op = parse_op(text);
        EXPECT_TRUE(parse_op(to_string(op)) == op) << text;
        ++accepted;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind, ErrorKind::file);
        ++refused;
      }
    }
  }
  EXPECT_GT(accepted, 50);
  EXPECT_GT(refused, 1000);
}

/// Whatever the attributes and operands, inference gives sizes that can be counted, or a user's error. Meant to run under sanitizers, too.
TEST(OpHostile, InferenceRefusesOrGivesSizesThatFit) {
  int inferred = 0, refused = 0;
  for (const Entry& entry : entries) {
    Draw draw(23, true);
    for (int i = 0; i < 400; ++i) {
      const AnyOp op = entry.draw(draw);
      std::vector<Spec> specs(entry.inputs < 0 ? std::size_t(draw.number(0, 4)) : std::size_t(entry.inputs));
      std::vector<const Spec*> in;
      const Dtype dtype = Dtype(draw.number(0, dtype_count - 1));
      for (Spec& spec : specs) {
        if (draw.number(0, 3) == 0) draw.into(spec.dtype);
        else spec.dtype = draw.number(0, 1) ? dtype : Dtype::f32;
        for (int axes = draw.number(0, 5); axes > 0; --axes) spec.shape.push(draw.number(0, 4));
        in.push_back(draw.number(0, 5) ? &spec : nullptr);
      }
      try {
        for (const Spec& result : entry.infer(op, in)) EXPECT_GE(element_count(result.shape), 0);
        ++inferred;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind, ErrorKind::user) << error.what();
        EXPECT_FALSE(error.op.empty()) << error.what();
        ++refused;
      }
    }
  }
  EXPECT_GT(inferred, 1000);
  EXPECT_GT(refused, 10000);
}

}  // namespace
