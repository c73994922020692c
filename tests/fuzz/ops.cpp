// tests/fuzz/ops: random calls of every op, half of them wrong: each gives an Error with its kind or results, never anything else; a good
// op works after each; all backends agree; and so when memory runs out at any byte.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "hearth/cpu.hpp"
#include "hearth/portable.hpp"
#include "run.hpp"

namespace hearth::fuzz {
namespace {

constexpr std::size_t cap = std::size_t(16) << 20;
#define HEARTH_ANY_OP(Name) +1
constexpr int op_count = 0
#include "hearth/op/ops.def"
    ;

struct Backend {
  const char* name;
  Outcome (*run)(const Call&, const std::vector<Laid>&);
};
constexpr Backend backends[] = {{"Portable", run_on_portable}, {"Cpu", run_on_cpu}, {"Autodiff<Portable>", run_on_autodiff}};

/// What a backend must still do after any error: 1 + 2.
void expect_works(const Backend& backend) {
  const Spec one{Dtype::f32, {1}};
  const float a = 1, b = 2;
  std::vector<Laid> laid(2);
  for (int i = 0; i < 2; ++i) {
    laid[std::size_t(i)] = {true, one, std::vector<std::byte>(4), {}, {}, {}, {}};
    std::memcpy(laid[std::size_t(i)].bytes.data(), i ? &b : &a, 4);
  }
  const Outcome sum = backend.run({op::Binary{BinaryCode::add}, {{one, {}}, {one, {}}}}, laid);
  ASSERT_TRUE(sum.good()) << backend.name << ": " << (sum.error ? sum.error->what() : sum.untyped);
  ASSERT_EQ(sum.results[0].view<float>()[0], 3) << backend.name;
}

/// May the backends differ in this result? Signs and orders that op/solve.hpp leaves free, and choices of equal pivots.
bool is_free(OpCode code, std::size_t result) {
  return (code == OpCode::Svd && result != 1) || (code == OpCode::Eigh && result == 1) || code == OpCode::Eig || code == OpCode::Lu || code == OpCode::Qr;
}
/// Is each result element a function of few operand elements? Else rounding is relative to the largest.
bool is_elementwise(OpCode code) { return code >= OpCode::Unary && code <= OpCode::SliceAssign && code != OpCode::Fold && code != OpCode::PadGrad; }

double element(const TensorData& data, std::size_t i) {
  return with_type(data.spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T value;
    std::memcpy(&value, data.bytes.data() + i * sizeof(T), sizeof value);
    return double(Compute<T>(value));
  });
}

/// The largest finite element of operands and a result: sums may cancel, and then round as their terms do.
double magnitude(const std::vector<Laid>& operands, const TensorData& result) {
  double largest = 1;
  const auto look = [&](const TensorData& data) {
    for (std::size_t i = 0; i < data.bytes.size() / size_of(data.spec.dtype); ++i)
      if (const double x = std::fabs(element(data, i)); std::isfinite(x)) largest = std::max(largest, x);
  };
  look(result);
  for (const Laid& laid : operands)
    if (laid.given && is_float(laid.stored.dtype)) look({laid.stored, laid.bytes});
  return largest;
}

/// How two results differ, in words; empty where they agree.
std::string difference(OpCode code, const std::vector<Laid>& operands, const TensorData& a, const TensorData& b) {
  if (a.spec != b.spec) return to_string(a.spec) + " and " + to_string(b.spec);
  if (a.bytes == b.bytes) return "";
  const Dtype d = a.spec.dtype;
  const double near = d == Dtype::f64 ? 1e-11 : d == Dtype::f32 ? 2e-5 : d == Dtype::f16 ? 4e-3 : d == Dtype::bf16 ? 3e-2 : 0;
  const std::size_t count = a.bytes.size() / size_of(d);
  const double largest = is_elementwise(code) ? 0 : magnitude(operands, a);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = i * size_of(d);
    if (std::memcmp(&a.bytes[at], &b.bytes[at], size_of(d)) == 0) continue;
    const double x = element(a, i), y = element(b, i), scale = is_elementwise(code) ? std::max(std::fabs(x), 1e-2) : largest;
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    if (is_float(d) && std::fabs(x - y) <= near * scale) continue;
    char text[120];
    std::snprintf(text, sizeof text, "element %zu: %.17g and %.17g", i, x, y);
    return text;
  }
  return "";
}

std::string sentence(const Outcome& outcome) {
  return outcome.error ? outcome.error->what() : outcome.untyped.empty() ? "results" : "untyped: " + outcome.untyped;
}

struct Drawn {
  std::string text;  ///< with the seed, for messages
  Call call;
  bool spoilt = false;
  std::vector<Laid> laid;
};
Drawn draw(std::uint64_t seed) {
  Random random(seed);
  Drawn drawn;
  drawn.call = plausible_call(OpCode(random.number(0, op_count - 1)), random);
  drawn.spoilt = random.one_in(2);
  if (drawn.spoilt) spoil(drawn.call, random);
  drawn.text = "seed " + std::to_string(seed) + ": " + to_string(drawn.call);
  drawn.laid = lay_out(drawn.call, random);
  return drawn;
}
/// Could the operands be laid out at all? Wild sizes cannot.
bool can_run(const Drawn& drawn) { return drawn.laid.size() == drawn.call.operands.size(); }

class Ops : public ::testing::Test {
 protected:
  void SetUp() override {
    Portable::set_memory_cap(cap);
    Cpu::set_memory_cap(cap);
  }
  void TearDown() override {
    Portable::set_memory_cap(~std::size_t(0));
    Cpu::set_memory_cap(0);
  }
};

TEST_F(Ops, GiveResultsOrATypedError) {
  std::map<std::string, int> good, refused;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + count(); ++seed) {
    const Drawn drawn = draw(seed);
    const OpCode code = drawn.call.op.code();
    const std::string name = to_string(drawn.call.op).substr(0, to_string(drawn.call.op).find('{'));
    now(drawn.text);
    SCOPED_TRACE(drawn.text);

    std::optional<Error> said;
    try {
      for (const Spec& spec : infer(drawn.call)) EXPECT_GE(element_count(spec.shape), 0);
    } catch (const Error& error) {
      said = error;
      EXPECT_EQ(error.kind, ErrorKind::user) << error.what();
      EXPECT_FALSE(error.op.empty() || error.message.empty()) << error.what();
    }
    EXPECT_TRUE(drawn.spoilt || !said) << "a right call is refused: " << said->what();
    if (!can_run(drawn)) continue;
    // Nobody can give more or fewer operands than an op has, so an op without operands takes those of the call as nothing.
    Outcome outcomes[3];
    for (int i = 0; i < 3; ++i) {
      outcomes[i] = backends[i].run(drawn.call, drawn.laid);
      const Outcome& outcome = outcomes[i];
      EXPECT_EQ(outcome.untyped, "") << backends[i].name;
      for (const std::string& fault : outcome.faults) ADD_FAILURE() << backends[i].name << ": " << fault;
      if (outcome.error) {
        EXPECT_TRUE(outcome.error->kind == ErrorKind::user || outcome.error->kind == ErrorKind::device) << backends[i].name << ": " << outcome.error->what();
        EXPECT_FALSE(outcome.error->message.empty()) << backends[i].name;
        expect_works(backends[i]);
      }
      if (said) {
        EXPECT_TRUE(outcome.error) << backends[i].name << " runs what infer refuses: " << said->what();
      }
    }
    const Outcome &portable = outcomes[0], &cpu = outcomes[1], &autodiff = outcomes[2];
    ++(portable.good() ? good : refused)[name];
    if (portable.out_of_memory() || cpu.out_of_memory() || autodiff.out_of_memory()) continue;
    EXPECT_EQ(portable.good(), cpu.good()) << "Portable: " << sentence(portable) << "\nCpu: " << sentence(cpu);
    if (portable.error && cpu.error) {
      EXPECT_EQ(portable.error->kind, cpu.error->kind) << portable.error->what() << "\n" << cpu.error->what();
    }
    if (!portable.good()) continue;
    // Forward, recording changes nothing; where it refuses an op whose gradient is out of reach, it says so.
    if (code == OpCode::Eig) {
      EXPECT_TRUE(autodiff.error && std::string(autodiff.error->what()).find("gradient") != std::string::npos) << sentence(autodiff);
    } else {
      EXPECT_EQ(portable.results.size(), autodiff.results.size()) << sentence(autodiff);
    }
    for (std::size_t i = 0; i < portable.results.size(); ++i) {
      if (cpu.good() && !is_free(code, i)) {
        EXPECT_EQ(difference(code, drawn.laid, portable.results[i], cpu.results[i]), "") << "Portable and Cpu, result " << i;
      }
      if (i < autodiff.results.size()) {
        EXPECT_EQ(difference(code, drawn.laid, portable.results[i], autodiff.results[i]), "") << "Portable and Autodiff, result " << i;
      }
    }
    if (::testing::Test::HasFatalFailure()) return;
  }
  // The fuzzer is of use only while it reaches every op from both sides.
  if (count() < 5000) return;
  for (int code = 0; code < op_count; ++code) {
    Random random(1);
    const std::string text = to_string(plausible_call(OpCode(code), random).op), name = text.substr(0, text.find('{'));
    if (name == "Launch" || name == "Collective") continue;
    EXPECT_GT(good[name], 0) << name << " never ran";
    EXPECT_GT(refused[name], 0) << name << " was never refused";
  }
}

template <class B>
std::size_t live() {
  return B::memory_stats({}).live;
}
template <class B>
void cap_at(std::size_t bytes);
template <>
void cap_at<Portable>(std::size_t bytes) {
  Portable::set_memory_cap(live<Portable>() + bytes);
}
template <>
void cap_at<Cpu>(std::size_t bytes) {
  Cpu::trim({});
  Cpu::set_memory_cap(std::max<std::size_t>(Cpu::memory_stats({}).reserved + bytes, 1));
}

/// The call again and again with less memory than it takes: an Error of kind device, nothing left behind, and as good as before afterwards.
template <class B>
void starve(const Backend& backend, const Drawn& drawn, Random& random, int& starved) {
  const Outcome whole = backend.run(drawn.call, drawn.laid);
  if (!whole.good()) return;
  const std::size_t before = live<B>();
  for (int i = 0; i < 4; ++i) {
    const std::size_t bytes = std::size_t(random.number(0, std::int64_t(1) << random.number(0, 14)));
    cap_at<B>(bytes);
    const Outcome outcome = backend.run(drawn.call, drawn.laid);
    B::set_memory_cap(cap);
    EXPECT_EQ(outcome.untyped, "") << backend.name << " at " << bytes << " bytes";
    if (outcome.error) {
      ++starved;
      EXPECT_EQ(outcome.error->kind, ErrorKind::device) << backend.name << " at " << bytes << " bytes: " << outcome.error->what();
    }
    EXPECT_EQ(live<B>(), before) << backend.name << " at " << bytes << " bytes: " << sentence(outcome);
  }
  const Outcome again = backend.run(drawn.call, drawn.laid);
  EXPECT_EQ(sentence(again), "results") << backend.name;
  for (std::size_t i = 0; i < std::min(whole.results.size(), again.results.size()); ++i)
    EXPECT_TRUE(whole.results[i].bytes == again.results[i].bytes) << backend.name << ", result " << i << ": " << difference(drawn.call.op.code(), drawn.laid, whole.results[i], again.results[i]);
}

TEST_F(Ops, RunOutOfMemoryAtAnyByte) {
  int starved = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + count() / 4; ++seed) {
    const Drawn drawn = draw(seed);
    if (!can_run(drawn)) continue;
    now(drawn.text + ", with little memory");
    SCOPED_TRACE(drawn.text);
    Random random(seed ^ 0x5eed);
    starve<Portable>(backends[0], drawn, random, starved);
    starve<Cpu>(backends[1], drawn, random, starved);
    starve<Portable>(backends[2], drawn, random, starved);
  }
  EXPECT_GT(starved, int(count() / 4));
}

}  // namespace
}  // namespace hearth::fuzz
